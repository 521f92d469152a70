"""Temporary UB as the reference allocates it (att_facts §2.1; schedule_codegen_facts §2, op table).

Every requested buffer takes at least 8192 bytes, even one of 0 bytes. N is the extent of the outermost varying axis of the first operand
that is no scalar, in elements; `capped` sizes end at 65312 bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from att.expr.choice import maximum, minimum
from att.expr.core import Expr, add, align_up, integer, mul
from att.ir.dtype import DType
from att.ops.call import SOLE_USE, Call, View
from att.ops.extents import BLOCK_BYTES, ONE, ZERO, broadcast_runs, data_view, is_scalar, occupied, padded_dims
from att.ops.rows import constant
from att.ops.spec import Costs, TmpBuffer, TmpLifetime, TmpRule

SizeRule = Callable[[Call, Costs], Expr]
"""Bytes requested for one call, before the floor."""

REDUCE_LANES: Final = 8
"""The reduce rule aligns the last axis to so many elements of 4 bytes, whatever the dtype."""


def floored(size: SizeRule) -> TmpRule:
    """One buffer of a size, at least the default."""
    return lambda call, costs: (TmpBuffer(bytes=_floor(size(call, costs), costs)),)


def default(call: Call, costs: Costs) -> Expr:
    """The default request; smaller ones end up the same."""
    del call, costs
    return ZERO


def per_element(bytes_of: Callable[[DType], int], *, more: int = 0, capped: bool = True) -> SizeRule:
    """N elements of a size that depends on the dtype, and some bytes more."""

    def size(call: Call, costs: Costs) -> Expr:
        source = data_view(call)
        need = add(mul(occupied(source), bytes_of(source.dtype)), more)
        return _capped(need, costs) if capped else need

    return size


def true_div(call: Call, costs: Costs) -> Expr:
    """Integers are cast to float32 twice, unless an operand is one element."""
    if data_view(call).dtype is not DType.INT32 or any(_is_one(view) for view in call.inputs):
        return ZERO
    return _capped(mul(occupied(data_view(call)), 8), costs)


def where(call: Call, costs: Costs) -> Expr:
    """N elements of every input's size."""
    return _capped(mul(occupied(data_view(call)), sum(view.dtype.bytes for view in call.inputs)), costs)


def cast(call: Call, costs: Costs) -> Expr:
    """Casts through a third dtype hold it."""
    del costs
    source, target = data_view(call).dtype, call.output.dtype
    n = occupied(data_view(call))
    if source is DType.UINT8 and target in {DType.FLOAT32, DType.INT32, DType.INT16, DType.INT8}:
        return align_up(mul(n, 2), BLOCK_BYTES)
    if {source, target} == {DType.INT64, DType.FLOAT16}:
        return align_up(mul(n, 4), BLOCK_BYTES)
    return ZERO


def compare(*, equality: bool) -> SizeRule:
    """By dtype and number of axes; r0, r1 are the first two dims, s1 the second stride."""

    def size(call: Call, costs: Costs) -> Expr:
        source = data_view(call)
        axes = [(d, s) for d, s in zip(source.dims, source.ub_strides, strict=True) if s != ZERO]
        width = source.dtype.bytes
        flat = mul(occupied(source), width, 5 if width == 8 else 1)
        if len(axes) < 2:
            return _capped(flat, costs)
        (r0, _), (r1, s1) = axes[0], axes[1]
        if width == 8:
            if equality:
                return _capped(add(mul(512, r0, s1), 256), costs)
            return mul(40, r0, s1, align_up(axes[-1][0], BLOCK_BYTES))
        if source.dtype is DType.INT32 and not equality:
            return _capped(mul(256, r0, s1), costs)
        return _capped(maximum(mul(288, r1, s1), flat), costs)

    return size


def broadcast(call: Call, costs: Costs) -> Expr:
    """More than the default where the last axis and one more group are spread, or one-byte elements along the last axis."""
    runs = broadcast_runs(call.inputs[0], call.output)
    base = constant(costs.chip, "tmp_default_bytes")
    if not runs or not runs[-1].broadcast:
        return ZERO
    kept = mul(1, *(run.elems for run in runs if not run.broadcast))
    spread = mul(1, *(run.elems for run in runs if run.broadcast))
    varying = sum(stride != ZERO for stride in call.output.ub_strides)
    size = call.output.dtype.bytes
    if varying >= 3 and sum(run.broadcast for run in runs) == 2:
        return add(mul(kept, spread, size), int(base))
    if size == 1:
        return add(mul(2, align_up(kept, 16)), mul(2, align_up(mul(kept, spread), 16)), int(base))
    return ZERO


def reduce(op: str) -> TmpRule:
    """One buffer for the call, then accumulators across the loop; sizes assume 4-byte elements, whatever the dtype.

    V2 needs none for the call where nothing else reads the input.
    """

    def rule(call: Call, costs: Costs) -> tuple[TmpBuffer, ...]:
        source = data_view(call)
        kept, reduced, last_reduced = _extents(source, call.output)
        results = align_up(kept, REDUCE_LANES) if last_reduced else kept
        if op == "ArgMax":
            sizes = (mul(8, results), mul(4, results), mul(4, results))
            return tuple(TmpBuffer(bytes=_floor(size, costs), lifetime=TmpLifetime.LOOP) for size in sizes)
        more = (BLOCK_BYTES if last_reduced and op in {"Sum", "Mean", "Prod"} else 0) + (256 if op == "Prod" else 0)
        overwrites = costs.chip.cost_table == "v2" and call.attrs.get(SOLE_USE, False)
        call_bytes = _floor(ZERO if overwrites else add(mul(4, kept, reduced), more), costs)
        loop_bytes = _floor(mul(4, results), costs)
        return (TmpBuffer(bytes=call_bytes), TmpBuffer(bytes=loop_bytes, lifetime=TmpLifetime.LOOP))

    return rule


def transpose_v2(call: Call, costs: Costs) -> Expr:
    """The contiguous innermost part of the output."""
    del costs
    dims = padded_dims(call.output)
    return mul(dims[-1] if dims else ONE, call.output.dtype.bytes)


def _extents(source: View, output: View) -> tuple[Expr, Expr, bool]:
    """Kept and reduced elements with the last axis aligned, and whether the last axis is reduced."""
    axes = [(d, o == ZERO) for d, s, o in zip(source.dims, source.ub_strides, output.ub_strides, strict=True) if s != ZERO]
    if not axes:
        return ONE, ONE, False
    axes[-1] = (align_up(axes[-1][0], REDUCE_LANES), axes[-1][1])
    kept = mul(1, *(d for d, gone in axes if not gone))
    return kept, mul(1, *(d for d, gone in axes if gone)), axes[-1][1]


def _is_one(view: View) -> bool:
    return is_scalar(view) or all(stride == ZERO for stride in view.ub_strides)


def _capped(size: Expr, costs: Costs) -> Expr:
    return minimum(size, int(constant(costs.chip, "tmp_max_bytes")))


def _floor(size: Expr, costs: Costs) -> Expr:
    least = int(constant(costs.chip, "tmp_default_bytes"))
    return integer(least) if size.hi <= least else maximum(size, least)
