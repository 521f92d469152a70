"""A binary call by rows: how it steps, which form it takes, and what it costs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from att.expr.core import integer
from att.expr.logic import FALSE, TRUE
from att.ir.dtype import DType
from att.ops.by_row import by_row


def call(make, rows, row, *, op="Add", dtype=DType.FLOAT32, pitch=8, flip=False):
    whole = make.dense(rows, row, dtype=dtype, pitch=pitch)
    single = replace(whole, dims=(integer(1), integer(row)), ub_strides=(integer(0), integer(1)))
    return make.call(op, (single, whole) if flip else (whole, single), whole)


def test_which_operand_stands_still(make):
    assert by_row(call(make, 10, 100)).operand == 1
    assert by_row(call(make, 10, 100, op="Sub", flip=True)).operand == 0
    assert by_row(make.unary("Add", 10, 100, operands=2)) is None
    assert by_row(call(make, 10, 100, op="Eq")) is None


@pytest.mark.parametrize(
    ("rows", "row", "columns"),
    [(10, 100, True), (255, 64, True), (256, 64, False), (2, 1000, False), (100, 2040, True), (100, 2041, False)],
)
def test_columns_where_they_fit_their_fields_and_are_fewer(make, rows, row, columns):
    assert by_row(call(make, rows, row)).is_by_columns is (TRUE if columns else FALSE)


def test_every_repeat_is_whole_and_every_instruction_pays_its_start(make, mended):
    def ticks(rows, row):
        return make.ticks(call(make, rows, row), mended)

    assert ticks(10, 64) == make.ticks(make.unary("Add", 10, 64, operands=2), mended)
    start = ticks(255, 64) - 255 * (ticks(2, 64) - ticks(1, 64))
    assert start > 0
    assert ticks(10, 65) == ticks(10, 128) == 2 * ticks(10, 64)
    assert ticks(256, 64) - ticks(255, 64) > 254 * start
