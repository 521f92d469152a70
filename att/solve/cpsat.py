"""CP-SAT backend: proves the optimum, then the one tiling among equals.

The makespan is minimised first; with it fixed the tie-break expressions follow in order, several at a time as digits of one
number. One worker and a fixed seed, limited by CP-SAT's deterministic time, make the answer the same on every run; the wall clock
is a watchdog only (cpsat_practice C2). Values are read from variables, never from the floating-point objective.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import floor
from time import monotonic
from types import MappingProxyType

from ortools.sat.python import cp_model
from ortools.sat.python.cp_model_helper import SatParameters

from att.errors import BackendBug, ModelError
from att.expr.evaluate import evaluate
from att.model.check import check
from att.model.tiling import Problem, Tiling
from att.solve.base import SolveOptions, SolveResult, SolveStatus
from att.solve.cpsat_model import FULL, LEAN, Stated, Technique, lexicographic_groups, state
from att.solve.literals import Linear
from att.solve.outcome import beyond, outcome

NAME = "cpsat"

LEAN_LIMIT = 0.2
"""Deterministic time for the lean attempt. Measured: the 1141 benchmark problems need 0.14 at most, half of them less than 0.001."""
_WHOLE_DOUBLES = 2**53
_REFUTED = "CP-SAT proves that no tiling satisfies the constraints"


@dataclass(frozen=True, slots=True, kw_only=True)
class CpSatSolver:
    """Exact solver on OR-Tools CP-SAT."""

    technique: Technique | None = None
    """None: lean for a while, then in full."""
    name: str = NAME
    exact: bool = True

    def solve(self, problem: Problem, options: SolveOptions, hint: Tiling | None = None) -> SolveResult:
        """The one best tiling; with the limit reached the best found with CP-SAT's bound.

        An answer that the checker, the evaluator or the hint refutes is tried again with presolve switched, where CP-SAT's known wrong
        answers come from (cpsat_practice C3); the caller checks what comes back.
        """
        if problem.contradiction is not None:
            return outcome(NAME, SolveStatus.INFEASIBLE, note=problem.contradiction.origin.text)
        if self.technique is not None or options.sharp:
            return _trusted(problem, options, hint, self.technique or FULL)
        started = monotonic()
        first = _trusted(problem, replace(options, work_limit=min(options.work_limit, LEAN_LIMIT)), hint, LEAN)
        left = options.work_limit - first.effort.get("deterministic_us", 0) / 1_000_000
        if _is_settled(first, options) or left <= 0:
            return first
        ceilings = [t for t in (first.objective_ticks, options.upper_bound_ticks) if t is not None]
        watchdog_s = max(0.0, options.watchdog_s - (monotonic() - started))
        narrower = replace(options, work_limit=left, watchdog_s=watchdog_s, upper_bound_ticks=min(ceilings, default=None))
        return _joined(first, _trusted(problem, narrower, hint, FULL))


def _is_settled(result: SolveResult, options: SolveOptions) -> bool:
    """Whether more work would add nothing: a proof, or a refusal."""
    if result.status is SolveStatus.TIMEOUT and options.upper_bound_ticks is not None:
        return result.bound_ticks == options.upper_bound_ticks + 1
    return result.status in (SolveStatus.OPTIMAL, SolveStatus.INFEASIBLE, SolveStatus.UNSUPPORTED)


def _joined(first: SolveResult, second: SolveResult) -> SolveResult:
    """The second answer with the effort of both; where it found nothing within its limit, the first one's tiling with the better bound."""
    effort = {name: first.effort.get(name, 0) + count for name, count in second.effort.items()}
    if second.tiling is not None or first.tiling is None:
        return replace(second, effort=MappingProxyType(effort))
    bounds = [b for b in (first.bound_ticks, second.bound_ticks) if b is not None]
    bound = min(max(bounds), first.objective_ticks or 0) if bounds else None
    return replace(first, bound_ticks=bound, effort=MappingProxyType(effort))


def _trusted(problem: Problem, options: SolveOptions, hint: Tiling | None, technique: Technique) -> SolveResult:
    """The answer, with presolve switched where evaluation or the hint refute it."""
    result = _solve(problem, options, hint, technique)
    if _suspicious(problem, result, options, hint):
        switched = replace(technique, hint=False, presolve_from=None if technique.presolve_from is not None else 0)
        return _solve(problem, options, hint, switched)
    return result


def _solve(problem: Problem, options: SolveOptions, hint: Tiling | None, technique: Technique) -> SolveResult:
    try:
        stated = state(problem, options.upper_bound_ticks, hint, technique)
    except ModelError as error:
        return outcome(NAME, SolveStatus.UNSUPPORTED, note=str(error))
    if stated is None:
        return beyond(NAME, options.upper_bound_ticks, {}, _REFUTED)
    return _Run(stated, options, technique).answer()


