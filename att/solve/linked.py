"""Solving a problem whose second phase sees the first through one count only (`att.solve.link`), phase by phase.

The time is `min over n of first(n) + second(n)`, and no search has to walk the product of both phases' tilings. First comes the best tiling
of the first phase with a lower bound of `second(n)` added to its time; then the second phase is solved for that n, which settles n; the
bounds of the counts around it are raised; and so on until no count that is left can beat what was found. Every part is an ordinary problem
for the solver, whichever it is. Equal times are decided by the tie-break of each phase, and between counts by that of the whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from att.expr.evaluate import compile_program, evaluate_all
from att.model.check import check
from att.model.evaluate import evaluate as cost_of
from att.model.tiling import Problem, Tiling
from att.solve.base import SolveOptions, Solver, SolveResult, SolveStatus
from att.solve.bounds import lower_bound
from att.solve.link import Link
from att.solve.outcome import beyond, outcome, total_effort

_NEVER: Final = 2**51
"""Ticks of a count that needs no second look; no time reaches it (design §4: objectives stay below 2^53)."""
_WORTH_A_LOOK: Final = 100
"""The heuristic solves twice where another count could save one part in so many."""
_WORK_OF: Final = {"deterministic_us": 1_000_000, "boxes": 1_000_000}
"""Effort that one unit of the work limit stands for (`SolveOptions.work_limit`)."""


def solve_linked(solver: Solver, link: Link, options: SolveOptions, hint: Tiling | None) -> SolveResult:
    """The solver's answer for the whole, from its answers for the parts."""
    return _Search(solver, link, options).run(hint)


def solve_in_turn(solver: Solver, link: Link, options: SolveOptions) -> SolveResult:
    """A heuristic's answer: the first phase as if it were alone, then the second for the count it leaves; the whole where that fails.

    Then once more, the first phase with what this second one would take for each count, which counts if it is faster.
    """
    first = _in_turn(solver, link, options, (0,) * link.most)
    if first is None or first.tiling is None or first.objective_ticks is None:
        return solver.solve(link.problem, options)
    ticks = _second_ticks(link, first.tiling)
    saved = ticks[link.count_of(first.tiling) - 1] - min(ticks)
    again = _in_turn(solver, link, options, ticks) if saved * _WORTH_A_LOOK > first.objective_ticks else None
    if again is None:
        return first
    best = min(first, again, key=lambda found: found.objective_ticks or 0)
    return replace(best, effort=total_effort((first, again)))


def _in_turn(solver: Solver, link: Link, options: SolveOptions, ticks: tuple[int, ...]) -> SolveResult | None:
    """Phase by phase, the first with `ticks[n - 1]` more where the count is n; None where a phase gets no answer."""
    first = solver.solve(link.first_with(ticks), options)
    if first.tiling is None:
        return None
    second = solver.solve(link.second_at(link.count_of(first.tiling)), options)
    if second.tiling is None:
        return None
    tiling = {**first.tiling, **second.tiling}
    time = cost_of(link.problem, tiling).objective_ticks
    return outcome(solver.name, SolveStatus.FEASIBLE, tiling=tiling, time=time, effort=total_effort((first, second)))


def _second_ticks(link: Link, tiling: Tiling) -> tuple[int, ...]:
    """Ticks of the second phase with its tiles as they are, by count; a count that no tiling of it has is never worth it."""
    whole = link.second_within(1, link.most)
    counts = next(v for v in whole.variables if v.name == link.name.name).symbol.domain
    program = compile_program((whole.objective,))
    legal = range(counts.lo, counts.hi + 1)
    return tuple(program.run({**tiling, link.name.name: n})[0] if n in legal else _NEVER for n in range(1, link.most + 1))


class _StoppedError(Exception):
    """A part is not settled within the limit, or not by this solver."""

    def __init__(self, part: SolveResult) -> None:
        super().__init__(part.note)
        self.part = part


