"""Meaning of the ops that are several instructions, against plain Python, and where their published numbers come from."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from att.expr.core import integer
from att.ir.dtype import DType
from att.ops.call import Call, View
from att.ops.reference import apply
from att.ops.registry import OPS, spec_of
from att.ops.spec import Costs

F16, F32, U8, I16, I32 = DType.FLOAT16, DType.FLOAT32, DType.UINT8, DType.INT16, DType.INT32
VALUES = np.array([-3.5, -1.0, -0.25, 0.125, 0.5, 1.0, 2.75, 6.0], np.float32)
ints = st.integers(-(2**31), 2**31 - 1)


def _run(op: str, *inputs: Any, out: DType = F32, **attrs: float) -> Any:
    return apply(op, list(inputs), attrs, out_dtype=out, out_shape=inputs[0].shape)


def test_a_product_is_added() -> None:
    assert np.allclose(_run("Axpy", VALUES, VALUES[::-1], alpha=0.5), VALUES + 0.5 * VALUES[::-1], rtol=1e-7)
    half = np.array([2048], np.float16)
    assert _run("Axpy", half, np.array([1], np.float16), out=F16, alpha=3.0)[0] == 2052, "rounds once, 2051 to the even neighbour"


def test_leaky_relu_takes_a_slope_of_the_element_type() -> None:
    x = np.array([-4, 0, 4], np.float16)
    slope = float(np.float16(0.1))
    assert _run("LeakyRelu", x, out=F32, negative_slope=0.1).tolist() == [np.float32(-4) * np.float32(slope), 0, 4]


def test_gelu_is_the_documented_approximation() -> None:
    exact = [0.5 * float(x) * (1 + math.erf(float(x) / math.sqrt(2))) for x in VALUES]
    tanh = [0.5 * float(x) * (1 + math.tanh(math.sqrt(2 / math.pi) * (float(x) + 0.044715 * float(x) ** 3))) for x in VALUES]
    got = _run("Gelu", VALUES)
    assert np.allclose(got, tanh, rtol=1e-6, atol=1e-7)
    assert np.allclose(got, exact, atol=5e-4)


def test_clip_keeps_within_bounds() -> None:
    assert _run("ClipByValue", VALUES, np.float32(-1), np.float32(1)).tolist() == [min(max(v, -1.0), 1.0) for v in VALUES.tolist()]


@pytest.mark.parametrize("dtype", [U8, I16, I32, DType.UINT16])
def test_bits_are_joined(dtype: DType) -> None:
    x, y = (np.array(v).astype(dtype.value) for v in ([5, 200, -1], [6, 77, 12]))
    assert _run("BitwiseAnd", x, y, out=dtype).tolist() == [a & b for a, b in zip(x.tolist(), y.tolist(), strict=True)]


def test_what_is_finite() -> None:
    x = np.array([1.0, -np.inf, np.nan, np.inf, 0.0, -65504.0], np.float16)
    assert _run("IsFinite", x, out=U8).tolist() == [1, 0, 0, 0, 1, 1]
    assert _run("IsInf", x, out=U8).tolist() == [0, 1, 0, 1, 0, 0]
    assert _run("Isnan", x, out=U8).tolist() == [0, 0, 1, 0, 0, 0]


def test_masks_choose() -> None:
    mask, x, y = np.array([0, 1, 2], np.uint8), np.array([1, 2, 3], np.float32), np.array([7, 8, 9], np.float32)
    assert _run("Select", mask, x, y).tolist() == [7, 2, 3]
    assert _run("MaskedFill", x, mask, np.float32(-1)).tolist() == [1, -1, -1]


def test_quotients_round_down() -> None:
    x, y = np.array([7, -7, 7, -7], np.float32), np.array([2, 2, -2, -2], np.float32)
    assert _run("FloorDiv", x, y).tolist() == [7 // 2, -7 // 2, 7 // -2, -7 // -2]
    assert _run("Remainder", x, y).tolist() == [7 % 2, -7 % 2, 7 % -2, -7 % -2]


@given(ints, ints)
def test_remainders_of_integers_are_exact(a: int, b: int) -> None:
    got = _run("Remainder", np.array([a], np.int32), np.array([b], np.int32), out=I32)[0]
    assert got == (a % b if b else a)


@given(ints, st.integers(-3, 12))
def test_powers_of_integers_wrap(base: int, exponent: int) -> None:
    got = int(_run("Pow", np.array([base], np.int32), np.array([exponent], np.int32), out=I32)[0])
    exact = base**exponent if exponent >= 0 else {1: 1, -1: (-1) ** exponent}.get(base, 0)
    assert (got - int(exact)) % 2**32 == 0


def test_powers_of_floats() -> None:
    x = np.abs(VALUES)
    assert np.allclose(_run("Pow", x, VALUES), [float(a) ** float(b) for a, b in zip(x, VALUES, strict=True)], rtol=1e-6)
    assert np.isnan(_run("Pow", np.array([-2], np.float32), np.array([0.5], np.float32))[0])


ONE_CYCLE = ("Axpy", "BitwiseAnd", "ClipByValue", "FloorDiv", "Gelu", "IsFinite", "IsInf", "Isnan", "LeakyRelu", "Pow", "Remainder")


@pytest.mark.parametrize("op", ONE_CYCLE)
def test_the_reference_has_no_formula(make: Any, published: Costs, shared_data: Path, op: str) -> None:
    listed = json.loads((shared_data / "att_perf_params.json").read_text())["chips"]["v1"]["ops"]
    assert listed.get(op, {"cost": "constant 1"})["cost"].startswith("constant 1")
    dtype = F32 if F32 in spec_of(op).dtypes["v1"] else I16
    assert make.cycles(make.unary(op, 64, dtype=dtype, operands=len(spec_of(op).inputs)), published) == 1


@pytest.mark.parametrize("op", ["Select", "MaskedFill"])
def test_choosing_costs_as_where(make: Any, published: Costs, mended: Costs, op: str) -> None:
    mask, tile = make.dense(4, 64, dtype=U8), make.dense(4, 64)
    operands = [tile, mask, tile] if op == "MaskedFill" else [mask, tile, tile]
    for costs in (published, mended):
        where = make.call("Where", [mask, tile, tile], tile)
        assert make.ticks(make.call(op, operands, tile), costs) == make.ticks(where, costs)
        assert spec_of(op).tmp_bytes(make.call(op, operands, tile), costs) == spec_of("Where").tmp_bytes(where, costs)


REQUESTS = {"Axpy": (8192, 8192), "BitwiseAnd": (8192, 0), "ClipByValue": (8192, 0), "FloorDiv": (40000, 0), "Gelu": (40000, 8192),
            "IsFinite": (40032, 0), "IsInf": (40032, 0), "Isnan": (40032, 0), "LeakyRelu": (0, 0), "Pow": (40000, 65312),
            "Remainder": (65312, 8192)}  # fmt: skip


@pytest.mark.parametrize("op", REQUESTS)
def test_requests_of_the_reference(make: Any, published: Costs, published_v2: Costs, op: str) -> None:
    dtype = F32 if F32 in spec_of(op).dtypes["v1"] else I32
    tile = make.dense(10000, dtype=dtype)
    call = make.call(op, [tile] * len(spec_of(op).inputs), tile)
    assert (spec_of(op).tmp_bytes(call, published).lo, spec_of(op).tmp_bytes(call, published_v2).lo) == REQUESTS[op]


def test_requests_that_depend_on_more(make: Any, published: Costs) -> None:
    def size(op: str, *operands: View) -> int:
        return spec_of(op).tmp_bytes(make.call(op, operands, operands[0]), published).lo

    half, tile, one = make.dense(5001, dtype=F16), make.dense(5001), make.dense(1)
    assert size("Axpy", half, half) == 40032
    assert size("Remainder", tile, one) == 8192
    assert size("Remainder", tile, tile) == 60012


def test_what_works_through_float_takes_one_area(make: Any, mended: Costs) -> None:
    def size(op: str, n: int, dtype: DType) -> int:
        tile = make.dense(n, dtype=dtype)
        return spec_of(op).tmp_bytes(make.call(op, [tile] * len(spec_of(op).inputs), tile), mended).lo

    assert [size("FloorDiv", n, F16) for n in (1, 100, 1024, 100_000)] == [512, 1024, 8192, 8192]
    assert [size("Axpy", n, F16) for n in (1, 2048, 100_000)] == [256, 8192, 8192]
    assert [size("Remainder", n, I32) for n in (1, 100_000)] == [512, 8192]
    assert [size(op, 1000, F32) for op in ("FloorDiv", "Axpy", "Remainder", "ClipByValue", "LeakyRelu")] == [0] * 5


def _sum_of_rows(make: Any, rows: int, cols: int, dtype: DType) -> Call:
    result = View(dtype=dtype, dims=(integer(rows), integer(1)), ub_strides=(integer(1), integer(0)))
    return make.call("Sum", [make.dense(rows, cols, dtype=dtype, pitch=8)], result)


@given(rows=st.integers(2, 300), cols=st.integers(2, 300), more_rows=st.integers(0, 40), more_cols=st.integers(0, 40))
def test_sums_of_integers_grow(make: Any, mended: Costs, rows: int, cols: int, more_rows: int, more_cols: int) -> None:
    small, large = _sum_of_rows(make, rows, cols, I32), _sum_of_rows(make, rows + more_rows, cols + more_cols, I32)
    assert 0 < make.ticks(small, mended) <= make.ticks(large, mended)
    assert make.ticks(small, mended) > make.ticks(_sum_of_rows(make, rows, cols, F32), mended), "a row is several instructions"


def test_sums_of_integers_hold_a_block_a_row(make: Any, mended: Costs) -> None:
    need = spec_of("Sum").tmp_bytes(_sum_of_rows(make, 10, 141, I32), mended)
    assert need.lo == 10 * 32 * 2 + 16 * 4 + 144 * 4
    column = View(dtype=I32, dims=(integer(1), integer(60)), ub_strides=(integer(0), integer(1)))
    down = make.call("Sum", [make.dense(50, 60, dtype=I32, pitch=8)], column)
    assert spec_of("Sum").tmp_bytes(down, mended).lo == 32 * 64 * 4, "other axes fold as those of floats do"


def test_every_sequence_pays_for_its_calls(make: Any, mended: Costs) -> None:
    tile, scalar = make.dense(64), make.scalar()
    pair = make.ticks(make.call("Maximum", [tile, tile], tile), mended) + make.ticks(make.call("Minimum", [tile, tile], tile), mended)
    assert make.ticks(make.call("ClipByValue", [tile, tile, tile], tile), mended) == pair
    one = make.ticks(make.call("ClipByValue", [scalar, scalar, tile], tile), mended)
    assert one == make.ticks(make.call("Minimum", [tile, scalar], tile), mended)
    assert set(OPS) >= set(REQUESTS)
