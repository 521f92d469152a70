"""Composite reduces of V1 as the reference has them in its table of formulas (att_facts §3.7).

What is scheduled as Sum, Max or Min is priced as a whole-repeat instruction there (`att.ops.reduce`), Mean and Prod by its placeholder,
so no template is priced by these. They belong to the published set and are held against its golden values (§8). `R/blk` is not rounded
(§3.10).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from att.expr.core import Expr, align_up, mul
from att.ir.dtype import DType
from att.ops.extents import block_elems
from att.ops.price import Cycles
from att.ops.rows import vector
from att.ops.spec import Costs

_SUMMED_BY: Final = {"Sum": "Add", "Mean": "Add", "Prod": "Mul"}


def largest_of_rows(op: str, dtype: DType, rows: Expr, length: Expr, costs: Costs) -> Cycles:
    """ReduceMax, ReduceMin of `rows` x `length` over the last axis: `Adds(A*blk) + R/blk * Max(A*blk) + BlockReduceMax(A*blk)`.

    `op` is `Max` or `Min`; ArgMax, Any and All are priced as Max.
    """
    block = block_elems(dtype)
    lanes = mul(rows, block)
    steps = vector(costs, op, dtype, lanes).times(length).times(Fraction(1, block))
    return vector(costs, "Adds", dtype, lanes) + steps + vector(costs, f"BlockReduce{op}", dtype, lanes)


def joined_rows(op: str, dtype: DType, rows: Expr, length: Expr, costs: Costs) -> Cycles:
    """ReduceSum, ReduceProd, ReduceMean of `rows` x `length` over the first axis.

    `Add|Mul((2R-2)*ceil_blk(A)) + Adds(A)`; Mean adds `Muls(A)`.
    """
    lanes = align_up(length, block_elems(dtype))
    amount = vector(costs, _SUMMED_BY[op], dtype, mul(2, rows - 1, lanes)) + vector(costs, "Adds", dtype, length)
    return amount + vector(costs, "Muls", dtype, length) if op == "Mean" else amount
