"""Stores that vary over different axes, and the part of a graph that some of them need.

    a[m, p] and b[m, q]      two groups, each of which can be a nest of its own: neither loop is in the way of the other
    y[m, n] and z[m]         one group: z is stored within the nest of y
    s[m] and t               two groups if s is a Sum over n, t a Sum over m and n: no loop in a core is that of both reduces

What several groups need is then computed for each. Source: the reference makes a group of every connected part of a graph
(schedule_codegen_facts §1).
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace

from att.errors import ScheduleError
from att.ir.graph import Graph
from att.ir.roles import reduced_axes, varying_axes
from att.ops.registry import spec_of
from att.ops.spec import ComputeType
from schedule.dependence import needed_for
from schedule.reduces import reduce_nodes

Walks = frozenset[frozenset[str]]
"""Sets of axes that reduces fold."""


def store_groups(graph: Graph) -> tuple[tuple[str, ...], ...]:
    """The Stores of a graph: those together that fit the nest of one of them, which no other has all axes of.

    They vary over axes of that one, and of any two one reduces over nothing that the other does not: no two walks are in the way.
    """
    stores = [n.name for n in graph.nodes if spec_of(n.op).compute is ComputeType.STORE]
    axes = {name: frozenset(varying_axes(graph.node_of[name].output)) for name in stores}
    walks = {name: _walks(graph, name) for name in stores}
    groups: dict[str, list[str]] = {}
    for name in sorted(stores, key=lambda name: -len(axes[name])):
        heads = [head for head in sorted(groups, key=stores.index) if axes[name] <= axes[head]]
        mine = next((head for head in heads if all(_alike(walks[name], walks[other]) for other in groups[head])), name)
        groups.setdefault(mine, []).append(name)
    return tuple(tuple(sorted(groups[head], key=stores.index)) for head in sorted(groups, key=stores.index))


def _alike(mine: Walks, others: Walks) -> bool:
    return mine <= others or others <= mine


def _walks(graph: Graph, name: str) -> Walks:
    """Those of the reduces that a Store needs."""
    needed = needed_for(graph, {name})
    reduces = (n for n in reduce_nodes(graph) if n.name in needed)
    return frozenset(frozenset(axes) for n in reduces if (axes := reduced_axes(graph, n)))


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
    """What some Stores need, and every Data: those that nothing needs are parameters of the kernel too."""
    needed = needed_for(graph, stores)
    kept = tuple(
        replace(node, inputs=tuple(name for name in node.inputs if name in needed))
        for node in graph.nodes
        if node.name in needed or node.op == "Data" or (node.op in ("Output", "Workspace") and stores & set(node.inputs))
    )
    return replace(graph, nodes=kept)
