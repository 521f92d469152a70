"""numpy meaning of elementwise ops and reduces: the definition that kernels are compared with (design §6).

Floats are computed in float32 (float64 stays), what is not a plain arithmetic operation in float64 and then rounded to float32; the caller
rounds to the output dtype. Integers are exact and wrap around. Reduces accumulate in float64 or int64.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from att.errors import GraphError

Array = NDArray[Any]

_each_erf = np.vectorize(math.erf, otypes=[np.float64])


def _erf(x: Array) -> Array:
    return np.asarray(_each_erf(x))


def elementwise(name: str, *inputs: Array) -> Array:
    """Result of an elementwise op on operands that broadcast to its shape."""
    with np.errstate(all="ignore"):
        return ELEMENTWISE[name](*inputs)


def reduce(name: str, array: Array, axes: tuple[int, ...]) -> Array:
    """Result of a reduce over axes, kept with size 1. The caller has seen to axes of no elements."""
    with np.errstate(all="ignore"):
        return REDUCES[name](_wide(array), axes)


def is_float(array: Array) -> bool:
    """Whether an array holds floats, bfloat16 included."""
    return array.dtype.kind in "fV" or array.dtype.name == "bfloat16"


def computed(array: Array) -> Array:
    """The array in the type it is computed in: float32 for narrower floats, else its own."""
    return array.astype(np.float32) if is_float(array) and array.dtype != np.float64 else array


def _wide(array: Array) -> Array:
    if is_float(array):
        return array.astype(np.float64)
    return array.astype(np.uint64 if array.dtype == np.uint64 else np.int64)


def _arithmetic(function: Callable[..., Array]) -> Callable[..., Array]:
    """On operands in their computing type."""
    return lambda *inputs: function(*(computed(x) for x in inputs))


def _smooth(function: Callable[..., Array]) -> Callable[..., Array]:
    """On operands in float64, rounded to float32 (float64 stays)."""

    def run(*inputs: Array) -> Array:
        exact = function(*(np.asarray(x, dtype=np.float64) for x in inputs))
        return exact if any(x.dtype == np.float64 for x in inputs) else exact.astype(np.float32)

    return run


def _quotient(x: Array, y: Array) -> Array:
    a, b = computed(x), computed(y)
    if is_float(a):
        return a / b
    return a.astype(np.float32) / b.astype(np.float32)


def _exact_quotient(x: Array, y: Array) -> Array:
    if not is_float(x):
        raise GraphError("Div takes floats", hint="use TrueDiv for integers")
    return computed(x) / computed(y)


def _truth(array: Array) -> Array:
    return computed(array) != 0


def _logical(function: Callable[[Array, Array], Array]) -> Callable[..., Array]:
    def run(x: Array, y: Array) -> Array:
        return function(_truth(x), _truth(y)).astype(np.uint8)

    return run


def _compared(function: Callable[[Array, Array], Array]) -> Callable[..., Array]:
    def run(x: Array, y: Array) -> Array:
        return function(computed(x), computed(y)).astype(np.uint8)

    return run


def _not(x: Array) -> Array:
    return (~_truth(x)).astype(x.dtype)


def _select(mask: Array, x: Array, y: Array) -> Array:
    return np.where(mask != 0, x, y)


def _unchanged(x: Array) -> Array:
    return x


def _inverse(x: Array) -> Array:
    return 1 / x


def _positive(x: Array) -> Array:
    return np.maximum(x, np.zeros((), x.dtype))


def _inverse_root(x: Array) -> Array:
    return 1.0 / np.sqrt(x)


def _sigmoid(x: Array) -> Array:
    return 1.0 / (1.0 + np.exp(-x))


ELEMENTWISE: Final[Mapping[str, Callable[..., Array]]] = MappingProxyType(
    {
        "Abs": _arithmetic(np.abs),
        "Add": _arithmetic(np.add),
        "Cast": _unchanged,
        "Div": _exact_quotient,
        "Eq": _compared(np.equal),
        "Erf": _smooth(_erf),
        "Exp": _smooth(np.exp),
        "Ge": _compared(np.greater_equal),
        "Gt": _compared(np.greater),
        "Le": _compared(np.less_equal),
        "Ln": _smooth(np.log),
        "LogicalAnd": _logical(np.logical_and),
        "LogicalNot": _not,
        "LogicalOr": _logical(np.logical_or),
        "Lt": _compared(np.less),
        "Maximum": _arithmetic(np.maximum),
        "Minimum": _arithmetic(np.minimum),
        "Mul": _arithmetic(np.multiply),
        "Ne": _compared(np.not_equal),
        "Neg": _arithmetic(np.negative),
        "Reciprocal": _arithmetic(_inverse),
        "Relu": _arithmetic(_positive),
        "Rsqrt": _smooth(_inverse_root),
        "Sigmoid": _smooth(_sigmoid),
        "Sign": _arithmetic(np.sign),
        "Sqrt": _arithmetic(np.sqrt),
        "Square": _arithmetic(np.square),
        "Sub": _arithmetic(np.subtract),
        "Tanh": _smooth(np.tanh),
        "TrueDiv": _quotient,
        "Where": _select,
    }
)
"""Functions of operands in their own dtypes."""


def _first_maximum(array: Array, axes: tuple[int, ...]) -> Array:
    """Index of the first maximum, counted over the reduced axes in order, the last fastest."""
    kept = tuple(i for i in range(array.ndim) if i not in axes)
    rows = array.transpose(*kept, *axes).reshape(*(array.shape[i] for i in kept), -1)
    shape = tuple(1 if i in axes else size for i, size in enumerate(array.shape))
    return np.argmax(rows, axis=-1).astype(np.int64).reshape(shape)


def _keeping_axes(function: Callable[..., Any]) -> Callable[[Array, tuple[int, ...]], Array]:
    def run(array: Array, axes: tuple[int, ...]) -> Array:
        return np.asarray(function(array, axis=axes, keepdims=True))

    return run


def _of_truth(function: Callable[..., Any]) -> Callable[[Array, tuple[int, ...]], Array]:
    def run(array: Array, axes: tuple[int, ...]) -> Array:
        return np.asarray(function(array != 0, axis=axes, keepdims=True)).astype(np.int64)

    return run


REDUCES: Final[Mapping[str, Callable[[Array, tuple[int, ...]], Array]]] = MappingProxyType(
    {
        "All": _of_truth(np.all),
        "Any": _of_truth(np.any),
        "ArgMax": _first_maximum,
        "Max": _keeping_axes(np.max),
        "Mean": _keeping_axes(np.mean),
        "Min": _keeping_axes(np.min),
        "Prod": _keeping_axes(np.prod),
        "Sum": _keeping_axes(np.sum),
    }
)
"""Functions of a float64 or int64 array."""
