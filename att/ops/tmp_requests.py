"""Temporary UB that the reference requests for the ops of `att.ops.arithmetic` and `att.ops.choice` (loop_ir_ops.json, `tmp_buffer`).

N is the extent of the outermost varying axis of the first operand that is no scalar, as in `att.ops.tmp_published`.
"""

from __future__ import annotations

from typing import Final

from att.expr.choice import minimum
from att.expr.core import Expr, align_up, mul
from att.ir.dtype import DType
from att.ops.call import Call
from att.ops.extents import BLOCK_BYTES, ZERO, data_view, is_scalar, occupied
from att.ops.rows import constant
from att.ops.spec import Costs
from att.ops.tmp_published import SizeRule, per_element

own_size: Final[SizeRule] = per_element(lambda dtype: dtype.bytes)
"""FloorDiv, Gelu, Pow on V1: N elements, capped."""
own_size_and_block: Final[SizeRule] = per_element(lambda dtype: dtype.bytes, more=BLOCK_BYTES)
"""IsFinite, IsInf, Isnan: N elements and a block, capped."""


def axpy(call: Call, costs: Costs) -> Expr:
    """float16: two float32 copies in whole blocks, not capped."""
    del costs
    source = data_view(call)
    return align_up(mul(occupied(source), 8), BLOCK_BYTES) if source.dtype is DType.FLOAT16 else ZERO


def remainder(call: Call, costs: Costs) -> Expr:
    """Three copies, capped; none where the divisor is one element."""
    divisor = call.inputs[1]
    if is_scalar(divisor) or all(stride == ZERO for stride in divisor.ub_strides):
        return ZERO
    return per_element(lambda dtype: 3 * dtype.bytes)(call, costs)


def power_v2(call: Call, costs: Costs) -> Expr:
    """Copies in whole blocks: 3 of 4-byte elements, 6 of shorter ones, none of int32; capped."""
    source = data_view(call)
    copies = 0 if source.dtype is DType.INT32 else 3 if source.dtype.bytes == 4 else 6
    need = mul(align_up(mul(occupied(source), source.dtype.bytes), BLOCK_BYTES), copies)
    return minimum(need, int(constant(costs.chip, "tmp_max_bytes")))
