"""Steps of the axis-sorting heuristic: bisection on a grid, soft alignment, the core counts and the tiles to try."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import lcm
from typing import Final

from att.ir.layout import BLOCK_BYTES
from att.model.tiling import Var
from att.solve.axis_board import Board

_WHOLE_BYTES: Final = 512
_TINY_BYTES: Final = 64
"""The whole axis if it has at most 512 bytes, and any tile of at most 64, is not rounded down to whole blocks (att_facts §2.4)."""

_PIECES: Final = (-2, -1, 1, 2, 3)
"""Pieces more than those of the best tiling. Measured: the largest gap of the benchmark set on 910B1 falls from 2.5 % to 0.4 %."""

_VECTOR_BLOCKS: Final = 8
"""Blocks of 32 bytes in what one vector instruction repeats over: 256 bytes on every chip (att_facts §6)."""


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
    count = next_count(cores, direction, limit)
    while count is not None:
        yield count
        count = next_count(count, direction, limit)


def next_count(cores: int, direction: int, limit: int) -> int | None:
    """The next of `core_counts`; None at the end."""
    step = 1 if cores <= 4 else 2 if cores < 16 else 4
    if direction > 0:
        return min(cores + step, limit) if cores < limit else None
    return max(cores - step, 1) if cores > 1 else None


def smaller(tiles: Sequence[Var], values: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Limits for tiles of one rank, half of their largest value and half of that again, down to their smallest.

    Measured on the benchmark set: steps of 7/10 leave the worst gap at 2.5 % in place of 3.2 %, but find fewer optima.
    """
    limit, lowest = max(values[v.name] for v in tiles), max(v.symbol.lo for v in tiles)
    while limit > lowest:
        limit //= 2
        yield {v.name: limit for v in tiles}


def in_pieces(board: Board, tiles: Sequence[Var]) -> Iterator[dict[str, int]]:
    """Limits for a tile that stands alone in its rank: the least that cut its axis into a few pieces fewer and more than now."""
    for var in tiles if len(tiles) == 1 else ():
        extent, step = board.extent(var), var.symbol.multiple
        now = -(-extent // board.values[var.name])
        yield from ({var.name: -(-extent // (pieces * step)) * step} for more in _PIECES if (pieces := now + more) > 0)


def neighbours(var: Var, value: int, extent: int) -> tuple[int, ...]:
    """Values next to a tile's: some steps away, in whole vectors, half and twice it, the least that cuts the extent into no more pieces."""
    lo, hi, step = var.symbol.domain
    vector = _VECTOR_BLOCKS * var.soft_align
    pieces = -(-extent // value)
    least_pieces = -(-extent // (pieces * step)) * step
    found = (*(value + i * step for i in (-2, -1, 1, 2)), value // vector * vector, least_pieces, 2 * value, value // (2 * step) * step)
    return tuple(v for v in dict.fromkeys(found) if lo <= v <= hi and v != value)
