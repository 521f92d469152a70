"""Lets binary instructions repeat a row themselves, in place of a Broadcast that writes it out."""

from __future__ import annotations

from dataclasses import dataclass, replace

from att.errors import ScheduleError
from att.ir.graph import Graph, ImplGraph
from att.ir.loops import loop_nest
from att.ir.node import Node
from att.model.calls import call_of
from att.ops.by_row import INLINE_OPS, is_row_of
from att.ops.registry import spec_of
from att.ops.spec import ComputeType
from hwmodels.model import Chip


@dataclass(frozen=True, slots=True)
class InlineBroadcasts:
    """A row that is only added to, multiplied with … whole tiles is not written out for every row of them.

    Before: `b = Broadcast(row[z1]) over z0t; y = Add(x, b)`.  After: `y = Add(x, row)`, one repeat a row.
    """

    def apply(self, graph: Graph) -> Graph:
        """The graph without such Broadcasts. Raises ScheduleError before values are laid out in UB."""
        if not isinstance(graph, ImplGraph):
            raise ScheduleError("a graph without loops has no values in UB", where=graph.name, hint="order its axes first")
        source = {node.name: node.inputs[0] for node in graph.nodes if _is_inline(graph, node)}
        kept = (n for n in graph.nodes if n.name not in source)
        return replace(graph, nodes=tuple(replace(n, inputs=tuple(source.get(i, i) for i in n.inputs)) for n in kept))


def can_inline(phases: tuple[ImplGraph, ...], chip: Chip) -> bool:
    """Whether a kernel of one phase has such a Broadcast, on a chip whose instructions repeat rows."""
    return chip.cost_table == "v1" and len(phases) == 1 and any(_is_inline(phases[0], node) for node in phases[0].nodes)


def _is_inline(graph: ImplGraph, node: Node) -> bool:
    if spec_of(node.op).compute is not ComputeType.BROADCAST or graph.node_of[node.inputs[0]].op == "Scalar":
        return False
    users = graph.consumers_of[node.name]
    return bool(users) and _repeats_a_row(graph, node) and all(_takes_rows(graph, node, user) for user in users)


def _repeats_a_row(graph: ImplGraph, node: Node) -> bool:
    call = call_of(graph, node, {}, loop_nest(graph).block_dim)
    return is_row_of(call.inputs[0], call.output)


def _takes_rows(graph: ImplGraph, node: Node, user: Node) -> bool:
    """Whether a reader of the Broadcast can read the row: its other operand and its result are whole."""
    if user.op not in INLINE_OPS or len(set(user.inputs)) != 2:
        return False
    (other,) = (graph.node_of[name] for name in user.inputs if name != node.name)
    whole = node.output.vectorized_strides
    if other.op == "Scalar" or spec_of(other.op).compute is ComputeType.BROADCAST:
        return False
    return user.output.vectorized_strides == whole and other.output.vectorized_strides == whole
