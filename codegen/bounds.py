"""The numpy reference with a bound for each value on what a kernel may differ from it.

A kernel rounds each op as the reference does, and its op may add its own tolerance (`OpSpec.tolerance`). With every value goes the largest
error that these tolerances allow so far: an op is evaluated again with each operand moved up and down by its bound, and what the result
moves by, rounding included, is the bound that it inherits. That is exact for ops that are monotone in each operand near the values. A Prod
rises with some elements and falls with others: all are moved away from zero and towards it. Equality and truth jump at one value, which is
tried where it is within the bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from att.errors import GraphError
from att.expr.evaluate import evaluate
from att.ir.dtype import DType
from att.ir.graph import HintGraph
from att.ir.node import Node
from att.ops.gm import output_elements, region_of, window
from att.ops.joins import call_axes, operand_axes
from att.ops.reference import apply, in_order, piece_of
from att.ops.registry import spec_of
from att.ops.spec import ComputeType, Tolerance, as_dtype, numpy_dtype
from att.ops.verify import scalar_value

Array = NDArray[Any]

EPS = float(np.finfo(np.float32).eps)
"""What accumulation rounds by: sums are made in float32."""

NARROW_ULPS = 8.0
"""Most ulps of a 16-bit result: more would be its whole value. Library functions are accurate to a float32 tolerance before they round."""

_TRUTHS: Final = frozenset({"Any", "All", "LogicalAnd", "LogicalOr", "LogicalNot"})
"""Ops that ask whether a value is true."""

_ASK_VALUE: Final = _TRUTHS | {"ArgMax"}
"""Ops that make of a float what is none."""


class BoundedRun:
    """One evaluation of a graph: values and their bounds (float64, `inf` where nothing can be said)."""

    def __init__(self, graph: HintGraph, shape: Mapping[str, int], inputs: Sequence[Array]) -> None:
        self._graph = graph
        self._shape = shape
        self._values: dict[str, tuple[Array, Array]] = {}
        self._inputs = {node.name: array.reshape(-1) for node, array in zip(graph.data_nodes, inputs, strict=True)}
        sizes = output_elements(graph, shape)
        self._outputs = {n.name: _Output(size, n.output.dtype) for n, size in zip(graph.output_nodes, sizes, strict=True)}
        last_use = {name: node.name for node in graph.nodes for name in node.inputs}
        for node in graph.nodes:
            self._step(node)
            for name in set(node.inputs):
                if last_use[name] == node.name:
                    self._values.pop(name, None)

    @property
    def outputs(self) -> tuple[_Output, ...]:
        """The kernel outputs, by index."""
        return tuple(self._outputs[node.name] for node in self._graph.output_nodes)

    def _step(self, node: Node) -> None:
        match spec_of(node.op).compute:
            case ComputeType.STRUCTURAL if node.op == "Scalar":
                value = np.array(scalar_value(node, self._shape)).astype(numpy_dtype(node.output.dtype))
                self._values[node.name] = value, np.zeros(())
            case ComputeType.STRUCTURAL:
                pass
            case ComputeType.LOAD:
                value = np.array(window(self._inputs[node.inputs[0]], region_of(node, self._shape), node.name))
                self._values[node.name] = value, np.zeros(value.shape)
            case ComputeType.STORE:
                self._store(node)
            case ComputeType.SPLIT:
                value, bound = (piece_of(self._graph, node, array, self._shape) for array in self._values[node.inputs[0]])
                self._values[node.name] = value, bound
            case _:
                self._values[node.name] = self._computed(node)

    def _store(self, node: Node) -> None:
        value, bound = (self._aligned(array, node.inputs[0], node.output.axes) for array in self._values[node.inputs[0]])
        for end in self._graph.consumers_of[node.name]:
            self._outputs[end.name].put(as_dtype(value, end.output.dtype), bound, region_of(node, self._shape), node.name)

    def _computed(self, node: Node) -> tuple[Array, Array]:
        axes, positions = call_axes(self._graph, node)
        lined = {name: operand_axes(self._graph, node, name, axes) for name in node.inputs}
        pairs = [tuple(self._aligned(array, name, lined[name]) for array in self._values[name]) for name in node.inputs]
        values, bounds = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        shape = tuple(evaluate(repeat, self._shape) for repeat in node.output.repeats)

        def run(operands: Sequence[Array]) -> Array:
            return apply(node.op, operands, node.attrs, axes_reduced=positions, out_dtype=node.output.dtype, out_shape=shape)

        base = run(values)
        _refuse_unspecified(node, values, base)
        _refuse_overflow_between(node, values, positions, base)
        bound = np.zeros(shape)
        for i, error in enumerate(bounds):
            if np.any(error > 0):
                reached = (run([*values[:i], way, *values[i + 1 :]]) for way in _ways(node.op, values, bounds, i))
                bound = bound + np.maximum.reduce([_distance(_wide(result), _wide(base)) for result in reached])
        return base, bound + _own(node, values, positions, base)

    def _aligned(self, value: Array, name: str, axes: tuple[str, ...]) -> Array:
        """A value with its dims in the order of `axes`, 1 where it has no such axis. Scalars stay 0-d."""
        return in_order(value, self._graph.node_of[name].output.axes, axes)


class _Output:
    """A kernel output in GM: values, bounds, and which elements are written."""

    def __init__(self, size: int, dtype: DType) -> None:
        self.values = np.zeros(size, numpy_dtype(dtype))
        self.bounds = np.zeros(size)
        self.written = np.zeros(size, bool)

    def put(self, value: Array, bound: Array, region: Any, where: str) -> None:
        """What a Store writes."""
        window(self.values, region, where)[...] = value
        window(self.bounds, region, where)[...] = bound
        window(self.written, region, where)[...] = True


def _refuse_unspecified(node: Node, values: Sequence[Array], result: Array) -> None:
    """Hardware leaves open what the truth or the integer of NaN is, whether it is the largest, and what a too large integer is cast to.

    NaN: ascendc_api_facts §6.3, §7.2; where it stays NaN, is compared or not selected, nothing is open. Of a too large integer the
    instruction makes the largest (§6.2), numpy and torch wrap.
    """
    makes_number = node.op in _ASK_VALUE or (node.op == "Cast" and result.dtype.kind in "iub")
    if makes_number and any(value.dtype.kind not in "iub" and bool(np.any(np.isnan(_wide(value)))) for value in values):
        raise GraphError(f"{node.op} {node.name} makes a number of NaN", hint="choose inputs for which the ops are finite")
    narrowed = node.op == "Cast" and result.dtype.kind in "iu" and values[0].dtype.kind in "iu"
    if narrowed and bool(np.any(values[0] != result)):
        raise GraphError(f"Cast {node.name} makes {result.dtype} of a larger integer", hint="choose inputs for which the values fit")


def _refuse_overflow_between(node: Node, values: Sequence[Array], reduced: tuple[int, ...], result: Array) -> None:
    """What is accumulated in float32 may leave its range in one order of the elements and not in another; the reference is wider.

    Factors above and below 1, or terms of either sign, can bring the result back into the range that a part of them left.
    """
    if not spec_of(node.op).tolerance.accumulates or values[0].dtype.kind in "iub":
        return
    x, largest, smallest = np.abs(_wide(values[0])), float(np.finfo(np.float32).max), float(np.finfo(np.float32).tiny)
    x = np.where(np.isfinite(x), x, 1.0)
    with np.errstate(over="ignore"):
        most = np.prod(np.maximum(x, 1.0), axis=reduced) if node.op == "Prod" else np.sum(x, axis=reduced)
        least = np.prod(np.minimum(x, 1.0), axis=reduced) if node.op == "Prod" else np.inf
    back = np.abs(_wide(result)).reshape(np.shape(most)) >= smallest
    if np.any(most > largest) or np.any((least < smallest) & back):
        hint = "choose inputs nearer to one" if node.op == "Prod" else "choose smaller inputs"
        raise GraphError(f"{node.op} {node.name} leaves the range of float32 in some order of its elements", hint=hint)


def _ways(op: str, values: Sequence[Array], bounds: Sequence[Array], i: int) -> Iterator[Array]:
    """What operand `i` may be that moves the result furthest: at either end of its bounds, and where the result jumps within reach."""
    value, error = values[i], bounds[i]
    if not np.all(np.isfinite(error)):
        raise GraphError("a value has no error bound", hint="choose inputs for which the ops are finite")
    outward = np.where(np.signbit(value), -error, error) if op == "Prod" else error
    yield _shifted(value, outward)
    yield _shifted(value, -outward)
    if op in ("Eq", "Ne") or op in _TRUTHS:
        jump = np.zeros(value.shape) if op in _TRUTHS else _wide(values[1 - i])
        yield np.where(_distance(_wide(value), jump) <= sum(bounds), jump, _wide(value))


def _shifted(value: Array, by: Array) -> Array:
    """The value moved, in a type that holds the sum."""
    if value.dtype.kind in "iub":
        info = np.iinfo(value.dtype if value.dtype.kind != "b" else np.uint8)
        whole = np.where(by > 0, np.ceil(by), np.floor(by))
        return np.clip(value.astype(np.float64) + whole, float(info.min), float(info.max)).astype(value.dtype)
    return value.astype(np.float64) + by


def _wide(array: Array) -> Array:
    return array.astype(np.float64)


def _distance(a: Array, b: Array) -> Array:
    """|a - b|; 0 where both are the same infinity or both NaN."""
    with np.errstate(invalid="ignore"):
        return np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b))


def _own(node: Node, values: Sequence[Array], reduced: tuple[int, ...], result: Array) -> Array:
    """The tolerance of one op at its result."""
    tolerance: Tolerance = spec_of(node.op).tolerance
    bound = np.zeros(result.shape)
    if tolerance.ulps and result.dtype.kind not in "iub":
        ulps = min(tolerance.ulps, NARROW_ULPS) if node.output.dtype.bytes == 2 else tolerance.ulps
        bound = bound + ulps * ulp_of(result, node.output.dtype) + _flushed(result)
    if tolerance.accumulates and values[0].dtype.kind not in "iub":
        x = np.abs(_wide(values[0]))
        count = int(np.prod([x.shape[i] for i in reduced])) if reduced else 1
        scale = np.sum(x, axis=reduced, keepdims=True) if node.op != "Prod" else np.prod(x, axis=reduced, keepdims=True)
        if node.op == "Mean":
            scale = scale / count
        if node.op == "Prod":
            bound = bound + _faded(x, reduced).reshape(result.shape)
        bound = bound + (EPS * np.sqrt(count) * scale).reshape(result.shape)
    return np.where(np.isfinite(bound), bound, 0.0)


def _flushed(result: Array) -> Array:
    """What a library function may lose below the smallest normal float32: Sigmoid as `1/(1 + exp(-x))` is 0 where exp leaves the range."""
    smallest = float(np.finfo(np.float32).tiny)
    size = np.abs(_wide(result))
    return np.where((size > 0) & (size < smallest), smallest, 0.0)


def _faded(factors: Array, reduced: tuple[int, ...]) -> Array:
    """What a product may be off by where it fades away: the least float32 times 0.8 is that number again, so some orders never reach 0."""
    smallest = float(np.finfo(np.float32).tiny)
    least = np.prod(np.minimum(factors, 1.0), axis=reduced)
    return np.where((least < smallest) & np.all(factors > 0, axis=reduced), smallest, 0.0)


def ulp_of(values: Array, dtype: DType) -> Array:
    """Distance to the next value of a float type; of its smallest normal number below that. Infinite and NaN values have none: 0."""
    mantissa, lowest = {DType.FLOAT16: (10, -14), DType.BFLOAT16: (7, -126), DType.FLOAT32: (23, -126)}.get(dtype, (23, -126))
    x = np.abs(_wide(values))
    finite = np.isfinite(x)
    _, above = np.frexp(np.where(finite, x, 0.0))
    exponent = np.where(x > 0, np.maximum(above - 1, lowest), lowest)
    return np.where(finite, np.ldexp(1.0, exponent - mantissa), 0.0)
