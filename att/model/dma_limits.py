"""DMA limits: the fields of a transfer instruction hold what they are given (ascendc_api_facts §9.1).

A block takes at least 32 bytes of UB, in each buffer of its queue or, where single elements are blocks, in the temporary area. Where UB
alone keeps a field below its limit, nothing is stated; nor where the declared sizes do. The gap between blocks cannot be negative.

The repeat field of vector instructions (8 bits, at most 255) needs no constraint. Calls that take a count of elements split it themselves.
Helpers of the device code that take a mask go on in steps of at most 255 repeats; GatherMask has 16 bits, more than fit in UB. A call with
one operand a row (`att.ops.by_row`) has two forms: by columns only where rows and pitch are at most 255, else by rows, which has no such
field; both are priced, so a tiling loses nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from att.expr.core import Expr, integer, mul
from att.expr.substitute import substitute
from att.ir.graph import Graph, ImplGraph
from att.ir.layout import BLOCK_BYTES
from att.ir.node import Node
from att.model.calls import Calls
from att.model.tiling import Leq, Origin
from att.model.transfers import is_transfer
from att.ops.dma import Transfer, transfer_of
from att.ops.registry import spec_of
from att.ops.spec import ComputeType
from hwmodels.model import Chip

FAMILY = "dma_limits"


def dma_limits(graph: ImplGraph, calls: Calls, chip: Chip) -> tuple[Leq, ...]:
    """One constraint for every field of a Load or Store that a tiling which fits in UB could exceed."""
    largest = {v.name: graph.axis_of[graph.axis_of[v.axis].parents[0]].size for v in graph.variables}
    return tuple(
        limit
        for node in filter(is_transfer, graph.nodes)
        for moved in (transfer_of(calls.of(node).output, chip),)
        for limit in (*_limits(graph, node, moved, chip), *_apart(graph, node, moved, largest))
    )


def _apart(graph: Graph, node: Node, transfer: Transfer, largest: Mapping[str, Expr]) -> Iterator[Leq]:
    """Blocks that a kernel argument is stored to do not overlap, where the largest tiles are not known to have none that do.

    Rows loaded that may overlap are an instruction each (`transfer_of`); stored ones would write an element twice.
    """
    stored = spec_of(node.op).compute is ComputeType.STORE and not any(n.op == "Workspace" for n in graph.consumers_of[node.name])
    if not stored or transfer.gm_gap_bytes.lo >= 0:
        return
    if substitute(transfer.gm_gap_bytes, largest).lo < 0:
        text = f"the blocks of {node.op} {node.name} do not overlap in GM, which no gap of the transfer instruction can say"
        origin = Origin(family=FAMILY, subject=node.name, text=text)
        step = mul(transfer.blocks[-1].gm_stride, transfer.dtype.bytes)
        yield Leq(lhs=transfer.block_len_bytes, rhs=step, origin=origin, unit="B")


def _limits(graph: ImplGraph, node: Node, transfer: Transfer, chip: Chip) -> Iterator[Leq]:
    room_bytes = chip.ub_usable_bytes // (_buffers(graph, node) if transfer.contiguous else 1)
    fields: tuple[tuple[str, str, Expr, int, int], ...] = (
        ("blocks", "blocks", transfer.block_count, chip.dma.block_count_max, room_bytes // BLOCK_BYTES),
        ("the length of a block", "B", transfer.block_len_bytes, chip.dma.block_len_max_bytes, room_bytes),
        ("the gap between blocks in GM", "B", transfer.gm_gap_bytes, chip.dma.stride_max_bytes, transfer.gm_gap_bytes.hi),
    )
    for what, unit, value, limit, reachable in fields:
        if min(value.hi, reachable) > limit:
            text = f"{what} of {node.op} {node.name} fit the field of the transfer instruction"
            yield Leq(lhs=value, rhs=integer(limit), origin=Origin(family=FAMILY, subject=node.name, text=text), unit=unit)


def _buffers(graph: ImplGraph, node: Node) -> int:
    """Buffers of the queue that the transferred value lies in, the fewest where a solver chooses."""
    value = node if spec_of(node.op).compute is ComputeType.LOAD else graph.node_of[node.inputs[0]]
    memory = value.output.memory
    if memory is None or memory.queue is None:
        return 1
    chosen = any(memory.queue.id in v.queues for v in graph.buffer_vars)
    return 1 if chosen else memory.queue.buf_num
