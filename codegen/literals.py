"""Scalars of a graph as C++ literals of their element type.

The number is rounded once to the element type and printed so that it reads back exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from att.errors import EmitError
from att.expr.core import Expr
from att.expr.text import to_text
from att.ir.dtype import DType
from att.ir.node import Node
from att.ops.spec import numpy_dtype
from att.ops.verify import scalar_number
from codegen.dtypes import cxx_type

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
    rounded = _rounded(value, dtype)
    if math.isnan(rounded):
        text = _NAN
    elif math.isinf(rounded):
        text = _INFINITE if rounded > 0 else f"-{_INFINITE}"
    else:
        text = f"{_shortest(rounded)}f"
    return text if dtype is DType.FLOAT32 else f"static_cast<{cxx_type(dtype)}>({text})"


def _rounded(value: float, dtype: DType) -> float:
    import numpy as np

    with np.errstate(all="ignore"):
        return float(np.array(value, np.float64).astype(numpy_dtype(dtype)))


def _shortest(value: float) -> str:
    """The shortest decimal that reads back as the same float32, with a point or exponent."""
    import numpy as np

    text = str(np.float32(value))
    return text if any(c in text for c in ".e") else f"{text}.0"


def _check_range(value: int, dtype: DType) -> None:
    import numpy as np

    limits: Any = np.iinfo(numpy_dtype(dtype)) if dtype is not DType.BOOL else np.iinfo(np.uint8)
    if not int(limits.min) <= value <= int(limits.max):
        raise EmitError(f"the Scalar {value} does not fit {dtype}", hint="use a wider element type")


def _integer(value: int, dtype: DType) -> str:
    lowest = -(2 ** (8 * dtype.bytes - 1))
    if dtype in (DType.INT32, DType.INT64) and value == lowest:
        suffix = "LL" if dtype is DType.INT64 else ""
        text = f"({value + 1}{suffix} - 1)"
    else:
        text = f"{value}{'LL' if dtype is DType.INT64 else 'ULL' if dtype is DType.UINT64 else 'U' if dtype is DType.UINT32 else ''}"
    return text if dtype is DType.INT32 else f"static_cast<{cxx_type(dtype)}>({text})"
