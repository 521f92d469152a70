"""RemovePad: rows that lie padded in UB are laid side by side.

    x[r, c] at r*pitch + c   ->   y[r, c] at r*c_size + c

    long rows     GatherMask that keeps every lane of `c_size` elements, an iteration a row
    short rows    of one or two 32-byte blocks: GatherMask by a mask of lanes, an iteration for 8 blocks; the rows of the last,
                  incomplete group as long ones

Sources: ascendc_api_facts §10. Iterations are a 16-bit field; a padded row takes at least 32 bytes, so the rows of a tile never reach it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from att.expr.choice import minimum, where
from att.expr.compare import le
from att.expr.core import Expr, add, ceil_div, floor_div, integer, mul
from att.ir.dtype import DType
from att.ops.call import Call
from att.ops.extents import BLOCK_BYTES, ONE, REPEAT_BYTES, ZERO, elements, repeat_elems
from att.ops.price import Price
from att.ops.rows import stand_in, vector
from att.ops.spec import Costs, TmpBuffer

SHORT_BLOCKS: Final = 2
"""Rows of so many blocks, padding included, share iterations: their mask of lanes repeats within 32 lanes."""
BLOCKS_PER_REPEAT: Final = REPEAT_BYTES // BLOCK_BYTES
MASK_WORDS: Final = 8
"""32-bit words of a block."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaddedRows:
    """The rows that a call packs."""

    rows: Expr
    row_elems: Expr
    """Elements of a row, its padding excluded."""
    pitch_blocks: Expr
    """From a row to the next in the operand, 32-byte blocks; those of the row itself if there is only one."""


def padded_rows(call: Call) -> PaddedRows:
    """The rows of a RemovePad; outer axes of its operand lie without gaps between their rows."""
    view = call.inputs[0]
    varying = [(dim, stride) for dim, stride in zip(view.dims, view.ub_strides, strict=True) if stride != ZERO]
    if len(varying) < 2:
        row = elements(view)
        return PaddedRows(rows=ONE, row_elems=row, pitch_blocks=ceil_div(mul(row, view.dtype.bytes), BLOCK_BYTES))
    rows = mul(1, *(dim for dim, _ in varying[:-1]))
    pitch_bytes = mul(varying[-2][1], view.dtype.bytes)
    return PaddedRows(rows=rows, row_elems=varying[-1][0], pitch_blocks=floor_div(pitch_bytes, BLOCK_BYTES))


def remove_pad(call: Call, costs: Costs) -> Price:
    """The published rate, for whole repeats: an iteration takes a row, or 256 bytes of it; short rows share iterations where that is less.

    Published prices count the elements that are kept, which makes rows of one element 64 times too cheap: GatherMask handles 64 elements of
    32 bits in 2 cycles (hardware_facts; `k` of its row).
    """
    dtype, found = call.output.dtype, padded_rows(call)
    lanes = repeat_elems(stand_in(dtype))
    one_by_one = vector(costs, "GatherMask", dtype, mul(found.rows, ceil_div(found.row_elems, lanes), lanes))
    if found.pitch_blocks.lo > SHORT_BLOCKS:
        return Price.of(one_by_one)
    shared = add(ceil_div(mul(found.rows, found.pitch_blocks), BLOCKS_PER_REPEAT), group_rows(dtype) - 1)
    together = vector(costs, "GatherMask", dtype, mul(shared, lanes), calls=2) + vector(costs, "Duplicate", DType.UINT32, MASK_WORDS)
    cheaper = minimum(one_by_one.ticks, together.ticks)
    ticks = where(le(found.pitch_blocks, SHORT_BLOCKS), cheaper, one_by_one.ticks)
    return Price(ticks, one_by_one.estimated or together.estimated)


def group_rows(dtype: DType) -> int:
    """Rows that take whole 32-byte blocks together, whatever their length: where the next group starts."""
    return BLOCK_BYTES // dtype.bytes


def mask_block(call: Call, costs: Costs) -> tuple[TmpBuffer, ...]:
    """A block for the lanes that short rows keep; the reference, which packs row by row, asks for none."""
    del costs
    return (TmpBuffer(bytes=integer(BLOCK_BYTES)),) if padded_rows(call).pitch_blocks.lo <= SHORT_BLOCKS else ()
