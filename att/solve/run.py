"""Running a solver on a problem: the heuristic first, then the solver, then the judges.

Every answer passes the checker and the evaluator, which share no code with any solver, before anyone sees it; a contradiction is a bug of
ours, never a result.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

from att.errors import BackendBug
from att.expr.node import nodes_held
from att.model.check import check
from att.model.evaluate import evaluate
from att.model.tiling import Problem, Tiling
from att.solve.apart import solve_apart
from att.solve.base import SolveOptions, Solver, SolveResult, SolveStatus
from att.solve.outcome import outcome
from att.solve.registry import solver_named

HEURISTIC = "axis_sort"


@dataclass(frozen=True, slots=True)
class Start:
    """A legal tiling to start from, with its time in ticks."""

    tiling: Tiling
    ticks: int


@nodes_held()
def run(problem: Problem, solver_name: str, options: SolveOptions) -> SolveResult:
    """The solver's answer, judged.

    An exact solver starts from the heuristic's tiling and looks only for times up to it, or up to `options.upper_bound_ticks` if
    that is less; where it finds none, or its limit is reached first, the heuristic's tiling is the answer, with the bound that
    was proven. Raises UsageError for an unknown solver, BackendBug where an answer does not stand.
    """
    solver = solver_named(solver_name)
    if problem.contradiction is not None:
        return outcome(solver.name, SolveStatus.INFEASIBLE, note=problem.contradiction.origin.text)
    return run_from(problem, solver, options, starting_point(problem) if solver.exact else None)


def starting_point(problem: Problem) -> Start | None:
    """The heuristic's tiling, judged; None if it finds none that stands.

    An exact solver needs no start: a tiling that does not stand is left out with a warning (an error in tests), not refused.

    Measured: starting from `descent`, whose cap is nearly optimal, costs 3 % (cpsat) and 7 % (enumerate) more processor time over the
    141 benchmark problems: it saves 4 % and 7 % of the solver's own time and takes twice as long itself.
    """
    heuristic = solver_named(HEURISTIC)
    found = solve_apart(heuristic, problem, SolveOptions(), None)
    try:
        judge(problem, found, None)
    except BackendBug as bug:
        warnings.warn(f"solved without the heuristic's start, which does not stand: {bug}", RuntimeWarning, stacklevel=2)
        return None
    return None if found.tiling is None or found.objective_ticks is None else Start(found.tiling, found.objective_ticks)


def run_from(problem: Problem, solver: Solver, options: SolveOptions, start: Start | None) -> SolveResult:
    """The solver's answer from a given start, judged (see `run`)."""
    ceilings = [t for t in (options.upper_bound_ticks, start.ticks if start else None) if t is not None]
    limited = replace(options, upper_bound_ticks=min(ceilings) if ceilings else None)
    result = solve_apart(solver, problem, limited, start.tiling if start else None)
    if result.status is SolveStatus.TIMEOUT and start is not None:
        result = outcome(
            solver.name,
            SolveStatus.FEASIBLE,
            tiling=start.tiling,
            time=start.ticks,
            bound=None if result.bound_ticks is None else min(result.bound_ticks, start.ticks),
            effort=result.effort,
            note=result.note,
        )
    judge(problem, result, start)
    return result


def judge(problem: Problem, result: SolveResult, start: Start | None) -> None:
    """Raises BackendBug if an answer contradicts the checker, the evaluator, itself or a known tiling."""
    where = f"{problem.template}, solver {result.solver}"
    if result.tiling is not None:
        known = start.ticks if start is not None and result.tiling == start.tiling else None
        _judge_tiling(problem, result.tiling, known, result, where)
    elif result.status in (SolveStatus.OPTIMAL, SolveStatus.FEASIBLE):
        raise BackendBug(f"status {result.status} without a tiling", where=where)
    if result.status is SolveStatus.OPTIMAL and result.bound_ticks != result.objective_ticks:
        raise BackendBug(f"optimal at {result.objective_ticks} ticks with bound {result.bound_ticks}", where=where)
    if start is not None and result.status is SolveStatus.INFEASIBLE:
        raise BackendBug(f"infeasible, but {dict(start.tiling)} is legal", where=where)
    if start is not None and result.bound_ticks is not None and result.bound_ticks > start.ticks:
        raise BackendBug(f"bound {result.bound_ticks} ticks, but {dict(start.tiling)} takes {start.ticks}", where=where)


def _judge_tiling(problem: Problem, tiling: Tiling, known: int | None, result: SolveResult, where: str) -> None:
    """`known`: the ticks of a tiling that was judged before, as a start is."""
    ticks = _ticks_of_legal(problem, tiling, where) if known is None else known
    if ticks != result.objective_ticks:
        raise BackendBug(f"{dict(tiling)} takes {ticks} ticks, the solver says {result.objective_ticks}", where=where)
    if result.bound_ticks is not None and result.bound_ticks > ticks:
        raise BackendBug(f"bound {result.bound_ticks} ticks is above the time of its own tiling, {ticks}", where=where)


def _ticks_of_legal(problem: Problem, tiling: Tiling, where: str) -> int:
    violations = check(problem, tiling)
    if violations:
        raise BackendBug(f"{dict(tiling)} is not legal: {violations[0].text}", where=where)
    return evaluate(problem, tiling).objective_ticks
