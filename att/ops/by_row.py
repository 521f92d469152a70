"""A binary call whose one operand is a single row that every row of the other meets: an inline broadcast.

    y[z0t, z1] = Add(x[z0t, z1], row[z1])

    by columns   one instruction for each 256 bytes of a row: a repeat a row, the row operand standing still
    by rows      one instruction for each row

The first takes the distance between rows in 32-byte blocks and their number in 8 bits each (ascendc_api_facts §5). Where both are possible
the one with fewer instructions is made; both do the same repeats.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from att.expr.choice import where
from att.expr.compare import le
from att.expr.core import Expr, ceil_div, exact_quotient, floor_div, integer, mul
from att.expr.logic import Cond, conj
from att.ops.call import Call, View
from att.ops.extents import BLOCK_BYTES, MAX_REPEATS, REPEAT_BYTES, ZERO, elements, repeat_elems
from att.ops.price import Price
from att.ops.rows import first_api, vector
from att.ops.spec import Costs, PriceRule

INLINE_OPS: Final = frozenset({"Add", "Sub", "Mul", "Div", "Maximum", "Minimum"})
"""Ops that are one instruction of two tensors, so that either may be a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ByRow:
    """How such a call steps."""

    operand: int
    """Which input is the row."""
    rows: Expr
    row_elems: Expr
    """Elements of the row, its own padding included."""
    pitch_elems: Expr
    """From one row to the next in the other operand and the result."""
    lanes: int
    """Elements in one repeat."""

    @property
    def columns(self) -> Expr:
        """Started repeats of a row."""
        return ceil_div(self.row_elems, self.lanes)

    @property
    def pitch_blocks(self) -> Expr:
        """The pitch in 32-byte blocks, at which rows start."""
        in_block = integer(self.lanes * BLOCK_BYTES // REPEAT_BYTES)
        exact = exact_quotient(self.pitch_elems, in_block)
        return floor_div(self.pitch_elems, in_block) if exact is None else exact

    @property
    def is_by_columns(self) -> Cond:
        """Whether the instructions fit their fields, and are no more than rows."""
        return conj(le(self.rows, MAX_REPEATS), le(self.pitch_blocks, MAX_REPEATS), le(self.columns, self.rows))


def by_row(call: Call) -> ByRow | None:
    """How the call steps, None where its operands lie alike."""
    if call.op not in INLINE_OPS or len(call.inputs) != 2 or not all(view.dims for view in call.inputs):
        return None
    output = call.output
    rows = [i for i, view in enumerate(call.inputs) if view.ub_strides != output.ub_strides]
    if len(rows) != 1 or not is_row_of(call.inputs[rows[0]], output):
        return None
    outer = next(i for i, stride in enumerate(output.ub_strides) if stride != ZERO)
    row = call.inputs[rows[0]]
    return ByRow(
        operand=rows[0],
        rows=output.dims[outer],
        row_elems=elements(row),
        pitch_elems=output.ub_strides[outer],
        lanes=repeat_elems(output.dtype),
    )


def is_row_of(row: View, whole: View) -> bool:
    """Whether a value lacks the outermost axis of another, and no other axis."""
    varying = [i for i, stride in enumerate(whole.ub_strides) if stride != ZERO]
    if len(varying) < 2 or len(row.ub_strides) != len(whole.ub_strides):
        return False
    return row.ub_strides[varying[0]] == ZERO and all(row.ub_strides[i] == whole.ub_strides[i] for i in varying[1:])


def priced_by_row(rule: PriceRule, *apis: str) -> PriceRule:
    """The rule, but for a call by rows: every repeat whole, and an instruction for each column or row."""

    def price(call: Call, costs: Costs) -> Price:
        found = by_row(call)
        if found is None:
            return rule(call, costs)
        calls = where(found.is_by_columns, found.columns, found.rows)
        lanes = mul(found.columns, found.rows, found.lanes)
        return Price.of(vector(costs, first_api(costs, apis), call.output.dtype, lanes, calls=calls))

    return price
