"""Values that lie, before a value to store is there, in the queue buffer that it will take.

    g = Broadcast(w);  y = Add(x, g);  Store(y)         g in the buffer of y, and Add works in place: no TBuf

The buffer is allocated for the first of them, and handed over after the last vector call as always. A guest is no longer than its host,
made in the same walk through the same loop, and dead when the next takes its place, unless that one works in place on it. Source: the
reference lets an op that can work in place put its result where an operand of the output queue lies (schedule_codegen_facts §4.3); here
any op may come before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping

from att.expr.compare import known_le
from att.ir.graph import ImplGraph
from att.ir.layout import tensor_bytes
from att.ir.node import Node
from att.ir.tensor import Queue, TensorView
from att.ops.registry import spec_of
from schedule.lifetimes import Interval, lifetimes

TurnOf = Callable[[str], Hashable]
"""What tells the loop that a value is made anew in, and which walk through it."""


def guests(graph: ImplGraph, nodes: Iterable[Node], hosts: Mapping[str, Queue], turn_of: TurnOf) -> dict[str, Queue]:
    """The queues of those among some nodes that can be guests of values to store; a buffer that several of these share has none."""
    live = lifetimes(graph)
    alone = Counter((q.id, q.reuse_id) for q in hosts.values())
    lodgers: dict[str, list[str]] = {name: [name] for name, q in hosts.items() if alone[q.id, q.reuse_id] == 1}
    found: dict[str, Queue] = {}
    for node in nodes:
        for host, members in lodgers.items():
            if turn_of(node.name) == turn_of(host) and _fits(graph, node, host, members, live):
                members.append(node.name)
                found[node.name] = hosts[host]
                break
    return found


def _fits(graph: ImplGraph, node: Node, host: str, members: Iterable[str], live: Mapping[str, Interval]) -> bool:
    short = known_le(tensor_bytes(node.output), tensor_bytes(graph.node_of[host].output))
    before = live[node.name].stop <= live[host].start
    return short and before and all(_apart(graph, node.name, other, live) for other in members)


def _apart(graph: ImplGraph, a: str, b: str, live: Mapping[str, Interval]) -> bool:
    """Whether two values are never alive together, or one takes the place of the other."""
    earlier, later = sorted((a, b), key=lambda name: live[name])
    if live[earlier].stop < live[later].start:
        return True
    return live[earlier].stop == live[later].start and works_in_place(graph.node_of[later], graph.node_of[earlier])


def works_in_place(node: Node, operand: Node) -> bool:
    """Whether the result of a node may lie where its operand lies."""
    return operand.name in node.inputs and spec_of(node.op).in_place and same_layout(operand.output, node.output)


def same_layout(a: TensorView, b: TensorView) -> bool:
    """Whether two values have equal types, strides and bytes in UB."""
    return (a.dtype, a.vectorized_axes, a.vectorized_strides) == (b.dtype, b.vectorized_axes, b.vectorized_strides) and (
        tensor_bytes(a) == tensor_bytes(b)
    )
