"""V1 vector calls as the reference prices them, faults included (att_facts §3.7, §3.10).

All divisions are of rationals, so counts are fractional and no tail of a composite is ever charged: the `tail` call of the logical ops
has no elements and costs its constant only.
"""

from __future__ import annotations

from fractions import Fraction

from att.expr.core import Expr, mul
from att.ir.dtype import DType
from att.ops.call import Call
from att.ops.extents import count, data_view, joined_dims
from att.ops.price import Cycles, Price, cycles, total
from att.ops.rows import vector
from att.ops.spec import Costs, PriceRule

LOGICAL_CHUNK_ELEMS = 4096
"""Elements that LogicalAnd and LogicalOr handle at a time: `min(8192/256, 255) * 128` (att_facts §3.7)."""
NOT_CHUNK_ELEMS = 4080
"""The same for LogicalNot: `8160/256 * 128`, as a rational."""


def one_cycle(call: Call, costs: Costs) -> Price:
    """What the reference charges for an op without a formula: its placeholder."""
    del call, costs
    return Price.of(cycles(1))


def over_elements(api: str) -> PriceRule:
    """`k*n + b` of one API over all elements of the output, row padding included."""
    return lambda call, costs: Price.of(vector(costs, api, data_view(call).dtype, count(call.output)))


def over_input(api: str) -> PriceRule:
    """`k*n + b` of one API over all elements of the first input: how every reduce that is scheduled is priced."""
    return lambda call, costs: Price.of(vector(costs, api, data_view(call).dtype, count(data_view(call))))


def cast(call: Call, costs: Costs) -> Price:
    """One call per index of all dims but the last two; a pair that the table lacks may cost nothing."""
    dims = joined_dims(call.output)
    one = vector(costs, "Cast", data_view(call).dtype, mul(1, *dims[-2:]), target=call.output.dtype)
    return Price.of(one.times(mul(1, *dims[:-2])))


def logical_pair(api: str) -> PriceRule:
    """LogicalAnd (`Mul`) and LogicalOr (`Max`): both operands to float16, the op, back to uint8, in chunks of 4096 elements."""
    return lambda call, costs: Price.of(logical_pair_cycles(api, data_view(call).dtype, count(call.output), costs))


def logical_pair_cycles(api: str, dtype: DType, n: Expr, costs: Costs) -> Cycles:
    """The formula over n elements."""

    def chunk(elems: int) -> Cycles:
        return total(
            [
                vector(costs, "Cast", dtype, elems, target=DType.FLOAT16).times(2),
                vector(costs, api, DType.FLOAT16, elems),
                vector(costs, "Cast", DType.FLOAT16, elems, target=DType.UINT8),
            ]
        )

    return chunk(LOGICAL_CHUNK_ELEMS).times(Fraction(1, LOGICAL_CHUNK_ELEMS)).times(n) + chunk(0)


def logical_not(call: Call, costs: Costs) -> Price:
    """LogicalNot in float16: a block of ones, then `1 - min(|x|, 1)` in chunks of 4080 elements."""
    return Price.of(logical_not_cycles(count(call.output), costs))


def logical_not_cycles(n: Expr, costs: Costs) -> Cycles:
    """The formula over n elements."""

    def chunk(elems: int) -> Cycles:
        half = DType.FLOAT16
        absolutes = vector(costs, "Abs", half, elems).times(2)
        return total([absolutes, vector(costs, "Min", half, elems), vector(costs, "Sub", half, elems)])

    ones = vector(costs, "Duplicate", DType.FLOAT16, 16)
    return ones + chunk(NOT_CHUNK_ELEMS).times(Fraction(1, NOT_CHUNK_ELEMS)).times(n) + chunk(0)
