"""The axis-sorting heuristic as the reference runs it, faults and all (att_facts.md §4.3-4.8, §5.3): for comparisons, not for use.

Known faults that are kept: a probe for more cores is refused when the very next share would be better (§4.6), core counts are compared
as fractions (§2.2), the tile search for a core count looks at shares of another tile (§4.5, no. 64), the first worse core count ends
the search (§4.8), balancing checks nothing (no. 66).
"""

from __future__ import annotations

from math import lcm

from att.model.policy import PPM, Trade
from att.model.tiling import Var
from att.solve.axis_board import Board
from att.solve.axis_steps import core_counts, greatest, least, to_blocks

ALL_CORES = Trade(ub_ppm=0, cores_ppm=PPM)
"""What a core search asks for at each core count (att_facts §4.8)."""


def solve(board: Board, trade: Trade | None) -> bool:
    """Runs the heuristic on the board; whether it found a legal tiling. `trade`: the user's trade-off, before that of the tables."""
    hit = any(board.decides_cores(v) for v in board.tiles)
    aim = (trade or board.policy.trade) if hit else None
    if not _tiled(board, aim, board.core_limit):
        return False
    if aim is None:
        _tune(board)
    if not _alike(board):
        before = dict(board.values)
        _balance(board)
        if not board.legal():
            board.values.update(before)
    return board.legal()


def _tiled(board: Board, trade: Trade | None, core_limit: int) -> bool:
    """Tiles, then shares of a core."""
    _start(board)
    if not board.fits():
        return False
    found = _greedy(board) if trade is None else _traded(board, trade, core_limit)
    return found and _share(board, core_limit, priced=board.policy.shares_by_time)


def _start(board: Board) -> None:
    for var in board.tiles:
        board.values[var.name] = _first(var)
    for var in board.blocks:
        board.values[var.name] = board.upper(var)


def _first(var: Var) -> int:
    """Where the search for a variable starts: one step of its grid; the reference knows no tighter bounds."""
    lo, hi, step = var.symbol.domain
    return lo if lo == hi else step


def _alike(board: Board) -> tuple[Var, ...]:
    """The first two tiles of the first rank that several have (att_facts §4.7)."""
    ranks = [board.rank[v.name] for v in board.tiles]
    shared = next((r for r in ranks if ranks.count(r) > 1), None)
    return tuple(v for v in board.tiles if board.rank[v.name] == shared)[:2] if shared is not None else ()


def _greedy(board: Board) -> bool:
    """Each tile in turn takes all the UB there is (att_facts §4.4), after the two that are cut alike."""
    pair = _alike(board)
    if pair and not _symmetric(board, pair):
        _start(board)
        pair = ()
    for var in board.tiles:
        if var not in pair:
            _largest(board, (var,), _first(var), board.upper(var), var.symbol.multiple)
            _finish(board, var)
    return all(board.regular(v) for v in board.tiles)


def _symmetric(board: Board, pair: tuple[Var, ...]) -> bool:
    """Both alike as far as UB and the shorter axis allow, then the longer one alone (att_facts §4.7)."""
    step = max(v.symbol.multiple for v in pair)
    uppers = [board.upper(v) for v in pair]
    _largest(board, pair, step, min(uppers), step)
    for var, upper in zip(pair, uppers, strict=True):
        if board.values[var.name] < upper:
            _largest(board, (var,), board.values[var.name], upper, var.symbol.multiple)
    for var in pair:
        _finish(board, var)
    return board.fits() and all(board.regular(v) for v in pair)


def _largest(board: Board, group: tuple[Var, ...], lowest: int, upper: int, step: int) -> None:
    """The largest value of the tiles together that UB allows, by bisection from the top."""

    def holds(value: int) -> bool:
        board.values.update({v.name: value for v in group})
        return board.fits()

    best = greatest(lowest, upper, step, holds)
    board.values.update({v.name: best for v in group})


def _finish(board: Board, var: Var) -> None:
    """Down to what the rules allow, then to whole blocks."""
    while not board.regular(var) and board.values[var.name] > _first(var):
        board.values[var.name] -= var.symbol.multiple
    to_blocks(board, var)


def _traded(board: Board, trade: Trade, core_limit: int) -> bool:
    """Each tile as large as UB allows, but no larger than enough cores can share (att_facts §4.5), after the two that are cut alike."""
    pair = _alike(board)
    deciding = [v for v in pair if board.decides_cores(v)]
    if pair and len(deciding) == len(pair):
        _traded_pair(board, pair, trade, core_limit)
    elif pair and not deciding:
        _symmetric(board, pair)
    else:
        pair = tuple(sorted(pair, key=board.decides_cores))
        for var in pair:
            _trade_one(board, var, trade, core_limit)
    for var in board.tiles:
        if var not in pair:
            _trade_one(board, var, trade, core_limit)
    return all(board.regular(v) for v in board.tiles)


def _trade_one(board: Board, var: Var, trade: Trade, core_limit: int) -> None:
    _largest(board, (var,), _first(var), board.upper(var), var.symbol.multiple)
    if board.decides_cores(var):
        _for_cores(board, var, trade, core_limit)
    _finish(board, var)


