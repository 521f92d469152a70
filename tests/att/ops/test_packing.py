"""RemovePad: what it means, which rows it packs, and what it costs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from att.expr.core import integer
from att.ir.dtype import DType
from att.ops.packing import padded_rows
from att.ops.reference import apply


def packing(make, *dims, dtype=DType.FLOAT32):
    """A call over rows that are padded to 32 bytes."""
    return make.call("RemovePad", [make.dense(*dims, dtype=dtype, pitch=32 // dtype.bytes)], make.dense(*dims, dtype=dtype))


def test_it_returns_what_it_gets():
    x = np.arange(15, dtype=np.float32).reshape(3, 5)
    assert np.array_equal(apply("RemovePad", [x], {}, out_dtype=DType.FLOAT32, out_shape=(3, 5)), x)


@pytest.mark.parametrize(
    ("dims", "dtype", "rows", "row_elems", "pitch_blocks"),
    [
        ((64, 5), DType.FLOAT32, 64, 5, 1),
        ((64, 9), DType.FLOAT32, 64, 9, 2),
        ((64, 9), DType.FLOAT16, 64, 9, 1),
        ((3, 7, 333), DType.FLOAT32, 21, 333, 42),
        ((3, 1, 333), DType.FLOAT32, 3, 333, 42),  # an axis of one element is no axis of rows
        ((1, 1, 20), DType.FLOAT32, 1, 20, 3),
    ],
)
def test_which_rows_it_packs(make, dims, dtype, rows, row_elems, pitch_blocks):
    found = padded_rows(packing(make, *dims, dtype=dtype))
    assert (found.rows, found.row_elems, found.pitch_blocks) == tuple(map(integer, (rows, row_elems, pitch_blocks)))


def test_published_prices_are_the_references(make, published, published_v2):
    assert make.cycles(packing(make, 64, 32, 120), published) == pytest.approx(
        7706.30890846, rel=1e-6
    )  # att_facts §8, whose constants are float32
    assert make.cycles(make.unary("RemovePad", 129), published_v2) == 50


def test_a_long_row_pays_for_whole_repeats(make, mended):
    one, many = (make.ticks(packing(make, n, 17), mended) for n in (2, 102))
    assert many - one == 100 * 64 * 31_300  # 64 lanes at 0.0313 cycles
    assert make.ticks(packing(make, 100, 64), mended) == make.ticks(packing(make, 100, 57), mended)
    assert make.ticks(packing(make, 100, 65), mended) == make.ticks(packing(make, 100, 128), mended)


def test_short_rows_share_repeats(make, mended):
    def per_8_rows(columns, dtype=DType.FLOAT32):
        few, many = (make.ticks(packing(make, rows, columns, dtype=dtype), mended) for rows in (800, 1600))
        return (many - few) / 100

    assert per_8_rows(2) == per_8_rows(7) == 64 * 31_300
    assert per_8_rows(9) == per_8_rows(15) == 2 * 64 * 31_300
    assert per_8_rows(17) == 8 * 64 * 31_300
    assert per_8_rows(31, DType.FLOAT16) == 2 * 128 * 15_600


def test_few_short_rows_are_packed_one_by_one(make, mended):
    assert make.ticks(packing(make, 3, 7), mended) == make.ticks(packing(make, 3, 20), mended)


@given(rows=st.integers(1, 5000), columns=st.integers(1, 700), dtype=st.sampled_from([DType.FLOAT32, DType.FLOAT16, DType.INT16]))
def test_it_never_costs_less_than_published_or_than_fewer_rows(make, published, mended, rows, columns, dtype):
    call = packing(make, rows, columns, dtype=dtype)
    assert make.ticks(call, mended) >= make.ticks(call, published)
    assert make.ticks(packing(make, rows + 1, columns, dtype=dtype), mended) >= make.ticks(call, mended)
    assert make.ticks(packing(make, rows, columns + 1, dtype=dtype), mended) >= make.ticks(call, mended)
