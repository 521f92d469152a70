"""Price and temporary UB of a Gather in UB.

    y[m, n] = Gather(x[m, v], i[n])      `v` is the gathered axis, `n` an axis of the indices

Indices become byte offsets in the temporary area, then one Gather picks the elements of each row (ascendc_api_facts §10). The cast counts
indices, not the table (att_facts §5.1 no. 9).
"""

from __future__ import annotations

from att.expr.core import Expr, align_up, mul
from att.ir.dtype import DType
from att.ops.call import Call
from att.ops.extents import BLOCK_BYTES, ONE, ZERO, elements
from att.ops.price import Price
from att.ops.rows import vector
from att.ops.spec import Costs, TmpBuffer

OFFSET: DType = DType.INT32
"""Type of the byte offsets."""


def gather(call: Call, costs: Costs) -> Price:
    """Offsets once, then a Gather for every row of the result."""
    indices = call.inputs[1]
    amount = vector(costs, "Muls", OFFSET, elements(indices))
    if indices.dtype is not OFFSET:
        amount = amount + vector(costs, "Cast", indices.dtype, elements(indices), target=OFFSET)
    rows, length = picked(call)
    return Price.of(amount + vector(costs, "Gather", call.output.dtype, mul(rows, length), calls=rows))


def picked(call: Call) -> tuple[Expr, Expr]:
    """Rows of the result, and elements of each."""
    dims = [d for d, s in zip(call.output.dims, call.output.ub_strides, strict=True) if s != ZERO]
    return mul(1, *dims[:-1]), dims[-1] if dims else ONE


def gather_tmp(call: Call, costs: Costs) -> tuple[TmpBuffer, ...]:
    """The byte offsets of all indices of a tile."""
    del costs
    return (TmpBuffer(bytes=align_up(mul(elements(call.inputs[1]), OFFSET.bytes), BLOCK_BYTES)),)
