"""Every constraint at the plan's tiling: what is left of it, and whether it is what holds the plan back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from att.expr.evaluate import evaluate_all
from att.model.bind import bind
from att.model.tiling import Constraint, Divides, Leq, Member, Problem, Tiling
from att.reasons.document import Rule, Step
from att.reasons.solving import solved, with_constraints
from att.solve.base import SolveOptions, SolveStatus


def rules(problem: Problem, tiling: Tiling, ticks: int, steps: Iterable[Step], limits: SolveOptions) -> tuple[Rule, ...]:
    """All constraints in the order of the model; `steps` are the neighbours of the tiling, `ticks` its time."""
    env = {**problem.shape, **tiling}
    broken = {step.breaks for step in steps if step.breaks is not None}
    return tuple(_rule(problem, constraint, env, ticks, broken, limits) for constraint in problem.source.constraints)


def _rule(problem: Problem, constraint: Constraint, env: Mapping[str, int], ticks: int, broken: set[str], limits: SolveOptions) -> Rule:
    match constraint:
        case Leq(lhs=lhs, rhs=rhs, unit=unit, origin=origin):
            got, allowed = evaluate_all((lhs, rhs), env)
            return _made(constraint, got, allowed, allowed - got, unit, binding=got == allowed or origin.family in broken)
        case Divides(divisor=divisor, dividend=dividend):
            step, got = evaluate_all((divisor, dividend), env)
            gain = _gain(problem, constraint, ticks, limits)
            return _made(constraint, got, f"multiples of {step}", None, "", binding=bool(gain), gain=gain)
        case Member(var=var, values=values):
            gain = _gain(problem, constraint, ticks, limits)
            return _made(constraint, env[var], ", ".join(map(str, values)), None, "", binding=bool(gain), gain=gain)


def _made(
    constraint: Constraint, got: int, allowed: int | str, slack: int | None, unit: str, *, binding: bool, gain: int | None = None
) -> Rule:
    origin = constraint.origin
    return Rule(
        family=origin.family,
        subject=origin.subject,
        text=origin.text,
        got=got,
        allowed=allowed,
        slack=slack,
        unit=unit,
        binding=binding,
        gain_ticks=gain,
    )


def _gain(problem: Problem, constraint: Constraint, ticks: int, limits: SolveOptions) -> int | None:
    """How much faster the template is without the rule, ticks: at least, where a limit was reached; None where that is not known."""
    others = [c for c in problem.source.constraints if c is not constraint]
    free = solved(bind(with_constraints(problem.source, others), problem.shape, fixed=problem.fixed), limits, below=ticks)
    faster = None if free.objective_ticks is None else max(0, ticks - free.objective_ticks)
    return faster if faster or free.status is SolveStatus.OPTIMAL else None
