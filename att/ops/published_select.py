"""V1 comparisons and Where as the reference prices them, faults included (att_facts §3.7, §5.1 no. 10, 11, 17).

Dims are those of the output after joining gapless axes: the last two are rows A and columns B, further ones multiply.
"""

from __future__ import annotations

from fractions import Fraction

from att.expr.choice import maximum
from att.expr.compare import eq, le, lt
from att.expr.core import Expr, ceil_div, floor_div, mod, mul
from att.ir.dtype import DType
from att.ops.call import Call
from att.ops.extents import MAX_REPEATS, ONE, REPEAT_BYTES, data_view, joined_dims, repeat_elems
from att.ops.price import Cycles, Price, choose, total
from att.ops.rows import constant, vector
from att.ops.spec import Costs, PriceRule

F16, F32, U8, U16 = DType.FLOAT16, DType.FLOAT32, DType.UINT8, DType.UINT16
SELECT_LANES = 64
WHERE_CHUNK_ELEMS = MAX_REPEATS * SELECT_LANES
WHERE_CHUNK_ROWS = 16
MASK_COMPARES_PER_ELEM = 16384
"""The mask compare of a Where is charged one element for so many (a unit slip of the reference)."""


def where(call: Call, costs: Costs) -> Price:
    """Where and Select: one-dimensional in chunks of 255*64 elements, two-dimensional in groups of 16 rows."""
    dims = joined_dims(call.output)
    if len(dims) == 1:
        return where_flat(call.output.dtype, dims[0], costs)
    amount = where_rows(call.output.dtype, dims[-2], dims[-1], costs)
    return Price.of(amount.times(mul(1, *dims[:-2])))


def where_flat(dtype: DType, n: Expr, costs: Costs) -> Price:
    """N elements, each charged as sixteen, and its last cast as a call of 64."""

    def chunk(elems: Expr | int) -> Cycles:
        compared = floor_div(_plus(elems, 127), MASK_COMPARES_PER_ELEM)
        back = vector(costs, "Cast", F32, SELECT_LANES, target=dtype).times(elems)
        return total([_casts(dtype, elems, costs), _mask_compare(compared, costs), vector(costs, "Select", F32, elems), back])

    first, rest = chunk(WHERE_CHUNK_ELEMS), mul(maximum(n - WHERE_CHUNK_ELEMS, 0), 16)
    longer = choose(lt(WHERE_CHUNK_ELEMS, n), Price.of(first + chunk(rest)), Price.of(first))
    return choose(le(WHERE_CHUNK_ELEMS, n), longer, Price.of(chunk(mul(n, 16))))


def where_rows(dtype: DType, rows: Expr, cols: Expr, costs: Costs) -> Cycles:
    """Rows in groups of 16, columns in whole groups of 64: a last dim below 64 costs nothing."""
    back = vector(costs, "Cast", F32, SELECT_LANES, target=dtype)
    per_row = _casts(dtype, SELECT_LANES, costs) + back
    slope = Fraction(SELECT_LANES, MASK_COMPARES_PER_ELEM)
    compare_rows = (_mask_compare(1, costs) + _mask_compare(0, costs).times(-1)).times(slope)
    select_rows = vector(costs, "Select", F32, SELECT_LANES) + vector(costs, "Select", F32, 0).times(-1)
    fixed_compare = (_mask_compare(1, costs) + _mask_compare(0, costs).times(-1)).times(Fraction(127, MASK_COMPARES_PER_ELEM))
    per_group = total([_mask_compare(0, costs), fixed_compare, vector(costs, "Select", F32, 0)])
    groups = ceil_div(rows, WHERE_CHUNK_ROWS)
    amount = total([per_row, compare_rows, select_rows]).times(rows) + per_group.times(groups)
    return amount.times(floor_div(cols, SELECT_LANES))


def _casts(dtype: DType, elems: Expr | int, costs: Costs) -> Cycles:
    branches = vector(costs, "Cast", dtype, elems, target=F32).times(2)
    return branches + vector(costs, "Cast", U8, elems, target=F16)


def _mask_compare(elems: Expr | int, costs: Costs) -> Cycles:
    return vector(costs, "CompareScalarEQ", F16, elems)


def _plus(elems: Expr | int, more: int) -> Expr:
    return mul(1, elems) + more


def compare(mode: str) -> PriceRule:
    """Comparison `EQ`, `NE`, `GT`, `GE`, `LT` or `LE` of two operands into uint8."""

    def rule(call: Call, costs: Costs) -> Price:
        source = data_view(call)
        dims = (ONE, *joined_dims(source))
        rows, cols, outer = dims[-2], dims[-1], mul(1, *dims[:-2])
        if source.dtype.bytes < 8:
            return compare_narrow(mode, source.dtype, call.output.dtype, rows, cols, outer, costs)
        wide = compare_wide_equality if mode in {"EQ", "NE"} else compare_wide_order
        return wide(mode, rows, cols, outer, costs)

    return rule


