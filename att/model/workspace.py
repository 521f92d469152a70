"""Bytes of GM that phases hand results over in."""

from __future__ import annotations

from att.expr.choice import maximum
from att.expr.core import Expr, add, mul
from att.ir.graph import Graph, Template
from att.ir.node import Node


def workspace_bytes(template: Template) -> Expr:
    """The workspace that a launch needs, bytes; 0 where no phase stores into one. All phases see the same memory from its beginning."""
    ends = {node.name: _bytes(graph, node) for graph in template.phases for node in graph.nodes if node.op == "Workspace" and node.inputs}
    return maximum(0, *ends.values())


def _bytes(graph: Graph, end: Node) -> Expr:
    """What the Stores into it reach."""
    stores = [graph.node_of[name] for name in end.inputs]
    return mul(maximum(*(_reach_elems(store) for store in stores)), end.output.dtype.bytes)


def _reach_elems(store: Node) -> Expr:
    view, offset = store.output, store.attrs.get("offset", 0)
    steps = (mul(add(repeat, -1), stride) for repeat, stride in zip(view.repeats, view.strides, strict=True))
    return add(1, offset if isinstance(offset, Expr) else int(str(offset)), *steps)
