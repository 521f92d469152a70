"""Lays values out in UB: which axes are vectorized and how far apart their elements are.

Rows (the innermost axis a value varies over) start on 32-byte borders, because DataCopyPad writes every row at one. All values of a graph
share one row pitch in elements, a multiple of 32 bytes in every element type that occurs, so that an op runs over whole tiles at once
even when it changes the type:

    x[z0t, z1] float16, y = Cast(x) float32, z1 = 20    ->    pitch 32 elements for both (64 B and 128 B)

A value that varies over one axis only is dense. The value before a Transpose lies in its own axis order. Sources: vectorization S1 §3.1.7;
row alignment AscendC DataCopyPad.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import lcm

from att.errors import ScheduleError
from att.expr.core import Expr, align_up, integer, mul
from att.ir.graph import Graph, ImplGraph
from att.ir.layout import BLOCK_BYTES
from att.ir.loops import loop_nest
from att.ir.node import Node
from att.ir.roles import ONE
from att.ir.tensor import TensorView
from att.ops.joins import is_join
from att.ops.registry import spec_of
from att.ops.spec import ComputeType
from schedule.joins import in_blocks

TRANSPOSED_ROWS = 16
"""Rows that one transpose instruction turns into a piece of a row (ascendc_api_facts §11)."""


@dataclass(frozen=True, slots=True)
class Vectorize:
    """Values lie densely in UB over the axes that are no loops.

    Before: `for zTb: y = Exp(x) over (zt, r)`.  After: `x` and `y` at `zt*r_size + r` in UB.
    """

    def apply(self, graph: Graph) -> Graph:
        """The graph with `vectorized_axes` and `vectorized_strides` set on every value in UB."""
        if not isinstance(graph, ImplGraph):
            raise ScheduleError("a graph without loops has no values in UB", where=graph.name, hint="order its axes first")
        axes = loop_nest(graph).vectorized
        return replace(graph, nodes=tuple(laid_out(node, axes, 1) for node in graph.nodes))


@dataclass(frozen=True, slots=True)
class Align:
    """Rows start at multiples of so many elements.

    Before: `x` at `zt*20 + r` in UB.  After, with 8 elements: `x` at `zt*24 + r`.
    """

    elems: int

    def apply(self, graph: Graph) -> Graph:
        """The graph with row padding in the strides of every value in UB."""
        return replace(graph, nodes=tuple(laid_out(node, node.output.vectorized_axes, self.elems) for node in graph.nodes))


def row_pitch_elems(graph: Graph) -> int:
    """Rows start at multiples of this many elements in every value of the graph."""
    sides = (TRANSPOSED_ROWS for n in graph.nodes if _transposes(graph, n))
    return lcm(*(BLOCK_BYTES // min(n.output.dtype.bytes, BLOCK_BYTES) for n in graph.nodes if n.output.axes), *sides, 1)


def _transposes(graph: Graph, node: Node) -> bool:
    return spec_of(node.op).compute is ComputeType.TRANSPOSE or (is_join(node) and not in_blocks(graph, node))


def laid_out(node: Node, axes: tuple[str, ...], pitch: int) -> Node:
    """The node with its value in UB over its own among some axes, rows at multiples of `pitch` elements."""
    if not node.output.axes or spec_of(node.op).compute is ComputeType.STRUCTURAL:
        return node
    own = tuple(a for a in node.output.axes if a in axes)
    return replace(node, output=replace(node.output, vectorized_axes=own, vectorized_strides=ub_strides(node.output, own, pitch)))


def ub_strides(view: TensorView, axes: tuple[str, ...], pitch: int) -> tuple[Expr, ...]:
    """Distance along each vectorized axis, elements; 0 where the value does not vary."""
    repeats = [view.repeat_of(axis) for axis in axes]
    varying = [i for i, repeat in enumerate(repeats) if repeat != ONE]
    strides: list[Expr] = [integer(0)] * len(axes)
    running: Expr = integer(1)
    for i in reversed(varying):
        strides[i] = running
        is_row = i == varying[-1] and len(varying) > 1
        running = mul(running, align_up(repeats[i], pitch) if is_row else repeats[i])
    return tuple(strides)
