"""A graph that computes in a smaller type: half the bytes, less precision."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from att.ir.dtype import DType
from att.ir.graph import HintGraph, Template
from att.ir.node import Node

_SMALLER: Final = ((DType.FLOAT32, DType.FLOAT16), (DType.INT64, DType.INT32), (DType.INT32, DType.INT16))


def narrowed(graph: HintGraph | Template) -> Iterator[tuple[DType, DType, HintGraph]]:
    """The graph with every value of one type in a smaller one; none for a template, whose buffers are placed already."""
    if isinstance(graph, Template):
        return
    for wide, narrow in _SMALLER:
        if any(node.output.dtype is wide for node in graph.nodes):
            yield wide, narrow, replace(graph, nodes=tuple(_node(node, wide, narrow) for node in graph.nodes))


def _node(node: Node, wide: DType, narrow: DType) -> Node:
    return replace(node, output=replace(node.output, dtype=narrow)) if node.output.dtype is wide else node
