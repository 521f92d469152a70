"""Exact search by branch and bound on boxes of tilings, thousands at a time.

The boxes with the smallest lower bound of the makespan are cut first. A box is dropped when it cannot hold a legal tiling, when
its lower bound exceeds the best time found, or when it equals that time and its tie-break cannot be smaller. Legal tilings come
from corners of the most promising boxes. Costs are not monotone in the tile sizes, so nothing but interval bounds ever discards a
tiling.

Bounds by total work (`att.solve.relaxation`) come in after a few rounds only: most problems are done by then, and expanding the work
takes longer than those rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import monotonic

import numpy as np

from att.errors import ModelError
from att.model.tiling import Problem, Tiling
from att.solve.base import SolveOptions, SolveResult, SolveStatus
from att.solve.boxes import Boxes, BoxProblem, Judged
from att.solve.outcome import beyond, outcome
from att.solve.saturating import LIMIT, Truth
from att.solve.splitting import corners, cut

NAME = "enumerate"

_BATCH = 1024
"""Boxes judged at a time: enough to hide numpy's cost per call, few enough to stay in cache and near the best bounds."""
_PARENTS = 256
"""Boxes cut per round."""
_PROBES = 64
"""Boxes per round whose corners are tried as tilings."""
_BOXES_PER_UNIT = 1_000_000
"""Boxes per unit of the work limit."""
_KEPT_PER_JUDGED = 2
"""Open boxes sorted and copied in a round that count as one judged. Measured: 20 take its time; they are charged more for their memory."""


_PLAIN_ROUNDS = 4
"""Rounds before the bounds are sharpened. Measured on 94 benchmark problems: 3 take 18 % longer in all, 6 take 10 %; always sharp 30 %."""


@dataclass(frozen=True, slots=True)
class _Best:
    """A tiling by grid numbers with its key `(time, ties...)`; the lexicographically smallest key wins."""

    key: tuple[int, ...]
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EnumerateSolver:
    """Exact solver that shares nothing with CP-SAT but the model."""

    relaxed: bool = True
    """Sharpen the bounds by total work where a few rounds leave boxes; switched off only to measure what it brings."""
    name: str = NAME
    exact: bool = True

    def solve(self, problem: Problem, options: SolveOptions, hint: Tiling | None = None) -> SolveResult:
        """The one best tiling, or with the limit reached the best found and a lower bound. A hint only speeds up pruning."""
        if problem.contradiction is not None:
            return outcome(NAME, SolveStatus.INFEASIBLE, note=problem.contradiction.origin.text)
        try:
            boxes = BoxProblem(problem)
            if any(grid.size == 0 for grid in boxes.grids):
                return outcome(NAME, SolveStatus.INFEASIBLE, note="a variable has no legal value")
            return _Search(boxes, options).run(hint, (lambda: BoxProblem(problem, relaxed=True)) if self.relaxed else None)
        except ModelError as error:
            return outcome(NAME, SolveStatus.UNSUPPORTED, note=str(error))


