"""ScaledSum: a sum of exponentials whose exponent moves while it accumulates; the scheduler makes it of a Sum (`schedule.online`).

    x = exp(v - r)      every turn of the loop relative to the largest v so far, r
    first turn          s = Sum(x)
    later turns         s = s * exp(before - r) + Sum(x)         before: r of the turn before

It keeps `before` in a buffer of its own through the loop. `r` is finite, so `before - r` is no NaN where all v so far are -inf.
Source: online softmax (Milakov, Gimelshein, arXiv:1805.02867, §3).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from att.expr.core import add, align_up, mul
from att.ir.running import SCALED_SUM
from att.ops import dtypes, reduce
from att.ops.call import Call, View
from att.ops.elementwise import RECORDS as ELEMENTWISE
from att.ops.extents import BLOCK_BYTES, occupied
from att.ops.price import Price
from att.ops.spec import ApiCall, Costs, OpSpec, TmpBuffer, TmpLifetime

_SUM: Final = next(record for record in reduce.RECORDS if record.name == "Sum")
_MUL: Final = next(record for record in ELEMENTWISE if record.name == "Mul")


def _price(call: Call, costs: Costs) -> Price:
    """The sum, and a copy of the exponents for the next turn, which is a product with 1."""
    row = call.output
    copied = _MUL.price(Call(op="Mul", inputs=(row, View(dtype=row.dtype)), output=row, attrs={}, block_dim=call.block_dim), costs)
    summed = _SUM.price(call, costs)
    return Price(add(summed.ticks, copied.ticks), summed.estimated or copied.estimated)


def _tmp(call: Call, costs: Costs) -> tuple[TmpBuffer, ...]:
    """What the sum needs, and the exponents of the turn before."""
    before = align_up(mul(occupied(call.output), call.output.dtype.bytes), BLOCK_BYTES)
    return (*_SUM.tmp(call, costs), TmpBuffer(bytes=before, lifetime=TmpLifetime.LOOP))


assert _SUM.reduction is not None
SCALED: Final[OpSpec] = replace(
    _SUM,
    name=SCALED_SUM,
    inputs=("x", "exponent"),
    dtypes=dtypes.listed("float32", "float32"),
    price=_price,
    tmp=_tmp,
    api=ApiCall(form="scaled_sum", name="ReduceSum"),
    reduction=replace(_SUM.reduction, rescale=("Sub", "Exp", "Mul")),
)
