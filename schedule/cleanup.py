"""Removes what a graph says twice: casts to the same type, casts of constants, chains of broadcasts, values nobody reads.

The backend extension emits one Broadcast per axis and a float32 cast before every store, so real graphs are full of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from att.ir.graph import Graph
from att.ir.node import Node
from att.ir.roles import reduced_axes
from att.ops.registry import spec_of
from att.ops.spec import ComputeType
from schedule.dependence import needed_for
from schedule.scalars import retyped_scalar


@dataclass(frozen=True, slots=True)
class FoldScalarCasts:
    """A constant takes the type it is cast to.

    Before: `one = Scalar 1 int32; c = Cast(one) float32; y = Add(x, c)`.  After: `c = Scalar 1 float32; y = Add(x, c)`.
    """

    def apply(self, graph: Graph) -> Graph:
        """The graph with `Cast(Scalar)` as a Scalar of the target type: it is broadcast by whoever reads it."""
        return replace(graph, nodes=tuple(_folded(graph, node) for node in graph.nodes))


def _folded(graph: Graph, node: Node) -> Node:
    if node.op != "Cast" or graph.node_of[node.inputs[0]].op != "Scalar":
        return node
    return retyped_scalar(graph.node_of[node.inputs[0]], node.name, node.output.dtype)


@dataclass(frozen=True, slots=True)
class DropCopies:
    """Readers of a node that returns its input as it is read that input instead.

    Before: `c = Cast(x float32) float32; y = Exp(c)`.  After: `y = Exp(x)`.
    """

    def apply(self, graph: Graph) -> Graph:
        """The graph without such nodes."""
        source: dict[str, str] = {}
        kept: list[Node] = []
        for node in graph.nodes:
            rewired = _rewire(node, source)
            if _is_copy(graph, rewired):
                source[node.name] = rewired.inputs[0]
            else:
                kept.append(rewired)
        return replace(graph, nodes=tuple(kept))


NOT_THE_ELEMENT: Final = frozenset({"ArgMax", "Any", "All"})
"""Reduces that make something else of one element: its index, whether it is true."""


_COPIES: Final = frozenset({"Cast", "RemovePad"})
"""Elementwise ops that return what they get where the type stays: how rows lie in UB is for the scheduler to say."""


def _is_copy(graph: Graph, node: Node) -> bool:
    if len(node.inputs) != 1 or spec_of(node.op).compute in (ComputeType.LOAD, ComputeType.STORE, ComputeType.STRUCTURAL):
        return False
    before, after = graph.node_of[node.inputs[0]].output, node.output
    if before.dtype != after.dtype or before.repeats != after.repeats or before.axes != after.axes:
        return False
    compute = spec_of(node.op).compute
    if compute is ComputeType.REDUCE:
        return node.op not in NOT_THE_ELEMENT and not reduced_axes(graph, node)
    return node.op in _COPIES or compute is ComputeType.BROADCAST


@dataclass(frozen=True, slots=True)
class JoinBroadcasts:
    """A chain of broadcasts is one.

    Before: `a = Broadcast(x) over z0; b = Broadcast(a) over z2`.  After: `b = Broadcast(x) over z0 and z2`.
    """

    def apply(self, graph: Graph) -> Graph:
        """The graph where a Broadcast of a Broadcast reads what the first one reads."""
        source = {node.name: node.inputs[0] for node in graph.nodes if spec_of(node.op).compute is ComputeType.BROADCAST}

        def origin(name: str) -> str:
            while name in source:
                name = source[name]
            return name

        joined = (replace(n, inputs=(origin(n.inputs[0]),)) if n.name in source else n for n in graph.nodes)
        return replace(graph, nodes=tuple(joined))


@dataclass(frozen=True, slots=True)
class DropUnread:
    """Values that no Output needs are not computed.

    Before: `e = Exp(x); y = Abs(x); Store(y)`.  After: `y = Abs(x); Store(y)`.
    """

    def apply(self, graph: Graph) -> Graph:
        """Only what an Output needs, and every Data: kernel inputs stay, read or not."""
        needed = needed_for(graph, (node.name for node in graph.output_nodes))
        return replace(graph, nodes=tuple(n for n in graph.nodes if n.name in needed or n.op == "Data"))


def _rewire(node: Node, source: Mapping[str, str]) -> Node:
    return replace(node, inputs=tuple(source.get(name, name) for name in node.inputs))
