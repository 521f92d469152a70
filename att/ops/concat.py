"""Price and temporary UB of a Concat in UB.

    y[rows, n] = a[rows, p] | b[rows, q]

Where every part is whole 32-byte blocks, rows are copied block by block. Else parts are transposed behind each other into the temporary
area, as [n, rows], and all of it is transposed back: the only way to start a part off a block's border (ascendc_api_facts §9.6).
Where axes follow the joined one, a step along it is whole blocks, because rows are padded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from att.expr.choice import maximum, minimum
from att.expr.core import Expr, add, align_up, ceil_div, integer, mul
from att.ops.call import Call, View
from att.ops.extents import BLOCK_BYTES, ZERO, block_elems
from att.ops.matrices import SIDE, SPARE_BYTES
from att.ops.price import Price, total
from att.ops.rows import vector
from att.ops.spec import Costs, TmpBuffer


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """The geometry of one Concat in UB, elements."""

    axis: int
    """Place of the joined axis among the axes of the call."""
    rows: Expr
    """Rows of the result: the axes before the joined one."""
    parts: tuple[Expr, ...]
    """Length of each part in a row, the axes behind the joined one included."""
    starts: tuple[Expr, ...]
    """Where each part begins in a row."""
    length: Expr
    """All parts together."""

    def in_blocks(self, elem_bytes: int) -> bool:
        """Whether every part is whole blocks of 32 bytes."""
        return all(mul(part, elem_bytes).multiple % BLOCK_BYTES == 0 for part in self.parts)


def join_of(call: Call) -> Join:
    """The geometry of a call."""
    after = call.output.ub_strides
    joined = next((i for i, s in enumerate(after) if s != ZERO and any(view.ub_strides[i] == ZERO for view in call.inputs)), len(after) - 1)
    step = after[joined] if after else integer(1)
    rows = mul(1, *(d for d, s in zip(call.output.dims[:joined], after[:joined], strict=True) if s != ZERO))
    parts = tuple(mul(_own(view, after), step) for view in call.inputs)
    starts = tuple(add(0, *parts[:i]) for i in range(len(parts)))
    return Join(axis=joined, rows=rows, parts=parts, starts=starts, length=add(0, *parts))


def _own(view: View, after: tuple[Expr, ...]) -> Expr:
    """Elements of a part along its own axis; 1 where it has none."""
    return mul(1, *(d for d, s, o in zip(view.dims, view.ub_strides, after, strict=True) if s != ZERO and o == ZERO))


def concat(call: Call, costs: Costs) -> Price:
    """A copy of each part, or two transposes of everything and a copy; nobody publishes a rate, so the chip's estimate rows are used."""
    join, dtype = join_of(call), call.output.dtype
    if join.in_blocks(dtype.bytes):
        return Price.of(total([vector(costs, "Concat", dtype, mul(join.rows, part)) for part in join.parts]))
    n = mul(align_up(join.rows, SIDE), align_up(join.length, block_elems(dtype)))
    return Price.of(vector(costs, "ConcatUnaligned", dtype, n, calls=ceil_div(join.rows, SIDE)))


def concat_tmp(call: Call, costs: Costs) -> tuple[TmpBuffer, ...]:
    """The transposed parts and the spare blocks of a transpose; nothing where blocks are copied."""
    del costs
    join, dtype = join_of(call), call.output.dtype
    if join.in_blocks(dtype.bytes):
        return ()
    return (TmpBuffer(bytes=add(mul(join.length, align_up(join.rows, SIDE), dtype.bytes), SPARE_BYTES)),)


_DEFAULT_KERNEL: Final = {8: (4, 8, 29, 128), 4: (2, 8, 29, 128), 2: (2, 16, 45, 64), 1: (2, 32, 93, 48)}
"""Factor, step and padding of the columns and bytes for each, by element width (schedule_codegen_facts §2, CON)."""
_LEAST_BYTES: Final = 16 * 1024
_MOST_BYTES: Final = 64 * 1024


def published_tmp(call: Call, costs: Costs) -> tuple[TmpBuffer, ...]:
    """The reference's request, whose widest part leaves the first one out; at least what this kernel needs."""
    join, width = join_of(call), call.output.dtype.bytes
    if join.in_blocks(width):
        return ()
    factor, step, pad, each = _DEFAULT_KERNEL[width]
    widest = maximum(0, *join.parts[1:])
    asked = mul(add(align_up(mul(factor, widest), step), pad), each)
    ours = add(0, *(buffer.bytes for buffer in concat_tmp(call, costs)))
    return (TmpBuffer(bytes=maximum(minimum(maximum(asked, _LEAST_BYTES), _MOST_BYTES), ours)),)
