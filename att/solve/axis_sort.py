"""The axis-sorting heuristic: the answer a compiler can afford at run time, and the rival of the exact solvers.

For one core count after another: UB first, tiles in solving order, each as large as UB allows while the later ones are at their smallest,
tiles of one rank cut alike, aligned downwards, and no larger than so many cores can share; then the shares of a core, and the tile
made smaller again as far as the shares and the cores allow (S1 §5.3.2; att_facts.md §4.4-4.8). Core counts are walked in the reference's
steps, downwards and upwards from that of the largest tiles, each way until a few in a row brought nothing; both solving orders are
walked where they differ; the fastest tiling by the exact model wins. With a trade-off (`SolveOptions.trade`) there is one walk, for its
core count.

Against the reference (`att.solve.axis_compat`, `SolveOptions.compat`) this mends: every comparison is of whole cores and exact times; a
share follows from the core count, so no tooth of the cost stops a search; a worse core count does not end it; every tiling is checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from att.model.bind import loosened
from att.model.policy import PPM, Trade
from att.model.tiling import Problem, Tiling, Var
from att.solve import axis_compat
from att.solve.axis_board import Board, Order
from att.solve.axis_steps import core_counts, greatest, least, to_blocks
from att.solve.base import SolveOptions, SolveResult, SolveStatus
from att.solve.outcome import outcome

NAME = "axis_sort"

_PATIENCE: Final = 4
"""Core counts in a row that may bring nothing before a direction is given up; measured: fewer leave x[64,512] on 3 of 48 cores."""
_COMPAT_NOTE: Final = "the reference's walk ends at an illegal tiling; it knows no hard alignment: try without (--align none)"


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisSortSolver:
    """Heuristic; answers FEASIBLE, or TIMEOUT where it finds nothing legal."""

    name: str = NAME
    exact: bool = False

    def solve(self, problem: Problem, options: SolveOptions, hint: Tiling | None = None) -> SolveResult:
        """A legal tiling whenever the smallest tiles are legal; `options.compat` may find none. Limits and hint do not matter."""
        if problem.contradiction is not None:
            return outcome(NAME, SolveStatus.INFEASIBLE, note=problem.contradiction.origin.text)
        board = Board(loosened(problem) if options.compat else problem)
        found = axis_compat.solve(board, options.trade) if options.compat else _Search(board).run(options.trade)
        if not found:
            note = _COMPAT_NOTE if options.compat else "no legal tiling at the smallest tiles"
            return outcome(NAME, SolveStatus.TIMEOUT, effort={"evaluations": board.evaluations}, note=note)
        time = board.time
        return outcome(NAME, SolveStatus.FEASIBLE, tiling=board.values, time=time, effort={"evaluations": board.evaluations})


class _Search:
    """The fastest tiling seen so far, and the walk for one core count."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.best: dict[str, int] | None = None
        self.time: int | None = None
        self.order: Order = ()

    def run(self, trade: Trade | None) -> bool:
        """Whether a legal tiling was found; the board then holds the fastest.

        Queues have two buffers by rule where the number is open, and one where not even the smallest tiles fit with two.
        """
        return self._run(trade) or (self.board.drop_second_buffers() and self._run(trade))

    def _run(self, trade: Trade | None) -> bool:
        for order in self.board.orders:
            self.order = order
            if trade is None:
                self._search_cores()
            else:
                limit = self.board.core_limit
                self._try(max(1, limit * trade.cores_ppm // PPM), limit, trade.ub_ppm)
        if self.best is None:
            self._start()
            self._share(self.board.core_limit)
            self._keep_if_faster()
        self.board.values.update(self.best or {})
        return self.best is not None

    def _search_cores(self) -> None:
        """The largest tiles, then other core counts than theirs."""
        board = self.board
        self._try(1, board.core_limit)
        if board.blocks and self.best is not None:
            first = board.cores
            for direction in (-1, 1):
                self._walk(first, direction)

    def _walk(self, cores: int, direction: int) -> None:
        """Core counts from one on, until some in a row brought nothing. Fewer cores keep the tiles large, more make them smaller."""
        idle = 0
        for count in core_counts(cores, direction, self.board.core_limit):
            idle = 0 if self._try(count if direction > 0 else 1, count) else idle + 1
            if idle == _PATIENCE:
                return

    def _try(self, fewest: int, most: int, ub_ppm: int = 0) -> bool:
        """The tiling for at least and at most so many cores; whether it is the fastest so far."""
        board = self.board
        self._start()
        if not board.fits():
            return False
        for group in self.order:
            self._enlarge(group, fewest, ub_ppm)
        self._share(board.work if fewest <= board.work <= min(2 * fewest, board.core_limit) else most)
        better = self._keep_if_faster()
        for cores in dict.fromkeys((board.cores, board.core_limit)):
            better |= self._balance(cores)
        return better

    def _start(self) -> None:
        """The smallest values that the rules allow, tile after tile."""
        board = self.board
        board.values.update({v.name: v.symbol.lo for v in (*board.tiles, *board.blocks)})
        for var in board.tiles:
            lo, hi, step = var.symbol.domain
            board.values[var.name] = next((value for value in range(lo, hi + 1, step) if self._is_regular(var, value)), lo)

    def _is_regular(self, var: Var, value: int) -> bool:
        self.board.values[var.name] = value
        return self.board.regular(var)

    def _enlarge(self, group: Sequence[Var], fewest: int, ub_ppm: int) -> None:
        """Tiles of one rank: first all alike, then each alone, no larger than enough cores can share, then aligned."""
        board = self.board
        if len(group) > 1:
            start = max(board.values[v.name] for v in group)
            common = self._largest(group, start, min(map(board.upper, group)), max(v.symbol.multiple for v in group))
            board.values.update({v.name: common for v in group})
        for var in group:
            smallest = board.values[var.name]
            top = self._largest((var,), smallest, board.upper(var), var.symbol.multiple)
            board.values[var.name] = top
            if board.decides_cores(var):
                self._shrink(var, smallest, fewest, ub_ppm)
        for var in group:
            self._align(var)

    def _largest(self, group: Sequence[Var], lo: int, hi: int, step: int) -> int:
        """Largest value of the tiles together that the hardware allows; `lo` if nothing above fits."""

        def fits(value: int) -> bool:
            self.board.values.update({v.name: value for v in group})
            return self.board.fits()

        return greatest(lo, hi, step, fits)

    def _shrink(self, var: Var, lo: int, fewest: int, ub_ppm: int) -> None:
        """The largest tile up to its own that gives so many cores work, but one that fills a share of UB if its own does."""
        board, top, step = self.board, self.board.values[var.name], var.symbol.multiple

        def feeds(value: int) -> bool:
            board.values[var.name] = value
            return board.work >= fewest

        def fills(value: int) -> bool:
            board.values[var.name] = value
            return board.fills(ub_ppm)

        wanted = greatest(lo, top, step, feeds)
        board.values[var.name] = max(wanted, least(lo, top, step, fills)) if ub_ppm and fills(top) else wanted

    def _align(self, var: Var) -> None:
        """Down to whole blocks of 32 bytes unless it is tiny or the whole axis, then to the next value that the rules allow."""
        board, (lo, _, step) = self.board, var.symbol.domain
        if board.values[var.name] < board.upper(var):
            to_blocks(board, var)
        value = board.values[var.name]
        while value > lo and not board.regular(var):
            value -= step
            board.values[var.name] = value

    def _share(self, most: int) -> None:
        """Shares of a core, later ones first: the smallest that need no more than so many cores."""
        board = self.board
        for var in board.blocks:
            board.values[var.name] = board.upper(var)
        for var in reversed(board.blocks):

            def few(value: int, name: str = var.name) -> bool:
                board.values[name] = value
                return board.cores <= most and board.shares()

            board.values[var.name] = least(var.symbol.lo, board.values[var.name], var.symbol.multiple, few)

    def _balance(self, cores: int) -> bool:
        """The first tile that decides the cores, as small as so many cores can do with their shares; whether that is the fastest so far."""
        board = self.board
        var = next((v for v in board.tiles if board.decides_cores(v)), None)
        if var is None:
            return False
        top, step = board.values[var.name], var.symbol.multiple

        def keeps(value: int) -> bool:
            board.values[var.name] = value
            return board.cores <= cores

        board.values[var.name] = least(var.symbol.lo, top, step, keeps)
        while board.values[var.name] < top and not board.regular(var):
            board.values[var.name] += step
        better = board.values[var.name] < top and self._keep_if_faster()
        board.values[var.name] = top
        return better

    def _keep_if_faster(self) -> bool:
        board = self.board
        if not board.legal():
            return False
        time = board.time
        if self.time is not None and time >= self.time:
            return False
        self.best, self.time = dict(board.values), time
        return True
