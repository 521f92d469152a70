"""Exact answers to side questions about a model: other constraints, other goals, other variables held."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from att.expr.core import Expr, integer
from att.model.bind import bind
from att.model.tiling import Constraint, CoreTime, Makespan, NodeTime, PipeTime, Problem, TilingModel
from att.ops.call import Pipe
from att.solve.base import SolveOptions, SolveResult, SolveStatus
from att.solve.run import run, starting_point

_SOLVERS = ("cpsat", "enumerate")
"""Asked in this order until one is sure."""

_WORK_LIMIT = 0.5
"""Units of work for one side question: a person waits for many of them."""

SURE = (SolveStatus.OPTIMAL, SolveStatus.INFEASIBLE)


def solved(problem: Problem, limits: SolveOptions, *, below: int | None = None) -> SolveResult:
    """The answer of the first exact solver that is sure, else that of the first one; `below`: slower tilings do not matter, ticks."""
    small = replace(limits, upper_bound_ticks=below, work_limit=min(limits.work_limit, _WORK_LIMIT))
    first = run(problem, _SOLVERS[0], small)
    if first.status in SURE:
        return first
    second = run(problem, _SOLVERS[1], small)
    return second if second.status in SURE else first


def with_goal(model: TilingModel, goal: Expr) -> TilingModel:
    """The model with another objective, at least 0, in place of the time; any of the best tilings will do."""
    work = CoreTime(ticks=goal, nodes=(NodeTime(node="goal", ticks=goal),))
    pipe = PipeTime(pipe=Pipe.VEC, head=integer(0), cores=(work,))
    phase = Makespan(launch=integer(0), pipes=(pipe,), block_dim=integer(1), ub_bytes=integer(0))
    return replace(model, phases=(phase,), tie_break=(), workspace_bytes=integer(0))


def with_constraints(model: TilingModel, constraints: Iterable[Constraint]) -> TilingModel:
    """The model with other constraints."""
    return replace(model, constraints=tuple(constraints))


def is_feasible(model: TilingModel, shape: Mapping[str, int], fixed: Mapping[str, int], limits: SolveOptions) -> bool | None:
    """Whether some tiling is legal; None where a limit or the size of the numbers leaves it open."""
    problem = bind(with_goal(model, integer(0)), shape, fixed=fixed)
    if problem.contradiction is not None:
        return False
    if starting_point(problem) is not None:
        return True
    status = solved(problem, limits).status
    return False if status is SolveStatus.INFEASIBLE else True if status in (SolveStatus.OPTIMAL, SolveStatus.FEASIBLE) else None
