"""When each value of a loop nest is alive, counted in nodes of one pass through the body of the block loop.

A value made outside the reduce loop and read inside it is alive through the whole loop, because the loop reads it again; the result of a
cut reduce is alive from the start of the loop, because it accumulates there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from att.ir.graph import ImplGraph
from att.ir.loops import loop_nest
from att.ops.registry import spec_of
from att.ops.spec import ComputeType


class Interval(NamedTuple):
    """Positions of the first and the last node that touches a value, both included."""

    start: int
    stop: int


def lifetimes(graph: ImplGraph) -> Mapping[str, Interval]:
    """Interval of every value, by node name."""
    at = {node.name: i for i, node in enumerate(graph.nodes)}
    inner = loop_nest(graph).inner
    looped = [at[n.name] for n in graph.nodes if inner and n.loop_axis == inner[-1]]
    loop = Interval(min(looped), max(looped)) if looped else None
    intervals: dict[str, Interval] = {}
    for node in graph.nodes:
        start = at[node.name]
        stop = max((at[user.name] for user in graph.consumers_of[node.name]), default=start)
        if loop is not None:
            inside = loop.start <= start <= loop.stop
            if inside and spec_of(node.op).compute is ComputeType.REDUCE:
                start, stop = loop.start, max(stop, loop.stop)
            elif not inside and start < loop.start <= stop:
                stop = max(stop, loop.stop)
        intervals[node.name] = Interval(start, stop)
    return intervals
