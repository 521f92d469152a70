"""Steps of the axis-sorting heuristic on the tiling in hand: tiles as large as UB allows, shares of a core, tiles made smaller again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import lcm
from typing import Final

from att.model.tiling import Var
from att.solve.axis_board import Board, Order
from att.solve.axis_steps import greatest, least, to_blocks

_IDLE: Final = 16
"""Idle cores that are one in so many do not matter. Measured: one in 8 leaves 6.7 % of the optima unfound, in 16 6.4 %, in 32 5.8 %."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """What one walk is after."""

    order: Order
    """Who gets UB first."""
    fewest: int = 1
    """Cores that shall have work where tiles can be made small enough for it."""
    most: int
    """Cores that shares are made for."""
    ub_ppm: int = 0
    """Share of UB below which no tile is made smaller for the cores' sake."""
    more: int = 7
    """Tiles that a core may be given more than the fewest, if cores are idle otherwise."""
    caps: Mapping[str, int] = field(default_factory=dict[str, int])
    """Tiles that leave UB to those after them: no larger than this at first."""


def cut(board: Board, aim: Aim) -> bool:
    """Tiles in solving order, then shares of a core; whether the smallest tiles fit."""
    start(board)
    if not board.fits():
        return False
    for group in aim.order:
        _enlarge(board, group, aim)
    _refill(board, [v for group in aim.order for v in group if v.name in aim.caps])
    share(board, board.work if aim.fewest <= board.work <= min(2 * aim.fewest, board.core_limit) else aim.most)
    return True


def start(board: Board) -> None:
    """The smallest values that the rules allow, tile after tile."""
    board.values.update({v.name: v.symbol.lo for v in (*board.tiles, *board.blocks)})
    for var in board.tiles:
        lo, hi, step = var.symbol.domain
        board.values[var.name] = next((value for value in range(lo, hi + 1, step) if _is_regular(board, var, value)), lo)
    if not board.fits():
        _make_room(board)


