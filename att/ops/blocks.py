"""Temporary UB of Loads and Stores of elements that lie apart in GM: each element is a 32-byte block of its own.

    Load     GM -> blocks, then together       Store     spread to blocks -> GM

DataCopyPad rounds every block up to 32 bytes in UB (ascendc_api_facts §9.1); a value in UB lies close together. The vector unit picks and
spreads lanes of 2 and 4 bytes (§10, Brcb). Bytes are widened to lanes of 2 bytes behind the blocks. To store 8 bytes, each half is spread
to a block and the second half brought to the block of the first, so that every other block is stored.
"""

from __future__ import annotations

from att.expr.core import Expr, add, align_up, mul
from att.ops.dma import Transfer
from att.ops.extents import BLOCK_BYTES, REPEAT_BYTES


def blocks_bytes(moved: Transfer, op: str) -> Expr:
    """Bytes of the blocks of one instruction, up to whole repeats of the vector unit."""
    halves = 2 if op == "Store" and moved.dtype.bytes == 8 else 1
    return align_up(mul(moved.block_count, halves * BLOCK_BYTES), halves * REPEAT_BYTES)


def behind_blocks_bytes(moved: Transfer) -> Expr:
    """Bytes behind the blocks: one block for the mask of lanes, and the lanes of 2 bytes that hold single bytes."""
    lanes = align_up(mul(moved.block_count, 2), BLOCK_BYTES) if moved.dtype.bytes == 1 else 0
    return add(BLOCK_BYTES, lanes)
