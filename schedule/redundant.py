"""Removes broadcasts that a loop nest has made redundant.

An axis that became a loop is not in UB, so repeating a value along it copies the same elements. Whoever read the copy reads the original.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from att.ir.graph import Graph
from att.ir.node import Node
from att.ops.registry import spec_of
from att.ops.spec import ComputeType


@dataclass(frozen=True, slots=True)
class DropRedundantBroadcasts:
    """Broadcasts whose result lies in UB exactly like their input are no calls.

    Before: `for z0z1Tb: b = Broadcast(row[z1t]) over z0; y = Add(x, b)`.  After: `for z0z1Tb: y = Add(x, row)`.
    """

    def apply(self, graph: Graph) -> Graph:
        """The graph without such Broadcasts."""
        source: dict[str, str] = {}
        kept: list[Node] = []
        for node in graph.nodes:
            rewired = replace(node, inputs=tuple(source.get(name, name) for name in node.inputs))
            if _copies(graph, rewired):
                source[node.name] = rewired.inputs[0]
            else:
                kept.append(rewired)
        return replace(graph, nodes=tuple(kept))


def _copies(graph: Graph, node: Node) -> bool:
    if spec_of(node.op).compute is not ComputeType.BROADCAST:
        return False
    before, after = graph.node_of[node.inputs[0]].output, node.output
    return bool(before.vectorized_axes) and before.vectorized_strides == after.vectorized_strides