def _traded_pair(board: Board, pair: tuple[Var, ...], trade: Trade, core_limit: int) -> None:
    """Two tiles cut alike: as large as UB allows; down to enough cores; not below a share of UB. Nothing is aligned (att_facts §4.7)."""
    step = lcm(*(v.symbol.multiple for v in pair))
    uppers = [board.upper(v) for v in pair]

    def cut(value: int) -> None:
        board.values.update({v.name: min(value, upper) for v, upper in zip(pair, uppers, strict=True)})

    def holds(value: int) -> bool:
        cut(value)
        return board.fits()

    def fills(value: int) -> bool:
        cut(value)
        return all(map(board.reaches_cache_line, pair)) and board.fills(trade.ub_ppm)

    def feeds(value: int) -> bool:
        cut(value)
        _share(board, core_limit, priced=False)
        return board.cores >= core_limit * trade.cores_ppm // PPM

    top = greatest(step, max(uppers), step, holds)
    smallest = least(step, top, step, fills) if fills(top) else top
    cut(greatest(smallest, top, step, feeds))


def _for_cores(board: Board, var: Var, trade: Trade, core_limit: int) -> None:
    low, high = _between(board, var, trade, core_limit)
    best, cores = high, _cores_at(board, var, high, core_limit)
    if low != high and low > 0 and _cores_at(board, var, low, core_limit) > cores:
        best = low
    _cores_at(board, var, best, core_limit)


def _between(board: Board, var: Var, trade: Trade, core_limit: int) -> tuple[int, int]:
    """The tiles beside the point where enough cores work: `target = floor(share * cores)` (att_facts §4.5, CoreSearch)."""
    step, top = var.symbol.multiple, board.values[var.name]
    lowest = _least_filling(board, var, trade.ub_ppm, top)
    if lowest >= top:
        return lowest, lowest
    target = core_limit * trade.cores_ppm // PPM
    if _cores_at(board, var, top, core_limit) >= target:
        return top, top
    left, right = lowest, top - step
    while left <= right:
        middle = (left + right) // 2
        board.values[var.name] = middle
        if not board.reaches_cache_line(var) or board.cores >= target:
            left = middle + step
        else:
            right = middle - step
    return right, left


def _least_filling(board: Board, var: Var, ub_ppm: int, top: int) -> int:
    """The smallest tile that fills more than a share of UB; `top` if none does."""

    def fills(value: int) -> bool:
        board.values[var.name] = value
        return board.reaches_cache_line(var) and board.fills(ub_ppm)

    found = least(_first(var), top, var.symbol.multiple, fills) if fills(top) else top
    board.values[var.name] = top
    return found


def _cores_at(board: Board, var: Var, value: int, core_limit: int) -> int:
    """Cores in use with a tile, after the shares of a core are found anew."""
    board.values[var.name] = value
    _share(board, core_limit, priced=False)
    return board.cores


def _share(board: Board, core_limit: int, *, priced: bool) -> bool:
    """Shares of a core, later ones first: halved towards more cores until there are too many, or one more does not pay (att_facts §4.6)."""
    for var in board.blocks:
        board.values[var.name] = board.upper(var)
    if board.cores > core_limit:
        return False
    for var in reversed(board.blocks):
        _halve(board, var, core_limit, priced=priced)
    return board.shares()


def _halve(board: Board, var: Var, core_limit: int, *, priced: bool) -> None:
    initial = value = board.values[var.name]
    boundary, probed = _first(var), 0
    time = board.fractional_time if priced else 0
    while (middle := (boundary + value) // 2) not in (value, probed):
        probed = board.values[var.name] = middle
        now = board.fractional_time if priced else 0
        if board.cores > core_limit or (priced and (now > time or now > _time_at(board, var, middle + 1))):
            boundary = middle
        else:
            value, time = middle, now
    board.values[var.name] = value
    while not board.shares() and board.values[var.name] < initial:
        board.values[var.name] += 1


def _time_at(board: Board, var: Var, value: int) -> int:
    held = board.values[var.name]
    board.values[var.name] = value
    time = board.fractional_time
    board.values[var.name] = held
    return time


def _tune(board: Board) -> None:
    """Core counts below the first solution's are tried first, then those above, each as long as the time falls (att_facts §4.8)."""
    first = board.fractional_cores
    if first <= 1:
        _climb(board, first, 1)
    elif first >= board.core_limit:
        _climb(board, first, -1)
    elif not _climb(board, first, -1):
        _climb(board, first, 1)


def _climb(board: Board, cores: int, direction: int) -> bool:
    """Steps from a core count while the time falls; whether one step did."""
    best, time, moved = dict(board.values), board.fractional_time, False
    for count in core_counts(cores, direction, board.core_limit):
        if not _tiled(board, ALL_CORES, count) or (now := board.fractional_time) >= time:
            break
        best, time, moved = dict(board.values), now, True
    board.values.update(best)
    return moved


def _balance(board: Board) -> None:
    """The smallest whole-block tile that keeps the cores at work (att_facts §4.8, WorkloadBalance)."""
    var = next((v for v in board.tiles if board.decides_cores(v)), None)
    if var is None:
        return
    cores, top, step = board.cores, board.values[var.name], var.soft_align

    def keeps(value: int) -> bool:
        board.values[var.name] = value
        return board.cores == cores

    highest = top // step * step
    board.values[var.name] = least(step, highest, step, keeps) if highest >= step and keeps(highest) else top
