"""RemovePad: rows that lie padded in UB are laid side by side.

    x[r, c] at r*pitch + c   ->   y[r, c] at r*c_size + c        GatherMask that keeps every lane of `c_size` elements a row

One call packs all rows (ascendc_api_facts §10): a row is an iteration, whose count is a 16-bit field. A padded row takes at least 32 bytes,
so the rows of a tile never reach it.
"""

from __future__ import annotations

from dataclasses import dataclass

from att.expr.core import Expr, ceil_div, floor_div, mul
from att.ops.call import Call
from att.ops.extents import BLOCK_BYTES, ONE, ZERO, elements, repeat_elems
from att.ops.price import Price
from att.ops.rows import stand_in, vector
from att.ops.spec import Costs


@dataclass(frozen=True, slots=True, kw_only=True)
class PaddedRows:
    """The rows that a call packs."""

    rows: Expr
    row_elems: Expr
    """Elements of a row, its padding excluded."""
    pitch_blocks: Expr
    """From a row to the next in the operand, 32-byte blocks; 1 for a single row."""


def padded_rows(call: Call) -> PaddedRows:
    """The rows of a RemovePad; outer axes of its operand lie without gaps between their rows."""
    view = call.inputs[0]
    varying = [(dim, stride) for dim, stride in zip(view.dims, view.ub_strides, strict=True) if stride != ZERO]
    if len(varying) < 2:
        return PaddedRows(rows=ONE, row_elems=elements(view), pitch_blocks=ONE)
    rows = mul(1, *(dim for dim, _ in varying[:-1]))
    pitch_bytes = mul(varying[-2][1], view.dtype.bytes)
    return PaddedRows(rows=rows, row_elems=varying[-1][0], pitch_blocks=floor_div(pitch_bytes, BLOCK_BYTES))


def remove_pad(call: Call, costs: Costs) -> Price:
    """The published rate, for whole repeats: an iteration of the instruction takes a row, or 256 bytes of it.

    Published prices count the elements that are kept, which makes rows of one element 64 times too cheap: GatherMask handles 64 elements of
    32 bits in 2 cycles (hardware_facts; `k` of its row), and no row shares them with the next.
    """
    found, lanes = padded_rows(call), repeat_elems(stand_in(call.output.dtype))
    repeats = mul(found.rows, ceil_div(found.row_elems, lanes))
    return Price.of(vector(costs, "GatherMask", call.output.dtype, mul(repeats, lanes)))
