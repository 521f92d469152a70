"""Removes what a graph says twice: casts to the same type, casts of constants, chains of broadcasts, values nobody reads.

The backend extension emits one Broadcast per axis and a float32 cast before every store, so real graphs are full of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from att.ir.graph import HintGraph
from att.ir.node import Node
from att.ir.roles import reduced_axes
from att.ops.registry import spec_of
from att.ops.spec import ComputeType


def clean(graph: HintGraph) -> HintGraph:
    """The same function with fewer nodes. Kernel inputs stay, read or not."""
    return drop_unread(join_broadcasts(drop_copies(fold_scalar_casts(graph))))


def fold_scalar_casts(graph: HintGraph) -> HintGraph:
    """`Cast(Scalar)` becomes a Scalar of the target type: it is broadcast by whoever reads it."""
    folded = [
        replace(
            graph.node_of[node.inputs[0]], name=node.name, output=replace(graph.node_of[node.inputs[0]].output, dtype=node.output.dtype)
        )
        if node.op == "Cast" and graph.node_of[node.inputs[0]].op == "Scalar"
        else node
        for node in graph.nodes
    ]
    return replace(graph, nodes=tuple(folded))


def drop_copies(graph: HintGraph) -> HintGraph:
    """Readers of a node that returns its input as it is read that input instead."""
    source: dict[str, str] = {}
    kept: list[Node] = []
    for node in graph.nodes:
        rewired = _rewire(node, source)
        if _is_copy(graph, rewired):
            source[node.name] = rewired.inputs[0]
        else:
            kept.append(rewired)
    return replace(graph, nodes=tuple(kept))


_NOT_THE_ELEMENT: Final = frozenset({"ArgMax", "Any", "All"})
"""Reduces that make something else of one element: its index, whether it is true."""


def _is_copy(graph: HintGraph, node: Node) -> bool:
    if len(node.inputs) != 1 or spec_of(node.op).compute in (ComputeType.LOAD, ComputeType.STORE, ComputeType.STRUCTURAL):
        return False
    before, after = graph.node_of[node.inputs[0]].output, node.output
    if before.dtype != after.dtype or before.repeats != after.repeats or before.axes != after.axes:
        return False
    compute = spec_of(node.op).compute
    if compute is ComputeType.REDUCE:
        return node.op not in _NOT_THE_ELEMENT and not reduced_axes(graph, node)
    return node.op == "Cast" or compute is ComputeType.BROADCAST


def join_broadcasts(graph: HintGraph) -> HintGraph:
    """A Broadcast of a Broadcast reads what the first one reads."""
    source = {node.name: node.inputs[0] for node in graph.nodes if spec_of(node.op).compute is ComputeType.BROADCAST}

    def origin(name: str) -> str:
        while name in source:
            name = source[name]
        return name

    joined = (replace(n, inputs=(origin(n.inputs[0]),)) if n.name in source else n for n in graph.nodes)
    return replace(graph, nodes=tuple(joined))


def drop_unread(graph: HintGraph) -> HintGraph:
    """Only what an Output needs, and every Data."""
    needed: set[str] = set()
    for node in reversed(graph.nodes):
        if node.op == "Output" or node.name in needed:
            needed.update((node.name, *node.inputs))
    return replace(graph, nodes=tuple(n for n in graph.nodes if n.name in needed or n.op == "Data"))


def _rewire(node: Node, source: Mapping[str, str]) -> Node:
    return replace(node, inputs=tuple(source.get(name, name) for name in node.inputs))