class _Search:
    """The state of one solve."""

    def __init__(self, problem: BoxProblem, options: SolveOptions) -> None:
        self.problem = problem
        self.best: _Best | None = None
        self.ceiling = options.upper_bound_ticks
        self.limit = int(options.work_limit * _BOXES_PER_UNIT)
        self.deadline = monotonic() + options.watchdog_s
        self.judged = 0
        self.kept = 0
        """Open boxes, summed over the rounds."""
        self.rounds = 0
        self.stuck = False
        """Whether what is left are numbers that the search cannot tell apart."""

    def run(self, hint: Tiling | None, sharper: Callable[[], BoxProblem] | None) -> SolveResult:
        """The answer; `sharper`: the same problem with better bounds, for those that take long."""
        root = self.problem.root
        pool = self._judge(root if hint is None else root.joined(self.problem.point(hint)))
        while pool.boxes.count and self.judged + self.kept // _KEPT_PER_JUDGED < self.limit and monotonic() < self.deadline:
            self.kept += pool.boxes.count
            chosen, rest = self._most_promising(pool)
            self.stuck = self._is_stuck(chosen)
            if self.stuck:
                break
            probes = corners(self.problem, chosen.take(np.arange(min(_PROBES, chosen.boxes.count))))
            children = self._judge(cut(self.problem, chosen, _BATCH).joined(probes))
            pool = rest.take(~self._beaten(rest)).joined(children)
            if self.rounds == _PLAIN_ROUNDS and pool.boxes.count and sharper is not None:
                self.problem = sharper()
                pool = self._judge(pool.boxes)
        return self._answer(pool)

    def _judge(self, boxes: Boxes) -> Judged:
        """The boxes that may hold a better tiling than the best found, after taking their points into account."""
        found = self.problem.evaluate(boxes)
        self.judged += boxes.count
        self.rounds += 1
        self._offer(found.take(found.exact))
        return found.take(found.possible & ~found.exact & ~self._beaten(found))

    def _offer(self, points: Judged) -> None:
        if not points.boxes.count:
            return
        rows = [points.time[0], *(t[0] for t in points.ties)]
        first = int(np.lexsort(rows[::-1])[0])
        key = tuple(int(row[first]) for row in rows)
        if (self.best is None or key < self.best.key) and (self.ceiling is None or key[0] <= self.ceiling):
            self.best = _Best(key, tuple(int(v) for v in points.values[0, :, first]))

    def _beaten(self, boxes: Judged) -> Truth:
        """Boxes that hold nothing better than the best found, nor anything within the ceiling."""
        if self.best is None:
            return boxes.time[0] > self.ceiling if self.ceiling is not None else np.zeros(boxes.boxes.count, dtype=np.bool_)
        beaten = np.ones(boxes.boxes.count, dtype=np.bool_)
        for rows, limit in zip(reversed((boxes.time, *boxes.ties)), reversed(self.best.key), strict=True):
            beaten = (rows[0] > limit) | ((rows[0] == limit) & beaten)
        return beaten

    def _most_promising(self, pool: Judged) -> tuple[Judged, Judged]:
        order = np.argsort(pool.time[0], kind="stable")
        return pool.take(order[:_PARENTS]), pool.take(order[_PARENTS:])

    def _is_stuck(self, chosen: Judged) -> bool:
        """Whether no further round would change anything: all that is left takes `LIMIT` ticks or more, or cannot be cut."""
        return (self.best is None and int(chosen.time[0].min()) >= LIMIT) or bool(chosen.boxes.is_point.all())

    def _answer(self, pool: Judged) -> SolveResult:
        effort = {"boxes": self.judged, "rounds": self.rounds}
        open_bound = int(pool.time[0].min()) if pool.boxes.count else None
        if self.best is None:
            return self._nothing(open_bound, effort)
        tiling = dict(zip(self.problem.names, self.best.values, strict=True))
        time = self.best.key[0]
        status = SolveStatus.OPTIMAL if open_bound is None else SolveStatus.FEASIBLE
        bound = time if open_bound is None else min(time, open_bound)
        note = "" if open_bound is None else self._why_open()
        return outcome(NAME, status, tiling=tiling, time=time, bound=bound, effort=effort, note=note)

    def _nothing(self, open_bound: int | None, effort: Mapping[str, int]) -> SolveResult:
        if open_bound is None:
            return beyond(NAME, self.ceiling, effort, "every box of tilings breaks a constraint")
        bound = max(open_bound, 0)
        status = SolveStatus.UNSUPPORTED if self.stuck else SolveStatus.TIMEOUT
        return outcome(NAME, status, bound=bound, effort=effort, note=self._why_open())

    def _why_open(self) -> str:
        if self.stuck:
            return "the times or tie-breaks of what is left reach 2^61, beyond which the search does not tell tilings apart"
        return f"limit reached after {self.judged} boxes"
