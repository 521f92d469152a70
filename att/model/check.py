"""The independent check: which constraints a tiling breaks, by exact evaluation of the model it was bound from.

Shares no code with any solver, nor with binding: it reads the symbolic model with the shape as an environment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from att.expr.evaluate import evaluate_all
from att.model.tiling import Constraint, Divides, Leq, Member, Origin, Problem, Tiling, Var


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A rule that a tiling breaks."""

    family: str
    """The constraint family, or `domain`, `fixed`, `variables` for what is wrong with the tiling itself."""
    subject: str
    text: str
    """A sentence with got and allowed."""
    got: int | str
    allowed: int | str
    unit: str = ""


def check(problem: Problem, tiling: Tiling) -> tuple[Violation, ...]:
    """Everything that is wrong with a tiling; () if it is legal.

    Missing and unknown variables and values outside the declared domains come first, and alone: constraints mean nothing then.
    """
    wrong = (*_names(problem, tiling), *_domains(problem, tiling))
    if wrong:
        return wrong
    env = {**problem.shape, **tiling}
    return (*_fixed(problem, tiling), *(v for c in problem.source.constraints for v in _broken(c, env)))


def _names(problem: Problem, tiling: Tiling) -> Iterator[Violation]:
    wanted = [v.name for v in problem.source.variables]
    listed = ", ".join(wanted) or "none"
    for name in wanted:
        if name not in tiling:
            yield Violation(family="variables", subject=name, text=f"{name} has no value", got="nothing", allowed="a value")
    for name in sorted(set(tiling) - set(wanted)):
        text = f"{name} is no variable of {problem.template}; its variables: {listed}"
        yield Violation(family="variables", subject=name, text=text, got=tiling[name], allowed="nothing")


def _domains(problem: Problem, tiling: Tiling) -> Iterator[Violation]:
    for var in problem.source.variables:
        value = tiling.get(var.name)
        if value is not None and not _in_domain(var, value):
            allowed = _domain_text(var)
            yield Violation(
                family="domain", subject=var.name, text=f"{var.name} = {value}, allowed are {allowed}", got=value, allowed=allowed
            )


def _in_domain(var: Var, value: int) -> bool:
    lo, hi, step = var.symbol.domain
    return lo <= value <= hi and value % step == 0


def _domain_text(var: Var) -> str:
    lo, hi, step = var.symbol.domain
    return f"{lo}..{hi}" + (f" in steps of {step}" if step > 1 else "")


def _fixed(problem: Problem, tiling: Tiling) -> Iterator[Violation]:
    for name, value in problem.fixed.items():
        if tiling[name] != value:
            text = f"{name} = {tiling[name]}, but it is fixed at {value}"
            yield Violation(family="fixed", subject=name, text=text, got=tiling[name], allowed=value)


def _broken(constraint: Constraint, env: Mapping[str, int]) -> Iterator[Violation]:
    match constraint:
        case Leq(lhs=lhs, rhs=rhs, origin=origin, unit=unit):
            got, allowed = evaluate_all((lhs, rhs), env)
            if got > allowed:
                yield _violation(origin, f"got {amount_text(got, unit)}, allowed {amount_text(allowed, unit)}", got, allowed, unit)
        case Divides(divisor=divisor, dividend=dividend, origin=origin):
            step, got = evaluate_all((divisor, dividend), env)
            if got % step:
                yield _violation(origin, f"got {got}, allowed are multiples of {step}", got, f"multiples of {step}")
        case Member(var=var, values=values, origin=origin):
            if env[var] not in values:
                allowed = ", ".join(map(str, values))
                yield _violation(origin, f"got {env[var]}, allowed are {allowed}", env[var], allowed)


def _violation(origin: Origin, measure: str, got: int, allowed: int | str, unit: str = "") -> Violation:
    text = f"{origin.subject}: {origin.text}; {measure}"
    return Violation(family=origin.family, subject=origin.subject, text=text, got=got, allowed=allowed, unit=unit)


def amount_text(value: int, unit: str) -> str:
    """`1 core`, `2 cores`, `64 B`, or the number alone where the unit is empty."""
    return f"{value} {unit.removesuffix('s') if value == 1 else unit}".rstrip()
