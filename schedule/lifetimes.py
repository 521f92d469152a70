"""When each value of a loop nest is alive, counted in nodes of one pass through the body of the block loop.

A value made outside the reduce loop and read inside it is alive through the whole loop, because the loop reads it again; the result of a
cut reduce is alive from the start of the loop, because it accumulates there. Where the loop is walked several times, that holds for each
walk.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from att.ir.graph import ImplGraph
from att.ir.loops import loop_nest
from att.ir.walks import is_once_per_core, segments
from att.ops.registry import spec_of
from att.ops.spec import ComputeType


class Interval(NamedTuple):
    """Positions of the first and the last node that touches a value, both included."""

    start: int
    stop: int


def lifetimes(graph: ImplGraph) -> Mapping[str, Interval]:
    """Interval of every value, by node name."""
    at = {node.name: i for i, node in enumerate(graph.nodes)}
    nest = loop_nest(graph)
    parts = segments(graph, nest)
    walks = [Interval(at[part.nodes[0].name], at[part.nodes[-1].name]) for part in parts if part.looped]
    intervals: dict[str, Interval] = {}
    for node in graph.nodes:
        users = [at[user.name] for user in graph.consumers_of[node.name]]
        interval = Interval(at[node.name], max(users, default=at[node.name]))
        accumulates = spec_of(node.op).compute is ComputeType.REDUCE
        for walk in walks:
            interval = _through(interval, walk, users, accumulates=accumulates)
        held = is_once_per_core(nest, node) and not all(is_once_per_core(nest, user) for user in graph.consumers_of[node.name])
        intervals[node.name] = Interval(interval.start, len(graph.nodes) - 1) if held else interval
    return intervals


def _through(interval: Interval, walk: Interval, users: list[int], *, accumulates: bool) -> Interval:
    """The interval, made longer by what a walk through the inner loop repeats."""
    start, stop = interval
    inside = walk.start <= start <= walk.stop
    if inside and accumulates:
        return Interval(walk.start, max(stop, walk.stop))
    if not inside and any(walk.start <= user <= walk.stop for user in users):
        return Interval(start, max(stop, walk.stop))
    return interval
