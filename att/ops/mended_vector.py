"""V1 vector calls with the known faults of the published formulas corrected.

What differs from them, and why:

- counts are whole: repeats and instructions are rounded up (att_facts §3.10, §5.1 no. 13);
- ops the reference prices at one cycle or not at all take the chip's estimate rows (no. 14, 25); a cast to the same dtype is a copy;
- Broadcast pays for its output, a whole repeat for each started 256 bytes of a row (no. 12, 32, 33);
- Where selects once over all elements: mask to float16, compare with 0, Select, each on whole repeats, at least one (no. 10, 11);
- comparisons run once over whole repeats; the dearer of the aligned and the unaligned row counts, else unaligned data would be cheaper
  (no. 17). 64-bit order is charged on rows of one repeat, which makes it proportional to the elements.

An operand covers `elements` (first to last, row padding included); every price grows with every dim.
"""

from __future__ import annotations

from att.expr.choice import maximum
from att.expr.core import Expr, align_up, ceil_div, mul
from att.ir.dtype import DType
from att.ops.call import Call
from att.ops.extents import MAX_REPEATS, Run, block_elems, broadcast_runs, data_view, elements, is_scalar, repeat_elems
from att.ops.price import Cycles, Price, total
from att.ops.published_select import wide_order_pass
from att.ops.published_vector import LOGICAL_CHUNK_ELEMS
from att.ops.rows import constant, dearest_of, first_api, vector
from att.ops.spec import Costs, PriceRule

F16, F32, U8 = DType.FLOAT16, DType.FLOAT32, DType.UINT8

BROADCAST_TMP_ROWS = 256
"""Source elements that one step of a last-axis Broadcast spreads: its temporary buffer of 8192 bytes holds a 32-byte block of each."""


def over_elements(*apis: str, with_scalar: str | None = None) -> PriceRule:
    """`k*n + b` of the first API that the chip prices, or of the form that takes a scalar operand."""

    def rule(call: Call, costs: Costs) -> Price:
        scalar = with_scalar is not None and any(is_scalar(view) for view in call.inputs)
        names = (with_scalar, *apis) if scalar and with_scalar else apis
        return Price.of(vector(costs, first_api(costs, names), data_view(call).dtype, elements(call.output)))

    return rule


def absolute(call: Call, costs: Costs) -> Price:
    """Abs; integers have no such instruction and take `max(x, -x)` (ascendc_api_facts §6)."""
    dtype, n = data_view(call).dtype, elements(call.output)
    if dtype.is_float:
        return Price.of(vector(costs, "Abs", dtype, n))
    return Price.of(vector(costs, "Muls", dtype, n) + vector(costs, "Max", dtype, n))


def subtract(call: Call, costs: Costs) -> Price:
    """Sub; `x - s` is an Adds, `s - x` a Muls by -1 and an Adds (there is no Subs; ascendc_api_facts §6)."""
    dtype, n = data_view(call).dtype, elements(call.output)
    scalars = [is_scalar(view) for view in call.inputs]
    if not any(scalars):
        return Price.of(vector(costs, "Sub", dtype, n))
    amount = vector(costs, "Adds", dtype, n)
    return Price.of(amount + vector(costs, "Muls", dtype, n) if scalars[0] else amount)


def divide(*apis: str) -> PriceRule:
    """A division; a scalar operand is first spread over one repeat (there is no Divs; ascendc_api_facts §6)."""

    def rule(call: Call, costs: Costs) -> Price:
        dtype = data_view(call).dtype
        amount = vector(costs, first_api(costs, apis), dtype, elements(call.output))
        if any(is_scalar(view) for view in call.inputs):
            amount = amount + vector(costs, "Duplicate", dtype, repeat_elems(dtype))
        return Price.of(amount)

    return rule


def over_input(api: str) -> PriceRule:
    """A reduce: `k*n + b` over all elements of its input, as published; a cut one pays its merges apart."""
    return lambda call, costs: Price.of(vector(costs, api, data_view(call).dtype, elements(data_view(call))))


def cast(call: Call, costs: Costs) -> Price:
    """One call over everything."""
    source, target = data_view(call), call.output
    n = maximum(elements(source), elements(target))
    if source.dtype is target.dtype:
        return Price.of(vector(costs, "Ub2ub", source.dtype, n))
    return Price.of(vector(costs, "Cast", source.dtype, n, target=target.dtype))


def logical_pair(api: str) -> PriceRule:
    """LogicalAnd and LogicalOr in chunks that fit their temporary memory."""

    def rule(call: Call, costs: Costs) -> Price:
        n, calls = _chunks(call, LOGICAL_CHUNK_ELEMS)
        narrow = vector(costs, "Cast", data_view(call).dtype, n, target=F16, calls=calls)
        if data_view(call).dtype is F16:
            narrow = Cycles()
        parts = [narrow.times(2), vector(costs, api, F16, n, calls=calls), vector(costs, "Cast", F16, n, target=U8, calls=calls)]
        return Price.of(total(parts))

    return rule


