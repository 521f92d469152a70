"""Choosing among templates: each is solved only as far as it can still win.

The order of templates is total: time, then UB in use, then cores, then name. So the choice does not depend on the order in which they come
(the reference's does, att_facts.md §5.3 no. 71; `SolveOptions.compat` follows it).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from att.model.evaluate import CostBreakdown, evaluate
from att.model.policy import PPM
from att.model.tiling import Problem
from att.solve.base import SolveOptions, Solver, SolveResult, SolveStatus
from att.solve.bounds import lower_bound
from att.solve.dead_band import Offer, reference_choice
from att.solve.outcome import outcome
from att.solve.proving import run_until_proven
from att.solve.registry import solver_named
from att.solve.run import Start, run, starting_point


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What became of one template."""

    problem: Problem
    result: SolveResult
    cost: CostBreakdown | None
    """Cost of the result's tiling."""
    ceiling_ticks: int | None = None
    """The time of another template, which its bound shows to be faster; the tiling, if any, is then the heuristic's."""
    reason: str = ""

    @property
    def pruned(self) -> bool:
        """Whether it was given up for another template."""
        return self.ceiling_ticks is not None

    @property
    def rank(self) -> tuple[int, int, int, str]:
        """Smaller is better; only for rows with a tiling."""
        assert self.cost is not None
        return self.cost.objective_ticks, self.cost.ub_bytes, self.cost.block_dim, self.problem.template


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """All templates, in the order given, and the best."""

    rows: tuple[Row, ...]
    best: Row | None

    @property
    def bound_ticks(self) -> int | None:
        """No tiling of any template is faster, ticks; None if unknown."""
        open_rows = [r for r in self.rows if r.result.status is not SolveStatus.INFEASIBLE]
        bounds = [r.result.bound_ticks for r in open_rows]
        return None if not bounds or None in bounds else min(b for b in bounds if b is not None)

    @property
    def status(self) -> SolveStatus:
        """OPTIMAL if the best is proven to be so among all templates; without a best, why there is none."""
        if self.best is None:
            seen = {r.result.status for r in self.rows}
            undecided = (s for s in (SolveStatus.TIMEOUT, SolveStatus.UNSUPPORTED) if s in seen)
            return next(undecided, SolveStatus.INFEASIBLE)
        proven = self.best.result.status is SolveStatus.OPTIMAL and self.bound_ticks == self.best.result.objective_ticks
        return SolveStatus.OPTIMAL if proven else SolveStatus.FEASIBLE


def select(problems: Sequence[Problem], solver_name: str, options: SolveOptions) -> Selection:
    """Solves every template as far as it may win and picks the best.

    An exact solver only looks for times up to the best one known; where it proves that a template has none, the row is `pruned`. Where
    CP-SAT stops without a proof, enumerate is asked (`att.solve.proving`).
    Measured: a lower bound before each solve costs half as much as all solves together and spares a fiftieth of them, since exact
    solvers begin with the same intervals, under that cap. Raises what `run` raises.
    """
    solver = solver_named(solver_name)
    if not solver.exact:
        rows = [_row(p, run(p, solver_name, options)) for p in problems]
        return _as_the_reference(rows) if options.compat else _selection(rows)
    starts = [None if p.contradiction is not None else starting_point(p) for p in problems]
    known = [s.ticks for s in starts if s is not None] + ([] if options.upper_bound_ticks is None else [options.upper_bound_ticks])
    ceiling = min(known, default=None)
    known_rows: dict[int, Row] = {}
    for index in _most_promising_first(problems, starts):
        row = _solved(problems[index], solver, replace(options, upper_bound_ticks=ceiling), starts[index])
        if row.cost is not None:
            ceiling = row.cost.objective_ticks if ceiling is None else min(ceiling, row.cost.objective_ticks)
        known_rows[index] = row
    return _selection([known_rows[i] for i in range(len(problems))])


def _most_promising_first(problems: Sequence[Problem], starts: Sequence[Start | None]) -> list[int]:
    """Positions by the heuristic's time, then by name: the order of the input plays no part."""
    return sorted(range(len(problems)), key=lambda i: (*_promise(starts[i]), problems[i].template))


def _promise(start: Start | None) -> tuple[bool, int]:
    return (True, 0) if start is None else (False, start.ticks)


def _solved(problem: Problem, solver: Solver, options: SolveOptions, start: Start | None) -> Row:
    """One template, as far as it can still beat `options.upper_bound_ticks`."""
    if problem.contradiction is not None:
        note = problem.contradiction.origin.text
        return _row(problem, outcome(solver.name, SolveStatus.INFEASIBLE, note=note))
    result = run_until_proven(problem, solver, options, start)
    if result.status is SolveStatus.UNSUPPORTED:
        return _row(problem, _with_start(result, start, lower_bound(problem)))
    ceiling, reached = options.upper_bound_ticks, result.bound_ticks
    if ceiling is None or reached is None or reached <= ceiling:
        return _row(problem, result)
    return replace(_row(problem, result), ceiling_ticks=ceiling)


def _with_start(result: SolveResult, start: Start | None, bound: int) -> SolveResult:
    """The refusal of a solver with what is known without it: the others are held against the heuristic's tiling."""
    known = max(bound, result.bound_ticks or 0)
    if start is None:
        return replace(result, bound_ticks=known)
    return replace(result, tiling=start.tiling, objective_ticks=start.ticks, bound_ticks=known)


def _row(problem: Problem, result: SolveResult) -> Row:
    cost = None if result.tiling is None else evaluate(problem, result.tiling)
    return Row(problem=problem, result=result, cost=cost, reason=result.note)


def _selection(rows: Sequence[Row]) -> Selection:
    found = [r for r in rows if r.cost is not None]
    return Selection(rows=tuple(rows), best=min(found, key=lambda r: r.rank) if found else None)


def _as_the_reference(rows: Sequence[Row]) -> Selection:
    """The selection by the reference's rule, which depends on the order."""
    found = [r for r in rows if r.cost is not None]
    offers = [Offer(r.cost.objective_ticks, r.cost.ub_bytes * PPM // r.problem.ub_capacity_bytes) for r in found if r.cost is not None]
    place = reference_choice(offers, found[0].problem.policy) if found else None
    return Selection(rows=tuple(rows), best=None if place is None else found[place])
