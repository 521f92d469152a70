"""numpy meaning of single ops against plain Python arithmetic, and rounding once to the output dtype."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from att.errors import GraphError
from att.ir.dtype import DType
from att.ops import arithmetic, choice
from att.ops.reference import apply
from att.ops.registry import OPS
from att.ops.spec import ComputeType, as_dtype

F16, F32, BF16, U8, I16, I32, I64 = (
    DType.FLOAT16, DType.FLOAT32, DType.BFLOAT16, DType.UINT8, DType.INT16, DType.INT32, DType.INT64,
)  # fmt: skip

UNARY: Mapping[str, Callable[[float], float]] = {
    "Abs": abs,
    "Erf": math.erf,
    "Exp": math.exp,
    "Ln": math.log,
    "Neg": lambda x: -x,
    "Reciprocal": lambda x: 1 / x,
    "Relu": lambda x: max(x, 0.0),
    "Rsqrt": lambda x: 1 / math.sqrt(x),
    "Sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "Sign": lambda x: math.copysign(1, x) if x else 0.0,
    "Sqrt": math.sqrt,
    "Square": lambda x: x * x,
    "Tanh": math.tanh,
}
POSITIVE = {"Ln", "Rsqrt", "Sqrt"}
BINARY: Mapping[str, Callable[[float, float], float]] = {
    "Add": lambda x, y: x + y,
    "Sub": lambda x, y: x - y,
    "Mul": lambda x, y: x * y,
    "Div": lambda x, y: x / y,
    "TrueDiv": lambda x, y: x / y,
    "Maximum": max,
    "Minimum": min,
    "Eq": lambda x, y: x == y,
    "Ne": lambda x, y: x != y,
    "Lt": lambda x, y: x < y,
    "Le": lambda x, y: x <= y,
    "Gt": lambda x, y: x > y,
    "Ge": lambda x, y: x >= y,
    "LogicalAnd": lambda x, y: bool(x) and bool(y),
    "LogicalOr": lambda x, y: bool(x) or bool(y),
}
VALUES = np.array([-3.5, -1.0, -0.25, 0.125, 0.5, 1.0, 2.75, 6.0], np.float32)


@pytest.mark.parametrize("op", UNARY)
def test_functions_of_one_operand(op: str) -> None:
    x = np.abs(VALUES) if op in POSITIVE else VALUES
    got = apply(op, [x], {}, out_dtype=F32, out_shape=x.shape)
    assert got.dtype == np.float32
    assert np.allclose(got, [UNARY[op](float(v)) for v in x], rtol=1e-6, atol=0)


@pytest.mark.parametrize("op", BINARY)
def test_functions_of_two_operands(op: str) -> None:
    x, y = VALUES, np.roll(VALUES, 3)
    out = U8 if OPS[op].output_dtype((F32, F32)) is U8 else F32
    got = apply(op, [x, y], {}, out_dtype=out, out_shape=x.shape)
    assert np.allclose(got, [BINARY[op](float(a), float(b)) for a, b in zip(x, y, strict=True)], rtol=1e-6, atol=0)


def test_every_elementwise_op_is_compared_here() -> None:
    elementwise = {op for op, spec in OPS.items() if spec.compute is ComputeType.ELEMENTWISE}
    elsewhere = {record.name for record in (*arithmetic.RECORDS, *choice.RECORDS)}  # test_arithmetic.py
    elsewhere |= {"RemovePad"}  # test_packing.py
    assert elementwise - set(UNARY) - set(BINARY) - elsewhere == {"Cast", "LogicalNot", "Where"}


def test_where_and_not() -> None:
    mask = np.array([0, 1, 2, 0], np.uint8)
    x = np.array([1, 2, 3, 4], np.float32)
    assert apply("Where", [mask, x, np.float32(-1)], {}, out_dtype=F32, out_shape=(4,)).tolist() == [-1, 2, 3, -1]
    assert apply("LogicalNot", [x - 2], {}, out_dtype=F32, out_shape=(4,)).tolist() == [0, 1, 0, 0]
    assert apply("LogicalNot", [mask], {}, out_dtype=U8, out_shape=(4,)).tolist() == [1, 0, 0, 1]


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("Sum", [[6.0], [15.0]]), ("Max", [[3.0], [6.0]]), ("Min", [[1.0], [4.0]]), ("Mean", [[2.0], [5.0]]), ("Prod", [[6.0], [120.0]]),
        ("Any", [[1.0], [1.0]]), ("All", [[1.0], [1.0]]), ("ArgMax", [[2.0], [2.0]]),
    ],
)  # fmt: skip
def test_reduces(op: str, expected: list[list[float]]) -> None:
    x = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
    assert apply(op, [x], {}, axes_reduced=(1,), out_dtype=F32, out_shape=(2, 1)).tolist() == expected
    assert apply(op, [x.T.copy()], {}, axes_reduced=(0,), out_dtype=F32, out_shape=(1, 2)).ravel().tolist() == np.ravel(expected).tolist()


def test_truth_of_reduces() -> None:
    x = np.array([[0, 2, 0], [0, 0, 0], [1, 1, 1]], np.float32)
    assert apply("Any", [x], {}, axes_reduced=(1,), out_dtype=F32, out_shape=(3, 1)).ravel().tolist() == [1, 0, 1]
    assert apply("All", [x], {}, axes_reduced=(1,), out_dtype=F32, out_shape=(3, 1)).ravel().tolist() == [0, 0, 1]


def test_argmax_counts_over_all_reduced_axes_and_takes_the_first() -> None:
    x = np.array([[[1, 9], [9, 0]], [[5, 5], [5, 5]]], np.float32)
    got = apply("ArgMax", [x], {}, axes_reduced=(1, 2), out_dtype=I64, out_shape=(2, 1, 1))
    assert got.dtype == np.int64
    assert got.ravel().tolist() == [1, 0]
    assert apply("ArgMax", [x], {}, axes_reduced=(0, 2), out_dtype=I64, out_shape=(1, 2, 1)).ravel().tolist() == [1, 0]


def test_sums_accumulate_wider_than_they_round() -> None:
    ones = np.ones(4097, np.float16)
    assert apply("Sum", [ones], {}, axes_reduced=(0,), out_dtype=F16, out_shape=(1,))[0] == np.float16(4097)
    tiny = np.array([1e8, 1, -1e8], np.float32)
    assert apply("Sum", [tiny], {}, axes_reduced=(0,), out_dtype=F32, out_shape=(1,))[0] == 1
    large = np.array([2**31 - 1, 1], np.int32)
    assert apply("Sum", [large], {}, axes_reduced=(0,), out_dtype=I32, out_shape=(1,))[0] == -(2**31), "integers wrap"


@pytest.mark.parametrize(("op", "value"), [("Sum", 0), ("Prod", 1), ("Any", 0), ("All", 1)])
def test_reduces_of_nothing(op: str, value: float) -> None:
    empty = np.empty((3, 0), np.float32)
    assert apply(op, [empty], {}, axes_reduced=(1,), out_dtype=F32, out_shape=(3, 1)).tolist() == [[value]] * 3


@pytest.mark.parametrize("op", ["Max", "Min", "Mean", "ArgMax"])
def test_reduces_of_nothing_without_a_result(op: str) -> None:
    with pytest.raises(GraphError, match=f"{op} over no elements has no result"):
        apply(op, [np.empty((3, 0), np.float32)], {}, axes_reduced=(1,), out_dtype=F32, out_shape=(3, 1))
    assert apply(op, [np.empty((0, 4), np.float32)], {}, axes_reduced=(1,), out_dtype=F32, out_shape=(0, 1)).shape == (0, 1)


def test_integers_are_exact_and_wrap() -> None:
    x = np.array([2**31 - 1, -(2**31), 16777217], np.int32)
    assert apply("Add", [x, np.int32(1)], {}, out_dtype=I32, out_shape=(3,)).tolist() == [-(2**31), -(2**31) + 1, 16777218]
    assert apply("Mul", [x, np.int32(1)], {}, out_dtype=I32, out_shape=(3,)).tolist() == x.tolist()
    wide = np.array([2**53 + 1], np.int64)
    assert apply("Gt", [wide, wide - 1], {}, out_dtype=U8, out_shape=(1,))[0] == 1
    assert apply("TrueDiv", [np.array([7], np.int32), np.array([2], np.int32)], {}, out_dtype=F32, out_shape=(1,))[0] == 3.5
    with pytest.raises(GraphError, match="use TrueDiv"):
        apply("Div", [x, x], {}, out_dtype=I32, out_shape=(3,))


def test_float16_computes_in_float32() -> None:
    x = np.array([300.0], np.float16)
    assert apply("Mul", [x, x], {}, out_dtype=F32, out_shape=(1,))[0] == 90000
    assert np.isinf(apply("Mul", [x, x], {}, out_dtype=F16, out_shape=(1,))[0])


floats = st.floats(-1e5, 1e5, width=32)


@given(floats, floats)
def test_results_round_once_to_bfloat16(a: float, b: float) -> None:
    x, y = (np.array([v], ml_dtypes.bfloat16) for v in (a, b))
    got = apply("Add", [x, y], {}, out_dtype=BF16, out_shape=(1,))
    exact = x.astype(np.float32) + y.astype(np.float32)
    assert got.dtype == ml_dtypes.bfloat16
    assert got[0] == exact.astype(ml_dtypes.bfloat16)[0]


@pytest.mark.parametrize(
    ("values", "source", "target", "expected"),
    [
        ([1.5, -1.5, 2.999], np.float32, I32, [1, -1, 2]),
        ([1e20, -1e20, float("nan")], np.float32, I32, [2**31 - 1, -(2**31), 0]),
        ([float("inf"), 40000.0, -40000.0], np.float32, I16, [2**15 - 1, 2**15 - 1, -(2**15)]),
        ([1e30, -1e30], np.float32, I64, [2**63 - 1, -(2**63)]),
        ([300.0, -5.0, 7.9], np.float16, U8, [255, 0, 7]),
        ([300, -1], np.int32, U8, [44, 255]),
        ([2049.0, 2051.0], np.float32, F16, [2048.0, 2052.0]),
        ([16777217], np.int32, F32, [16777216.0]),
    ],
)
def test_casts(values: list[float], source: type, target: DType, expected: list[float]) -> None:
    x = np.array(values, source)
    assert apply("Cast", [x], {}, out_dtype=target, out_shape=x.shape).tolist() == expected
    assert as_dtype(x, target).tolist() == expected


def test_moves_keep_values() -> None:
    x = np.arange(6, dtype=np.int8).reshape(2, 3)
    assert np.array_equal(apply("Load", [x], {}, out_dtype=DType.INT8, out_shape=(2, 3)), x)
    assert np.array_equal(apply("Broadcast", [x[:, :1]], {}, out_dtype=DType.INT8, out_shape=(2, 3)), np.repeat(x[:, :1], 3, axis=1))
    with pytest.raises(GraphError, match="Data is no call"):
        apply("Data", [x], {}, out_dtype=DType.INT8, out_shape=(2, 3))
