"""What a value needs, and what depends on it."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from att.ir.graph import Graph


def needed_for(graph: Graph, goals: Iterable[str], stop: Collection[str] = ()) -> set[str]:
    """The goals and all they depend on, but for what those in `stop` depend on."""
    needed = set(goals)
    for node in reversed(graph.nodes):
        if node.name in needed and node.name not in stop:
            needed.update(node.inputs)
    return needed


def descendants(graph: Graph, name: str, stop: Collection[str] = ()) -> tuple[str, ...]:
    """Names of the nodes that depend on a node, in graph order, but for those in `stop` and what depends on it through them alone."""
    reached = {name}
    for node in graph.nodes:
        if node.name not in stop and reached & set(node.inputs):
            reached.add(node.name)
    return tuple(n.name for n in graph.nodes if n.name in reached and n.name != name)
