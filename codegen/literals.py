"""Scalars of a graph as C++ literals of their element type.

The number is rounded once to the element type and printed so that it reads back exactly.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Final

from att.errors import EmitError
from att.expr.core import Expr
from att.expr.text import to_text
from att.ir.dtype import DType
from att.ir.node import Node
from att.ops.verify import scalar_number
from codegen.dtypes import cxx_type

_UNSIGNED: Final = frozenset({DType.UINT8, DType.UINT16, DType.UINT32, DType.UINT64, DType.BOOL})
"""Integer types without a sign; a bool is a byte."""

_INFINITE = "__builtin_inff()"
_NAN = '__builtin_nanf("")'


def literal(value: float, dtype: DType) -> str:
    """The number as a C++ expression of an element type. Raises EmitError for an integer that does not fit."""
    if dtype.is_float:
        return _float(value, dtype)
    whole = int(value)
    _check_range(whole, dtype)
    return _integer(whole, dtype)


def scalar_text(node: Node, text_of: Callable[[Expr], str]) -> str:
    """A Scalar as a C++ expression; `text_of` prints what it is divided by, where only the shape says that."""
    number, divisor = literal(scalar_number(node), node.output.dtype), node.attrs.get("divisor")
    return f"{number} / static_cast<float>({text_of(divisor)})" if isinstance(divisor, Expr) else number


def scalar_meaning(node: Node) -> str:
    """A Scalar as a person writes it."""
    divisor = node.attrs.get("divisor")
    return f"{node.attrs['value']} / ({to_text(divisor)})" if isinstance(divisor, Expr) else str(node.attrs["value"])


def _float(value: float, dtype: DType) -> str:
    kind = cxx_type(dtype)
    rounded = _rounded(value, dtype)
    if math.isnan(rounded):
        text = _NAN
    elif math.isinf(rounded):
        text = _INFINITE if rounded > 0 else f"-{_INFINITE}"
    else:
        text = f"{_shortest(rounded)}f"
    return text if dtype is DType.FLOAT32 else f"static_cast<{kind}>({text})"


def _rounded(value: float, dtype: DType) -> float:
    """The nearest number of a type, ties to even; infinite beyond its largest. A bfloat16 is a float32 without its lower half."""
    if dtype is DType.FLOAT16:
        return _packed(value, "e")
    single = _packed(value, "f")
    if dtype is DType.FLOAT32 or not math.isfinite(single):
        return single
    (bits,) = struct.unpack("<I", struct.pack("<f", single))
    (found,) = struct.unpack("<f", struct.pack("<I", (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000))
    return found


def _packed(value: float, code: str) -> float:
    """The number as it comes back from a format of `struct`."""
    try:
        (found,) = struct.unpack(f"<{code}", struct.pack(f"<{code}", value))
    except OverflowError:
        return math.copysign(math.inf, value)
    return found


def _shortest(value: float) -> str:
    """A float32 rounded to the fewest digits that read back as it, with a point or an exponent: that below 1e-4 and from 1e6 on."""
    text = next(text for digits in range(9) if _packed(float(text := f"{value:.{digits}e}"), "f") == value)
    return repr(float(text)) if value == 0 or 1e-4 <= abs(value) < 1e6 else text


def _check_range(value: int, dtype: DType) -> None:
    bits = 8 * dtype.bytes
    lowest, highest = (0, 2**bits - 1) if dtype in _UNSIGNED else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    if not lowest <= value <= highest:
        raise EmitError(f"the Scalar {value} does not fit {dtype}", hint="use a wider element type")


def _integer(value: int, dtype: DType) -> str:
    lowest = -(2 ** (8 * dtype.bytes - 1))
    if dtype in (DType.INT32, DType.INT64) and value == lowest:
        suffix = "LL" if dtype is DType.INT64 else ""
        text = f"({value + 1}{suffix} - 1)"
    else:
        text = f"{value}{'LL' if dtype is DType.INT64 else 'ULL' if dtype is DType.UINT64 else 'U' if dtype is DType.UINT32 else ''}"
    return text if dtype is DType.INT32 else f"static_cast<{cxx_type(dtype)}>({text})"
