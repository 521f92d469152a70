"""Steps that both forms of the axis-sorting heuristic take: bisection on a grid, soft alignment, the core counts to try."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import lcm
from typing import Final

from att.ir.layout import BLOCK_BYTES
from att.model.tiling import Var
from att.solve.axis_board import Board

_WHOLE_BYTES: Final = 512
_TINY_BYTES: Final = 64
"""The whole axis if it has at most 512 bytes, and any tile of at most 64, is not rounded down to whole blocks (att_facts §2.4)."""


def greatest(lo: int, hi: int, step: int, holds: Callable[[int], bool]) -> int:
    """The largest value, `lo` and steps or `hi`, up to which a property holds; `lo` if it holds nowhere above. By bisection."""
    if hi <= lo or holds(hi):
        return max(lo, hi)
    first, last = 0, -(-(hi - lo) // step)
    while last - first > 1:
        middle = (first + last) // 2
        if holds(lo + middle * step):
            first = middle
        else:
            last = middle
    return lo + first * step


def least(lo: int, hi: int, step: int, holds: Callable[[int], bool]) -> int:
    """The smallest value, `hi` less steps or `lo`, from which on a property holds; `hi` if it holds nowhere below. By bisection."""
    return -greatest(-hi, -lo, step, lambda value: holds(-value))


def to_blocks(board: Board, var: Var) -> None:
    """Rounds a tile down to whole blocks of 32 bytes unless it is tiny, or a short whole axis (att_facts §2.4)."""
    value, step = board.values[var.name], lcm(var.soft_align, var.symbol.multiple)
    size_bytes = value * BLOCK_BYTES // var.soft_align
    whole = value == board.upper(var) and size_bytes <= _WHOLE_BYTES
    if var.soft_align > 1 and not whole and size_bytes > _TINY_BYTES:
        board.values[var.name] = max(var.symbol.lo, value // step * step)


def core_counts(cores: int, direction: int, limit: int) -> Iterator[int]:
    """Core counts after one, up to the limit or down to 1: steps of 1 up to 4, of 2 below 16, of 4 from there (att_facts §4.8)."""
    while (cores < limit) if direction > 0 else (cores > 1):
        step = 1 if cores <= 4 else 2 if cores < 16 else 4
        cores = min(cores + step, limit) if direction > 0 else max(cores - step, 1)
        yield cores
