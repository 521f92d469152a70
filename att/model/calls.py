"""The calls of a loop nest: what a node's cost rule sees for given actual tile sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

from att.expr.choice import minimum
from att.expr.core import Expr, add, integer
from att.ir.axis import AxisKind
from att.ir.graph import ImplGraph
from att.ir.loops import LoopNest
from att.ir.node import AttrValue, Node
from att.ir.roles import varying_axes
from att.ir.tensor import TensorView
from att.ops.call import SOLE_USE, TWO_DIMS, Call, Pipe, View
from att.ops.indexed import ROWS_OP
from att.ops.registry import spec_of
from att.ops.spec import ComputeType, Costs, Reduction
from hwmodels.model import Chip

ZERO = integer(0)
ONE = integer(1)


def cores_in_use(nest: LoopNest, chip: Chip) -> Expr:
    """Cores that share the bandwidth: the block count, which a legal tiling keeps within the chip's cores."""
    return minimum(nest.block_dim, chip.vector_cores)


def call_of(graph: ImplGraph, node: Node, actual: Mapping[str, Expr], block_dim: Expr) -> Call:
    """The call of one node (see `Calls`)."""
    return Calls(graph, actual, block_dim).of(node)


class Calls:
    """The calls of a graph where the tile axes in `actual` have these sizes and all other vectorized axes are whole.

    A Load reads its own GM view; a Store writes its GM view from the UB layout of its input.
    """

    def __init__(self, graph: ImplGraph, actual: Mapping[str, Expr], block_dim: Expr) -> None:
        self._graph = graph
        self._actual = actual
        self._block_dim = block_dim
        self._calls: dict[str, Call] = {}
        self._operands: dict[tuple[str, tuple[str, ...]], View] = {}

    def of(self, node: Node) -> Call:
        """The call of a node."""
        if node.name not in self._calls:
            self._calls[node.name] = self._call(node)
        return self._calls[node.name]

    def _call(self, node: Node) -> Call:
        graph, compute = self._graph, spec_of(node.op).compute
        moves = compute in (ComputeType.LOAD, ComputeType.STORE)
        layout = graph.node_of[node.inputs[0]].output if compute is ComputeType.STORE else node.output
        axes = layout.vectorized_axes
        output = self._moved(node, layout) if moves else self._operand(node, axes)
        sources = (graph.node_of[name] for name in node.inputs)
        inputs = tuple([self._operand(source, axes) for source in sources if source.op != "Data"])
        attrs = {**node.attrs, **_reduce_attrs(graph, node)} if compute is ComputeType.REDUCE else node.attrs
        return Call(op=node.op, inputs=inputs, output=output, attrs=attrs, block_dim=self._block_dim)

    def _moved(self, node: Node, layout: TensorView) -> View:
        """What a Load or Store moves."""
        graph, axes = self._graph, layout.vectorized_axes
        view = _view(graph, node.output, layout, axes, self._actual, in_gm=True)
        if spec_of(node.op).compute is not ComputeType.LOAD or not view.dims:
            return view
        extents = tuple([_extent(graph, axis, dim) for axis, dim in zip(axes, view.dims, strict=True)])
        return replace(view, gm_extents=extents, by_index=self._by_index(node, axes) if node.op == ROWS_OP else ())

    def _by_index(self, node: Node, axes: tuple[str, ...]) -> tuple[bool, ...]:
        picks = varying_axes(self._graph.node_of[node.inputs[1]].output)
        return tuple([axis in picks for axis in axes])

    def _operand(self, node: Node, axes: tuple[str, ...]) -> View:
        """A value in UB as a call over these axes sees it."""
        key = node.name, axes
        if key not in self._operands:
            self._operands[key] = _view(self._graph, node.output, node.output, axes, self._actual, in_gm=False)
        return self._operands[key]


def _reduce_attrs(graph: ImplGraph, node: Node) -> Mapping[str, AttrValue]:
    """What the published rules of a reduce know of its surroundings."""
    kept = set(varying_axes(node.output))
    gone = [axis not in kept for axis in varying_axes(graph.node_of[node.inputs[0]].output)]
    changes = sum(here != before for before, here in pairwise(gone))
    return {TWO_DIMS: changes < 2, SOLE_USE: len(graph.consumers_of[node.inputs[0]]) == 1}


def merge_calls(call: Call, reduction: Reduction) -> tuple[Call, ...]:
    """The calls that merge the result of a cut reduce into its accumulator."""
    steps = ((op, len(spec_of(op).inputs)) for op in (*reduction.rescale, reduction.merge))
    return tuple(Call(op=op, inputs=(call.output,) * n, output=call.output, attrs={}, block_dim=call.block_dim) for op, n in steps)


def merge_cost(call: Call, costs: Costs) -> Mapping[Pipe, Expr]:
    """Ticks of joining the result of a cut reduce to what earlier turns found, by pipe; empty for other calls."""
    spec = spec_of(call.op)
    if spec.reduction is None or spec.pipe is None:
        return {}
    if spec.reduction.by_value is not None:
        return {spec.pipe: spec.reduction.by_value.price(call, costs).ticks}
    found: dict[Pipe, Expr] = {}
    for merge in merge_calls(call, spec.reduction):
        for pipe, ticks in spec_of(merge.op).cost(merge, costs).items():
            found[pipe] = add(found.get(pipe, ZERO), ticks)
    return found


def _view(
    graph: ImplGraph, view: TensorView, layout: TensorView, axes: tuple[str, ...], actual: Mapping[str, Expr], *, in_gm: bool
) -> View:
    if not view.axes:
        return View(dtype=view.dtype)
    strides, axis_of = _ub_strides(layout, axes), graph.axis_of
    along = [*zip(axes, strides, strict=True)]
    return View(
        dtype=view.dtype,
        dims=tuple([ONE if stride is ZERO else actual.get(axis) or axis_of[axis].size for axis, stride in along]),
        ub_strides=strides,
        gm_strides=tuple([ZERO if s is ZERO or axis not in view.axes else view.stride_of(axis) for axis, s in along]) if in_gm else (),
    )


def _extent(graph: ImplGraph, axis: str, dim: Expr) -> Expr:
    """Elements along an axis before it was cut; 1 where a value does not vary over it."""
    found = graph.axis_of[axis]
    return graph.axis_of[found.parents[0]].size if dim != ONE and found.kind is AxisKind.TILE_IN else dim


def _ub_strides(layout: TensorView, axes: tuple[str, ...]) -> tuple[Expr, ...]:
    if layout.vectorized_axes == axes:
        return layout.vectorized_strides
    strides = dict(zip(layout.vectorized_axes, layout.vectorized_strides, strict=True))
    return tuple([strides.get(axis, ZERO) for axis in axes])
