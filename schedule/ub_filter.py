"""Drops templates that no tile is small enough for.

    full_load over [1, 400000] float32:  x, y whole rows, double buffered: 4 * 1600000 B   >   196352 B

What a template needs at the least is the lower end of the model's own UB expression over the declared ranges of sizes and tiles. What
exceeds the chip there exceeds it for every shape and tiling; what does not is left to the solver.
Source: the reference filters in the same way (schedule_codegen_facts §4.5), with its own expression.
"""

from __future__ import annotations

from dataclasses import replace

from att.expr.core import Expr, integer
from att.expr.substitute import substitute
from att.ir.graph import Candidates, Dropped, Graph, ImplGraph
from att.ir.layout import blocks
from att.ir.loops import loop_nest
from att.model.ub_capacity import ub_bytes
from att.ops.call import CostSet
from att.ops.spec import Costs
from hwmodels.model import Chip


def drop_too_large(candidates: Candidates, chip: Chip) -> Candidates:
    """The candidates without templates whose smallest tile exceeds UB; possibly none is left."""
    reasons = {t.name: next(filter(None, (_why_too_large(phase, chip) for phase in t.phases)), "") for t in candidates.templates}
    if not any(reasons.values()):
        return candidates
    gone = (Dropped(name=t.name, tiling_key=t.tiling_key, reason=reasons[t.name]) for t in candidates.templates if reasons[t.name])
    kept = tuple(t for t in candidates.templates if not reasons[t.name])
    whys = tuple(w for w in candidates.whys if not reasons.get(w.template))
    large = tuple(t for t in candidates.templates if reasons[t.name])
    return replace(candidates, templates=kept, whys=whys, dropped=(*candidates.dropped, *gone), too_large=large)


def may_always_fit(graph: Graph, chip: Chip) -> bool:
    """Whether the smallest tile is within UB at every shape of the declared range, by an interval bound."""
    return not isinstance(graph, ImplGraph) or most_bytes(graph, chip) <= chip.ub_usable_bytes


def most_bytes(graph: ImplGraph, chip: Chip) -> int:
    """UB at the smallest tiles, bytes, at the shape of the declared range that needs most (or more: an interval bound)."""
    smallest: dict[str, Expr] = {variable.name: integer(1) for variable in graph.variables}
    return substitute(ub_bytes(graph, loop_nest(graph), Costs(chip=chip, cost_set=CostSet.MENDED)), smallest).hi


def _why_too_large(graph: ImplGraph, chip: Chip) -> str:
    """The sentence that says why the smallest tile exceeds UB, `""` where it may fit."""
    need = _least_bytes(graph, chip)
    if need <= chip.ub_usable_bytes:
        return ""
    sizes = sorted(((block.total_bytes.lo, "+".join(block.tensors)) for block in blocks(graph)), reverse=True)
    largest = ", ".join(f"{names} {size} B" for size, names in sizes[:3])
    return f"UB: needs at least {need} B at the smallest tile of every shape, {chip.name} has {chip.ub_usable_bytes} B; largest: {largest}"


def _least_bytes(graph: ImplGraph, chip: Chip) -> int:
    """Bytes that the nest needs for every shape and tiling, whichever cost set counts the temporaries."""
    nest = loop_nest(graph)
    least = ub_bytes(graph, nest, Costs(chip=chip, cost_set=CostSet.MENDED)).lo
    if least <= chip.ub_usable_bytes:
        return least
    return min(least, ub_bytes(graph, nest, Costs(chip=chip, cost_set=CostSet.PUBLISHED)).lo)
