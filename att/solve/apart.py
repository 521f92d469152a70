"""Problems whose phases share no variable, solved phase by phase.

Phases run one after another and their times add up, so phases without a common variable in any constraint are problems of their own: the
sum of their optima is the optimum. A search over all of them together would walk the product of their tilings.

The tie-break falls apart as well: expressions of one phase stay, the sum of cores and the largest UB become those of the phase.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from att.expr.core import integer
from att.model.evaluate import evaluate
from att.model.tiling import Problem, Tiling, TilingModel
from att.solve.base import SolveOptions, Solver, SolveResult, SolveStatus
from att.solve.link import linked
from att.solve.linked import solve_in_turn, solve_linked
from att.solve.outcome import outcome, total_effort
from att.solve.parts import constraint_names, names_in, parted_ties, phase_exprs


def solve_apart(solver: Solver, problem: Problem, options: SolveOptions, hint: Tiling | None) -> SolveResult:
    """The solver's answer for the whole, from its answers for the parts; simply its answer where there is one part.

    Each part is searched up to the time of its share of the hint. Above `options.upper_bound_ticks` the whole has no answer but a bound.
    """
    parts = separated(problem)
    if len(parts) < 2:
        link = linked(problem)
        if link is None:
            return solver.solve(problem, options, hint)
        return solve_linked(solver, link, options, hint) if solver.exact else solve_in_turn(solver, link, options)
    found: list[SolveResult] = []
    for part in parts:
        share = None if hint is None else {v.name: hint[v.name] for v in part.variables}
        ceiling = None if share is None else evaluate(part, share).objective_ticks
        found.append(_settled(solver.solve(part, replace(options, upper_bound_ticks=ceiling), share), share, ceiling))
        if found[-1].tiling is None:
            return found[-1]
    return _together(solver, found, options.upper_bound_ticks)


def _settled(result: SolveResult, share: Tiling | None, ticks: int | None) -> SolveResult:
    """The share of the hint where the solver ran out of time."""
    if result.status is not SolveStatus.TIMEOUT or share is None or ticks is None:
        return result
    bound = None if result.bound_ticks is None else min(result.bound_ticks, ticks)
    return outcome(result.solver, SolveStatus.FEASIBLE, tiling=share, time=ticks, bound=bound, effort=result.effort, note=result.note)


def _together(solver: Solver, found: list[SolveResult], ceiling: int | None) -> SolveResult:
    effort = total_effort(found)
    bounds = [r.bound_ticks for r in found]
    bound = None if None in bounds else sum(b for b in bounds if b is not None)
    time = sum(r.objective_ticks or 0 for r in found)
    if ceiling is not None and time > ceiling:
        note = f"no tiling takes {ceiling} ticks or less" if bound is not None and bound > ceiling else "limit reached"
        return outcome(solver.name, SolveStatus.TIMEOUT, bound=bound, effort=effort, note=note)
    proven = all(r.status is SolveStatus.OPTIMAL for r in found)
    tiling = {name: value for r in found if r.tiling is not None for name, value in r.tiling.items()}
    status = SolveStatus.OPTIMAL if proven else SolveStatus.FEASIBLE
    return outcome(
        solver.name, status, tiling=tiling, time=time, bound=bound, effort=effort, note="; ".join(r.note for r in found if r.note)
    )


def separated(problem: Problem) -> tuple[Problem, ...]:
    """The problem as one for each group of phases that share variables; itself alone where all do, or where its tie-break does not part."""
    groups = _groups(problem.source) if len(problem.phases) > 1 else []
    if not 2 <= len(groups) <= len(problem.phases):
        return (problem,)
    parts: list[Problem] = []
    for names in groups:
        part, source = _part(problem, names), _part(problem.source, names)
        if part is None or source is None or not isinstance(part, Problem):
            return (problem,)
        fixed = MappingProxyType({name: value for name, value in problem.fixed.items() if name in names})
        parts.append(replace(part, source=source, fixed=fixed))
    return tuple(parts)


def _groups(model: TilingModel) -> list[frozenset[str]]:
    """Names of variables that some phase or constraint has in common, in the order of the first."""
    variables = {v.name for v in model.variables}
    groups: list[frozenset[str]] = []
    for used in (*(names_in(phase_exprs(p)) for p in model.phases), *(constraint_names(c) for c in model.constraints)):
        names = used & variables
        if names:
            touched = [g for g in groups if g & names]
            groups = [g for g in groups if not g & names] + [frozenset(names.union(*touched))]
    return sorted(groups, key=min)


def _part(model: TilingModel, names: frozenset[str]) -> TilingModel | None:
    """The model of some variables; None where a phase has none or an expression of the tie-break cannot be parted."""
    variables = frozenset(v.name for v in model.variables)
    symbols = {v.symbol.name for v in model.variables}
    if any(not names_in(phase_exprs(p)) & symbols for p in model.phases):
        return None
    phases = tuple(p for p in model.phases if names_in(phase_exprs(p)) & names)
    constraints = tuple(c for c in model.constraints if not (constraint_names(c) & variables) - names)
    order = parted_ties(model, names, phases)
    own = tuple(v for v in model.variables if v.name in names)
    if order is None:
        return None
    # what all phases hand over is no concern of one: it neither binds nor costs
    return replace(model, variables=own, constraints=constraints, phases=phases, tie_break=order, workspace_bytes=integer(0))
