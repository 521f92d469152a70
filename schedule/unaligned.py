"""Rows that are no multiple of 32 bytes, without padding in UB.

    general      y[z0t, z1] at z0t*8 + z1 in UB        x, y: a block of z1 elements for each row      (z1 = 5)
    unaligned    y[z0t, z1] at z0t*5 + z1 in UB        x, y: one block of z0t*z1 elements

What is loaded and stored lies in UB as it lies in GM, and elementwise calls run over all of it at a stretch. Only a Broadcast needs rows
at 32-byte borders, so it keeps them, and a RemovePad behind it lays them side by side.
Sources: the template and its conditions schedule_codegen_facts §3.10, the layouts §3.8.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from att.errors import ScheduleError
from att.expr.compare import known_eq
from att.expr.core import Expr, mul
from att.expr.text import to_text
from att.ir.graph import Graph, ImplGraph
from att.ir.node import Node
from att.ir.roles import ONE
from att.ops.registry import spec_of
from att.ops.spec import ComputeType
from schedule.vectorize import laid_out

PACK_OP: Final = "RemovePad"
_FITTING: Final = frozenset(
    {ComputeType.STRUCTURAL, ComputeType.LOAD, ComputeType.STORE, ComputeType.ELEMENTWISE, ComputeType.BROADCAST},
)


@dataclass(frozen=True, slots=True)
class PackRows:
    """Rows lie side by side in UB from the Stores back to Loads and Broadcasts.

    Before: `b = Broadcast(row), x, y = Add(x, b) at z0t*8 + z1`.
    After: `b at z0t*8 + z1; p = RemovePad(b), x, y = Add(x, p) at z0t*5 + z1`.
    """

    def apply(self, graph: Graph) -> Graph:
        """The graph with other strides in UB and the new calls. Raises ScheduleError where rows must keep their padding."""
        if not isinstance(graph, ImplGraph):
            raise ScheduleError("a graph without loops has no values in UB", where=graph.name, hint="order its axes first")
        behind = _behind_broadcasts(graph)
        packed = {node.name: f"{node.name}_packed" for node in graph.nodes if node.name in behind and _keeps_padding(graph, node)}
        nodes: list[Node] = []
        for node in graph.nodes:
            if node.name in packed:
                nodes += [node, packing(node, packed[node.name])]
            elif node.name in behind or spec_of(node.op).compute is ComputeType.STORE:
                nodes.append(replace(side_by_side(node), inputs=tuple(packed.get(name, name) for name in node.inputs)))
            else:
                nodes.append(node)
        _refuse_two_layouts(graph, behind, frozenset(packed))
        _refuse_rows_apart(graph, behind)
        return replace(graph, nodes=tuple(nodes))


def can_pack(phases: tuple[ImplGraph, ...]) -> bool:
    """Whether a kernel of one phase has nothing but elementwise calls and Broadcasts, and stores rows that some Broadcast made."""
    (graph, *more) = phases
    if more or any(spec_of(node.op).compute not in _FITTING for node in graph.nodes):
        return False
    return any(_keeps_padding(graph, graph.node_of[name]) for name in _behind_broadcasts(graph))


def why_packed_already(graph: ImplGraph) -> str:
    """The sentence that says why packing changes nothing: rows are known to be whole blocks. `""` where they may not be."""
    packing = [(graph.node_of[node.inputs[0]].output, node.output) for node in graph.nodes if node.op == PACK_OP]
    if any(padded.vectorized_strides != packed.vectorized_strides for padded, packed in packing):
        return ""
    rows = (node.output.repeat_of(rows_of(node)[-1]) for node in graph.nodes if node.op == PACK_OP)
    lengths = " and ".join(dict.fromkeys(f"{to_text(row)} elements" for row in rows))
    return f"rows of {lengths} are whole blocks of 32 bytes, so they lie without padding anyway"


def _behind_broadcasts(graph: ImplGraph) -> frozenset[str]:
    """Values on the way to a Store, back to the Loads and Broadcasts that they are made of, these included."""
    found: set[str] = set()
    for node in reversed(graph.nodes):
        compute = spec_of(node.op).compute
        if compute is ComputeType.STORE or (node.name in found and compute is ComputeType.ELEMENTWISE):
            found.update(name for name in node.inputs if graph.node_of[name].output.axes)
    return frozenset(found)


def rows_of(node: Node) -> tuple[str, ...]:
    """Axes that a value varies over in UB, outermost first."""
    return tuple(axis for axis in node.output.vectorized_axes if node.output.repeat_of(axis) != ONE)


def _keeps_padding(graph: ImplGraph, node: Node) -> bool:
    """Whether a node spreads more than one element over padded rows, which its instructions want at 32-byte borders."""
    if spec_of(node.op).compute is not ComputeType.BROADCAST:
        return False
    source = graph.node_of[node.inputs[0]]
    return len(rows_of(node)) > 1 and source.op != "Scalar" and bool(rows_of(source))


def packing(node: Node, name: str) -> Node:
    """The call that lays the rows of a node's value side by side in UB."""
    return replace(side_by_side(node), name=name, op=PACK_OP, inputs=(node.name,), attrs={})


def side_by_side(node: Node) -> Node:
    """The node with rows of its value side by side in UB."""
    return laid_out(node, node.output.vectorized_axes, 1)


def _refuse_two_layouts(graph: ImplGraph, behind: frozenset[str], packed: frozenset[str]) -> None:
    """A value of several rows that lies side by side cannot be read by a call that wants them padded."""
    for name in behind - packed:
        node = graph.node_of[name]
        users = graph.consumers_of[name]
        readers = [user for user in users if spec_of(user.op).compute is not ComputeType.STORE and user.name not in behind - packed]
        if readers and len(rows_of(node)) > 1:
            raise ScheduleError(
                f"{name} is stored, and read by {readers[0].name} on the way to a Broadcast, so its rows must lie with and without padding",
                where=graph.name,
            )


def _refuse_rows_apart(graph: ImplGraph, behind: frozenset[str]) -> None:
    """Rows that lie apart in GM are blocks of their own, padded or not."""
    for node in graph.nodes:
        compute = spec_of(node.op).compute
        moves = compute is ComputeType.STORE or (compute is ComputeType.LOAD and node.name in behind)
        if moves and not rows_lie_side_by_side(node):
            raise ScheduleError(f"{node.op} {node.name} moves rows that do not lie side by side in GM", where=graph.name)


def rows_lie_side_by_side(node: Node) -> bool:
    """Whether a transfer is known to move one stretch of GM."""
    step: Expr = ONE
    for axis in reversed(rows_of(node)):
        if not known_eq(node.output.stride_of(axis), step):
            return False
        step = mul(step, node.output.repeat_of(axis))
    return True
