"""A proof from whichever exact solver gives one first.

CP-SAT and enumerate are slow on different problems, and a proof is a proof. So CP-SAT works for a while, then enumerate, and both once
more as far as the limit goes; each starts from the best tiling so far. A person who asks for enumerate gets enumerate alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from time import monotonic
from types import MappingProxyType
from typing import Final

from att.model.tiling import Problem
from att.solve.base import SolveOptions, Solver, SolveResult, SolveStatus
from att.solve.outcome import total_effort
from att.solve.registry import solver_named
from att.solve.run import Start, run_from

PATIENCE: Final = 1.0
"""Work before the other solver is asked, units of each. Measured: 241 benchmark problems take CP-SAT 0.1, enumerate 0.01 at most."""

_SECOND: Final[Mapping[str, str]] = MappingProxyType({"cpsat": "enumerate"})


def run_until_proven(problem: Problem, solver: Solver, options: SolveOptions, start: Start | None) -> SolveResult:
    """The first answer that is a proof, as `run_from` judges it; where there is none, the best tiling and the best bound of all.

    `options.work_limit` is what each solver may use in all, `options.watchdog_s` what they may use together. Raises what `run_from` raises.
    """
    second = _SECOND.get(solver.name)
    if second is None:
        return run_from(problem, solver, options, start)
    deadline_s = monotonic() + options.watchdog_s
    found: list[SolveResult] = []
    for name, work in _turns((solver.name, second), options.work_limit):
        limited = replace(options, work_limit=work, watchdog_s=max(0.0, deadline_s - monotonic()))
        found.append(run_from(problem, solver if name == solver.name else solver_named(name), limited, start))
        if _is_settled(found[-1], options.upper_bound_ticks):
            return replace(found[-1], effort=total_effort(found))
        start = _better(start, found[-1])
    return _best(found)


def _turns(names: Sequence[str], limit: float) -> Iterator[tuple[str, float]]:
    """Who works how much: everyone a little, then everyone the rest."""
    little = min(limit, PATIENCE)
    for work in (little, limit - little) if limit > little else (little,):
        yield from ((name, work) for name in names)


def _is_settled(result: SolveResult, ceiling: int | None) -> bool:
    """Whether more work would add nothing: a proof of the optimum, or that nothing is as fast as the ceiling."""
    beyond = ceiling is not None and result.bound_ticks is not None and result.bound_ticks > ceiling
    return beyond or result.status in (SolveStatus.OPTIMAL, SolveStatus.INFEASIBLE)


def _better(start: Start | None, result: SolveResult) -> Start | None:
    if result.tiling is None or result.objective_ticks is None:
        return start
    faster = start is None or result.objective_ticks < start.ticks
    return Start(result.tiling, result.objective_ticks) if faster else start


def _best(found: Sequence[SolveResult]) -> SolveResult:
    """The fastest tiling of all, with the highest bound of all; without a tiling a reached limit says more than a refusal."""
    known = [r for r in found if r.objective_ticks is not None]
    best = min(known, key=_ticks) if known else next((r for r in found if r.status is SolveStatus.TIMEOUT), found[0])
    bound = max((r.bound_ticks for r in found if r.bound_ticks is not None), default=None)
    if bound is not None and best.objective_ticks is not None:
        bound = min(bound, best.objective_ticks)
    return replace(best, bound_ticks=bound, effort=total_effort(found))


def _ticks(result: SolveResult) -> int:
    assert result.objective_ticks is not None
    return result.objective_ticks
