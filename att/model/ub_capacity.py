"""UB capacity: queues, buffers and temporary memory of a nest fit into the unified buffer.

    UB = sum over queues (slot bytes * buf_num) + sum over buffers (slot bytes) + temporary

Temporary memory that lives for one call only is one area, as large as the hungriest call; what a cut reduce keeps between the turns of
its loop is counted on top (att_facts §2.1). The reference has no place of its own for a partial result: `published` counts none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum

from att.expr.choice import maximum
from att.expr.core import Expr, add, align_up, integer
from att.expr.text import to_text
from att.ir.graph import ImplGraph
from att.ir.layout import BLOCK_BYTES, blocks, tensor_bytes
from att.ir.loops import LoopNest
from att.ir.node import Node
from att.model.calls import Calls, call_of, cores_in_use
from att.model.tiling import Leq, Origin
from att.model.transfers import is_transfer
from att.ops.call import CostSet
from att.ops.extents import data_view, reduced_runs
from att.ops.pricing import requests_none
from att.ops.registry import spec_of
from att.ops.spec import ComputeType, Costs, TmpLifetime
from hwmodels.model import Chip

FAMILY = "ub_capacity"
_ZERO = integer(0)


def ub_capacity(graph: ImplGraph, used_bytes: Expr, chip: Chip) -> Leq:
    """The constraint of one nest that uses so many bytes (`ub_bytes`)."""
    parts = ", ".join(f"{b.name} ({', '.join(b.tensors)})" + (f" x{to_text(b.buffers)}" if b.buf_num > 1 else "") for b in blocks(graph))
    text = f"queues, buffers and temporaries fit in UB: {parts or 'no buffers'}"
    origin = Origin(family=FAMILY, subject=graph.name, text=text)
    return Leq(lhs=used_bytes, rhs=integer(chip.ub_usable_bytes), origin=origin, unit="B")


def ub_bytes(graph: ImplGraph, nest: LoopNest, costs: Costs) -> Expr:
    """UB in use, bytes, without what the chip reserves."""
    scratch = max((spec_of(node.op).scratch_bytes for node in graph.nodes), default=0)
    return add(*(b.total_bytes for b in blocks(graph)), *tmp_areas(graph, nest, costs), scratch)


def tmp_areas(graph: ImplGraph, nest: LoopNest, costs: Costs) -> tuple[Expr, ...]:
    """The shared per-call area (absent if no call needs one), then what lives across a reduce loop."""
    shared = call_area(graph, nest, costs)
    return (*((shared,) if shared != _ZERO else ()), *(area for areas in loop_areas(graph, nest, costs).values() for area in areas))


def call_area(graph: ImplGraph, nest: LoopNest, costs: Costs) -> Expr:
    """Bytes of the area that all calls share, one after another; 0 if no call needs it."""
    calls = Calls(graph, {}, cores_in_use(nest, costs.chip))
    per_call = [_call_bytes(graph, nest, costs, calls, node) for node in _priced(graph)]
    return maximum(0, *(align_up(size, BLOCK_BYTES) for size in dict.fromkeys(per_call)))


class TmpUse(Enum):
    """Whether the calls of a nest need temporary memory, each for itself."""

    NEVER = "never"
    SOMETIMES = "sometimes"
    """At some shapes and tiles."""
    ALWAYS = "always"


def tmp_use(graph: ImplGraph, nest: LoopNest, costs: Costs) -> TmpUse:
    """What `call_area` is, without its size: one call that always needs some decides, and transfers, which seldom do, are asked last."""
    use = TmpUse.NEVER
    calls = Calls(graph, {}, cores_in_use(nest, costs.chip))
    for node in sorted(_priced(graph), key=is_transfer):
        size = _call_bytes(graph, nest, costs, calls, node)
        if size.lo > 0:
            return TmpUse.ALWAYS
        if size.hi > 0:
            use = TmpUse.SOMETIMES
    return use


def _call_bytes(graph: ImplGraph, nest: LoopNest, costs: Costs, calls: Calls, node: Node) -> Expr:
    """Bytes that a node needs during its call."""
    spec = spec_of(node.op)
    if spec.compute is not ComputeType.REDUCE and requests_none(spec.tmp, costs):
        return _ZERO
    needs = spec.tmp_buffers(calls.of(node), costs)
    partial = partial_bytes(graph, nest, node.name) if costs.cost_set is CostSet.MENDED else _ZERO
    return add(*(t.bytes for t in needs if t.lifetime is TmpLifetime.CALL), partial)


def loop_areas(graph: ImplGraph, nest: LoopNest, costs: Costs) -> Mapping[str, tuple[Expr, ...]]:
    """Bytes of what a node keeps from turn to turn of the loop that cuts it, by node; only reduces keep anything."""
    calls = Calls(graph, {}, cores_in_use(nest, costs.chip))
    found: dict[str, tuple[Expr, ...]] = {}
    for node in _priced(graph):
        spec = spec_of(node.op)
        if spec.compute is not ComputeType.REDUCE:
            continue
        call = calls.of(node)
        sizes = [t.bytes for t in spec.tmp_buffers(call, costs) if t.lifetime is TmpLifetime.LOOP]
        if costs.cost_set is CostSet.MENDED and spec.reduction and spec.reduction.by_value and _is_cut(nest, node):
            sizes.append(spec.reduction.by_value.kept_bytes(call))
        areas = tuple(area for size in sizes if (area := align_up(size, BLOCK_BYTES)) != _ZERO)
        if areas:
            found[node.name] = areas
    return found


def _priced(graph: ImplGraph) -> Iterator[Node]:
    return (node for node in graph.nodes if spec_of(node.op).pipe is not None)


def _is_cut(nest: LoopNest, node: Node) -> bool:
    """Whether a reduce goes on over the turns of the inner loop."""
    return spec_of(node.op).compute is ComputeType.REDUCE and bool(nest.inner) and node.loop_axis == nest.inner[-1]


def partial_bytes(graph: ImplGraph, nest: LoopNest, name: str) -> Expr:
    """Bytes of the partial result that a reduce makes before it is merged.

    It makes one in each turn of the loop that cuts it, and of the loop over an outer run of reduced axes where it folds several runs.
    Places of largest elements are compared as they are found.
    """
    node = graph.node_of[name]
    reduction = spec_of(node.op).reduction
    if reduction is None or reduction.by_value is not None:
        return _ZERO
    call = call_of(graph, node, {}, nest.block_dim)
    return tensor_bytes(node.output) if _is_cut(nest, node) or reduced_runs(data_view(call), call.output) > 1 else _ZERO