def logical_not(call: Call, costs: Costs) -> Price:
    """LogicalNot: `1 - min(|x|, 1)` in float16, in chunks; other dtypes are cast there and back."""
    source, target = data_view(call).dtype, call.output.dtype
    n, calls = _chunks(call, LOGICAL_CHUNK_ELEMS)
    parts = [vector(costs, "Duplicate", F16, block_elems(F16)), vector(costs, "Abs", F16, n, calls=calls).times(2)]
    parts += [vector(costs, api, F16, n, calls=calls) for api in ("Min", "Sub")]
    if source is not F16:
        parts.append(vector(costs, "Cast", source, n, target=F16, calls=calls))
    if target is not F16:
        parts.append(vector(costs, "Cast", F16, n, target=target, calls=calls))
    return Price.of(total(parts))


def _chunks(call: Call, size: int) -> tuple[Expr, Expr]:
    n = elements(call.output)
    return n, ceil_div(n, size)


def where(call: Call, costs: Costs) -> Price:
    """Mask to float16, compare with 0, Select; 64-bit data as twice as many 32-bit words."""
    dtype = call.output.dtype
    n = align_up(elements(call.output), repeat_elems(DType.FLOAT16))
    words = F16 if dtype.bytes <= 2 else F32
    lanes = mul(n, 2) if dtype.bytes == 8 else n
    parts = [
        vector(costs, "Cast", U8, n, target=F16),
        vector(costs, "CompareScalarNE", F16, n),
        vector(costs, "Select", words, lanes),
    ]
    return Price.of(total(parts))


def compare(mode: str) -> PriceRule:
    """Comparison into uint8: compare, fill with ones, Select, Cast."""

    def rule(call: Call, costs: Costs) -> Price:
        source = data_view(call)
        if source.dtype.bytes == 8:
            return _compare_wide(mode, elements(source), costs)
        dtype = F16 if source.dtype.bytes <= 2 else F32
        n = align_up(elements(source), repeat_elems(dtype))
        others = total(
            [vector(costs, "Duplicate", dtype, n), vector(costs, "Select", dtype, n), vector(costs, "Cast", F16, n, target=U8)],
        )
        factor = constant(costs.chip, "compare_factor")
        both = dearest_of(costs, (f"Compare{mode}Aligned", f"Compare{mode}Unaligned"), dtype, n)
        return Price.of((both + others).times(factor))

    return rule


def _compare_wide(mode: str, n: Expr, costs: Costs) -> Price:
    rows = ceil_div(n, repeat_elems(DType.INT64))
    if mode not in {"EQ", "NE"}:
        words = mul(rows, 2 * repeat_elems(DType.INT64))
        return Price.of(wide_order_pass(rows, words, costs).times(constant(costs.chip, "compare_factor_int64_order")))
    parts = [
        vector(costs, "Duplicate", F16, 128),
        vector(costs, "Sub", F32, mul(rows, 64)),
        vector(costs, "Cast", DType.INT64, mul(rows, 32), target=DType.INT32),
        vector(costs, f"CompareScalar{mode}", F32, mul(ceil_div(rows, 2), 64)),
        vector(costs, "Select", F16, mul(ceil_div(rows, 4), 128)),
        vector(costs, "Cast", F16, mul(rows, 32), target=U8),
    ]
    return Price.of(total(parts).times(constant(costs.chip, "compare_factor_int64_equality")))


def broadcast(call: Call, costs: Costs) -> Price:
    """Duplicate of one element; else whole repeats of Copy for each output row, and Brcb first where the last axis is spread.

    V1 has no Brcb of 64-bit elements: there a Gather fills each row with both halves.
    """
    runs = broadcast_runs(call.inputs[0], call.output)
    dtype = _lane_type(call.output.dtype)
    if all(run.broadcast for run in runs):
        return Price.of(vector(costs, "Duplicate", dtype, _words(elements(call.output), call.output.dtype)))
    rows = mul(1, *(run.elems for run in runs[:-1]))
    if runs[-1].broadcast and call.output.dtype.bytes == 8 and costs.chip.cost_table == "v1":
        return Price.of(vector(costs, "Gather", dtype, mul(rows, runs[-1].elems, 2), calls=rows))
    lanes = repeat_elems(dtype)
    repeats = mul(rows, ceil_div(_words(runs[-1].elems, call.output.dtype), lanes))
    amount = vector(costs, "Copy", dtype, mul(repeats, lanes), calls=ceil_div(repeats, MAX_REPEATS))
    if runs[-1].broadcast:
        amount = amount + _spread(runs, call.output.dtype, costs)
    if call.output.dtype.bytes == 1:
        amount = amount + _narrow_casts(call, costs)
    return Price.of(amount)


def _spread(runs: tuple[Run, ...], dtype: DType, costs: Costs) -> Cycles:
    """Brcb: each source element fills a 32-byte block."""
    source = mul(1, *(run.elems for run in runs if not run.broadcast))
    lanes = _lane_type(dtype)
    filled = mul(align_up(source, 8), block_elems(lanes))
    return vector(costs, "Brcb", lanes, _words(filled, dtype), calls=ceil_div(source, BROADCAST_TMP_ROWS))


def _narrow_casts(call: Call, costs: Costs) -> Cycles:
    """One-byte data is computed as float16 (ascendc_api_facts §8)."""
    to_wide = vector(costs, "Cast", U8, elements(call.inputs[0]), target=F16)
    return to_wide + vector(costs, "Cast", F16, elements(call.output), target=U8)


def _lane_type(dtype: DType) -> DType:
    return F16 if dtype.bytes <= 2 else F32


def _words(n: Expr, dtype: DType) -> Expr:
    return mul(n, 2) if dtype.bytes == 8 else n
