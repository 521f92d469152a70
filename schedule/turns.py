"""Which queue values may take turns in one queue: those of different walks through the inner loop, which are never alive together.

walk 1   x        walk 2   x_walk2        walk 3   x_walk3, gamma      ->      two queues: (x, x_walk2, x_walk3), (gamma)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from att.ir.graph import ImplGraph
from att.ir.loops import loop_nest
from att.ir.node import Node
from att.ir.walks import is_once_per_core, walk_of
from att.ops.registry import spec_of
from att.ops.spec import ComputeType


class Home(NamedTuple):
    """Where a value is made anew and given up."""

    walk: int | None
    """The walk through the inner loop whose turns it lives in; None where it lives for a pass of the block loop."""
    alone: bool
    """Whether no value of another home may share its queue: it serves every pass, or is loaded and stored without the vector unit."""


def homes(graph: ImplGraph) -> Mapping[str, Home]:
    """The home of every call's value. What a reduce accumulates outlives the turns."""
    nest = loop_nest(graph)
    walks = walk_of(graph, nest)
    found: dict[str, Home] = {}
    for node in graph.nodes:
        walk = None if spec_of(node.op).compute is ComputeType.REDUCE else walks.get(node.name)
        found[node.name] = Home(walk=walk, alone=is_once_per_core(nest, node) or (walk is not None and _is_copy(graph, node)))
    return found


def _is_copy(graph: ImplGraph, node: Node) -> bool:
    users = graph.consumers_of[node.name]
    return spec_of(node.op).compute is ComputeType.LOAD and all(spec_of(user.op).compute is ComputeType.STORE for user in users)


def take_turns(members: Sequence[Home]) -> tuple[int, ...]:
    """The number of the queue of each queue block, from 0: the first blocks of all walks share one, then the second ones."""
    shared: list[int] = []
    blocks_in: dict[int, int] = {}
    found: list[int] = []
    count = 0
    for home in members:
        if home.walk is None or home.alone:
            found.append(count)
            count += 1
            continue
        at = blocks_in.get(home.walk, 0)
        blocks_in[home.walk] = at + 1
        if at == len(shared):
            shared.append(count)
            count += 1
        found.append(shared[at])
    return tuple(found)


def crowded(members: Sequence[Home]) -> frozenset[Home]:
    """Homes where one queue block less may save a queue: of the walks, those with most blocks."""
    walks = [home for home in members if home.walk is not None and not home.alone]
    most = max((walks.count(home) for home in walks), default=0)
    return frozenset(home for home in members if home not in walks or walks.count(home) == most)
