"""Cache line: a cut run of a transfer moves at least one cache line, or the whole axis.

Optional, and off unless a person asks (`--with cache_line`): the price already charges short rows, so an exact solver that is told to
leave them out can only lose. The lower bound is that of system.md (ATT no. 3, "tile bytes >= cache line"); the line is the chip's, 512 B on
2201 and 128 B on 3510 (att_facts §6). A run is what one row of the transfer moves between two gaps in GM: whole inner axes, and the
innermost cut one.
"""

from __future__ import annotations

from att.expr.choice import minimum
from att.expr.core import Expr, integer, mul
from att.ir.axis import AxisKind
from att.ir.graph import ImplGraph
from att.ir.node import Node
from att.ir.roles import varying_axes
from att.model.tiling import Leq, Origin
from att.model.transfers import is_transfer
from hwmodels.model import Chip

FAMILY = "cache_line"


def cache_line(graph: ImplGraph, chip: Chip) -> tuple[Leq, ...]:
    """One constraint for every cut axis that ends a run of a Load or Store, the one of the shortest element."""
    shortest: dict[tuple[str, Expr], int] = {}
    for node in graph.nodes:
        found = _run(graph, node)
        if found is not None:
            shortest[found] = min(node.output.dtype.bytes, shortest.get(found, node.output.dtype.bytes))
    return tuple(_at_least(graph, axis, mul(inner, size), chip) for (axis, inner), size in shortest.items())


def _run(graph: ImplGraph, node: Node) -> tuple[str, Expr] | None:
    """The innermost cut axis of a dense run, with the elements of the whole axes inside it; None where a run has no cut axis."""
    if not is_transfer(node):
        return None
    inner: Expr = integer(1)
    for axis in reversed(varying_axes(node.output)):
        if node.output.stride_of(axis) != inner:
            return None
        if graph.axis_of[axis].kind is AxisKind.TILE_IN:
            return axis, inner
        inner = mul(inner, node.output.repeat_of(axis))
    return None


def _at_least(graph: ImplGraph, axis: str, step_bytes: Expr, chip: Chip) -> Leq:
    size, whole = graph.axis_of[axis].size, graph.axis_of[graph.axis_of[axis].parents[0]]
    line_bytes = chip.cache_line_bytes
    text = f"tiles of {whole.name} are runs of a transfer: at least a cache line of {line_bytes} B or the whole axis"
    return Leq(
        lhs=minimum(mul(whole.size, step_bytes), integer(line_bytes)),
        rhs=mul(size, step_bytes),
        origin=Origin(family=FAMILY, subject=axis, text=text),
        unit="B",
    )
