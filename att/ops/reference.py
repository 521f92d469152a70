"""What a graph means, in numpy: the definition that schedules and kernels are compared with (design §6).

Every op computes in float32 (integers exactly), reduces accumulate in float64, and each result is rounded once to its dtype.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from att.errors import GraphError
from att.expr.core import Expr
from att.expr.evaluate import evaluate
from att.ir.dtype import DType
from att.ir.graph import Graph, HintGraph
from att.ir.node import AttrValue, Node
from att.ops.gm import output_elements, region_of, rows_by_index, stored_elements, window
from att.ops.indexed import ROWS_OP
from att.ops.joins import call_axes, operand_axes
from att.ops.pieces import piece_axis, piece_length, piece_start, split_axis
from att.ops.registry import spec_of
from att.ops.spec import ComputeType, OpSpec, as_dtype, numpy_dtype
from att.ops.verify import scalar_value

Array = NDArray[Any]


def run_reference(
    graph: HintGraph, inputs: Sequence[Array], shape: Mapping[str, int], outputs: Sequence[Array] | None = None
) -> tuple[Array, ...]:
    """Kernel outputs as flat arrays, by index, for flat (or C-ordered) kernel inputs by index and a value for every size.

    Elements that no Store writes keep the value they have in `outputs`, or are 0. Raises GraphError where the inputs do not fit: number,
    dtype, or too few elements for what a Load reads.
    """
    missing = [size.name for size in graph.sizes if size.name not in shape]
    if missing:
        raise GraphError(f"no value for the size {missing[0]}", where=f"graph {graph.name}", hint="give every size a value")
    run = _Run(graph, shape, inputs, outputs)
    for node in graph.nodes:
        run.step(node)
    return run.results()


def apply(
    op: str,
    inputs: Sequence[Array],
    attrs: Mapping[str, AttrValue],
    *,
    axes_reduced: tuple[int, ...] = (),
    out_dtype: DType,
    out_shape: tuple[int, ...],
) -> Array:
    """One call of an op, whole or on a tile; the result has `out_shape`.

    The inputs' dims are in the order of the output's (0-d for Scalars); a reduce's input has the axes that it reduces at `axes_reduced`, a
    Concat's parts lie along the one axis there, a Gather picks along it.
    Raises GraphError for a reduce of no elements that has no result.
    """
    spec = spec_of(op)
    match spec.compute:
        case ComputeType.REDUCE:
            result = _reduced(spec, inputs[0], axes_reduced, out_shape)
        case ComputeType.ELEMENTWISE if spec.reference is not None:
            result = spec.reference(tuple(inputs), attrs)
        case ComputeType.LOAD | ComputeType.STORE | ComputeType.BROADCAST | ComputeType.TRANSPOSE:
            result = inputs[0]
        case ComputeType.CONCAT:
            result = np.concatenate(inputs, axis=axes_reduced[0])
        case ComputeType.GATHER:
            result = _picked(inputs[0], inputs[1], axes_reduced, out_shape)
        case _:
            raise GraphError(f"{op} is no call", hint="only ops that run on a pipe can be applied")
    return np.array(np.broadcast_to(as_dtype(result, out_dtype), out_shape))


def _reduced(spec: OpSpec, array: Array, axes: tuple[int, ...], out_shape: tuple[int, ...]) -> Array:
    if spec.reduction is None:
        raise GraphError(f"{spec.name} has no meaning as a reduce")
    if 0 in out_shape:
        return np.empty(out_shape, array.dtype)
    if any(array.shape[axis] == 0 for axis in axes):
        if spec.reduction.neutral is None:
            raise GraphError(f"{spec.name} over no elements has no result", hint="an axis it reduces has size 0")
        return np.full(out_shape, spec.reduction.neutral)
    return spec.reduction.over(array, axes).reshape(out_shape)


def _picked(table: Array, indices: Array, axes: tuple[int, ...], out_shape: tuple[int, ...]) -> Array:
    if not axes:
        if np.any(indices != 0):
            raise GraphError("an index is not 0, but the table has one element along the gathered axis", hint="check the indices")
        return table
    (axis,) = axes
    length = table.shape[axis]
    if np.any((indices < 0) | (indices >= length)):
        raise GraphError(f"indices are {indices.min()} to {indices.max()}, the table has 0 to {length - 1}", hint="check the indices")
    whole = np.broadcast_shapes((*table.shape[:axis], 1, *table.shape[axis + 1 :]), indices.shape)
    wide = np.broadcast_to(table, (*whole[:axis], length, *whole[axis + 1 :]))
    return np.take_along_axis(wide, np.broadcast_to(indices, whole), axis).reshape(out_shape)


def in_order(value: Array, own: Sequence[str], axes: Sequence[str]) -> Array:
    """A value over its own axes with its dims in the order of `axes`, 1 where it has no such axis. Scalars stay 0-d."""
    if not own:
        return value
    order = [own.index(axis) for axis in axes if axis in own]
    rest = [i for i in range(len(own)) if i not in order]
    moved = value.transpose(*order, *rest)
    sizes = iter(moved.shape)
    return moved.reshape(tuple(next(sizes) if axis in own else 1 for axis in axes))


def piece_of(graph: Graph, node: Node, whole: Array, shape: Mapping[str, int]) -> Array:
    """The value of a piece of a Split: a slice along the axis that is split, which the piece calls by another name."""
    axis, own = split_axis(graph, node), piece_axis(graph, node)
    first, count = (evaluate(e, shape) for e in (piece_start(graph, node), piece_length(graph, node)))
    names = tuple(axis if name == own else own or name if name == axis else name for name in node.output.axes)
    before = graph.node_of[node.inputs[0]].output.axes
    return in_order(whole.take(range(first, first + count), before.index(axis)), before, names)


class _Run:
    """One evaluation: values so far, each with its axes, and the buffers in GM."""

    def __init__(self, graph: HintGraph, shape: Mapping[str, int], inputs: Sequence[Array], outputs: Sequence[Array] | None) -> None:
        self._graph = graph
        self._shape = shape
        self._values: dict[str, Array] = {}
        self._buffers = self._given(inputs) | self._ends(outputs)

    def step(self, node: Node) -> None:
        """Computes one node; its operands are done."""
        match spec_of(node.op).compute:
            case ComputeType.STRUCTURAL if node.op == "Scalar":
                self._values[node.name] = np.array(scalar_value(node, self._shape)).astype(numpy_dtype(node.output.dtype))
            case ComputeType.STRUCTURAL:
                pass
            case ComputeType.LOAD if node.op == ROWS_OP:
                self._values[node.name] = self._rows(node)
            case ComputeType.LOAD:
                buffer = self._buffers[node.inputs[0]]
                self._values[node.name] = np.array(window(buffer, region_of(node, self._shape), self._at(node)))
            case ComputeType.STORE:
                self._store(node)
            case ComputeType.SPLIT:
                self._values[node.name] = piece_of(self._graph, node, self._values[node.inputs[0]], self._shape)
            case _:
                self._values[node.name] = self._computed(node)

    def results(self) -> tuple[Array, ...]:
        """The kernel outputs."""
        return tuple(self._buffers[node.name] for node in self._graph.output_nodes)

    def _rows(self, node: Node) -> Array:
        stride = node.attrs["row_stride"]
        row_stride = evaluate(stride, self._shape) if isinstance(stride, Expr) else int(stride)
        indices = self._aligned(node.inputs[1], node.output.axes)
        return rows_by_index(self._buffers[node.inputs[0]], region_of(node, self._shape), indices, row_stride, self._at(node))

    def _store(self, node: Node) -> None:
        value = self._aligned(node.inputs[0], node.output.axes)
        for end in self._graph.consumers_of[node.name]:
            place = window(self._buffers[end.name], region_of(node, self._shape), self._at(node))
            place[...] = as_dtype(value, end.output.dtype)

    def _computed(self, node: Node) -> Array:
        axes, positions = call_axes(self._graph, node)
        inputs = [self._aligned(name, operand_axes(self._graph, node, name, axes)) for name in node.inputs]
        out_shape = tuple(evaluate(repeat, self._shape) for repeat in node.output.repeats)
        try:
            return apply(
                node.op,
                inputs,
                node.attrs,
                axes_reduced=positions,
                out_dtype=node.output.dtype,
                out_shape=out_shape,
            )
        except GraphError as error:
            raise GraphError(error.message, where=self._at(node), hint=error.hint) from None

    def _aligned(self, name: str, axes: tuple[str, ...]) -> Array:
        """A value with its dims in the order of `axes`, 1 where it has no such axis. Scalars stay 0-d."""
        return in_order(self._values[name], self._graph.node_of[name].output.axes, axes)

    def _given(self, inputs: Sequence[Array]) -> dict[str, Array]:
        nodes, where = self._graph.data_nodes, f"graph {self._graph.name}"
        if len(inputs) != len(nodes):
            raise GraphError(f"{len(inputs)} inputs for {len(nodes)} Data nodes", where=where, hint="give one for each")
        return {node.name: self._flat(node, array) for node, array in zip(nodes, inputs, strict=True)}

    def _ends(self, outputs: Sequence[Array] | None) -> dict[str, Array]:
        nodes = self._graph.output_nodes
        if outputs is not None and len(outputs) != len(nodes):
            raise GraphError(f"{len(outputs)} outputs for {len(nodes)} Output nodes", where=f"graph {self._graph.name}")
        sizes = output_elements(self._graph, self._shape)
        found = {n.name: np.zeros(size, numpy_dtype(n.output.dtype)) for n, size in zip(nodes, sizes, strict=True)}
        for node, array in zip(nodes, outputs or (), strict=outputs is not None):
            found[node.name] = np.array(self._flat(node, array))
        for node in self._graph.nodes:
            if node.op == "Workspace":
                found[node.name] = np.zeros(stored_elements(self._graph, node, self._shape), numpy_dtype(node.output.dtype))
        return found

    def _flat(self, node: Node, array: Array) -> Array:
        if array.dtype != numpy_dtype(node.output.dtype):
            raise GraphError(f"the array for it is {array.dtype}, it is declared {node.output.dtype}", where=self._at(node))
        return np.ascontiguousarray(array).reshape(-1)

    def _at(self, node: Node) -> str:
        return f"graph {self._graph.name}, node {node.name}"
