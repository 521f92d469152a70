"""Transfers with the known faults of the published formulas corrected.

What differs from them, and why:

- lengths are bytes everywhere, rows are the blocks the hardware moves, and axes of one element vanish, so a dense result is one block
  (att_facts §5.1 no. 15, 20, 21);
- V1 Load: a large transfer costs at least what 25,000 bytes cost by the small table, else growing past the threshold would be a gain;
- V2 Load: one bandwidth for all rows, else short rows would be cheaper a byte than long ones (no. 34);
- stride terms: the magnitude of the gap, in bytes, clamped (no. 1, 22), for unaligned stores too (no. 16). V1's rate per element is read as
  that of a 4-byte word, so that a longer row never saves more gap than its own bytes cost, whatever the dtype;
- V1 Store of rows that are no multiple of 32 bytes: the rate of StoreMiddleBlk up to 512 bytes of a row and full bandwidth beyond, which
  is StoreMiddleBlk and StoreLargeBlk joined without a step, and never less than what StoreSmallBlk charges for a row of 32 bytes: that row
  is its cheapest, so a longer row is never cheaper than a shorter one;
- several instructions pay the head each.

Everything grows with the number of rows, with cores and, at equal gaps from 32 bytes on, with the length of a row. Loads of many rows below
32 bytes cost 512 bytes a row as published (LoadUbStride): dearer than longer rows, so nothing is won by short ones.
"""

from __future__ import annotations

from att.expr.choice import maximum, minimum, where
from att.expr.compare import eq, lt
from att.expr.core import Expr, integer, mod, mul
from att.expr.logic import conj
from att.ops.call import Call, View
from att.ops.dma import Transfer, transfer_of
from att.ops.extents import BLOCK_BYTES
from att.ops.price import Cycles, Price, choose, cycles, dearest
from att.ops.published_dma import absolute
from att.ops.rows import constant, find_row, per_byte, small_row, transfer
from att.ops.spec import Costs
from hwmodels.model import CostRow

WORD_BYTES = 4
LARGE_ROW_BYTES = 512
"""Unaligned rows above run at full bandwidth (att_facts §3.5, where 512 is meant as bytes)."""


def load_v1(call: Call, costs: Costs) -> Price:
    """V1 Load."""
    t = transfer_of(call.output, costs.chip)
    row_bytes = t.block_len_bytes
    if t.blocks:
        least = int(constant(costs.chip, "load_ub_stride_row_below_bytes"))
        row_bytes = where(lt(row_bytes, least), int(constant(costs.chip, "ub_stride_row_bytes")), row_bytes)
    threshold = int(constant(costs.chip, "load_normal_min_bytes"))
    nbytes = mul(t.block_count, row_bytes)
    small = _moved("LoadSmallBlk", t, _at_most(nbytes, threshold), call, costs)
    gaps = _gaps("LoadStride", t, call.output, costs)
    if nbytes.hi <= threshold:
        return Price.of(small + gaps)
    return dearest(Price.of(small + gaps), Price.of(_moved("Load", t, nbytes, call, costs) + gaps))


def load_v2(call: Call, costs: Costs) -> Price:
    """V2 Load."""
    return _one_rate("Load", "LoadStride", call, costs)


def store_v2(call: Call, costs: Costs) -> Price:
    """V2 Store."""
    return _one_rate("Store", "StoreStride", call, costs)


def store_v1(call: Call, costs: Costs) -> Price:
    """V1 Store."""
    t = transfer_of(call.output, costs.chip)
    gaps = _gaps("StoreStride", t, call.output, costs)
    whole = Price.of(_moved("Store", t, mul(t.block_count, t.block_len_bytes), call, costs) + gaps)
    return choose(eq(mod(t.block_len_bytes, BLOCK_BYTES), 0), whole, _unaligned(t, gaps, call, costs))


def _unaligned(t: Transfer, gaps: Cycles, call: Call, costs: Costs) -> Price:
    store, middle, small = (_row(api, call.output, costs) for api in ("Store", "StoreMiddleBlk", "StoreSmallBlk"))
    rows, length = mul(t.instructions, t.block_count), t.block_len_bytes
    slow = per_byte(middle, call.block_dim, costs.chip).times(mul(rows, _at_most(length, LARGE_ROW_BYTES)))
    beyond = maximum(length - LARGE_ROW_BYTES, 0)
    fast = per_byte(store, call.block_dim, costs.chip).times(mul(rows, beyond)) if beyond != integer(0) else Cycles()
    shortest = small_row(small, BLOCK_BYTES, call.block_dim).times(rows)
    head = cycles(store.params["h"], t.instructions) + gaps
    return dearest(Price.of(slow + fast + head), Price.of(shortest + head))


def _one_rate(api: str, stride_api: str, call: Call, costs: Costs) -> Price:
    """All bytes at one rate; rows with a gap are at least a cache line, as published for strided rows.

    Rows without any gap are one row, whether or not the structure shows it: static and dynamic shapes agree (no. 21).
    """
    t = transfer_of(call.output, costs.chip)
    least = int(constant(costs.chip, "short_row_bytes"))
    dense = conj(eq(t.gm_gap_bytes, 0), eq(t.ub_gap_bytes, 0))
    row_bytes = where(dense, t.block_len_bytes, maximum(t.block_len_bytes, least)) if t.blocks else t.block_len_bytes
    widened = row_bytes - t.block_len_bytes
    return Price.of(_moved(api, t, mul(t.block_count, row_bytes), call, costs) + _gaps(stride_api, t, call.output, costs, widened))


def _moved(api: str, t: Transfer, nbytes: Expr, call: Call, costs: Costs) -> Cycles:
    """`nbytes` an instruction at the rate of an API, and its head for each instruction."""
    return transfer(_row(api, call.output, costs), mul(t.instructions, nbytes), t.instructions, call.block_dim, costs.chip)


def _gaps(api: str, t: Transfer, view: View, costs: Costs, widened: Expr | int = 0) -> Cycles:
    """Stride term of all rows, each charged `widened` bytes beyond its end."""
    if not t.blocks:
        return Cycles()
    row = _row(api, view, costs)
    if "u" in row.params:
        rate, most = row.params["k"], int(row.params["u"])
    else:
        rate, most = row.params["k"] / WORD_BYTES, WORD_BYTES * int(constant(costs.chip, "stride_modulus_elems"))
    gap = _at_most(_beyond(absolute(t.gm_gap_bytes), widened), most)
    return cycles(rate, mul(t.instructions, t.block_count, gap))


def _beyond(gap: Expr, widened: Expr | int) -> Expr:
    """What is left of a gap."""
    left = gap - widened
    return left if left.lo >= 0 else maximum(left, 0)


def _at_most(value: Expr, most: int) -> Expr:
    if value.hi <= most:
        return value
    return integer(most) if value.lo >= most else minimum(value, most)


def _row(api: str, view: View, costs: Costs) -> CostRow:
    return find_row(costs, api, view.dtype, view.dtype)[0]
