"""V2 reduces against the reference's own unit tests (att_facts §8), and the pieces they are made of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from att.expr.core import integer, symbol
from att.expr.evaluate import evaluate
from att.ir.dtype import DType
from att.ops.call import SOLE_USE, View
from att.ops.price import Cycles
from att.ops.published_reduce import Fold, joined_lanes, joined_rows, pairwise, reduce
from att.ops.spec import Costs

F32, I64 = DType.FLOAT32, DType.INT64


def _cycles(amount: Cycles) -> float:
    assert amount.ticks.lo == amount.ticks.hi
    return amount.ticks.lo / 10**6


def test_sum_over_the_first_axis(published_v2: Costs) -> None:
    fold, rows = Fold("Sum", F32, published_v2), integer(1917)
    assert _cycles(pairwise(fold, 10, 1917)) == 1310
    assert _cycles(joined_rows(fold, integer(10), rows, unaligned=True)) == 11892
    assert _cycles(joined_rows(fold, integer(80), rows, unaligned=False)) == 13808
    assert _cycles(joined_rows(fold, integer(80), rows, unaligned=True)) == 15732


def test_64_bit_over_the_first_axis(published_v2: Costs) -> None:
    total, largest = Fold("Sum", I64, published_v2), Fold("Max", I64, published_v2)
    assert _cycles(joined_rows(total, integer(12), integer(1224), unaligned=False)) == 57326
    assert _cycles(joined_rows(total, integer(12), integer(1224), unaligned=True)) == 57526
    assert _cycles(joined_rows(largest, integer(64), integer(2176), unaligned=False)) == 92295


def test_sum_over_the_last_axis(published_v2: Costs) -> None:
    fold = Fold("Sum", F32, published_v2)
    assert _cycles(joined_lanes(fold, integer(16), integer(1917), unaligned=False)) == 944
    assert _cycles(joined_lanes(fold, integer(16), integer(1917), unaligned=True)) == 1168


def _rows(rows: Any, cols: Any, dtype: DType = F32) -> tuple[View, View]:
    """A tile and its sums over the last axis."""
    source = View(dtype=dtype, dims=(rows, cols), ub_strides=(cols, integer(1)))
    return source, View(dtype=dtype, dims=(rows, integer(1)), ub_strides=(integer(1), integer(0)))


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (3, 64), (16, 65), (16, 1917), (5, 4096), (7, 100_000)])
def test_symbols_and_numbers_agree(make: Any, published_v2: Costs, rows: int, cols: int) -> None:
    a, r = symbol("a", 1, 100), symbol("r", 1, 10**6)
    source, result = _rows(a, r)
    symbolic = reduce("Sum")(make.call("Sum", [source], result), published_v2)
    source, result = _rows(integer(rows), integer(cols))
    known = reduce("Sum")(make.call("Sum", [source], result), published_v2)
    assert evaluate(symbolic.ticks, {"a": rows, "r": cols}) == known.ticks.lo == known.ticks.hi


def test_short_rows_take_the_instruction_across_lanes(make: Any, published_v2: Costs) -> None:
    source, result = _rows(integer(8), integer(64))
    price = reduce("Sum")(make.call("Sum", [source], result), published_v2)
    assert price.ticks == integer((20 + (20 + 19 + 8) + (20 + 8)) * 10**6)


def test_an_input_that_others_read_is_not_folded_in_place(make: Any, published_v2: Costs) -> None:
    source, result = _rows(integer(8), integer(1024))
    alone = make.call("Sum", [source], result)
    shared = replace(alone, attrs={SOLE_USE: False})
    in_place, last = 64 + 8 * (4 + 8 * 2), 20 + (24 + 7 * 8) + (20 + 8)
    assert reduce("Sum")(shared, published_v2).ticks == integer((in_place + last) * 10**6), "512 lanes beyond 512"
    assert reduce("Sum")(alone, published_v2).ticks == integer((20 + (24 + 15 * 8) + (20 + 8) + 20 + (20 + 8)) * 10**6)


def test_dtypes_without_a_formula_cost_nothing(make: Any, published_v2: Costs) -> None:
    source, result = _rows(integer(8), integer(64), DType.FLOAT16)
    assert reduce("Sum")(make.call("Sum", [source], result), published_v2).ticks == integer(0), "no. 26"
    assert reduce("Max")(make.call("Max", [source], result), published_v2).ticks.lo > 0
