"""UB capacity: queues, buffers and temporary memory of a nest fit into the unified buffer.

    UB = sum over queues (slot bytes * buf_num) + sum over buffers (slot bytes) + temporary

Temporary memory that lives for one call only is one area, as large as the hungriest call; what a cut reduce keeps between the turns of
its loop is counted on top (att_facts §2.1). The reference has no place of its own for a partial result: `published` counts none.
"""

from __future__ import annotations

from enum import Enum

from att.expr.core import Expr, add, align_up, integer, maximum
from att.expr.text import to_text
from att.ir.graph import ImplGraph
from att.ir.layout import BLOCK_BYTES, blocks, tensor_bytes
from att.ir.loops import LoopNest
from att.ir.node import Node
from att.model.calls import Calls, call_of, cores_in_use
from att.model.tiling import Leq, Origin
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
    per_call: list[Expr] = []
    per_loop: list[Expr] = []
    calls = Calls(graph, {}, cores_in_use(nest, costs.chip))
    for node in graph.nodes:
        call_bytes, loop_bytes = _tmp_bytes(graph, nest, costs, calls, node)
        per_call.append(call_bytes)
        per_loop.extend(loop_bytes)
    shared = maximum(0, *(align_up(size, BLOCK_BYTES) for size in dict.fromkeys(per_call)))
    return tuple(area for area in (shared, *(align_up(size, BLOCK_BYTES) for size in per_loop)) if area != _ZERO)


class TmpUse(Enum):
    """Whether the calls of a nest need temporary memory."""

    NEVER = "never"
    SOMETIMES = "sometimes"
    """At some shapes and tiles."""
    ALWAYS = "always"
    ACROSS_LOOP = "across a loop"
    """Some of it outlives its call."""


def tmp_use(graph: ImplGraph, nest: LoopNest, costs: Costs) -> TmpUse:
    """What `tmp_areas` has, without its sizes: one call that always needs some decides, and transfers, which seldom do, are asked last."""
    use = TmpUse.NEVER
    calls = Calls(graph, {}, cores_in_use(nest, costs.chip))
    for node in sorted(graph.nodes, key=lambda node: spec_of(node.op).compute in (ComputeType.LOAD, ComputeType.STORE)):
        if use is TmpUse.ALWAYS and spec_of(node.op).compute is not ComputeType.REDUCE:
            continue  # only a reduce has what outlives its call
        call_bytes, loop_bytes = _tmp_bytes(graph, nest, costs, calls, node)
        if any(size.hi > 0 for size in loop_bytes):
            return TmpUse.ACROSS_LOOP
        if call_bytes.lo > 0:
            use = TmpUse.ALWAYS
        elif call_bytes.hi > 0 and use is TmpUse.NEVER:
            use = TmpUse.SOMETIMES
    return use


def _tmp_bytes(graph: ImplGraph, nest: LoopNest, costs: Costs, calls: Calls, node: Node) -> tuple[Expr, tuple[Expr, ...]]:
    """Bytes that a node needs during its call, and in pieces that live across a reduce loop."""
    spec = spec_of(node.op)
    if spec.compute is not ComputeType.REDUCE and requests_none(spec.tmp, costs):
        return _ZERO, ()
    needs = spec.tmp_buffers(calls.of(node), costs)
    partial = partial_bytes(graph, nest, node.name) if costs.cost_set is CostSet.MENDED else _ZERO
    call_bytes = add(*(t.bytes for t in needs if t.lifetime is TmpLifetime.CALL), partial)
    return call_bytes, tuple([t.bytes for t in needs if t.lifetime is TmpLifetime.LOOP])


def partial_bytes(graph: ImplGraph, nest: LoopNest, name: str) -> Expr:
    """Bytes of the partial result that a reduce makes before it is merged.

    It makes one in each turn of the loop that cuts it, and of the loop over an outer run of reduced axes where it folds several runs.
    """
    node = graph.node_of[name]
    if spec_of(node.op).compute is not ComputeType.REDUCE:
        return _ZERO
    cut = bool(nest.inner) and node.loop_axis == nest.inner[-1]
    call = call_of(graph, node, {}, nest.block_dim)
    return tensor_bytes(node.output) if cut or reduced_runs(data_view(call), call.output) > 1 else _ZERO
