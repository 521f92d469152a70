"""UB capacity: queues, buffers and temporary memory of a nest fit into the unified buffer.

    UB = sum over queues (slot bytes * buf_num) + sum over buffers (slot bytes) + temporary

Temporary memory that lives for one call only is one area, as large as the hungriest call; what a cut reduce keeps between the turns of
its loop is counted on top (att_facts §2.1). The reference has no place of its own for a partial result: `published` counts none.
"""

from __future__ import annotations

from collections.abc import Iterator

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
from att.ops.registry import spec_of
from att.ops.spec import ComputeType, Costs, TmpBuffer, TmpLifetime
from hwmodels.model import Chip

FAMILY = "ub_capacity"


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
    shared = shared_bytes(graph, nest, costs)
    return tuple(area for area in (shared, *(size for _, size in loop_bytes(graph, nest, costs))) if area != integer(0))


def shared_bytes(graph: ImplGraph, nest: LoopNest, costs: Costs) -> Expr:
    """Bytes of the shared per-call area, 0 if no call needs one."""
    per_call: list[Expr] = []
    for node, needs in _tmp_buffers(graph, nest, costs):
        partial = partial_bytes(graph, nest, node.name) if costs.cost_set is CostSet.MENDED else integer(0)
        per_call.append(add(*(t.bytes for t in needs if t.lifetime is TmpLifetime.CALL), partial))
    return maximum(0, *(align_up(size, BLOCK_BYTES) for size in dict.fromkeys(per_call)))


def loop_bytes(graph: ImplGraph, nest: LoopNest, costs: Costs) -> tuple[tuple[str, Expr], ...]:
    """What lives across a reduce loop: the node that keeps it, and its bytes."""
    found = ((node, t) for node, needs in _tmp_buffers(graph, nest, costs) for t in needs if t.lifetime is TmpLifetime.LOOP)
    return tuple((node.name, align_up(t.bytes, BLOCK_BYTES)) for node, t in found)


def _tmp_buffers(graph: ImplGraph, nest: LoopNest, costs: Costs) -> Iterator[tuple[Node, tuple[TmpBuffer, ...]]]:
    """The temporary buffers of every call."""
    calls = Calls(graph, {}, cores_in_use(nest, costs.chip))
    for node in graph.nodes:
        if spec_of(node.op).pipe is not None:
            yield node, spec_of(node.op).tmp_buffers(calls.of(node), costs)


def partial_bytes(graph: ImplGraph, nest: LoopNest, name: str) -> Expr:
    """Bytes of the partial result that a reduce makes before it is merged.

    It makes one in each turn of the loop that cuts it, and of the loop over an outer run of reduced axes where it folds several runs.
    """
    node = graph.node_of[name]
    if spec_of(node.op).compute is not ComputeType.REDUCE:
        return integer(0)
    cut = bool(nest.inner) and node.loop_axis == nest.inner[-1]
    call = call_of(graph, node, {}, nest.block_dim)
    return tensor_bytes(node.output) if cut or reduced_runs(data_view(call), call.output) > 1 else integer(0)
