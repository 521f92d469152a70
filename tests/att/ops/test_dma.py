"""Transfers: which axes join, what one instruction moves, and that the blocks are exactly the elements of the view."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from att.errors import ModelError
from att.expr.core import Expr, add, align_up, ceil_div, floor_div, integer, mul, symbol
from att.expr.evaluate import evaluate
from att.ir.dtype import DType
from att.ops.call import View
from att.ops.dma import Transfer, transfer_of
from hwmodels.model import Chip

T = symbol("t", 1, 4096)
S = symbol("s", 1, 4096)


def _numbers(transfer: Transfer) -> tuple[Expr, ...]:
    return (transfer.instructions, transfer.block_count, transfer.block_len_bytes, transfer.total_bytes)


def test_a_dense_tile_is_one_block(make: Any, v1: Chip) -> None:
    t = transfer_of(make.dense(T, S, gm=(S, 1)), v1)
    assert _numbers(t) == (integer(1), integer(1), mul(T, S, 4), mul(T, S, 4))
    assert t.contiguous
    assert t.gm_gap_bytes == t.ub_gap_bytes == t.ub_gap_blocks == integer(0)


def test_padded_rows_are_blocks_with_a_gap_in_ub(make: Any, v1: Chip) -> None:
    t = transfer_of(make.dense(T, 5, pitch=8, gm=(5, 1)), v1)
    assert _numbers(t) == (integer(1), T, integer(20), mul(T, 20))
    assert (t.gm_gap_bytes, t.ub_gap_bytes, t.ub_gap_blocks) == (integer(0), integer(12), integer(0))


def test_a_slice_of_rows_has_a_gap_in_gm(make: Any, v1: Chip) -> None:
    t = transfer_of(make.dense(T, 16, gm=(24, 1)), v1)
    assert (t.block_count, t.block_len_bytes, t.gm_gap_bytes, t.ub_gap_blocks) == (T, integer(64), integer(32), integer(0))


def test_a_tail_is_kept_apart_like_the_full_tile(v1: Chip) -> None:
    tail = symbol("tail", 1, 4096)
    full = View(dtype=DType.FLOAT32, dims=(T, S), ub_strides=(S, integer(1)), gm_strides=(S, integer(1)))
    cut = View(dtype=DType.FLOAT32, dims=(T, tail), ub_strides=(S, integer(1)), gm_strides=(S, integer(1)))
    assert transfer_of(full, v1).blocks == ()
    assert transfer_of(cut, v1).block_count == T
    assert transfer_of(cut, v1).block_len_bytes == mul(tail, 4)


def test_axes_join_only_where_both_sides_show_it(make: Any, v1: Chip) -> None:
    gm_only = View(dtype=DType.FLOAT32, dims=(T, S), ub_strides=(align_up(S, 8), integer(1)), gm_strides=(S, integer(1)))
    assert transfer_of(gm_only, v1).block_count == T
    ub_only = View(dtype=DType.FLOAT32, dims=(T, S), ub_strides=(S, integer(1)), gm_strides=(S + 1, integer(1)))
    assert transfer_of(ub_only, v1).block_count == T


def test_further_dims_are_instructions(make: Any, v1: Chip, v2: Chip) -> None:
    view = make.dense(3, 4, 5, 6, gm=(1000, 200, 20, 1))
    assert _numbers(transfer_of(view, v1)) == (integer(12), integer(5), integer(24), integer(1440))
    assert _numbers(transfer_of(view, v2)) == (integer(1), integer(60), integer(24), integer(1440))


@pytest.mark.parametrize(
    ("row", "step", "apart"),
    [
        (S, S, True), (S, add(S, 3), True), (S, mul(S, T), True), (floor_div(add(S, 1), 2), S, True), (ceil_div(S, 2), S, True),
        (S, 4, False), (S, T, False), (integer(30), integer(4), False), (integer(30), integer(30), True), (mul(S, 2), S, False),
    ],
)  # fmt: skip
def test_rows_are_blocks_of_one_instruction_where_none_overlaps_the_next(make: Any, v1: Chip, row: Expr, step: Expr, apart: bool) -> None:
    tile = symbol("tile", 1, 4096)
    view = make.dense(T, tile, pitch=4096, gm=(step, 1))
    assert _numbers(transfer_of(view, v1))[:2] == (integer(1), T), "nothing is known of the whole rows"
    t = transfer_of(replace(view, gm_extents=(T, row)), v1)
    assert _numbers(t)[:2] == ((integer(1), T) if apart else (T, integer(1)))


def test_axes_of_one_element_vanish(make: Any, v1: Chip) -> None:
    t = transfer_of(make.dense(T, 1, gm=(1, 0)), v1)
    assert t.block_len_bytes == mul(T, 4)
    assert t.blocks == t.loops == ()


def test_strided_elements_are_blocks_of_their_own(make: Any, v1: Chip) -> None:
    t = transfer_of(make.dense(T, dtype=DType.FLOAT16, gm=(3,)), v1)
    assert not t.contiguous
    assert (t.block_count, t.block_len_bytes, t.gm_gap_bytes) == (T, integer(2), integer(4))


def test_one_element_is_one_block(make: Any, v1: Chip) -> None:
    assert _numbers(transfer_of(View(dtype=DType.INT64), v1)) == (integer(1), integer(1), integer(8), integer(8))


def test_a_view_that_is_not_in_gm_is_refused(make: Any, v1: Chip) -> None:
    with pytest.raises(ModelError, match="GM stride"):
        transfer_of(make.dense(4, 4), v1)


sizes = st.lists(st.integers(1, 4), min_size=1, max_size=4)


@given(sizes, st.lists(st.integers(0, 2), min_size=4, max_size=4), st.booleans())
def test_the_blocks_are_the_elements_of_the_view(v1: Chip, dims: list[int], gaps: list[int], pad: bool) -> None:
    gm: list[int] = []
    ub: list[int] = []
    gm_running = ub_running = 1
    for size, gap in reversed(list(zip(dims, gaps, strict=False))):
        gm.insert(0, gm_running)
        ub.insert(0, ub_running)
        gm_running = gm_running * size + gap
        ub_running = ub_running * size + (1 if pad else 0)
    view = View(
        dtype=DType.FLOAT32,
        dims=tuple(integer(d) for d in dims),
        gm_strides=tuple(integer(g) for g in gm),
        ub_strides=tuple(integer(u) for u in ub),
    )
    expected = sorted(
        (sum(i * g for i, g in zip(index, gm, strict=True)), sum(i * u for i, u in zip(index, ub, strict=True)))
        for index in product(*(range(d) for d in dims))
    )
    assert sorted(_touched(transfer_of(view, v1))) == expected


def _touched(transfer: Transfer) -> list[tuple[int, int]]:
    axes = (*transfer.loops, *transfer.blocks)
    spots: list[tuple[int, int]] = []
    for index in product(*(range(evaluate(a.dim, {})) for a in axes)):
        gm = sum(i * evaluate(a.gm_stride, {}) for i, a in zip(index, axes, strict=True))
        ub = sum(i * evaluate(a.ub_stride, {}) for i, a in zip(index, axes, strict=True))
        spots.extend((gm + j, ub + j) for j in range(evaluate(transfer.block_elems, {})))
    return spots
