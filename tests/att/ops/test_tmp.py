"""Temporary buffers: the reference's requests with their floor, and what public APIs document."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from att.expr.core import integer, symbol
from att.expr.evaluate import evaluate
from att.ir.dtype import DType
from att.ops.call import SOLE_USE, View
from att.ops.registry import OPS, spec_of
from att.ops.spec import Costs, TmpLifetime
from att.ops.tmp_library import LIBRARY_TMP_BYTES
from att.ops.tmp_mended import casts_through

F16, F32, U8, I32, I64 = DType.FLOAT16, DType.FLOAT32, DType.UINT8, DType.INT32, DType.INT64


def _bytes(make: Any, op: str, *inputs: View, output: View, costs: Costs) -> int:
    return spec_of(op).tmp_bytes(make.call(op, inputs, output), costs).lo


def _column(rows: int, dtype: DType = F32) -> View:
    return View(dtype=dtype, dims=(integer(rows), integer(1)), ub_strides=(integer(1), integer(0)))


PUBLISHED_V1 = {
    "Abs": 8192, "Exp": 0, "Add": 0, "Sub": 8192, "Mul": 0, "TrueDiv": 8192, "Div": 8192, "Neg": 0, "Relu": 0, "Sqrt": 0, "Ln": 0,
    "Maximum": 0, "Minimum": 0, "Reciprocal": 8192, "Tanh": 8192, "Sign": 8192, "Sigmoid": 8192, "Rsqrt": 40000, "Erf": 120000,
    "LogicalAnd": 8192, "LogicalOr": 8192, "LogicalNot": 20032, "Gt": 40000, "Eq": 40000,
}  # fmt: skip


@pytest.mark.parametrize("op", PUBLISHED_V1)
def test_published_v1_requests_for_10000_floats(make: Any, published: Costs, op: str) -> None:
    tile = make.dense(10000)
    assert _bytes(make, op, *[tile] * len(spec_of(op).inputs), output=tile, costs=published) == PUBLISHED_V1[op]


def test_published_v1_requests_end_at_the_cap(make: Any, published: Costs) -> None:
    tile = make.dense(20000)
    assert _bytes(make, "Rsqrt", tile, output=tile, costs=published) == 65312
    assert _bytes(make, "Where", make.dense(20000, dtype=U8), tile, tile, output=tile, costs=published) == 65312
    assert _bytes(make, "Erf", tile, output=tile, costs=published) == 240000, "Erf is not capped"


def test_published_v1_special_cases(make: Any, published: Costs) -> None:
    ints, tile = make.dense(5000, dtype=I32), make.dense(5000)
    assert _bytes(make, "Abs", ints, output=ints, costs=published) == 20000
    assert _bytes(make, "TrueDiv", ints, ints, output=tile, costs=published) == 40000
    assert _bytes(make, "TrueDiv", ints, make.scalar(I32), output=tile, costs=published) == 8192
    half = make.dense(5000, dtype=F16)
    assert _bytes(make, "Erf", half, output=half, costs=published) == 80000
    assert _bytes(make, "Where", make.dense(5000, dtype=U8), tile, tile, output=tile, costs=published) == 45000
    assert _bytes(make, "Cast", make.dense(5001, dtype=U8), output=make.dense(5001), costs=published) == 10016
    assert _bytes(make, "Cast", make.dense(5001, dtype=I64), output=make.dense(5001, dtype=F16), costs=published) == 20032
    assert _bytes(make, "Cast", half, output=tile, costs=published) == 8192


def test_published_v1_compare_of_rows(make: Any, published: Costs) -> None:
    rows, wide = make.dense(10, 100, pitch=8), make.dense(10, 100, pitch=4, dtype=I64)
    mask = make.dense(10, 100, pitch=32, dtype=U8)
    assert _bytes(make, "Gt", rows, rows, output=mask, costs=published) == 288 * 100
    assert _bytes(make, "Gt", wide, wide, output=mask, costs=published) == 40 * 10 * 128
    tall = make.dense(100, 12, dtype=I64)
    assert _bytes(make, "Eq", tall, tall, output=make.dense(100, 12, pitch=32, dtype=U8), costs=published) == 512 * 100 + 256


def test_published_v1_broadcast_of_two_runs(make: Any, published: Costs) -> None:
    source = View(dtype=F32, dims=tuple(map(integer, (1, 8, 1))), ub_strides=tuple(map(integer, (0, 1, 0))))
    assert _bytes(make, "Broadcast", source, output=make.dense(4, 8, 16), costs=published) == 8192 + 4 * 8 * 16 * 4
    assert _bytes(make, "Broadcast", _column(8), output=make.dense(8, 16), costs=published) == 8192
    small = _bytes(make, "Broadcast", _column(10, U8), output=make.dense(10, 40, dtype=U8), costs=published)
    assert small == 8192 + 2 * 16 + 2 * 400


def test_published_reduces_keep_an_accumulator(make: Any, published: Costs) -> None:
    def sizes(op: str, output: View) -> dict[TmpLifetime, int]:
        call = make.call(op, [make.dense(50, 60, pitch=8)], output)
        return {t.lifetime: t.bytes.lo for t in spec_of(op).tmp_buffers(call, published)}

    row = View(dtype=F32, dims=(integer(1), integer(60)), ub_strides=(integer(0), integer(1)))
    assert sizes("Sum", _column(50)) == {TmpLifetime.CALL: 4 * 50 * 64 + 32, TmpLifetime.LOOP: 8192}
    assert sizes("Max", _column(50)) == {TmpLifetime.CALL: 4 * 50 * 64, TmpLifetime.LOOP: 8192}
    assert sizes("Sum", row) == {TmpLifetime.CALL: 4 * 50 * 64, TmpLifetime.LOOP: 8192}
    assert sizes("Prod", row) == {TmpLifetime.CALL: 4 * 50 * 64 + 256, TmpLifetime.LOOP: 8192}


def test_published_v2_takes_the_floor_for_requests_of_nothing(make: Any, published_v2: Costs) -> None:
    tile = make.dense(10000)
    for op in ("Erf", "Tanh", "Sigmoid", "Sign"):
        assert _bytes(make, op, tile, output=tile, costs=published_v2) == 8192, "no. 44"
    for op in ("Abs", "Add", "Rsqrt", "Where"):
        assert _bytes(make, op, *[tile] * len(spec_of(op).inputs), output=tile, costs=published_v2) == 0


def test_published_v2_reduces_what_nothing_else_reads_in_place(make: Any, published: Costs, published_v2: Costs) -> None:
    def call_bytes(costs: Costs, *, sole_use: bool) -> int:
        call = replace(make.call("Max", [make.dense(50, 64)], _column(50)), attrs={SOLE_USE: sole_use})
        (found,) = (t.bytes.lo for t in spec_of("Max").tmp_buffers(call, costs) if t.lifetime is TmpLifetime.CALL)
        return found

    assert call_bytes(published_v2, sole_use=True) == 8192
    assert call_bytes(published_v2, sole_use=False) == call_bytes(published, sole_use=True) == 4 * 50 * 64


def test_plain_instructions_need_nothing(make: Any, mended: Costs) -> None:
    tile = make.dense(1000)
    for op in ("Abs", "Exp", "Ln", "Sqrt", "Add", "Sub", "Mul", "Maximum", "Minimum", "Neg", "Relu", "TrueDiv", "Load", "Store"):
        assert _bytes(make, op, *[tile] * len(spec_of(op).inputs), output=tile, costs=mended) == 0
    assert _bytes(make, "TrueDiv", tile, make.scalar(), output=tile, costs=mended) == 256
    assert _bytes(make, "Reciprocal", tile, output=tile, costs=mended) == 256


@pytest.mark.parametrize("op", sorted(op for op, spec in OPS.items() if spec.api is not None and spec.api.name in LIBRARY_TMP_BYTES))
def test_library_functions_need_what_the_library_documents(make: Any, mended: Costs, op: str) -> None:
    api = spec_of(op).api
    assert api is not None
    for dtype, size in LIBRARY_TMP_BYTES[api.name].items():
        assert _bytes(make, op, make.dense(1000, dtype=dtype), output=make.dense(1000, dtype=dtype), costs=mended) == size
    if I32 in spec_of(op).dtypes["v1"]:
        assert _bytes(make, op, make.dense(1000, dtype=I32), output=make.dense(1000, dtype=I32), costs=mended) == 0, "plain instructions"


def test_sum_folds_into_the_documented_buffer(make: Any, mended: Costs) -> None:
    def rows(n: int, last: int) -> int:
        return _bytes(make, "Sum", make.dense(n, last, pitch=8), output=_column(n), costs=mended)

    assert rows(10, 64) == 0, "up to one repeat nothing"
    assert rows(10, 65) == 10 * 64 * 4
    assert rows(10, 128) == 10 * 64 * 4, "half of a power of two"
    assert rows(10, 1000) == 10 * 512 * 4
    down = View(dtype=F32, dims=(integer(1), integer(60)), ub_strides=(integer(0), integer(1)))
    assert _bytes(make, "Sum", make.dense(50, 60, pitch=8), output=down, costs=mended) == 32 * 64 * 4


def test_max_takes_a_block_or_a_repeat_a_row(make: Any, mended: Costs) -> None:
    sizes = [_bytes(make, "Max", make.dense(10, last, pitch=8), output=_column(10), costs=mended) for last in (8, 9, 63, 64, 500)]
    assert sizes == [0, 320, 2560, 2560, 2560], "a row of 63 is called with its padding"


@given(st.integers(1, 500), st.integers(2, 500))
def test_unknown_extents_never_ask_for_less(make: Any, mended: Costs, rows: int, last: int) -> None:
    r, n = symbol("r", 1, 500), symbol("n", 2, 500)
    output = View(dtype=F32, dims=(r, integer(1)), ub_strides=(integer(1), integer(0)))
    for op in ("Sum", "Max"):
        bound = spec_of(op).tmp_bytes(make.call(op, [make.dense(r, n, pitch=8)], output), mended)
        known = _bytes(make, op, make.dense(rows, last, pitch=8), output=_column(rows), costs=mended) if rows > 1 else 0
        assert evaluate(bound, {"r": rows, "n": last}) >= known


def test_broadcast_requests_lie_in_the_documented_range(make: Any, mended: Costs) -> None:
    for rows, cols, dtype in ((1, 64, F32), (5, 64, F32), (100, 64, F32), (4000, 64, F32), (100, 64, F16)):
        if rows == 1:
            continue
        block = 32 // dtype.bytes
        least, most = block * 32, max(block * 32, -(-rows // 8) * 8 * 32)
        asked = _bytes(make, "Broadcast", _column(rows, dtype), output=make.dense(rows, cols, dtype=dtype), costs=mended)
        assert least <= asked <= most
        assert asked <= 8192
    row = View(dtype=F32, dims=(integer(1), integer(64)), ub_strides=(integer(0), integer(1)))
    assert _bytes(make, "Broadcast", row, output=make.dense(8, 64), costs=mended) == 0, "whole blocks are copied"
    one = View(dtype=F32, dims=(integer(1), integer(1)), ub_strides=(integer(0), integer(0)))
    assert _bytes(make, "Broadcast", one, output=make.dense(8, 64), costs=mended) == 0


def test_masks_need_bits_and_a_float16_copy(make: Any, mended: Costs) -> None:
    tile, mask = make.dense(1000), make.dense(1000, dtype=U8)
    assert _bytes(make, "Where", mask, tile, tile, output=tile, costs=mended) == 2 * 1024 + 128
    assert _bytes(make, "Gt", tile, tile, output=mask, costs=mended) == 128 + 2 * 1024 + 512


def test_casts_through_other_dtypes_hold_them(make: Any, mended: Costs) -> None:
    assert casts_through(F16, F32) == casts_through(F32, F32) == casts_through(DType.INT8, U8) == ()
    assert casts_through(U8, F32) == (F16,)
    assert casts_through(I64, F16) == (F32,)
    assert casts_through(I64, U8) == (F32, F16)
    assert _bytes(make, "Cast", make.dense(100), output=make.dense(100, dtype=F16), costs=mended) == 0
    assert _bytes(make, "Cast", make.dense(100, dtype=U8), output=make.dense(100), costs=mended) == 224


@pytest.mark.parametrize("op", sorted(op for op, spec in OPS.items() if spec.pipe is not None))
def test_sizes_are_finite_for_tile_symbols(make: Any, mended: Costs, published: Costs, op: str) -> None:
    spec, elems = spec_of(op), symbol("elems", 1, 49088)
    tile = make.dense(elems, gm=(1,))
    output = View(dtype=F32, dims=(integer(1),), ub_strides=(integer(0),)) if spec.reduction else tile
    for costs in (mended, published):
        total = spec.tmp_bytes(make.call(op, [tile] * len(spec.inputs), output), costs)
        assert 0 <= total.lo <= total.hi < 2**31
