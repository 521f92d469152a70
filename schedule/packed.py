"""Rows that are no multiple of 32 bytes, laid side by side in UB before they are stored.

    full load           y[z0t, z1] at z0t*8 + z1 in UB; Store moves a block of z1 elements for each row      (z1 = 5)
    full load, packed   p = RemovePad(y) at z0t*5 + z1; Store moves one block of z0t*z1 elements

A row that ends inside a block of 32 bytes is stored at a fifth of the bandwidth up to 512 bytes of it, or slower (att_facts §3.5), and a
reduce wants its rows padded. So they are padded while the vector unit works, and packed last. Where nothing is reduced and rows lie side
by side in GM on their way in too, `schedule.unaligned` needs no padding at all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from att.errors import ScheduleError
from att.expr.compare import known_eq
from att.expr.core import mod, mul
from att.ir.graph import Graph, ImplGraph
from att.ir.layout import BLOCK_BYTES
from att.ir.node import Node
from att.ops.registry import spec_of
from att.ops.spec import ComputeType
from schedule.unaligned import PACK_OP, packing, rows_lie_side_by_side, rows_of, side_by_side

_PACKED: Final = spec_of(PACK_OP).dtypes["v1"] & spec_of(PACK_OP).dtypes["v2"]
"""Element types that every chip packs: GatherMask takes no bytes and no 64-bit elements (ascendc_api_facts §10)."""


@dataclass(frozen=True, slots=True)
class PackStores:
    """What is stored is packed before, where its rows have padding in UB and none in GM.

    Before: `y at z0t*8 + z1; Store(y)`.  After: `y at z0t*8 + z1; p = RemovePad(y) at z0t*5 + z1; Store(p)`.
    """

    def apply(self, graph: Graph) -> Graph:
        """The graph with the new calls. Raises ScheduleError before values are laid out in UB."""
        if not isinstance(graph, ImplGraph):
            raise ScheduleError("a graph without loops has no values in UB", where=graph.name, hint="order its axes first")
        stores = {node.name for node in graph.nodes if _gains(graph, node)}
        nodes: list[Node] = []
        packed: dict[str, str] = {}
        for node in graph.nodes:
            if node.name not in stores:
                nodes.append(node)
                continue
            (source,) = node.inputs
            if source not in packed:
                packed[source] = f"{source}_packed"
                nodes.append(packing(graph.node_of[source], packed[source]))
            nodes.append(replace(side_by_side(node), inputs=(packed[source],)))
        return replace(graph, nodes=tuple(nodes))


def can_pack_stores(phases: tuple[ImplGraph, ...]) -> bool:
    """Whether a kernel of one phase stores rows that can be packed, and that may be no whole blocks."""
    (graph, *more) = phases
    return not more and any(_gains(graph, node) for node in graph.nodes)


def _gains(graph: ImplGraph, node: Node) -> bool:
    """Whether a Store moves rows that lie apart in UB and side by side in GM, where they may be no whole blocks."""
    if spec_of(node.op).compute is not ComputeType.STORE or not rows_lie_side_by_side(node) or node.output.dtype not in _PACKED:
        return False
    source = graph.node_of[node.inputs[0]].output
    if source.vectorized_strides == side_by_side(node).output.vectorized_strides:
        return False
    row_bytes = mul(source.repeat_of(rows_of(node)[-1]), source.dtype.bytes)
    return not known_eq(mod(row_bytes, BLOCK_BYTES), 0)