class _Search:
    """The state of one solve."""

    def __init__(self, solver: Solver, link: Link, options: SolveOptions) -> None:
        self.solver = solver
        self.link = link
        self.options = options
        self.ceiling = options.upper_bound_ticks
        self.least = [0] * link.most
        """By count, less one: the second phase takes at least so long, ticks."""
        self.best: tuple[tuple[int, ...], Tiling] | None = None
        self.effort: dict[str, int] = {}

    def run(self, hint: Tiling | None) -> SolveResult:
        whole = self.link.second_within(1, self.link.most)
        if whole.contradiction is not None:
            return beyond(self.solver.name, None, {}, whole.contradiction.origin.text)
        self.least = [lower_bound(whole)] * self.link.most
        try:
            while self._settle_one(hint):
                pass
        except _StoppedError as stop:
            return self._unproven(stop.part)
        if self.best is None:
            return beyond(self.solver.name, self.options.upper_bound_ticks, self.effort, "no count of partial results is legal")
        (time, *_), tiling = self.best
        return outcome(self.solver.name, SolveStatus.OPTIMAL, tiling=tiling, time=time, bound=time, effort=self.effort)

    def _settle_one(self, hint: Tiling | None) -> bool:
        """Settles the most promising count; False where none is left."""
        first = self._solved(self.link.first_with(tuple(self.least)), self.ceiling, hint)
        if first is None or first.tiling is None or first.objective_ticks is None or first.objective_ticks >= _NEVER:
            return False
        total = first.objective_ticks
        n = self.link.count_of(first.tiling)
        alone = total - self.least[n - 1]
        second = self._solved(self.link.second_at(n), None if self.ceiling is None else self.ceiling - alone)
        found = None if second is None else second.tiling
        if found is not None:
            self._offer({**first.tiling, **found})
        self._raise_around(n, total, found)
        return True

    def _offer(self, tiling: Tiling) -> None:
        problem = self.link.problem
        ties = evaluate_all(problem.source.tie_break, {**problem.shape, **tiling})
        key = (cost_of(problem, tiling).objective_ticks, *(int(t) for t in ties))
        if self.best is None or key < self.best[0]:
            self.best = (key, tiling)
            self.ceiling = key[0]

    def _raise_around(self, n: int, total: int, tiling: Tiling | None) -> None:
        """Settles a count, and raises the bounds of those that had the same: no first phase takes less than `total` less that bound.

        `tiling`: the best of the second phase for that count, which others start from.
        """
        bound, self.least[n - 1] = self.least[n - 1], _NEVER
        alike = [m for m in range(1, self.link.most + 1) if self.least[m - 1] == bound]
        for group in _around(n, alike):
            if not group:
                continue
            left = None if self.ceiling is None else self.ceiling - (total - bound)
            hint = None if tiling is None else {**tiling, self.link.name.name: group[0]}
            found = self._solved(self.link.second_within(group[0], group[-1]), left, hint, sharp=True)
            raised = _NEVER if found is None else found.objective_ticks or bound
            for m in group:
                self.least[m - 1] = raised

    def _solved(self, problem: Problem, ceiling: int | None, hint: Tiling | None = None, *, sharp: bool = False) -> SolveResult | None:
        """The proven answer for a part; None where it has none within the ceiling."""
        if problem.contradiction is not None or (ceiling is not None and ceiling < 0):
            return None
        spent = sum(count / _WORK_OF[name] for name, count in self.effort.items() if name in _WORK_OF)
        limits = replace(self.options, sharp=sharp, upper_bound_ticks=ceiling, work_limit=max(0.0, self.options.work_limit - spent))
        own = None if hint is None else {v.name: hint[v.name] for v in problem.variables}
        if own is not None and check(problem, own):
            own = None
        if own is not None:
            known = cost_of(problem, own).objective_ticks
            own, ceiling = (None, ceiling) if ceiling is not None and known > ceiling else (own, known)
            limits = replace(limits, upper_bound_ticks=ceiling)
        result = self.solver.solve(problem, limits, own)
        for name, count in result.effort.items():
            self.effort[name] = self.effort.get(name, 0) + count
        if result.status is SolveStatus.OPTIMAL:
            return result
        refuted = result.status is SolveStatus.INFEASIBLE
        if refuted or (result.status is SolveStatus.TIMEOUT and ceiling is not None and result.bound_ticks == ceiling + 1):
            return None
        raise _StoppedError(result)

    def _unproven(self, part: SolveResult) -> SolveResult:
        unread = part.status is SolveStatus.UNSUPPORTED
        note = part.note if unread else "limit reached before the proof"
        known = lower_bound(self.link.problem)
        if self.best is None:
            status = SolveStatus.UNSUPPORTED if unread else SolveStatus.TIMEOUT
            return outcome(self.solver.name, status, bound=known, effort=self.effort, note=note)
        (time, *_), tiling = self.best
        bound = min(time, known)
        return outcome(self.solver.name, SolveStatus.FEASIBLE, tiling=tiling, time=time, bound=bound, effort=self.effort, note=note)


def _around(n: int, counts: Sequence[int]) -> Iterator[list[int]]:
    """The counts in groups, a small one below n: there both phases decide."""
    yield [m for m in counts if m < 3 * n // 4]
    yield [m for m in counts if 3 * n // 4 <= m < n]
    yield [m for m in counts if m > n]
