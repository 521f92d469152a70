"""The calls of a loop nest: what a node's cost rule sees for given actual tile sizes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from att.expr.core import Expr, integer, minimum
from att.ir.graph import ImplGraph
from att.ir.loops import LoopNest
from att.ir.node import AttrValue, Node
from att.ir.roles import varying_axes
from att.ir.tensor import TensorView
from att.ops.call import SOLE_USE, TWO_DIMS, Call, View
from att.ops.registry import spec_of
from att.ops.spec import ComputeType
from hwmodels.model import Chip

ZERO = integer(0)
ONE = integer(1)


def cores_in_use(nest: LoopNest, chip: Chip) -> Expr:
    """Cores that share the bandwidth: the block count, which a legal tiling keeps within the chip's cores."""
    return minimum(nest.block_dim, chip.vector_cores)


def call_of(graph: ImplGraph, node: Node, actual: Mapping[str, Expr], block_dim: Expr) -> Call:
    """The call of a node where the tile axes in `actual` have these sizes and all other vectorized axes are whole.

    A Load reads its own GM view; a Store writes its GM view from the UB layout of its input.
    """
    compute = spec_of(node.op).compute
    layout = graph.node_of[node.inputs[0]].output if compute is ComputeType.STORE else node.output
    axes = layout.vectorized_axes
    output = _view(graph, node.output, layout, axes, actual, in_gm=compute in (ComputeType.LOAD, ComputeType.STORE))
    inputs = tuple(
        _view(graph, graph.node_of[name].output, graph.node_of[name].output, axes, actual, in_gm=False)
        for name in node.inputs
        if graph.node_of[name].op != "Data"
    )
    attrs = {**node.attrs, **_reduce_attrs(graph, node)} if compute is ComputeType.REDUCE else node.attrs
    return Call(op=node.op, inputs=inputs, output=output, attrs=attrs, block_dim=block_dim)


def _reduce_attrs(graph: ImplGraph, node: Node) -> Mapping[str, AttrValue]:
    """What the published rules of a reduce know of its surroundings."""
    kept = set(varying_axes(node.output))
    gone = [axis not in kept for axis in varying_axes(graph.node_of[node.inputs[0]].output)]
    changes = sum(here != before for before, here in pairwise(gone))
    return {TWO_DIMS: changes < 2, SOLE_USE: len(graph.consumers_of[node.inputs[0]]) == 1}


def merge_call(call: Call, op: str) -> Call:
    """The call that merges the result of a cut reduce into its accumulator."""
    return Call(op=op, inputs=(call.output, call.output), output=call.output, attrs={}, block_dim=call.block_dim)


def _view(
    graph: ImplGraph, view: TensorView, layout: TensorView, axes: tuple[str, ...], actual: Mapping[str, Expr], *, in_gm: bool
) -> View:
    if not view.axes:
        return View(dtype=view.dtype)
    strides = dict(zip(layout.vectorized_axes, layout.vectorized_strides, strict=True))
    varies = {axis: strides.get(axis, ZERO) != ZERO for axis in axes}
    return View(
        dtype=view.dtype,
        dims=tuple((actual.get(axis) or graph.axis_of[axis].size) if varies[axis] else ONE for axis in axes),
        ub_strides=tuple(strides.get(axis, ZERO) for axis in axes),
        gm_strides=tuple(view.stride_of(axis) if varies[axis] and axis in view.axes else ZERO for axis in axes) if in_gm else (),
    )