def _make_room(board: Board) -> None:
    """The first tile that can, just large enough for limits that many pieces break: a second phase holds a result of each piece."""
    holds = board.broken()
    for var in board.tiles:
        lowest, highest, step = board.values[var.name], board.upper(var), var.symbol.multiple

        def enough(value: int, name: str = var.name) -> bool:
            board.values[name] = value
            return holds()

        if enough(highest):
            value = -(-least(lowest, highest, step, enough) // step) * step
            while value < highest and not _is_regular(board, var, value):
                value += step
            board.values[var.name] = min(value, highest)
            return
        board.values[var.name] = lowest


def _is_regular(board: Board, var: Var, value: int) -> bool:
    board.values[var.name] = value
    return board.regular(var)


def _enlarge(board: Board, group: Sequence[Var], aim: Aim) -> None:
    """Tiles of one rank: first all alike, then each alone, no larger than enough cores can share, then aligned.

    Where one axis is shorter than the smallest tile of another they cannot be alike.
    """
    lowest = max(board.values[v.name] for v in group)
    highest = min(_upper(board, v, aim.caps) for v in group)
    if len(group) > 1 and lowest <= highest:
        common = _largest(board, group, lowest, highest, max(v.symbol.multiple for v in group))
        board.values.update({v.name: common for v in group})
    for var in group:
        smallest = board.values[var.name]
        board.values[var.name] = _largest(board, (var,), smallest, _upper(board, var, aim.caps), var.symbol.multiple)
        if board.decides_cores(var):
            _shrink(board, var, smallest, aim)
    for var in group:
        _align(board, var)


def _refill(board: Board, tiles: Iterable[Var]) -> None:
    """Tiles take what UB is left, one after another."""
    for var in tiles:
        board.values[var.name] = _largest(board, (var,), board.values[var.name], board.upper(var), var.symbol.multiple)
        _align(board, var)


def _upper(board: Board, var: Var, caps: Mapping[str, int]) -> int:
    lo, _, step = var.symbol.domain
    upper = board.upper(var)
    return min(upper, max(lo, caps.get(var.name, upper) // step * step))


def _largest(board: Board, group: Sequence[Var], lo: int, hi: int, step: int) -> int:
    """Largest value of the tiles together that the hardware allows; `lo` if nothing above fits."""

    def fits(value: int) -> bool:
        board.values.update({v.name: value for v in group})
        return board.fits()

    return greatest(lo, hi, step, fits)


def _shrink(board: Board, var: Var, lo: int, aim: Aim) -> None:
    """The largest tile up to its own that gives so many cores work, but one that fills a share of UB if its own does."""
    top, step = board.values[var.name], var.symbol.multiple

    def feeds(value: int) -> bool:
        board.values[var.name] = value
        return board.work >= aim.fewest

    def fills(value: int) -> bool:
        board.values[var.name] = value
        return board.fills(aim.ub_ppm)

    wanted = greatest(lo, top, step, feeds)
    board.values[var.name] = max(wanted, least(lo, top, step, fills)) if aim.ub_ppm and fills(top) else wanted


def _align(board: Board, var: Var) -> None:
    """Down to whole blocks of 32 bytes unless it is tiny or the whole axis, then to the next value that the rules allow."""
    lo, _, step = var.symbol.domain
    if board.values[var.name] < board.upper(var):
        to_blocks(board, var)
    value = board.values[var.name]
    while value > lo and not board.regular(var):
        value -= step
        board.values[var.name] = value


def share(board: Board, most: int) -> None:
    """Shares of a core, later ones first: the smallest that need no more than so many cores."""
    for var in board.blocks:
        board.values[var.name] = board.upper(var)
    for var in reversed(board.blocks):

        def few(value: int, name: str = var.name) -> bool:
            board.values[name] = value
            return board.cores <= most and board.shares()

        board.values[var.name] = least(var.symbol.lo, board.values[var.name], var.symbol.multiple, few)


def balance(board: Board, cores: int, more: int) -> bool:
    """The first tile that decides the cores, as small as so many cores can do with their shares and `more` tiles in each.

    Other tiles take the UB that becomes free. Whether the tile is smaller than it was.
    """
    if not board.shared_tiles:
        return False
    var = board.shared_tiles[0]
    for block in board.blocks:
        board.values[block.name] = min(block.symbol.hi, board.values[block.name] + more * block.symbol.multiple)
    top, step = board.values[var.name], var.symbol.multiple

    def keeps(value: int) -> bool:
        board.values[var.name] = value
        return board.cores <= cores

    board.values[var.name] = least(var.symbol.lo, top, step, keeps)
    while board.values[var.name] < top and not board.regular(var):
        board.values[var.name] += step
    if board.values[var.name] >= top:
        return False
    board.values.update({b.name: min(board.values[b.name], board.upper(b)) for b in board.blocks})
    _refill(board, [v for v in board.tiles if not board.decides_cores(v)])
    return True


def spread(board: Board, first: Var, second: Var, pieces: int, cores: int) -> bool:
    """The axis of one tile in so many pieces, and of another in as many as cores are left for. Whether the rules allow it.

    Other tiles make room and take what is left.
    """
    others = [v for v in board.tiles if v is not first and v is not second]
    board.values.update({v.name: v.symbol.lo for v in others})
    for var, count in ((first, pieces), (second, max(1, cores // pieces))):
        step = lcm(var.symbol.multiple, var.soft_align)
        wanted = -(-board.extent(var) // (count * step)) * step
        board.values[var.name] = min(max(var.symbol.lo, wanted), board.upper(var))
    if not (board.fits() and board.regular(first) and board.regular(second)):
        return False
    _refill(board, others)
    return True


def even(board: Board, cores: int) -> bool:
    """Whether so many cores are busy but for a sixteenth, so that smaller tiles could bring little."""
    slots = cores * max((board.values[b.name] for b in board.blocks), default=1)
    return _IDLE * (slots - board.work) <= board.work


def hold(board: Board, var: Var, value: int) -> bool:
    """A tile at a value; tiles that do not decide the cores make room for it and take what is left. Whether the rules allow it."""
    others = [v for v in board.tiles if v is not var and not board.decides_cores(v)]
    if value > board.values[var.name]:
        board.values.update({v.name: v.symbol.lo for v in others})
    board.values[var.name] = value
    if not (board.fits() and board.regular(var)):
        return False
    _refill(board, others)
    return True
