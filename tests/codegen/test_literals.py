"""Scalars read back as the value that numpy rounds them to; names of a graph become identifiers."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from att.errors import EmitError
from att.ir.dtype import DType
from att.ops.spec import numpy_dtype
from codegen.dtypes import cxx_type
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


@given(st.floats(allow_nan=False), st.sampled_from((DType.FLOAT16, DType.BFLOAT16)))
def test_a_narrow_float_is_rounded_as_numpy_rounds_it(value: float, dtype: DType) -> None:
    with np.errstate(over="ignore"):
        rounded = float(np.float64(value).astype(numpy_dtype(dtype)))
    assert literal(value, dtype) == f"static_cast<{cxx_type(dtype)}>({literal(rounded, DType.FLOAT32)})"


@pytest.mark.parametrize(
    ("value", "text"),
    [(1e5, "100000.0f"), (999999.94, "999999.94f"), (1e6, "1e+06f"), (1e-4, "1e-04f"), (-0.0, "-0.0f"), (0.00011, "0.00011f")],
)
def test_large_and_small_floats_have_an_exponent(value: float, text: str) -> None:
    assert literal(value, DType.FLOAT32) == text


@pytest.mark.parametrize("dtype", [d for d in DType if not d.is_float and d is not DType.BOOL])
def test_integers_keep_to_the_range_of_their_type(dtype: DType) -> None:
    limits = np.iinfo(dtype.value)
    for value in (int(limits.min), int(limits.max)):
        literal(value, dtype)
    for value in (int(limits.min) - 1, int(limits.max) + 1):
        with pytest.raises(EmitError, match="does not fit"):
            literal(value, dtype)


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


_WITHOUT_NUMPY = """
import sys
from att.chips import load_chip
from att.ops.call import CostSet
from att.ops.spec import Costs
from benchmarks.make_graphs import dynamic_graph
from codegen.entry import emit_kernel
from schedule.generate import schedule_graph

chip = load_chip("ascend910b1")
templates = schedule_graph(dynamic_graph("gelu"), chip).templates
sys.modules.update(dict.fromkeys(("numpy", "ml_dtypes")))
assert "0.70710677f" in emit_kernel("gelu", templates, Costs(chip=chip, cost_set=CostSet.MENDED)).text
"""


def test_the_first_kernel_of_a_process_does_not_wait_for_numpy() -> None:
    """A module that is None cannot be imported."""
    done = subprocess.run([sys.executable, "-c", _WITHOUT_NUMPY], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_identifiers() -> None:
    assert identifier("graph_hint/load-1.x") == "load_1_x"
    assert identifier("7up") == "v7up"
    assert identifier("//") == "value"
    assert camel("full_load.z0") == "FullLoadZ0"
    names = Names(("x",))
    assert [names.fresh(n) for n in ("x", "x", "float", "y")] == ["x_2", "x_3", "float_2", "y"]
