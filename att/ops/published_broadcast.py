"""V1 Broadcast as the reference prices it, faults included (att_facts §3.7, `V1API:413-757`); V2 uses the same formulas.

(1)->(n), (1,1)->(A,B)   Duplicate over the output
(1,B)->(A,B)             A/255 of a 255-repeat Copy, whatever B is
(A,1)->(A,B)             A/m of one chunk of m rows: Brcb and Copy, whatever B is
(A,1,C)->(A,B,C)         A times a Duplicate of 16 and B/8 of an Or over C/blk repeats
(1,B,1,D)->(A,B,C,D)     the middle case, then the outer case
(A,1,C,1)->(A,B,C,D)     the last case, then the middle case
anything else            nothing
"""

from __future__ import annotations

from fractions import Fraction

from att.expr.core import Expr, integer, mul
from att.ir.dtype import DType
from att.ops.call import Call, CostSet
from att.ops.extents import MAX_REPEATS, ONE, ZERO, block_elems, broadcast_runs, count, repeat_elems
from att.ops.price import Cycles, Price
from att.ops.rows import constant, vector
from att.ops.spec import Costs

TMP_ELEMS_BYTES = 8192
"""Elements of temporary memory that bound a chunk of rows, before division by the elements of a block."""


def broadcast(call: Call, costs: Costs) -> Price:
    """The price of one call."""
    runs = broadcast_runs(call.inputs[0], call.output)
    sizes = [run.elems for run in runs]
    dtype = call.output.dtype
    match tuple(run.broadcast for run in runs):
        case (True,) | (True, True):
            amount = vector(costs, "Duplicate", dtype, count(call.output))
        case (True, False) if _sized_source(call):
            amount = last(dtype, sizes[0], costs, strided=True)
        case (True, False):
            amount = outer(dtype, sizes[0], costs)
        case (False, True):
            amount = last(dtype, sizes[0], costs, strided=_strided(call))
        case (False, True, False):
            amount = middle(dtype, sizes[0], sizes[1], sizes[2], costs)
        case (True, False, True, False):
            amount = middle(dtype, sizes[1], sizes[2], sizes[3], costs) + outer(dtype, sizes[0], costs)
        case (False, True, False, True):
            inner = mul(sizes[2], sizes[3])
            amount = last(dtype, mul(sizes[0], sizes[2]), costs, strided=False) + middle(dtype, sizes[0], sizes[1], inner, costs)
        case _:
            amount = Cycles()
    return Price.of(amount)


def outer(dtype: DType, rows: Expr, costs: Costs) -> Cycles:
    """(1,B)->(A,B): A/255 of a Copy of 255 repeats."""
    return vector(costs, "Copy", dtype, MAX_REPEATS * repeat_elems(dtype)).times(Fraction(1, MAX_REPEATS)).times(rows)


def last(dtype: DType, rows: Expr, costs: Costs, *, strided: bool) -> Cycles:
    """(A,1)->(A,B); nothing for bfloat16, which the reference's repeat table lacks (att_facts §5.1 no. 32)."""
    if dtype is DType.BFLOAT16 and costs.cost_set is CostSet.PUBLISHED:
        return Cycles()
    block = block_elems(dtype)
    chunk = Fraction(TMP_ELEMS_BYTES * block, block * block + block) if strided else Fraction(TMP_ELEMS_BYTES, block)
    narrow = "brcb_repeats_max_narrow" if dtype.bytes <= 2 else "brcb_repeats_max_wide"
    repeats = int(constant(costs.chip, narrow))
    rows_of_8 = -(-chunk // 8) * 8
    brcb = vector(costs, "Brcb", dtype, repeats * block).times(Fraction(rows_of_8, repeats))
    copy = vector(costs, "Copy", dtype, MAX_REPEATS * repeat_elems(dtype)).times(chunk / MAX_REPEATS)
    return (brcb + copy).times(1 / chunk).times(rows)


def middle(dtype: DType, outer_dim: Expr, copies: Expr, inner: Expr, costs: Costs) -> Cycles:
    """(A,1,C)->(A,B,C): bits are joined by Or on 16-bit lanes."""
    fill = vector(costs, "Duplicate", DType.UINT16, 16)
    per_block = Fraction(repeat_elems(dtype), block_elems(dtype))
    merge = vector(costs, "Or", DType.UINT16, ZERO).times(copies)
    lanes = vector(costs, "Or", DType.UINT16, ONE) + vector(costs, "Or", DType.UINT16, ZERO).times(-1)
    spread = lanes.times(per_block).times(mul(copies, inner))
    return (fill + (merge + spread).times(Fraction(1, 8))).times(outer_dim)


def _sized_source(call: Call) -> bool:
    """Whether the source claims elements along an axis that it does not have: the tail of a single cut (att_facts §3.1)."""
    source = call.inputs[0]
    return any(dim != ONE and stride == ZERO for dim, stride in zip(source.dims, source.ub_strides, strict=True))


def _strided(call: Call) -> bool:
    """Whether the source's elements do not lie side by side."""
    strides = [stride for stride in call.inputs[0].ub_strides if stride != ZERO]
    return bool(strides) and strides[-1] != integer(1)
