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


def _masked(x: Array, mask: Array, value: Array) -> Array:
    return _select(mask, value, x)


def _axpy(x: Array, y: Array, alpha: Any) -> Array:
    a, b = computed(x), computed(y)
    return a + b.dtype.type(alpha) * b


def _leaky(x: Array, slope: Any) -> Array:
    """The slope is a number of the element type, as the instruction takes it."""
    wide = computed(x)
    return np.where(wide >= 0, wide, wide * computed(np.asarray(slope).astype(x.dtype)))


def _gelu(x: Array) -> Array:
    """The approximation by tanh, as AscendC documents it (asc-devkit, gelu.h)."""
    return x / (1.0 + np.exp(-1.59576912 * (x + 0.044715 * x**3)))


def _clipped(x: Array, low: Array, high: Array) -> Array:
    return np.minimum(np.maximum(x, low), high)


def _floored_quotient(x: Array, y: Array) -> Array:
    return np.floor(x / y)


def _remainder(x: Array, y: Array) -> Array:
    """With the sign of the divisor. Floats round at each step; of integers it is exact, and x where the divisor is 0."""
    a, b = computed(x), computed(y)
    if is_float(a):
        return a - np.floor(a / b) * b
    return np.where(b == 0, a, np.remainder(a, np.where(b == 0, np.ones((), b.dtype), b)))


def _power(x: Array, y: Array) -> Array:
    if is_float(x):
        return _smooth(np.power)(x, y)
    return _whole_power(*np.broadcast_arrays(x, y))


def _whole_power(base: Array, exponent: Array) -> Array:
    """By squaring, which wraps around. A negative exponent leaves 0, except of 1 and -1, which have a whole inverse."""
    unit = (base == 1) | (base == -1)
    left = np.abs(exponent.astype(np.int64))
    result, factor = np.ones_like(base), base.copy()
    while left.any():
        result = np.where(left & 1, result * factor, result).astype(base.dtype)
        factor, left = factor * factor, left >> 1
    return np.where((exponent < 0) & ~unit, np.zeros((), base.dtype), result)


def _tested(function: Callable[[Array], Array]) -> Callable[..., Array]:
    def run(x: Array) -> Array:
        return function(computed(x)).astype(np.uint8)

    return run


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
        "Axpy": _axpy,
        "BitwiseAnd": np.bitwise_and,
        "Cast": _unchanged,
        "ClipByValue": _arithmetic(_clipped),
        "Div": _exact_quotient,
        "Eq": _compared(np.equal),
        "Erf": _smooth(_erf),
        "Exp": _smooth(np.exp),
        "FloorDiv": _arithmetic(_floored_quotient),
        "Ge": _compared(np.greater_equal),
        "Gelu": _smooth(_gelu),
        "Gt": _compared(np.greater),
        "IsFinite": _tested(np.isfinite),
        "IsInf": _tested(np.isinf),
        "Isnan": _tested(np.isnan),
        "Le": _compared(np.less_equal),
        "LeakyRelu": _leaky,
        "Ln": _smooth(np.log),
        "LogicalAnd": _logical(np.logical_and),
        "LogicalNot": _not,
        "LogicalOr": _logical(np.logical_or),
        "Lt": _compared(np.less),
        "MaskedFill": _masked,
        "Maximum": _arithmetic(np.maximum),
        "Minimum": _arithmetic(np.minimum),
        "Mul": _arithmetic(np.multiply),
        "Ne": _compared(np.not_equal),
        "Neg": _arithmetic(np.negative),
        "Pow": _power,
        "Reciprocal": _arithmetic(_inverse),
        "Relu": _arithmetic(_positive),
        "Remainder": _remainder,
        "Rsqrt": _smooth(_inverse_root),
        "Select": _select,
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
