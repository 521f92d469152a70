"""The axis-sorting heuristic: the answer a compiler can afford at run time, and the rival of the exact solvers.

For one core count after another: UB first, tiles in solving order, each as large as UB allows while the later ones are at their smallest,
tiles of one rank cut alike, aligned downwards, and no larger than so many cores can share; then the shares of a core, and the tile
made smaller again as far as the shares and the cores allow (S1 §5.3.2; att_facts.md §4.4-4.8). Core counts are walked in the reference's
steps, downwards and upwards from that of the largest tiles, each way until a few in a row brought nothing; both solving orders are
walked where they differ; the fastest tiling by the exact model wins. With a trade-off (`SolveOptions.trade`) there is one walk, for its
core count.

Against the reference (`att.solve.axis_compat`, `SolveOptions.compat`) this mends: every comparison is of whole cores and exact times; a
share follows from the core count, so no tooth of the cost stops a search; a worse core count does not end it; every tiling is checked.

Its greedy order lets one axis take all UB before the next is considered (att_facts §5.3 no. 79). Six rules mend what that costs:

- The first tiles leave UB to the later ones, step by step, while that is faster: a whole row in UB repeats what other rows could share.
- Tiles that were held back, or that a smaller one left UB to, take what is free in the end.
- A core takes more and smaller tiles where whole ones would leave cores idle.
- Core counts next to the best one are tried: the steps pass over them.
- Where two axes share the cores, each is tried in every number of pieces, with those of the other that cores are left for.
- Each tile of the best tiling is tried a step smaller and larger, half and twice as large, in whole vectors, and in even pieces.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Final

from att.model.bind import loosened
from att.model.policy import PPM, Trade
from att.model.tiling import Problem, Tiling, Var
from att.solve import axis_compat
from att.solve.axis_board import Board, Order
from att.solve.axis_steps import in_pieces, neighbours, next_count, smaller
from att.solve.axis_walk import Aim, balance, cut, even, hold, share, spread, start
from att.solve.base import SolveOptions, SolveResult, SolveStatus
from att.solve.outcome import outcome

NAME = "axis_sort"

_PATIENCE: Final = 4
"""Core counts in a row that may bring nothing before a direction is given up; measured: fewer leave x[64,512] on 3 of 48 cores."""
_PATIENCE_WITH_TILES: Final = 3
"""The same for sizes of the first tiles."""
_NEARBY: Final = (-3, -2, -1, 1, 2, 3)
"""Core counts around the best one: what steps of 4 pass over."""
_MORE_TILES: Final = 15
"""So many tiles more than at first a core of the best tiling may be given."""
_ROUNDS: Final = 3
"""How often the best tiling's neighbours are looked at, as long as one is faster."""
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
    """The fastest tiling seen so far."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.best: dict[str, int] = {}
        self.time: int | None = None
        self._balanced: dict[tuple[object, ...], int | None] = {}
        """What `_balance` found from each tiling: walks for many core counts come to the same tiles."""

    def run(self, trade: Trade | None) -> bool:
        """Whether a legal tiling was found; the board then holds the fastest.

        Queues have two buffers by rule where the number is open, and one where not even the smallest tiles fit with two.
        """
        return self._run(trade) or (self.board.drop_second_buffers() and self._run(trade))

    def _run(self, trade: Trade | None) -> bool:
        board, limit = self.board, self.board.core_limit
        for order in board.orders:
            if trade is None:
                self._search_cores(order)
            else:
                self._try(Aim(order=order, fewest=max(1, limit * trade.cores_ppm // PPM), most=limit, ub_ppm=trade.ub_ppm, more=0))
        if self.time is None and trade is None:
            self._make_way()
        if self.time is None:
            start(board)
            share(board, limit)
            self._keep()
        elif trade is None:
            self._improve()
        board.values.update(self.best)
        return self.time is not None

    def _search_cores(self, order: Order) -> None:
        """The largest tiles, then other core counts than theirs: fewer cores keep the tiles large, more make them smaller."""
        limit = self.board.core_limit
        time = self._try(Aim(order=order, most=limit))
        first = self.board.cores
        for direction in (-1, 1) if self.board.blocks and time is not None else ():
            counts = self._counts(first, direction)
            time = self._walk((Aim(order=order, fewest=n if direction > 0 else 1, most=n) for n in counts), time, _PATIENCE)

    def _make_way(self) -> None:
        """First tiles so small that later ones, of which cores take one each, grow until there are no more of them than cores."""
        for order in self.board.orders:
            plain = Aim(order=order, most=self.board.core_limit)
            self._try(plain)
            for caps in list(smaller(order[0], self.board.values)):
                if self._try(replace(plain, caps=caps)) is not None:
                    break

    def _counts(self, cores: int, direction: int) -> Iterator[int]:
        """Core counts from one on, each a step from the cores that the last tiling really uses."""
        count = next_count(cores, direction, self.board.core_limit)
        while count is not None:
            yield count
            used = self.board.cores
            count = next_count(max(count, used) if direction > 0 else min(count, used), direction, self.board.core_limit)

    def _improve(self) -> None:
        """What one axis after another cannot find."""
        for order in self.board.orders:
            if len(order) > 1:
                self._trade_tiles(order)
        if self.board.blocks:
            self._step_cores()
            self._even_out()
        for pair in permutations(self.board.shared_tiles, 2):
            self._spread(*pair)
        for _ in range(_ROUNDS):
            if not self._step_tiles():
                break

    def _trade_tiles(self, order: Order) -> None:
        """The first tiles smaller and smaller, for larger later ones; then a little around the best of them."""
        for most in self._core_counts():
            plain = Aim(order=order, most=most)
            time = self._try(plain)
            caps = list(smaller(order[0], self.board.values))
            self._walk((replace(plain, caps=c) for c in caps), time, _PATIENCE_WITH_TILES)
            self.board.values.update(self.best)
            for caps in list(in_pieces(self.board, order[0])):
                self._try(replace(plain, caps=caps))

    def _step_cores(self) -> None:
        """Core counts next to that of the best tiling."""
        (cores, *_), limit = self._core_counts(), self.board.core_limit
        counts = [n for step in _NEARBY if 1 <= (n := cores + step) <= limit]
        for order in self.board.orders:
            for n in counts:
                self._try(Aim(order=order, fewest=n, most=n))
                self._try(Aim(order=order, most=n))

    def _even_out(self) -> None:
        """More and smaller tiles for each core of the best tiling."""
        held, counts = self.best, self._core_counts()
        for more in range(_MORE_TILES + 1):
            for cores in counts:
                self.board.values.update(held)
                if balance(self.board, cores, more):
                    self._keep()

    def _spread(self, first: Var, second: Var) -> None:
        """Two tiles that share the cores: each number of pieces of the one, with those of the other that the cores are left for."""
        limit = self.board.core_limit
        for pieces in range(1, min(limit, self.board.extent(first)) + 1):
            if spread(self.board, first, second, pieces, limit):
                share(self.board, limit)
                self._keep()

    def _step_tiles(self) -> bool:
        """Each tile of the best tiling as it is and a little smaller and larger, with shares of its own; whether one of these is faster."""
        held, before, counts = self.best, self.time, self._core_counts()
        for var in self.board.tiles:
            for value in (held[var.name], *self._neighbours(var, held)):
                for most in counts:
                    self.board.values.update(held)
                    if hold(self.board, var, value):
                        share(self.board, most)
                        self._keep()
        return self.time != before

    def _neighbours(self, var: Var, held: Tiling) -> tuple[int, ...]:
        self.board.values.update(held)
        return neighbours(var, held[var.name], self.board.extent(var))

    def _core_counts(self) -> tuple[int, ...]:
        """The cores of the best tiling, and all."""
        self.board.values.update(self.best)
        return tuple(dict.fromkeys((self.board.cores, self.board.core_limit)))

    def _walk(self, aims: Iterable[Aim], time: int | None, patience: int) -> int | None:
        """One aim after another until some in a row brought nothing; the shortest time, ticks."""
        idle = 0
        for aim in aims:
            now = self._try(aim)
            shortest = _shorter(time, now)
            idle = idle + 1 if shortest == time else 0
            time = shortest
            if idle == patience:
                break
        return time

    def _try(self, aim: Aim) -> int | None:
        """The tiling for an aim, and those with more and smaller tiles for each core; the shortest time, ticks, None if none is legal.

        The board holds the first of them in the end.
        """
        board = self.board
        if not cut(board, aim):
            return None
        time, held = self._keep(), dict(board.values)
        for cores in dict.fromkeys((board.cores, aim.most, board.core_limit)) if board.shared_tiles else ():
            key = (cores, aim.more, *held.values())
            if key not in self._balanced:
                self._balanced[key] = self._balance(held, cores, aim.more)
            time = _shorter(time, self._balanced[key])
        board.values.update(held)
        return time

    def _balance(self, held: Tiling, cores: int, most: int) -> int | None:
        """The shortest time with smaller tiles and up to so many more of them for each core than in a tiling, ticks."""
        time = None
        for more in range(most + 1):
            self.board.values.update(held)
            if balance(self.board, cores, more):
                time = _shorter(time, self._keep())
            if even(self.board, cores):
                break
        return time

    def _keep(self) -> int | None:
        """Remembers the tiling if it is the fastest so far; its time, ticks, None if it is not legal."""
        board = self.board
        if not board.legal():
            return None
        time = board.time
        if self.time is None or time < self.time:
            self.best, self.time = dict(board.values), time
        return time


def _shorter(one: int | None, other: int | None) -> int | None:
    return one if other is None else other if one is None else min(one, other)
