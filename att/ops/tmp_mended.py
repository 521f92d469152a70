"""Temporary UB that the public AscendC API of each op needs.

Plain instructions need none. Where an API documents a range, what is asked for is legal and stated below; where no size is documented,
the reference's request is taken, which its own kernels run with. A reduce's power of two k <= n is bounded by n itself unless n is a
constant, so that emission can use the same expression (ascendc_api_facts §7.3, §8, §12).
"""

from __future__ import annotations

from typing import Final

from att.expr.choice import maximum, minimum, where
from att.expr.compare import le, lt
from att.expr.core import Expr, Int, add, align_up, ceil_div, integer, mul
from att.ir.dtype import DType
from att.ops.blocks import behind_blocks_bytes, blocks_bytes
from att.ops.call import Call, View
from att.ops.dma import moves_rows, transfer_of
from att.ops.extents import (
    BLOCK_BYTES,
    REPEAT_BYTES,
    ZERO,
    block_elems,
    broadcast_runs,
    data_view,
    elements,
    folded_extents,
    is_scalar,
    occupied,
    repeat_elems,
)
from att.ops.spec import Costs, TmpBuffer, TmpRule
from att.ops.tmp_chunks import chunked, wide_compare_bytes

SMALL: Final = 8192
"""Default request of the reference, bytes: for helpers that work in chunks of it."""


def one_repeat(call: Call, costs: Costs) -> tuple[TmpBuffer, ...]:
    """A repeat of ones for a division by the operand (`1/x`): read with repeat stride 0."""
    del call, costs
    return _one(integer(REPEAT_BYTES))


def scalar_repeat(call: Call, costs: Costs) -> tuple[TmpBuffer, ...]:
    """A repeat of the scalar operand, if there is one; integers are divided in float32, both operands cast."""
    dtype = data_view(call).dtype
    need: Expr = integer(REPEAT_BYTES if any(is_scalar(view) for view in call.inputs) else 0)
    if not dtype.is_float:
        need = add(need, mul(2, align_up(mul(elements(call.output), 4), BLOCK_BYTES)))
    return _one(need)


def integer_copy(call: Call, costs: Costs) -> tuple[TmpBuffer, ...]:
    """Abs of integers has no instruction: `max(x, -x)` holds `-x`."""
    del costs
    source = data_view(call)
    return () if source.dtype.is_float else _one(align_up(mul(elements(source), source.dtype.bytes), BLOCK_BYTES))


def cast(call: Call, costs: Costs) -> tuple[TmpBuffer, ...]:
    """The dtypes in between, for pairs without an instruction (ascendc_api_facts §6.2)."""
    del costs
    between = casts_through(data_view(call).dtype, call.output.dtype)
    if not between:
        return ()
    n = maximum(elements(data_view(call)), elements(call.output))
    return _one(add(0, *(align_up(mul(n, dtype.bytes), BLOCK_BYTES) for dtype in between)))


def casts_through(source: DType, target: DType) -> tuple[DType, ...]:
    """The dtypes between the Cast instructions of a conversion on arch 2201; () if one instruction or a copy of the bits does it."""
    half, single = DType.FLOAT16, DType.FLOAT32
    if source is target or (source.bytes == target.bytes and not source.is_float and not target.is_float):
        return ()
    if (source, target) in _DIRECT:
        return ()
    for middle in (half, single, DType.INT32):
        if (source, middle) in _DIRECT and (middle, target) in _DIRECT:
            return (middle,)
    return (single, half)


_DIRECT: Final = frozenset(
    (DType(a), DType(b))
    for a, targets in {
        "float16": "float32 int16 int32 int8 uint8",
        "bfloat16": "float32 int32",
        "float32": "float16 bfloat16 int16 int32 int64",
        "int8": "float16",
        "uint8": "float16",
        "int16": "float16 float32",
        "int32": "float32 int16 int64",
        "int64": "int32 float32",
    }.items()
    for b in targets.split()
)
"""Pairs with a Cast instruction (ascendc_api_facts §6.2); int32 to float16 would need a scale register and counts as none."""


def compare(*, equality: bool) -> TmpRule:
    """Bits of the result, ones in float16 to select from, and two repeats for the operands' last, padded one (ascendc_api_facts §6.3).

    64-bit integers are compared by arithmetic on their halves, in chunks.
    """
    wide = chunked(lambda dtype: wide_compare_bytes(equality=equality))

    def rule(call: Call, costs: Costs) -> tuple[TmpBuffer, ...]:
        source = data_view(call)
        if source.dtype.bytes == 8:
            return wide(call, costs)
        n = align_up(elements(source), repeat_elems(source.dtype))
        bits = align_up(ceil_div(n, 8), BLOCK_BYTES)
        return _one(add(bits, align_up(mul(n, 2), BLOCK_BYTES), 2 * REPEAT_BYTES))

    return rule


def select(call: Call, costs: Costs) -> tuple[TmpBuffer, ...]:
    """The mask in float16 and as bits; 64-bit data needs both twice as long."""
    del costs
    n = mul(align_up(elements(call.output), repeat_elems(DType.FLOAT16)), 2 if call.output.dtype.bytes == 8 else 1)
    return _one(add(mul(n, 2), align_up(ceil_div(n, 8), BLOCK_BYTES)))


def logical(call: Call, costs: Costs) -> tuple[TmpBuffer, ...]:
    """Two float16 operands in chunks of 2048 elements each, or what a shorter operand needs."""
    del costs
    n = align_up(elements(call.output), repeat_elems(DType.FLOAT16))
    return _one(_at_most(mul(n, 4), SMALL))


