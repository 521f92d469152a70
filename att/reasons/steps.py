"""What the next larger or smaller value of a variable would cost, or which rule forbids it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from msgspec import structs

from att.expr.core import Expr, Sym, mod
from att.expr.evaluate import Program, compile_program, evaluate
from att.expr.node import topological
from att.model.bind import bind
from att.model.tiling import Constraint, Divides, Leq, Member, Problem, Tiling, Var, VarRole
from att.reasons.document import Step
from att.reasons.solving import solved
from att.solve.base import SolveOptions, SolveStatus

_REACH = 20_000
"""How many values are looked at for the next one that the rules about a variable allow."""

_SHORTAGE = {"B": "B more UB", "cores": "more cores"}
"""What is short, by the unit of the rule."""

Direction = Literal["larger", "smaller"]


def steps(problem: Problem, tiling: Tiling, ticks: int, limits: SolveOptions) -> tuple[Step, ...]:
    """Both neighbours of every variable that is not fixed; `ticks` is the plan's time."""
    return tuple(
        _step(problem, tiling, variable, direction, ticks, limits)
        for variable in problem.source.variables
        if variable.name not in problem.fixed
        for direction in ("larger", "smaller")
    )


def _step(problem: Problem, tiling: Tiling, variable: Var, direction: Direction, ticks: int, limits: SolveOptions) -> Step:
    value = tiling[variable.name]
    following = _next_value(problem, tiling, variable, direction)
    step = Step(
        variable=variable.name,
        value=value,
        next=following,
        direction=direction,
        kept_ticks=None,
        best_ticks=None,
        breaks=None,
        excess=None,
        unit="",
        text=f"{variable.name} = {value} is the {'largest' if direction == 'larger' else 'smallest'} value it may have",
    )
    if following is None:
        return step
    kept = _held(problem, _kept(problem, tiling, variable, following), limits)
    best = _held(problem, {**problem.fixed, variable.name: following}, limits)
    return _answered(step, f"the next {direction} {variable.name} ({following}, {following - value:+d})", kept, best, ticks)


def _answered(step: Step, what: str, kept: int | Constraint | None, best: int | Constraint | None, ticks: int) -> Step:
    """The step with its times, or with the rule that it breaks."""
    best_ticks = best if isinstance(best, int) else None
    reached = "open" if best_ticks is None else percent(best_ticks, ticks)
    if isinstance(kept, int):
        others = f"{percent(kept, ticks)} with the other tiles kept, " if best != kept else ""
        return structs.replace(step, kept_ticks=kept, best_ticks=best_ticks, text=f"{what}: {others}{reached} at best")
    excess, unit = _excess(kept)
    anew = "" if best_ticks is None else f"; {reached} at best with everything else chosen anew"
    return structs.replace(
        step,
        best_ticks=best_ticks,
        breaks=None if kept is None else kept.origin.family,
        excess=excess,
        unit=unit,
        text=f"{what} {_sentence(kept, excess, unit)}{anew}",
    )


def percent(ticks: int, plan_ticks: int) -> str:
    """A time against the plan's, in words."""
    change = 100 * (ticks - plan_ticks) / plan_ticks if plan_ticks else 0.0
    return "as fast" if ticks == plan_ticks else f"{abs(change):.2f} % {'slower' if change > 0 else 'less time'}"


def _sentence(broken: Constraint | None, excess: int | None, unit: str) -> str:
    if broken is None:
        return "leaves no legal tiling"
    if excess is None:
        return f"breaks a rule: {broken.origin.text}"
    if unit in _SHORTAGE:
        return f"needs {excess:,} {_SHORTAGE[unit]} than there {'is' if unit == 'B' else 'are'}"
    return f"exceeds a limit by {excess:,} {unit}".rstrip() + f": {broken.origin.text}"


def _excess(broken: Constraint | None) -> tuple[int | None, str]:
    match broken:
        case Leq(lhs=lhs, rhs=rhs, unit=unit):
            return lhs.lo - rhs.hi, unit
        case _:
            return None, ""


def _kept(problem: Problem, tiling: Tiling, variable: Var, value: int) -> Mapping[str, int]:
    """The other tiles at the plan's values; shares are free, unless it is a share that changes."""
    tiles = {v.name: tiling[v.name] for v in problem.source.variables if v.role is VarRole.TILE}
    return {**tiles, **problem.fixed, variable.name: value}


def _held(problem: Problem, fixed: Mapping[str, int], limits: SolveOptions) -> int | Constraint | None:
    """The best time with variables held, or the rule that forbids it; None where that is not known."""
    held = bind(problem.source, problem.shape, fixed=fixed)
    if held.contradiction is not None:
        return held.contradiction
    found = solved(held, limits)
    return found.objective_ticks if found.status is SolveStatus.OPTIMAL else None


def _next_value(problem: Problem, tiling: Tiling, variable: Var, direction: Direction) -> int | None:
    """The nearest value on the side that grids allow; None if the end of the axis comes first."""
    lo, hi, step = variable.symbol.domain
    env = {**problem.shape, **tiling}
    hi = min(hi, evaluate(variable.upper, env))
    signed = step if direction == "larger" else -step
    allowed = _Grid(problem, variable.symbol)
    for count in range(1, _REACH):
        value = tiling[variable.name] + count * signed
        if not lo <= value <= hi:
            return None
        if allowed.holds({**env, variable.name: value}):
            return value
    return None


class _Grid:
    """The rules other than limits about one variable."""

    def __init__(self, problem: Problem, symbol: Sym) -> None:
        constraints = problem.source.constraints
        self._rest: Program = compile_program(tuple(_remainders(constraints, symbol)))
        self._members = [c for c in constraints if isinstance(c, Member) and c.var == symbol.name]

    def holds(self, env: Mapping[str, int]) -> bool:
        """Whether all of them hold."""
        return not any(self._rest.run(env)) and all(env[c.var] in c.values for c in self._members)


def _remainders(constraints: tuple[Constraint, ...], symbol: Sym) -> Iterator[Expr]:
    for constraint in constraints:
        if isinstance(constraint, Divides) and symbol in topological(constraint.divisor, constraint.dividend):
            yield mod(constraint.dividend, constraint.divisor)
