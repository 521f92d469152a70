"""V1 prices of ops that are a few public instructions one after another, as `codegen.calls` and `codegen/device` write them.

Where they work in chunks of their temporary memory, each chunk pays the heads again. A Cast that only rounds (float32 to float32) costs as
one to int32; the Axpy that widens its source costs as an Add. Nothing is published for these ops but their instructions.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from att.expr.choice import where
from att.expr.compare import lt
from att.expr.core import Expr, add, ceil_div, mul
from att.ir.dtype import DType
from att.ops.call import Call
from att.ops.extents import block_elems, data_view, elements, folded_extents, is_scalar
from att.ops.mended_vector import over_input
from att.ops.price import Price, total
from att.ops.rows import vector
from att.ops.spec import Costs, PriceRule
from att.ops.tmp_chunks import chunk_elems

F16, F32, U8, I16, I32 = DType.FLOAT16, DType.FLOAT32, DType.UINT8, DType.INT16, DType.INT32

Step = tuple[str, DType] | tuple[str, DType, DType]
"""An API with its element type, and the one it converts to."""

_LEVELS_MAX: Final = 13
"""Halvings of the longest row that UB holds, in blocks."""

_ROUND: Final[Step] = ("Cast", F32, I32)
_TO_SINGLE: Final[Step] = ("Cast", F16, F32)
_TO_HALF: Final[Step] = ("Cast", F32, F16)
_AS_SINGLE: Final[Step] = ("Cast", I32, F32)
_TO_WHOLE: Final[Step] = ("Cast", F32, I32)
_NEARER: Final[tuple[Step, ...]] = (("Div", F32), _TO_WHOLE, ("Mul", I32), ("Sub", I32), _AS_SINGLE)


def clip(call: Call, costs: Costs) -> Price:
    """ClipByValue: the larger, then the smaller, each with a scalar where an operand is one; two scalars need no call."""
    x, low, high = (is_scalar(view) for view in call.inputs)
    dtype = data_view(call).dtype
    first: tuple[Step, ...] = () if x and low else (("Maxs" if x or low else "Max", dtype),)
    second: Step = ("Mins" if high or (x and low) else "Min", dtype)
    return _sequence(costs, (*first, second), elements(call.output))


def axpy(call: Call, costs: Costs) -> Price:
    """`x1 + alpha * x2`; float16 through float32."""
    n = elements(call.output)
    if data_view(call).dtype is F32:
        return _sequence(costs, (("Muls", F32), ("Add", F32)), n)
    return _chunked(call, costs, (_TO_SINGLE, ("Muls", F32), ("Add", F32), _TO_HALF), 4)


def floor_div(call: Call, costs: Costs) -> Price:
    """The quotient, rounded down; float16 through float32."""
    if data_view(call).dtype is F32:
        return _sequence(costs, (("Div", F32), _ROUND), elements(call.output))
    return _chunked(call, costs, (_TO_SINGLE, _TO_SINGLE, ("Div", F32), _ROUND, _TO_HALF), 8)


def remainder(call: Call, costs: Costs) -> Price:
    """What rounding down leaves; of integers, the nearest quotient through float32, twice, and the sign mended."""
    if data_view(call).dtype is F32:
        return _sequence(costs, (("Div", F32), _ROUND, ("Mul", F32), ("Sub", F32)), elements(call.output))
    sign: tuple[Step, ...] = (("Mul", F32), ("Mins", F32), ("Maxs", F32), _TO_WHOLE, ("Mul", I32), ("Sub", I32))
    return _chunked(call, costs, (_AS_SINGLE, _AS_SINGLE, *_NEARER, *_NEARER, *sign), 8)


def power(call: Call, costs: Costs) -> Price:
    """Power, published for floats; the chip's own estimate for integers."""
    dtype, n = data_view(call).dtype, elements(call.output)
    if not dtype.is_float:
        return _sequence(costs, (("Pow", dtype),), n)
    return _sequence(costs, (("PowerWithScalar" if any(map(is_scalar, call.inputs)) else "PowerAllTensor", dtype),), n)


def sum_of_integers(call: Call, costs: Costs) -> Price:
    """Sum; rows of integers are folded to a block each by halves, whose low and high 16 bits are then summed as floats.

    A shift costs as an Adds, a reduce of blocks as one of whole repeats.
    """
    folded, rows, last_reduced = folded_extents(call)
    if data_view(call).dtype.is_float or not last_reduced:
        return over_input("WholeReduceSum")(call, costs)
    levels = add(1, *(where(lt(block_elems(I32) << level, folded), 1, 0) for level in range(_LEVELS_MAX)))
    blocks = mul(rows, block_elems(I32))
    halves = [vector(costs, *step, blocks) for step in (("Adds", I32), ("WholeReduceSum", F32))]
    halves += [vector(costs, "Cast", I32, blocks, target=F32), vector(costs, "Cast", F32, rows, target=I32)]
    rest = [vector(costs, "Adds", I32, blocks), vector(costs, "Muls", I32, rows), vector(costs, "Add", I32, rows)]
    fold = vector(costs, "Add", I32, mul(2, rows, folded), calls=mul(rows, levels))
    return Price.of(total([fold, *(part.times(2) for part in halves), *rest]))


def float_kind(*after: str) -> PriceRule:
    """IsFinite, IsInf, Isnan: the magnitude's bits as an integer less those of infinity, these instructions, and casts to one byte."""

    def rule(call: Call, costs: Costs) -> Price:
        dtype = data_view(call).dtype
        bits = I16 if dtype is F16 else I32
        narrow: tuple[Step, ...] = () if dtype is F16 else (("Cast", I32, I16),)
        steps = (("Abs", dtype), *((api, bits) for api in ("Adds", *after)), *narrow, ("Cast", I16, F16), ("Cast", F16, U8))
        return _chunked(call, costs, steps, dtype.bytes)

    return rule


def _chunked(call: Call, costs: Costs, steps: Iterable[Step], bytes_per_elem: int) -> Price:
    n = elements(call.output)
    return _sequence(costs, steps, n, ceil_div(n, chunk_elems(bytes_per_elem)))


def _sequence(costs: Costs, steps: Iterable[Step], n: Expr, calls: Expr | int = 1) -> Price:
    parts = [vector(costs, step[0], step[1], n, target=step[2] if len(step) == 3 else None, calls=calls) for step in steps]
    return Price.of(total(parts))