def broadcast(call: Call, costs: Costs) -> tuple[TmpBuffer, ...]:
    """Last axis: a 32-byte block for each of up to 256 source elements, between the API's minimum (one block row) and its maximum.

    The minimum would make it issue two instructions for every few rows; 8192 bytes is the reference's request. The output row pitch is a
    multiple of 32 bytes, so the unaligned form does not occur. Other axes are copied block by block and need nothing. One-byte data is held
    twice as float16 (ascendc_api_facts §8). 64-bit data is gathered by the offsets of a row (`codegen/device/BroadcastWide.h`).
    """
    del costs
    dtype = call.output.dtype
    runs = broadcast_runs(data_view(call), call.output)
    if not runs or not runs[-1].broadcast or all(run.broadcast for run in runs):
        return ()
    if dtype.bytes == 8:
        return _one(mul(_row_of_column(data_view(call), call.output), dtype.bytes))
    kept = mul(1, *(run.elems for run in runs if not run.broadcast))
    least = block_elems(DType.FLOAT16 if dtype.bytes == 1 else dtype) * BLOCK_BYTES
    need = maximum(_at_most(mul(align_up(kept, 8), BLOCK_BYTES), SMALL), least)
    if dtype.bytes == 1:
        need = add(need, mul(2, align_up(elements(data_view(call)), 16)), mul(2, align_up(occupied(call.output), 16)))
    return _one(need)


def _row_of_column(source: View, output: View) -> Expr:
    """Elements, padding included, that one element of a column fills: a step along the innermost axis that both have."""
    kept = [step for step, mine in zip(output.ub_strides, source.ub_strides, strict=True) if ZERO not in (step, mine)]
    return kept[-1]


def element_blocks(call: Call, costs: Costs) -> tuple[TmpBuffer, ...]:
    """Load and Store of elements that lie apart in GM: what `att.ops.blocks` needs for one instruction."""
    view = call.output
    if not view.gm_strides or moves_rows(view):
        return ()
    moved = transfer_of(view, costs.chip)
    return _one(add(blocks_bytes(moved, call.op), behind_blocks_bytes(moved)))


def reduce_tree(call: Call, costs: Costs) -> tuple[TmpBuffer, ...]:
    """ReduceSum, ReduceMean: half the operand, bounded by all of it.

    Rows of integers have no library reduce: a block for each row, twice, a number for each, and a row.

    Last axis reduced: rows * k(last) * 4 bytes, none up to one repeat, and for a single row at least the largest power of two within it;
    another axis: k(first) * padded rest * 4.
    """
    del costs
    folded, rest, last_reduced = folded_extents(call)
    if last_reduced and not data_view(call).dtype.is_float:
        return _one(add(mul(rest, 2 * BLOCK_BYTES), mul(align_up(rest, 8), 4), mul(align_up(folded, 8), 4)))
    if last_reduced:
        need = mul(maximum(mul(rest, _largest_power(folded)), _power_within(folded)), 4)
        return _one(where(le(folded, repeat_elems(DType.FLOAT32)), 0, need))
    return _one(mul(_largest_power(folded), align_up(rest, block_elems(DType.FLOAT32)), 4))


def reduce_product(call: Call, costs: Costs) -> tuple[TmpBuffer, ...]:
    """ReduceProd folds one row after another: the largest power of two within a row, a block for each row, and a repeat; else as the sum.

    Source: asc-devkit, reduce_tiling.cpp.
    """
    folded, rest, last_reduced = folded_extents(call)
    if not last_reduced:
        return reduce_tree(call, costs)
    block = block_elems(DType.FLOAT32)
    return _one(add(mul(add(maximum(block, _power_within(folded)), mul(rest, block)), 4), REPEAT_BYTES))


def reduce_logic(call: Call, costs: Costs) -> tuple[TmpBuffer, ...]:
    """ReduceAny, ReduceAll take truth values: a copy of the operand as 0 and 1, and what the largest or smallest of it needs."""
    source = data_view(call)
    copy = align_up(mul(occupied(source), source.dtype.bytes), BLOCK_BYTES)
    return _one(add(copy, *(t.bytes for t in reduce_extreme(call, costs))))


def reduce_extreme(call: Call, costs: Costs) -> tuple[TmpBuffer, ...]:
    """ReduceMax, ReduceMin: a block or a repeat for each row, none for rows within a block; else as the sum."""
    del costs
    source = data_view(call)
    folded, rest, last_reduced = folded_extents(call)
    block, lanes = block_elems(source.dtype), repeat_elems(source.dtype)
    if last_reduced:
        long = where(lt(folded, lanes), mul(rest, BLOCK_BYTES), mul(rest, REPEAT_BYTES))
        return _one(where(le(folded, block), 0, long))
    return _one(mul(_largest_power(folded), align_up(mul(rest, source.dtype.bytes), BLOCK_BYTES)))


def _largest_power(n: Expr) -> Expr:
    """The largest power of two up to n, half of n if it is one; n where n is not a constant (an upper bound)."""
    if not isinstance(n, Int) or n.value < 2:
        return n
    power = 1 << (n.value.bit_length() - 1)
    return integer(power // 2 if power == n.value else power)


def _power_within(n: Expr) -> Expr:
    """The largest power of two up to n; n where n is not a constant (an upper bound)."""
    return integer(1 << (n.value.bit_length() - 1)) if isinstance(n, Int) and n.value > 0 else n


def _at_most(value: Expr, most: int) -> Expr:
    return value if value.hi <= most else minimum(value, most)


def _one(size: Expr) -> tuple[TmpBuffer, ...]:
    return () if size == ZERO else (TmpBuffer(bytes=size),)
