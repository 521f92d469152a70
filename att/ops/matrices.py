"""Price and temporary UB of what the vector unit does to a tile as matrices: Transpose.

One instruction turns 16 rows of up to 255 blocks of 32 bytes (ascendc_api_facts §11), so rows count in groups of 16 and columns in whole
blocks, and every group pays the head of a call. Nobody publishes a rate: the chip's estimate rows are used.
"""

from __future__ import annotations

from typing import Final

from att.expr.core import Expr, align_up, ceil_div, integer, mul
from att.ops.call import Call
from att.ops.extents import BLOCK_BYTES, ONE, ZERO, block_elems, data_view, elements
from att.ops.price import Cycles, Price
from att.ops.rows import vector
from att.ops.spec import Costs, TmpBuffer

SIDE: Final = 16
"""Rows of one instruction."""
SPARE_BYTES: Final = SIDE * BLOCK_BYTES
"""Where an instruction puts the columns behind the last."""


def transposed(call: Call, costs: Costs) -> Price:
    """`k` for every element of the padded matrices, `b` for every 16 rows of each."""
    sides = matrix_sides(call)
    if sides is None:
        return Price.of(vector(costs, "Transpose", data_view(call).dtype, elements(call.output)))
    rows, columns, matrices = sides
    return Price.of(_matrices(rows, columns, matrices, call, costs))


def _matrices(rows: Expr, columns: Expr, matrices: Expr, call: Call, costs: Costs) -> Cycles:
    dtype = data_view(call).dtype
    n = mul(matrices, align_up(rows, SIDE), align_up(columns, block_elems(dtype)))
    return vector(costs, "Transpose", dtype, n, calls=mul(matrices, ceil_div(rows, SIDE)))


def matrix_sides(call: Call) -> tuple[Expr, Expr, Expr] | None:
    """Rows (along the result's innermost axis), columns (along the operand's) and how many such matrices; None if nothing swaps."""
    before, after = call.inputs[0].ub_strides, call.output.ub_strides
    if ONE not in before or ONE not in after or before.index(ONE) == after.index(ONE):
        return None
    rows, columns = after.index(ONE), before.index(ONE)
    others = (d for i, (d, s) in enumerate(zip(call.output.dims, after, strict=True)) if i not in (rows, columns) and s != ZERO)
    return call.output.dims[rows], call.output.dims[columns], mul(1, *others)


def spare(call: Call, costs: Costs) -> tuple[TmpBuffer, ...]:
    """One block of 32 bytes for each of the 16 rows that an instruction writes."""
    del call, costs
    return (TmpBuffer(bytes=integer(SPARE_BYTES)),)
