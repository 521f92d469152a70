"""Stores that vary over different axes, and the part of a graph that some of them need.

    a[m, p] and b[m, q]      two groups, each of which can be a nest of its own: neither loop is in the way of the other
    y[m, n] and z[m]         one group: z is stored within the nest of y

What several groups need is then computed for each. Source: the reference makes a group of every connected part of a graph
(schedule_codegen_facts §1).
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace

from att.errors import ScheduleError
from att.ir.graph import Graph
from att.ir.roles import varying_axes
from att.ops.registry import spec_of
from att.ops.spec import ComputeType


def store_groups(graph: Graph) -> tuple[tuple[str, ...], ...]:
    """The Stores of a graph: those together that vary over axes of one of them, which no other has all of."""
    stores = [n for n in graph.nodes if spec_of(n.op).compute is ComputeType.STORE]
    axes = {n.name: frozenset(varying_axes(n.output)) for n in stores}
    largest = dict.fromkeys(mine for mine in axes.values() if not any(mine < other for other in axes.values()))
    groups: dict[frozenset[str], list[str]] = {mine: [] for mine in largest}
    for name, mine in axes.items():
        groups[next(whole for whole in groups if mine <= whole)].append(name)
    return tuple(tuple(names) for names in groups.values())


@dataclass(frozen=True, slots=True)
class KeepStores:
    """What the stores of one group need.

    Before: `Store(a[m, p]); Store(b[m, q])`.  After, with group 1: `Store(b[m, q])`.
    """

    group: int

    def apply(self, graph: Graph) -> Graph:
        """The graph of one group. Raises ScheduleError if there is no such group."""
        groups = store_groups(graph)
        if not 0 <= self.group < len(groups):
            raise ScheduleError(f"there is no group {self.group}, there are {len(groups)}", where=graph.name, hint="count groups from 0")
        return only_stores(graph, set(groups[self.group]))


def only_stores(graph: Graph, stores: Set[str]) -> Graph:
    """What some Stores need."""
    needed = set(stores)
    for node in reversed(graph.nodes):
        if node.name in needed:
            needed.update(node.inputs)
    kept = tuple(
        replace(node, inputs=tuple(name for name in node.inputs if name in needed))
        for node in graph.nodes
        if node.name in needed or (node.op in ("Output", "Workspace") and stores & set(node.inputs))
    )
    return replace(graph, nodes=kept)
