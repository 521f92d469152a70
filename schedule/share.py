"""Values to store that are never alive together take turns in one queue, where their nest is too large for UB otherwise.

    h = Add(x, r); Store(h); y = Mul(h, s); Store(y)       two queues of two buffers      ->      one queue of two buffers, h and y in turn

A buffer is filled while the one before it is stored, as ever; but two values share two buffers, so a nest that fits keeps a queue for each.
Only nests without a loop inside a core do so: there the order of the calls alone says which value is alive when.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from att.errors import ScheduleError
from att.ir.graph import Graph, ImplGraph
from att.ir.loops import loop_nest
from att.ir.node import Node
from att.ir.tensor import Memory, Position, Queue
from att.ir.walks import is_once_per_core
from schedule.lifetimes import Interval, lifetimes


@dataclass(frozen=True, slots=True)
class ShareQueues:
    """A queue at VECOUT takes the values of another one that are all gone, or not yet there, while its own are alive.

    Before: `h` in queue 2, `y` in queue 3.  After: `h` and `y` in queue 2, with a reuse_id of their own each.
    """

    def apply(self, graph: Graph) -> Graph:
        """The graph with fewer queues. Raises ScheduleError before values have their places."""
        if not isinstance(graph, ImplGraph) or not any(n.output.memory for n in graph.nodes):
            raise ScheduleError("values without a place in UB cannot share one", where=graph.name, hint="place them first")
        if loop_nest(graph).inner:
            return graph
        number = _numbers(graph)
        return replace(graph, nodes=tuple(_moved(node, number) for node in graph.nodes))


def _numbers(graph: ImplGraph) -> Mapping[int, int]:
    """The queue of each queue's values from now on, numbered without gaps."""
    homes: dict[int, list[Interval]] = {}
    chosen: dict[int, int] = {}
    for queue, interval in sorted(_alive(graph).items()):
        free = (host for host, taken in homes.items() if all(_apart(interval, other) for other in taken))
        host = next(free, queue)
        homes.setdefault(host, []).append(interval)
        chosen[queue] = host
    kept = sorted({queue.id for queue in _queues(graph)} - {queue for queue, host in chosen.items() if host != queue})
    return {queue.id: kept.index(chosen.get(queue.id, queue.id)) for queue in _queues(graph)}


def _alive(graph: ImplGraph) -> dict[int, Interval]:
    """By queue at VECOUT that is filled in every pass, from the first to the last node that touches a value of it."""
    live, nest = lifetimes(graph), loop_nest(graph)
    found: dict[int, Interval] = {}
    for node in graph.nodes:
        memory = node.output.memory
        if memory is None or memory.queue is None or memory.position is not Position.VECOUT or is_once_per_core(nest, node):
            continue
        own, so_far = live[node.name], found.get(memory.queue.id, live[node.name])
        found[memory.queue.id] = Interval(min(own.start, so_far.start), max(own.stop, so_far.stop))
    return found


def _apart(a: Interval, b: Interval) -> bool:
    return a.stop < b.start or b.stop < a.start


def _queues(graph: ImplGraph) -> tuple[Queue, ...]:
    return tuple(n.output.memory.queue for n in graph.nodes if n.output.memory and n.output.memory.queue)


def _moved(node: Node, number: Mapping[int, int]) -> Node:
    memory: Memory | None = node.output.memory
    if memory is None or memory.queue is None:
        return node
    queue = replace(memory.queue, id=number[memory.queue.id])
    return replace(node, output=replace(node.output, memory=replace(memory, queue=queue)))
