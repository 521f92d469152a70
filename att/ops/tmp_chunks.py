"""Temporary memory of device helpers that work in chunks: some bytes an element, for as many as fit a fixed area.

The area is the reference's default request (att_facts §2.1); an operand shorter than a chunk takes less.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from att.expr.choice import minimum
from att.expr.core import align_up, mul
from att.ir.dtype import DType
from att.ops.call import Call
from att.ops.extents import data_view, elements
from att.ops.spec import Costs, TmpBuffer, TmpRule

AREA_BYTES: Final = 8192
CHUNK_STEP_ELEMS: Final = 64
"""Chunks are whole multiples of it, so that each starts at a 32-byte boundary whatever the element type."""


def chunk_elems(bytes_per_elem: int) -> int:
    """Elements that are handled at a time."""
    return AREA_BYTES // bytes_per_elem // CHUNK_STEP_ELEMS * CHUNK_STEP_ELEMS


def chunked(bytes_per_elem: Callable[[DType], int]) -> TmpRule:
    """The area of one call, by the element type of its first tensor; 0 bytes an element: none."""

    def rule(call: Call, costs: Costs) -> tuple[TmpBuffer, ...]:
        del costs
        each = bytes_per_elem(data_view(call).dtype)
        if not each:
            return ()
        most = chunk_elems(each) * each
        need = mul(align_up(elements(call.output), CHUNK_STEP_ELEMS), each)
        return (TmpBuffer(bytes=need if need.hi <= most else minimum(need, most)),)

    return rule


def wide_compare_bytes(*, equality: bool) -> int:
    """Bytes an element of a comparison of 64-bit integers: halves of both operands, and for order of the larger one too."""
    return 16 if equality else 24
