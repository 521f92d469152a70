"""Cuts the chosen axes and shares the outer loops among cores.

    TileSplit   z in Z            ->   zT in ceil(Z/t): zt in t                     (t is `zt_size`)
    fuse        z0 in A: z1T in n ->   z0z1T in A*n
    BlockSplit  z0z1T in W        ->   z0z1TB in ceil(W/b): z0z1Tb in b             (b is `z0z1Tb_size`)

Loops come out as `[block outer, block inner, R tiles, vectorized axes]` (S1 §3.1.5–3.1.6). Nodes that vary over a looped reduced axis
sit inside its loop, all others in the block loop.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from att.expr.core import Expr, ceil_div, integer, mul
from att.ir.axis import Axis, AxisKind
from att.ir.graph import HintGraph, ImplGraph, TileVar
from att.ir.node import Node
from att.ir.roles import ONE, varying_axes
from att.ir.tensor import TensorView
from att.ops.registry import spec_of
from att.ops.spec import ComputeType
from schedule.cases import Kind, TilingCase


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """A tile split of one axis."""

    axis: str
    outer: Axis
    inner: Axis
    variable: TileVar


@dataclass(frozen=True, slots=True, kw_only=True)
class Nest:
    """The axes a case adds and the order of the loops."""

    splits: tuple[Split, ...]
    axes: tuple[Axis, ...]
    variables: tuple[TileVar, ...]
    block_loops: tuple[str, ...]
    """`(BLOCK_OUT, BLOCK_IN)`, or () where nothing is parallel."""
    reduce_loop: str | None
    vectorized: tuple[str, ...]
    looped_reduced: tuple[str, ...]
    """Reduced axes (of the HintGraph) that the reduce loop walks, whole or by tiles."""


def tile(graph: HintGraph, case: TilingCase) -> ImplGraph:
    """The loop nest of a case: axes, loops and views; UB layout and buffers come later."""
    nest = make_nest(graph, case)
    nodes = tuple(_place(graph, node, nest) for node in graph.nodes)
    return ImplGraph(
        name=graph.name,
        sizes=graph.sizes,
        axes=(*graph.axes, *nest.axes),
        nodes=nodes if case.kind is Kind.CHUNKED else _in_execution_order(nodes, nest),
        variables=nest.variables,
    )


def make_nest(graph: HintGraph, case: TilingCase) -> Nest:
    """Splits, fuses and orders the axes of a case."""
    splits = tuple(split_axis(graph.axis_of[axis]) for axis in (case.y, case.r) if axis)
    cut = {split.axis: split for split in splits}
    order = _axis_order(graph)
    y_outer = [a for a in order if a in case.groups.y and case.y and order.index(a) < order.index(case.y)]
    r_outer = [a for a in order if a in case.groups.r and case.r and order.index(a) < order.index(case.r)]
    axes = [axis for split in splits for axis in (split.outer, split.inner)]
    variables = [split.variable for split in splits]
    block_loops: tuple[str, ...] = ()
    if case.y:
        block, block_variable = _block_split(_fuse(graph, [*y_outer, cut[case.y].outer.name], axes))
        axes.extend(block)
        variables.append(block_variable)
        block_loops = tuple(axis.name for axis in block)
    reduce_loop = _fuse(graph, [*r_outer, cut[case.r].outer.name], axes).name if case.r else None
    looped = {*y_outer, *r_outer}
    vectorized = tuple(cut[a].inner.name if a in cut else a for a in order if a not in looped)
    return Nest(
        splits=splits,
        axes=tuple(axes),
        variables=tuple(variables),
        block_loops=block_loops,
        reduce_loop=reduce_loop,
        vectorized=vectorized,
        looped_reduced=(*r_outer, case.r) if case.r else (),
    )


def split_axis(axis: Axis) -> Split:
    """The tile split of an axis."""
    variable = TileVar(name=f"{axis.name}t_size", axis=f"{axis.name}t", maximum=max(1, axis.size.hi))
    inner = Axis(name=variable.axis, size=variable.symbol, kind=AxisKind.TILE_IN, parents=(axis.name,))
    outer = Axis(name=f"{axis.name}T", size=ceil_div(axis.size, variable.symbol), kind=AxisKind.TILE_OUT, parents=(axis.name,))
    return Split(axis=axis.name, outer=outer, inner=inner, variable=variable)


def _fuse(graph: HintGraph, names: list[str], axes: list[Axis]) -> Axis:
    """The axis that walks several in order; declares a MERGED one where there are several."""
    known = {**graph.axis_of, **{axis.name: axis for axis in axes}}
    if len(names) == 1:
        return known[names[0]]
    merged = Axis(name="".join(names), size=mul(*(known[n].size for n in names)), kind=AxisKind.MERGED, parents=tuple(names))
    axes.append(merged)
    return merged


def _block_split(axis: Axis) -> tuple[tuple[Axis, Axis], TileVar]:
    variable = TileVar(name=f"{axis.name}b_size", axis=f"{axis.name}b", maximum=max(1, axis.size.hi))
    outer = Axis(name=f"{axis.name}B", size=ceil_div(axis.size, variable.symbol), kind=AxisKind.BLOCK_OUT, parents=(axis.name,))
    inner = Axis(name=variable.axis, size=variable.symbol, kind=AxisKind.BLOCK_IN, parents=(axis.name,))
    return (outer, inner), variable


def _axis_order(graph: HintGraph) -> tuple[str, ...]:
    return max((node.axes for node in graph.nodes), key=len)


def _place(graph: HintGraph, node: Node, nest: Nest) -> Node:
    """The node with its loops chosen and its view over the cut axes."""
    if not node.axes or spec_of(node.op).compute is ComputeType.STRUCTURAL:
        return replace(node, axes=())
    inside = nest.reduce_loop is not None and _varies_over(graph, node, nest.looped_reduced)
    loops = (*nest.block_loops, *((nest.reduce_loop,) if inside and nest.reduce_loop else ()))
    return replace(
        node,
        axes=(*loops, *nest.vectorized),
        loop_axis=loops[-1] if loops else None,
        output=_cut_view(node.output, nest),
    )


def _varies_over(graph: HintGraph, node: Node, axes: tuple[str, ...]) -> bool:
    views = (node.output, *(graph.node_of[name].output for name in node.inputs))
    return any(axis in axes for view in views for axis in varying_axes(view))


def _cut_view(view: TensorView, nest: Nest) -> TensorView:
    """`(… z …)` becomes `(… zT, zt …)`; an axis the value does not vary over stays 1 and 0 on both."""
    cut = {split.axis: split for split in nest.splits}
    columns: list[tuple[str, Expr, Expr]] = []
    for axis, repeat, stride in zip(view.axes, view.repeats, view.strides, strict=True):
        split = cut.get(axis)
        if split is None:
            columns.append((axis, repeat, stride))
        elif repeat == ONE:
            columns.extend(((split.outer.name, ONE, integer(0)), (split.inner.name, ONE, integer(0))))
        else:
            columns.append((split.outer.name, split.outer.size, mul(stride, split.inner.size)))
            columns.append((split.inner.name, split.inner.size, stride))
    axes, repeats, strides = zip(*columns, strict=True)
    return replace(view, axes=axes, repeats=repeats, strides=strides)


def _in_execution_order(nodes: tuple[Node, ...], nest: Nest) -> tuple[Node, ...]:
    """Nodes before the reduce loop, in it, after it; each part in graph order."""
    if nest.reduce_loop is None:
        return nodes
    inside = {n.name for n in nodes if n.loop_axis == nest.reduce_loop}
    after: set[str] = set()
    for node in nodes:
        if node.name not in inside and any(source in inside or source in after for source in node.inputs):
            after.add(node.name)
    before = [n for n in nodes if n.name not in inside and n.name not in after]
    return (*before, *(n for n in nodes if n.name in inside), *(n for n in nodes if n.name in after))