def compare_narrow(mode: str, dtype: DType, out: DType, rows: Expr, cols: Expr, outer: Expr, costs: Costs) -> Price:
    """Up to 32 bits: by rows or by repeats, whichever is fewer calls; the compare row depends on alignment (tested in the wrong unit)."""
    lanes = repeat_elems(dtype)
    repeats = ceil_div(cols, lanes)
    factor = constant(costs.chip, "compare_factor")

    def calls(elems: Expr, times: Expr) -> Price:
        others = total(
            [
                vector(costs, "Duplicate", dtype, elems),
                vector(costs, "Select", dtype, elems),
                vector(costs, "Cast", dtype, elems, target=out),
            ]
        )
        prices = [
            Price.of((vector(costs, f"Compare{mode}{kind}", dtype, elems) + others).times(factor).times(mul(times, outer)))
            for kind in ("Aligned", "Unaligned")
        ]
        return choose(eq(mod(mul(elems, lanes), REPEAT_BYTES), 0), prices[0], prices[1])

    return choose(lt(rows, repeats), calls(cols, rows), calls(mul(rows, lanes), repeats))


def compare_wide_equality(mode: str, rows: Expr, cols: Expr, outer: Expr, costs: Costs) -> Price:
    """Equality of 64-bit integers: the difference is cast to 32 bits and compared with 0."""
    lanes = repeat_elems(DType.INT64)
    repeats = ceil_div(cols, lanes)
    factor = constant(costs.chip, "compare_factor_int64_equality")
    ones = vector(costs, "Duplicate", F16, 128)

    def calls(compared: Expr, selected: Expr, each: Expr, times: Expr) -> Price:
        parts = [
            vector(costs, "Sub", F32, mul(each, 64)),
            vector(costs, "Cast", DType.INT64, mul(each, 32), target=DType.INT32),
            vector(costs, f"CompareScalar{mode}", F32, compared),
            vector(costs, "Select", F16, selected),
            vector(costs, "Cast", F16, mul(each, 128), target=U8),
        ]
        return Price.of((ones + total(parts).times(times)).times(factor).times(outer))

    def grouped(each: Expr, times: Expr) -> Price:
        return calls(mul(ceil_div(each, 2), 64), mul(ceil_div(each, 4), 128), each, times)

    short = calls(mul(rows, 64), mul(rows, 128), rows, ONE)
    return choose(lt(cols, lanes), short, choose(le(repeats, rows), grouped(rows, repeats), grouped(repeats, rows)))


def compare_wide_order(mode: str, rows: Expr, cols: Expr, outer: Expr, costs: Costs) -> Price:
    """Order of 64-bit integers: high and low words compared by sign bits and joined; the same for all four modes."""
    del mode
    lanes = repeat_elems(DType.INT64)
    factor = constant(costs.chip, "compare_factor_int64_order")
    words = mul(rows, maximum(cols, lanes), 2)
    one = wide_order_pass(rows, words, costs)
    return Price.of(one.times(factor).times(mul(ceil_div(cols, lanes), outer)))


def wide_order_pass(rows: Expr, words: Expr, costs: Costs) -> Cycles:
    """One pass over `rows` repeats, its fills over `words` 32-bit words."""

    def v(api: str, dtype: DType, per_row: int) -> Cycles:
        return vector(costs, api, dtype, mul(rows, per_row))

    def fill(dtype: DType, amount: Expr) -> Cycles:
        return vector(costs, "Duplicate", dtype, amount)

    signs = total([fill(F32, words).times(2), v("And", F16, 128).times(2), v("Maxs", F32, 64), v("Duplicate", F32, 64)])
    lows = total(
        [fill(F32, words).times(3), v("And", F16, 128).times(2), v("Sub", F32, 64), v("Or", U16, 128), v("PairReduceSum", F16, 128)]
    )
    weights = total([fill(F16, mul(words, 2)), v("Duplicate", F16, 128), v("Mul", F16, 128), v("PairReduceSum", F16, 128)])
    join = [
        fill(F32, words),
        v("And", F16, 128).times(2),
        *(v(api, F32, 64) for api in ("Maxs", "Mins")),
        *(v(api, F16, 128) for api in ("Add", "Maxs", "Mins")),
        vector(costs, "Cast", F16, mul(rows, 128), target=U8),
    ]
    return total([signs.times(2), v("Sub", F32, 64).times(2), lows.times(2), weights.times(2), *join])
