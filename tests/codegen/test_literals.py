"""Scalars read back as the value that numpy rounds them to; names of a graph become identifiers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from att.errors import EmitError
from att.ir.dtype import DType
from codegen.literals import literal
from codegen.names import Names, camel, identifier


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_reads_back(value: float) -> None:
    text = literal(value, DType.FLOAT32)
    with np.errstate(over="ignore"):
        rounded = np.float32(value)
    if np.isinf(rounded):
        assert text.endswith("__builtin_inff()")
    else:
        assert text.endswith("f")
        assert np.float32(text.removesuffix("f")) == rounded


def test_literals() -> None:
    assert literal(2.0, DType.FLOAT32) == "2.0f"
    assert literal(1e-6, DType.FLOAT32) == "1e-06f"
    assert literal(0.1, DType.FLOAT16) == "static_cast<half>(0.099975586f)"
    assert literal(float("-inf"), DType.FLOAT32) == "-__builtin_inff()"
    assert literal(float("nan"), DType.FLOAT32) == '__builtin_nanf("")'
    assert literal(-3, DType.INT32) == "-3"
    assert literal(-(2**31), DType.INT32) == "(-2147483647 - 1)"
    assert literal(7, DType.INT64) == "static_cast<int64_t>(7LL)"
    assert literal(1, DType.INT16) == "static_cast<int16_t>(1)"
    with pytest.raises(EmitError, match="300 does not fit uint8"):
        literal(300, DType.UINT8)


def test_identifiers() -> None:
    assert identifier("graph_hint/load-1.x") == "load_1_x"
    assert identifier("7up") == "v7up"
    assert identifier("//") == "value"
    assert camel("full_load.z0") == "FullLoadZ0"
    names = Names(("x",))
    assert [names.fresh(n) for n in ("x", "x", "float", "y")] == ["x_2", "x_3", "float_2", "y"]
