"""Removes broadcasts that a loop nest has made redundant.

    z0z1T loops, z1t in UB:   b = Broadcast(row[z1t]) over z0;  y = Add(x, b)    ->    y = Add(x, row)

An axis that became a loop is not in UB, so repeating a value along it copies the same elements. Whoever read the copy reads the original.
"""

from __future__ import annotations

from dataclasses import replace

from att.ir.graph import ImplGraph
from att.ir.node import Node
from att.ops.registry import spec_of
from att.ops.spec import ComputeType


def drop_redundant_broadcasts(graph: ImplGraph) -> ImplGraph:
    """The graph without Broadcasts whose result lies in UB exactly like their input."""
    source: dict[str, str] = {}
    kept: list[Node] = []
    for node in graph.nodes:
        rewired = replace(node, inputs=tuple(source.get(name, name) for name in node.inputs))
        if _copies(graph, rewired):
            source[node.name] = rewired.inputs[0]
        else:
            kept.append(rewired)
    return replace(graph, nodes=tuple(kept))


def _copies(graph: ImplGraph, node: Node) -> bool:
    if spec_of(node.op).compute is not ComputeType.BROADCAST:
        return False
    before, after = graph.node_of[node.inputs[0]].output, node.output
    return bool(before.vectorized_axes) and before.vectorized_strides == after.vectorized_strides
