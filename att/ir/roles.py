"""How the axes of a node's operands relate to those of its result: kept, reduced or broadcast.

An axis the value does not vary over has repeat 1; that is all there is to know, whatever the op.
"""

from __future__ import annotations

from att.expr.core import integer
from att.ir.graph import Graph
from att.ir.node import Node
from att.ir.tensor import TensorView

ONE = integer(1)


def varying_axes(view: TensorView) -> tuple[str, ...]:
    """Axes along which a value has more than one element, in the view's order."""
    return tuple([axis for axis, repeat in zip(view.axes, view.repeats, strict=True) if repeat != ONE])


def reduced_axes(graph: Graph, node: Node) -> tuple[str, ...]:
    """Axes over which some input varies and the output does not; () for nodes without a view, such as Output."""
    if not node.output.axes:
        return ()
    kept = set(varying_axes(node.output))
    inputs = (graph.node_of[name].output for name in node.inputs)
    return tuple(dict.fromkeys(axis for view in inputs for axis in varying_axes(view) if axis not in kept))


def broadcast_axes(graph: Graph, node: Node) -> tuple[str, ...]:
    """Axes over which the output varies and an input with axes does not."""
    found: dict[str, None] = {}
    for name in node.inputs:
        view = graph.node_of[name].output
        if view.axes:
            kept = set(varying_axes(view))
            found.update(dict.fromkeys(axis for axis in varying_axes(node.output) if axis not in kept))
    return tuple(found)
