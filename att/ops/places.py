"""Price and temporary UB of ArgMax, by where the reduced axes lie in UB.

    [a, r]           a reduce with index for each row of floats
    [a, r] integers  a larger value, a comparison and a choice for each repeat of a row; so are rows that go on behind a kept axis
    [r, block]       the same for each row of lanes, which is as long as the block

Where a loop cuts the reduced axis, the largest elements so far are kept beside their places: of rows by the scalar unit, of lanes by
another comparison and choice for each lane.

The scalar unit, which finds the largest of the lanes of a row, has no price (att_facts §3.1: three pipes).
"""

from __future__ import annotations

from att.expr.core import Expr, add, align_up, ceil_div, integer, mul
from att.ir.dtype import DType
from att.ops.call import Call
from att.ops.extents import BLOCK_BYTES, ONE, ZERO, block_elems, data_view, occupied, reduces_last, repeat_elems
from att.ops.mended_vector import over_input
from att.ops.price import Cycles, Price
from att.ops.rows import vector
from att.ops.spec import Costs, TmpBuffer

F32, I32, I64 = DType.FLOAT32, DType.INT32, DType.INT64
LANES = repeat_elems(F32)


def arg_max(call: Call, costs: Costs) -> Price:
    """What is published for a reduce of whole repeats, or the instructions of the lanes; their places become int64 at the end."""
    if _by_library(call):
        return over_input("ArgMax")(call, costs)
    dtype, turns, elems, results = data_view(call).dtype, *_turns(call)
    wide = mul(turns, align_up(elems, LANES))
    amount = vector(costs, "Max", dtype, mul(turns, elems), calls=turns) + vector(costs, "CompareEQAligned", dtype, wide, calls=turns)
    amount = amount + vector(costs, "Select", F32, mul(turns, elems), calls=turns)
    if not reduces_last(data_view(call), call.output):
        amount = amount + vector(costs, "Cast", F32, mul(results, elems), target=I64, calls=results)
    return Price.of(amount)


def arg_max_tmp(call: Call, costs: Costs) -> tuple[TmpBuffer, ...]:
    """The result of a reduce with index and the three levels of value and index pairs it works on (ascendc_api_facts §7.2).

    Of lanes: the largest so far, twice, its place as float, and a bit for each.
    """
    del costs
    source = data_view(call)
    if not _reduced_dims(call):
        return ()
    if not _by_library(call):
        _, elems, _ = _turns(call)
        lanes = align_up(elems, LANES)
        return (TmpBuffer(bytes=add(mul(lanes, 3 * F32.bytes), align_up(ceil_div(lanes, 8), BLOCK_BYTES))),)
    need: Expr = ZERO
    pairs = mul(1, *_reduced_dims(call))
    for _ in range(3):
        pairs = align_up(mul(2, ceil_div(pairs, repeat_elems(source.dtype))), block_elems(source.dtype))
        need = add(need, pairs)
    return (TmpBuffer(bytes=add(BLOCK_BYTES, mul(need, source.dtype.bytes))),)


def kept_bytes(call: Call) -> Expr:
    """Elements that the places found so far lie at: one for each row, or for whole repeats of lanes, there with their places as int32."""
    if reduces_last(data_view(call), call.output):
        return mul(occupied(call.output), F32.bytes)
    _, elems, results = _turns(call)
    return mul(results, align_up(elems, LANES), 2 * F32.bytes)


def joined(call: Call, costs: Costs) -> Price:
    """The lanes of one more tile: their places as int32 and counted from the first tile, larger elements, which are new, and a choice."""
    if reduces_last(data_view(call), call.output):
        return Price.of(Cycles())
    _, elems, results = _turns(call)
    wide = mul(results, align_up(elems, LANES))
    amount = vector(costs, "Cast", F32, wide, target=I32, calls=results) + vector(costs, "Adds", F32, wide, calls=results)
    amount = amount + vector(costs, "Max", F32, mul(2, wide), calls=mul(2, results))
    amount = amount + vector(costs, "CompareEQAligned", F32, wide, calls=results) + vector(costs, "Select", F32, wide, calls=results)
    return Price.of(amount)


def _reduced_dims(call: Call) -> list[Expr]:
    source = data_view(call)
    return [d for d, s, o in zip(source.dims, source.ub_strides, call.output.ub_strides, strict=True) if s != ZERO and o == ZERO]


def _by_library(call: Call) -> bool:
    """Whether rows of floats are one run each, so that a reduce yields the place."""
    source = data_view(call)
    one_run = len(_reduced_dims(call)) < 2 and (not _reduced_dims(call) or reduces_last(source, call.output))
    return one_run and source.dtype.is_float


def _turns(call: Call) -> tuple[Expr, Expr, Expr]:
    """Rows of lanes that are taken one by one, the lanes of each, and how many results of so many lanes there are."""
    source = data_view(call)
    axes = [(d, s, o == ZERO) for d, s, o in zip(source.dims, source.ub_strides, call.output.ub_strides, strict=True) if s != ZERO]
    if reduces_last(source, call.output):
        results = mul(1, *(d for d, _, gone in axes if not gone))
        runs = mul(1, *(d for d, _, gone in axes[:-1] if gone))
        return mul(results, runs, ceil_div(axes[-1][0], LANES)), integer(LANES), results
    last = max((i for i, (_, _, gone) in enumerate(axes) if gone), default=-1)
    inner = axes[last + 1 :]
    results = mul(1, *(d for d, _, gone in axes[: last + 1] if not gone))
    rows = mul(1, *(d for d, _, gone in axes if gone))
    return mul(results, rows), mul(inner[0][0], inner[0][1]) if inner else ONE, results
