"""What a template with a tiling computes: its loop nest executed in numpy, tile by tile.

Every pass of every core runs with the tile's actual sizes; inner loops accumulate cut reduces; values in UB live only as long as the pass.
The result must equal that of the HintGraph (`att.ops.reference`): exactly, except that a cut sum adds in another order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from att.errors import GraphError
from att.expr.core import Expr, Int, integer
from att.ir.graph import ImplGraph, Template
from att.ir.iterate import Place, concrete, once_place, passes, size_of, turns
from att.ir.loops import elements_before, loop_nest
from att.ir.node import Node
from att.ir.tensor import TensorView
from att.ir.walks import is_looped, is_once_per_core, once_per_core, segments
from att.ops.gm import Region, rows_by_index, stored_elements, window
from att.ops.indexed import ROWS_OP
from att.ops.joins import is_join, joined_axis, operand_axes
from att.ops.lookups import gathered_axis, is_lookup
from att.ops.reference import apply
from att.ops.registry import spec_of
from att.ops.spec import ComputeType, Reduction, as_dtype, numpy_dtype
from att.ops.verify import scalar_value

Array = NDArray[Any]


def run_tiled(
    template: Template, inputs: Sequence[Array], outputs: Sequence[Array], shape: Mapping[str, int], tiling: Mapping[str, int]
) -> tuple[Array, ...]:
    """Kernel outputs as flat arrays, by index, starting from `outputs` (what no Store writes stays).

    Raises GraphError where a transfer reaches beyond its buffer.
    """
    results = tuple(np.array(array).reshape(-1) for array in outputs)
    workspaces: dict[str, Array] = {}
    for phase in template.phases:
        graph = concrete(phase, {**shape, **tiling})
        workspaces.update(_new_workspaces(graph))
        _TiledRun(phase, graph, inputs, results, workspaces).run()
    return results


def _new_workspaces(graph: ImplGraph) -> Mapping[str, Array]:
    """What the Stores of a phase write for the phases after it."""
    ends = [n for n in graph.nodes if n.op == "Workspace" and n.inputs]
    return {n.name: np.zeros(stored_elements(graph, n, {}), numpy_dtype(n.output.dtype)) for n in ends}


class _TiledRun:
    """One execution of one phase."""

    def __init__(
        self, phase: ImplGraph, graph: ImplGraph, inputs: Sequence[Array], outputs: Sequence[Array], workspaces: Mapping[str, Array]
    ) -> None:
        self._graph = graph
        self._nest = loop_nest(graph)
        # an axis that happens to have one element is still walked, so the template says which calls run together, not the numbers
        self._parts = [(part.looped, [graph.node_of[n.name] for n in part.nodes]) for part in segments(phase, loop_nest(phase))]
        self._once = once_per_core(graph, self._nest)
        self._buffers = {
            **workspaces,
            **{n.name: np.asarray(inputs[int(str(n.attrs["index"]))]).reshape(-1) for n in graph.data_nodes},
            **{n.name: outputs[int(str(n.attrs["index"]))] for n in graph.output_nodes},
        }
        self._exponents: dict[str, Array] = {}
        self._values: dict[str, Array] = {
            n.name: np.array(scalar_value(n)).astype(numpy_dtype(n.output.dtype)) for n in graph.nodes if n.op == "Scalar"
        }

        self._largest: dict[str, Array] = {}
        """Elements that the places found so far lie at, by node."""

    def run(self) -> None:
        """All passes of all cores."""
        core = -1
        for place in passes(self._graph, self._nest):
            if place.core != core:
                core = place.core
                self._run_all(self._once, once_place(place), merges=False)
            for looped, nodes in self._parts:
                for turn, at in enumerate(turns(self._graph, self._nest, place) if looped else (place,)):
                    self._run_all(nodes, at, merges=turn > 0)

    def _run_all(self, nodes: Sequence[Node], at: Place, *, merges: bool) -> None:
        for node in nodes:
            match spec_of(node.op).compute:
                case ComputeType.LOAD if node.op == ROWS_OP:
                    self._load_rows(node, at)
                case ComputeType.LOAD:
                    self._values[node.name] = np.array(self._window(node, node.output, at, node.inputs[0]))
                case ComputeType.STORE:
                    self._store(node, at)
                case _:
                    self._compute(node, at, merges=merges)

    def _load_rows(self, node: Node, at: Place) -> None:
        indices = self._in_order(node.inputs[1], node.output.vectorized_axes, at)
        where = f"graph {self._graph.name}, node {node.name}"
        region = self._region(node, node.output, at)
        self._values[node.name] = rows_by_index(self._buffers[node.inputs[0]], region, indices, _int(node.attrs["row_stride"]), where)

    def _window(self, node: Node, layout: TensorView, at: Place, buffer: str) -> Array:
        """The part of a GM buffer that this tile touches, one dim per vectorized axis."""
        return window(self._buffers[buffer], self._region(node, layout, at), f"graph {self._graph.name}, node {node.name}")

    def _region(self, node: Node, layout: TensorView, at: Place) -> Region:
        view = node.output
        offset = _int(node.attrs.get("offset", 0))
        for axis, stride in zip(view.axes, view.strides, strict=True):
            if axis not in layout.vectorized_axes:
                offset += at.index.get(axis, 0) * _int(stride)
        dims = self._dims(layout, at)
        strides = tuple(_int(view.stride_of(axis)) if axis in view.axes else 0 for axis in layout.vectorized_axes)
        return Region(offset=offset, repeats=dims, strides=strides)

    def _store(self, node: Node, at: Place) -> None:
        layout = self._graph.node_of[node.inputs[0]].output
        for end in self._graph.consumers_of[node.name]:
            self._window(node, layout, at, end.name)[...] = as_dtype(self._values[node.inputs[0]], end.output.dtype)

    def _compute(self, node: Node, at: Place, *, merges: bool) -> None:
        shape = self._dims(node.output, at)
        own = node.output.vectorized_axes
        inputs = [self._in_order(name, operand_axes(self._graph, node, name, own), at) for name in node.inputs]
        is_reduce = spec_of(node.op).compute is ComputeType.REDUCE
        axes = self._reduced_positions(node) if is_reduce else self._moved_positions(node)
        result = apply(node.op, inputs, node.attrs, axes_reduced=axes, out_dtype=node.output.dtype, out_shape=shape)
        reduction = spec_of(node.op).reduction
        if reduction is not None and reduction.by_value is not None and is_looped(self._nest, node):
            result = self._nearest_largest(node, at, inputs[0].max(axis=axes).reshape(shape), result, merges=merges)
        elif merges and is_reduce and reduction is not None:
            result = self._merged(node, reduction, inputs, result)
        if reduction is not None and reduction.rescale:
            self._exponents[node.name] = inputs[1]
        self._values[node.name] = result

    def _merged(self, node: Node, reduction: Reduction, inputs: Sequence[Array], result: Array) -> Array:
        """What has accumulated, brought to the scale of this turn where it has one, and this turn's result."""
        if not reduction.merge:
            raise GraphError(f"partial results of {node.op} cannot be merged", where=f"node {node.name}")

        def run(op: str, *operands: Array) -> Array:
            return apply(op, operands, {}, out_dtype=node.output.dtype, out_shape=result.shape)

        total = self._values[node.name]
        if reduction.rescale:
            difference, power, product = reduction.rescale
            total = run(product, total, run(power, run(difference, self._exponents[node.name], inputs[1])))
        return run(reduction.merge, total, result)

    def _nearest_largest(self, node: Node, at: Place, largest: Array, places: Array, *, merges: bool) -> Array:
        """Places over all turns so far, of which each has the largest elements of its tile and their places in it: the first of equals."""
        before = elements_before(self._graph, self._nest, lambda axis: integer(at.index[axis]))
        found = (largest, places + _int(before))
        if merges:
            earlier = self._largest[node.name], self._values[node.name]
            pick = np.argmax(np.stack([earlier[0], largest]), axis=0)
            found = np.where(pick, found[0], earlier[0]), np.where(pick, found[1], earlier[1])
        self._largest[node.name] = found[0]
        return found[1]

    def _moved_positions(self, node: Node) -> tuple[int, ...]:
        """The place of the axis that a Concat joins or a Gather picks along."""
        if is_join(node):
            return (node.output.vectorized_axes.index(joined_axis(self._graph, node)),)
        axis = gathered_axis(self._graph, node) if is_lookup(node) else None
        return () if axis is None else (node.output.vectorized_axes.index(axis),)

    def _in_order(self, name: str, axes: tuple[str, ...], at: Place) -> Array:
        """What a call reads of a value: its dims in another order of the same axes where a Transpose reads it."""
        own = self._graph.node_of[name].output.vectorized_axes
        value = self._part(name, at) if is_once_per_core(self._nest, self._graph.node_of[name]) else self._values[name]
        return value if own == axes or not own else value.transpose([own.index(axis) for axis in axes])

    def _part(self, name: str, at: Place) -> Array:
        """What a pass needs of a value that was made before all passes, with whole tiles."""
        return self._values[name][tuple(slice(dim) for dim in self._dims(self._graph.node_of[name].output, at))]

    def _reduced_positions(self, node: Node) -> tuple[int, ...]:
        source = self._graph.node_of[node.inputs[0]].output
        mine = node.output.vectorized_strides
        return tuple(i for i, (a, b) in enumerate(zip(source.vectorized_strides, mine, strict=True)) if _int(a) and not _int(b))

    def _dims(self, layout: TensorView, at: Place) -> tuple[int, ...]:
        """Elements along each vectorized axis in this tile."""
        return tuple(
            (at.sizes.get(axis) or size_of(self._graph.axis_of[axis])) if _int(stride) else 1
            for axis, stride in zip(layout.vectorized_axes, layout.vectorized_strides, strict=True)
        )


def _int(value: object) -> int:
    if isinstance(value, Expr):
        assert isinstance(value, Int), value
        return value.value
    assert isinstance(value, int), value
    return value