class _Run:
    """The solves of one problem, which share the limits."""

    def __init__(self, stated: Stated, options: SolveOptions, technique: Technique) -> None:
        self.stated = stated
        self.options = options
        self.technique = technique
        self.deadline = monotonic() + options.watchdog_s
        self.spent = 0.0
        self._presolve = technique.presolve_from is not None and stated.size >= technique.presolve_from
        self.effort = {"solves": 0, "branches": 0, "conflicts": 0}

    def answer(self) -> SolveResult:
        stated = self.stated
        solver, status = self._minimize(stated.objective)
        if status == cp_model.UNKNOWN:
            note = "limit reached before a tiling was found"
            return outcome(NAME, SolveStatus.TIMEOUT, bound=self._bound(solver), effort=self.counts, note=note)
        if status == cp_model.MODEL_INVALID:
            return outcome(NAME, SolveStatus.UNSUPPORTED, effort=self.counts, note="CP-SAT refuses the model")
        if status == cp_model.INFEASIBLE:
            return beyond(NAME, self.options.upper_bound_ticks, self.counts, _REFUTED)
        time = solver.value(stated.objective)
        if status != cp_model.OPTIMAL:
            bound, note = min(time, self._bound(solver)), "limit reached before the proof"
            return outcome(NAME, SolveStatus.FEASIBLE, tiling=self._tiling(solver), time=time, bound=bound, effort=self.counts, note=note)
        stated.model.add(stated.objective == time)
        return self._tie_break(solver, time)

    def _tie_break(self, solver: cp_model.CpSolver, time: int) -> SolveResult:
        """The smallest tie-break among the tilings of the optimal time."""
        for group in lexicographic_groups(self.stated):
            again, status = self._minimize(group)
            if status == cp_model.INFEASIBLE and self._presolve:
                self._presolve = False
                again, status = self._minimize(group)
            if status == cp_model.INFEASIBLE:
                raise BackendBug(f"CP-SAT calls its own solution {self._tiling(solver)} infeasible", where=NAME)
            if status != cp_model.OPTIMAL:
                note = "limit reached in the tie-break: the time is proven, the choice among equals is not"
                tiling = self._tiling(solver)
                return outcome(NAME, SolveStatus.FEASIBLE, tiling=tiling, time=time, bound=time, effort=self.counts, note=note)
            solver = again
            self.stated.model.add(group == solver.value(group))
        return outcome(NAME, SolveStatus.OPTIMAL, tiling=self._tiling(solver), time=time, bound=time, effort=self.counts)

    def _minimize(self, objective: Linear) -> tuple[cp_model.CpSolver, cp_model.CpSolverStatus]:
        model = self.stated.model
        model.clear_objective()
        model.minimize(objective)
        solver = cp_model.CpSolver()
        configure(solver.parameters, self.technique)
        solver.parameters.cp_model_presolve = self._presolve
        solver.parameters.max_deterministic_time = max(0.0, self.options.work_limit - self.spent)
        solver.parameters.max_time_in_seconds = max(0.0, self.deadline - monotonic())
        status = solver.solve(model)
        self.spent += solver.response_proto.deterministic_time
        self.effort["solves"] += 1
        self.effort["branches"] += solver.num_branches
        self.effort["conflicts"] += solver.num_conflicts
        return solver, status

    def _bound(self, solver: cp_model.CpSolver) -> int:
        """What CP-SAT has proven, rounded down: it comes as a double, which is whole up to 2^53."""
        proven = solver.best_objective_bound
        return max(self.stated.lower_bound, floor(proven if abs(proven) < _WHOLE_DOUBLES else proven * (1 - 2**-50)))

    def _tiling(self, solver: cp_model.CpSolver) -> Tiling:
        return {name: solver.value(value) for name, value in self.stated.tiling.items()}

    @property
    def counts(self) -> Mapping[str, int]:
        return {**self.effort, "deterministic_us": round(self.spent * 1_000_000)}


def configure(parameters: SatParameters, technique: Technique) -> None:
    """Sets all but the limits.

    Two features of 9.15 are off because they certify wrong optima: `auto_detect_greater_than_at_least_one_of` reads false bounds from an
    enforced `t == C*x` with C beyond 2^26 (found here; see the tests), and the presolve of inclusions adds large Boolean coefficients
    in 32 bits (or-tools #5293).
    """
    parameters.num_workers = 1
    parameters.random_seed = 1
    parameters.linearization_level = technique.linearization_level
    parameters.cp_model_probing_level = technique.probing_level
    parameters.max_presolve_iterations = technique.presolve_iterations
    parameters.symmetry_level = 0
    if technique.tiles_first:
        parameters.search_branching = SatParameters.FIXED_SEARCH
    parameters.auto_detect_greater_than_at_least_one_of = False
    parameters.presolve_inclusion_work_limit = 0


def _suspicious(problem: Problem, result: SolveResult, options: SolveOptions, hint: Tiling | None) -> bool:
    """Whether the answer contradicts exact evaluation or the hint."""
    found = result.tiling
    if found is not None and (check(problem, found) or evaluate(problem.objective, found) != result.objective_ticks):
        return True
    if hint is None or hint == result.tiling or check(problem, hint):
        return False
    known = evaluate(problem.objective, hint)
    useful = options.upper_bound_ticks is None or known <= options.upper_bound_ticks
    return useful and (result.status is SolveStatus.INFEASIBLE or (result.bound_ticks or 0) > known)
