"""Cuts an axis into tiles of an unknown size, and shares tiles among cores (S1 §3.1.5).

TileSplit    z in Z            ->   zT in ceil(Z/t): zt in t                     (t is `zt_size`)
BlockSplit   z0z1T in W        ->   z0z1TB in ceil(W/b): z0z1Tb in b             (b is `z0z1Tb_size`)
BindCores    z0TTz1T in W      ->   z0TTz1TB in W: z0TTz1Tb in 1
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from att.expr.core import Expr, ceil_div, integer, mul
from att.ir.axis import Axis, AxisKind
from att.ir.graph import Graph, ImplGraph, TileVar
from att.ir.node import Node
from att.ir.roles import ONE
from att.ir.tensor import TensorView
from att.ops.registry import spec_of
from att.ops.spec import ComputeType
from schedule.axes import spliced


@dataclass(frozen=True, slots=True)
class Split:
    """An axis is walked tile by tile; tiles are split once more into chunks of tiles.

    Before: `z in Z: x[z]`.  After: `zT in ceil(Z/zt_size): zt in zt_size: x[zT*zt_size + zt]`.
    """

    axis: str

    def apply(self, graph: Graph) -> ImplGraph:
        """The graph over the tile axes, with the new unknown; a value that does not vary over the axis varies over neither."""
        axis = graph.axis_of[self.axis]
        variable = TileVar(name=f"{axis.name}t_size", axis=f"{axis.name}t", maximum=max(1, axis.size.hi))
        inner = Axis(name=variable.axis, size=variable.symbol, kind=AxisKind.TILE_IN, parents=(axis.name,))
        outer = Axis(name=f"{axis.name}T", size=ceil_div(axis.size, variable.symbol), kind=AxisKind.TILE_OUT, parents=(axis.name,))
        nodes = tuple(_split_node(node, axis.name, outer, inner) for node in graph.nodes)
        return unknowns(replace(graph, axes=(*graph.axes, outer, inner), nodes=nodes), variable)


def _split_node(node: Node, axis: str, outer: Axis, inner: Axis) -> Node:
    if axis not in node.axes or spec_of(node.op).compute is ComputeType.STRUCTURAL:
        return node
    return replace(node, axes=spliced(node.axes, (axis,), (outer.name, inner.name)), output=_split_view(node.output, axis, outer, inner))


def _split_view(view: TensorView, cut: str, outer: Axis, inner: Axis) -> TensorView:
    columns: list[tuple[str, Expr, Expr]] = []
    for axis, repeat, stride in zip(view.axes, view.repeats, view.strides, strict=True):
        if axis != cut:
            columns.append((axis, repeat, stride))
        elif repeat == ONE:
            columns += [(outer.name, ONE, integer(0)), (inner.name, ONE, integer(0))]
        else:
            columns += [(outer.name, outer.size, mul(stride, inner.size)), (inner.name, inner.size, stride)]
    axes, repeats, strides = zip(*columns, strict=True)
    return replace(view, axes=axes, repeats=repeats, strides=strides)


@dataclass(frozen=True, slots=True)
class Fuse:
    """Loops are walked as one.

    Before: `z0 in A: z1T in n`.  After: `z0z1T in A*n`, from which both are recovered by division.
    """

    axes: tuple[str, ...]
    """Outermost first."""

    def apply(self, graph: Graph) -> Graph:
        """The graph with the MERGED axis declared; `Reorder` makes it a loop."""
        size = mul(*(graph.axis_of[name].size for name in self.axes))
        fused = Axis(name="".join(self.axes), size=size, kind=AxisKind.MERGED, parents=self.axes)
        return replace(graph, axes=(*graph.axes, fused))


@dataclass(frozen=True, slots=True)
class BindBlock:
    """The turns of a loop are shared among cores, the same number for each core but the last.

    Before: `z in W`.  After: `zB in ceil(W/zb_size)`, one core each, `: zb in zb_size`.
    """

    axis: str

    def apply(self, graph: Graph) -> ImplGraph:
        """The graph with both axes declared and the new unknown; `Reorder` makes them loops."""
        axis = graph.axis_of[self.axis]
        variable = TileVar(name=f"{axis.name}b_size", axis=f"{axis.name}b", maximum=max(1, axis.size.hi))
        outer = Axis(name=f"{axis.name}B", size=ceil_div(axis.size, variable.symbol), kind=AxisKind.BLOCK_OUT, parents=(axis.name,))
        inner = Axis(name=variable.axis, size=variable.symbol, kind=AxisKind.BLOCK_IN, parents=(axis.name,))
        return unknowns(replace(graph, axes=(*graph.axes, outer, inner)), variable)


@dataclass(frozen=True, slots=True)
class BindCores:
    """Every turn of a loop has a core of its own.

    Before: `z in W`.  After: `zB in W`, one core each, `: zb in 1`.
    """

    axis: str

    def apply(self, graph: Graph) -> Graph:
        """The graph with both axes declared; `Reorder` makes them loops."""
        axis = graph.axis_of[self.axis]
        outer = Axis(name=f"{axis.name}B", size=axis.size, kind=AxisKind.BLOCK_OUT, parents=(axis.name,))
        inner = Axis(name=f"{axis.name}b", size=ONE, kind=AxisKind.BLOCK_IN, parents=(axis.name,))
        return replace(graph, axes=(*graph.axes, outer, inner))


def unknowns(graph: Graph, *more: TileVar) -> ImplGraph:
    """The graph as an ImplGraph, with these unknowns added."""
    own = graph.variables if isinstance(graph, ImplGraph) else ()
    return ImplGraph(name=graph.name, sizes=graph.sizes, axes=graph.axes, nodes=graph.nodes, variables=(*own, *more))
