"""Does a template fit for every shape in the declared ranges? Settled by z3 over the sizes, with the smallest tiles as the witness.

A template fits at a shape if some tiling is legal there. The smallest legal tiles, shared among all cores, are written as expressions of
the sizes; if no shape breaks a constraint with them, the template fits everywhere. A shape that does is shrunk to the smallest one, size by
size in the order of declaration, and counts only if the exact solver finds no other tiling there. Trusted: z3, the rules of `att.expr`, and
that solver for a shape that intervals do not refute.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from math import lcm
from time import monotonic
from types import MappingProxyType

from att.expr.choice import maximum, minimum
from att.expr.compare import Eq, eq, le
from att.expr.core import CeilDiv, Expr, Int, Mul, Sym, Where, ceil_div, floor_div, integer, mul
from att.expr.evaluate import evaluate as value_of
from att.expr.logic import FALSE, TRUE, Cond, disj, negate
from att.expr.substitute import substitute_all
from att.model.bind import bind
from att.model.check import check
from att.model.tiling import Divides, Leq, TilingModel, Var, VarRole
from att.solve.base import SolveOptions, SolveStatus
from att.solve.run import run
from att.verify.conditions import as_condition
from att.verify.prove import Answer, Judge, Limits, Reply

_SOLVER = "cpsat"
"""Who says that no other tiling is legal at a shape."""


class Fit(Enum):
    """What is known of a template over all shapes."""

    ALWAYS = "always"
    NOT_ALWAYS = "not always"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Whether a template fits for every shape."""

    fit: Fit
    shape: Mapping[str, int] | None
    """The smallest shape for which no tiling is legal, or for which that is not known."""
    text: str
    """What breaks there."""
    effort: Mapping[str, int]
    """What z3 spent."""


def cover(model: TilingModel, limits: Limits) -> Coverage:
    """Whether the model has a legal tiling for every shape in the ranges of its sizes. Raises ModelError for what has no z3 form."""
    return _Cover(model, limits).run()


class _Cover:
    """One proof."""

    def __init__(self, model: TilingModel, limits: Limits) -> None:
        self.model = model
        self.limits = limits
        self.judge = Judge()
        self.deadline = monotonic() + limits.seconds
        self.sizes = tuple(size.symbol for size in model.sizes)
        self.witness = _smallest_tiling(model)
        self.note = ""

    def run(self) -> Coverage:
        required = self._required()
        replies = [self._ask(negate(condition)) for condition in required]
        if all(reply.answer is Answer.NEVER for reply in replies):
            return self._result(Fit.ALWAYS)
        broken = next((reply.values for reply in replies if reply.answer is Answer.HOLDS), None)
        if broken is None:
            return self._result(Fit.UNKNOWN, text="z3 reached its limit")
        return self._judged(self._smallest(disj(*(negate(c) for c in required)), broken))

    def _required(self) -> tuple[Cond, ...]:
        """What the witness has to satisfy, over the sizes alone."""
        symbols = {v.name: v.symbol for v in self.model.variables}
        legal = [as_condition(c, symbols) for c in self.model.constraints]
        inside = [c for v in symbols.values() for c in (le(v.lo, self.witness[v.name]), le(self.witness[v.name], v.hi))]
        return tuple(c for c in (*substitute_all(legal, self.witness), *inside) if c is not TRUE)

    def _ask(self, *conditions: Cond) -> Reply:
        """Whether all conditions hold for some sizes."""
        if FALSE in conditions:
            return Reply(answer=Answer.NEVER, values={})
        left = Limits(units=max(1, self.limits.units - self.judge.units), seconds=self.deadline - monotonic())
        return self.judge.ask((conditions,), self.sizes, left)

    def _smallest(self, broken: Cond, found: Mapping[str, int]) -> Mapping[str, int]:
        """The smallest shape that breaks something: the first size as small as it can be, then the next."""
        held: list[Cond] = []
        for size in self.sizes:
            lo = size.lo
            while lo < found[size.name]:
                middle = (lo + found[size.name]) // 2
                reply = self._ask(broken, *held, le(size, middle))
                if reply.answer is Answer.UNKNOWN:
                    self.note = "; a limit left open whether a smaller shape breaks it too"
                    break
                lo, found = (lo, reply.values) if reply.answer is Answer.HOLDS else (middle + 1, found)
            held.append(eq(size, found[size.name]))
        return found

    def _judged(self, shape: Mapping[str, int]) -> Coverage:
        """Whether the template really has no tiling at a shape where the smallest tiles break something."""
        problem = bind(self.model, shape)
        tiling = {name: value_of(expr, shape) for name, expr in self.witness.items()}
        text = "; ".join(v.text for v in check(problem, tiling)) or "the smallest tiles are legal"
        if problem.contradiction is not None:
            return self._result(Fit.NOT_ALWAYS, shape, text)
        status = run(problem, _SOLVER, SolveOptions(watchdog_s=max(0.1, self.deadline - monotonic()))).status
        if status is SolveStatus.INFEASIBLE:
            return self._result(Fit.NOT_ALWAYS, shape, text)
        return self._result(Fit.UNKNOWN, shape, f"the smallest tiles are not legal there, others may be: {text}")

    def _result(self, fit: Fit, shape: Mapping[str, int] | None = None, text: str = "") -> Coverage:
        effort = {"questions": self.judge.questions, "units": self.judge.units}
        ordered = None if shape is None else MappingProxyType({size.name: shape[size.name] for size in self.sizes})
        return Coverage(fit=fit, shape=ordered, text=text + self.note, effort=effort)


def _smallest_tiling(model: TilingModel) -> dict[str, Expr]:
    """The smallest tiles that their own constraints allow and the smallest shares that the cores allow, as expressions of the sizes."""
    tiles = {v.name: _feeding(v, _smallest_tile(v, model), model) for v in model.variables if v.role is VarRole.TILE}
    shares = {v.name: _smallest_share(v, model) for v in model.variables if v.role is not VarRole.TILE}
    settled = dict(zip(shares, substitute_all(tuple(shares.values()), tiles), strict=True))
    return {**tiles, **settled}


def _feeding(variable: Var, least: Expr, model: TilingModel) -> Expr:
    """A tile of rows whose pieces leave two cores for each, where cores share the rows themselves (`att.model.chunk_count`)."""
    for constraint in model.constraints:
        match constraint:
            case Leq(lhs=Mul(factors), rhs=Int(cores)) if any(_cuts(f, variable.symbol) for f in factors) and variable.symbol.multiple == 1:
                rows = next(f for f in factors if _cuts(f, variable.symbol))
                assert isinstance(rows, CeilDiv)
                return maximum(least, ceil_div(rows.numerator, max(1, cores // 2)))
            case _:
                pass
    return least


def _cuts(factor: Expr, tile: Sym) -> bool:
    return isinstance(factor, CeilDiv) and factor.denominator is tile


def _smallest_tile(variable: Var, model: TilingModel) -> Expr:
    """The smallest multiple of all steps, or the whole axis where that is shorter and allowed."""
    step = max(1, variable.symbol.multiple)
    whole: Expr | None = None
    for divisor in _divisors_of(variable.symbol, model):
        match divisor:
            case Int(number):
                step = lcm(step, number)
            case Where(Eq(lhs, rhs), Int(), Int(number)) if lhs is variable.symbol:
                step, whole = lcm(step, number), rhs
            case _:
                pass
    least = integer(-(-variable.symbol.lo // step) * step)
    return least if whole is None else minimum(least, whole)


def _divisors_of(variable: Sym, model: TilingModel) -> Iterator[Expr]:
    return (c.divisor for c in model.constraints if isinstance(c, Divides) and c.dividend is variable)


def _smallest_share(variable: Var, model: TilingModel) -> Expr:
    """`ceil(W/cores)` where `ceil(W/b) <= cores` is asked of it, or of its product with pieces of rows."""
    for constraint in model.constraints:
        match constraint:
            case Leq(lhs=CeilDiv(work, share), rhs=Int(cores)) if share is variable.symbol:
                return ceil_div(work, cores)
            case Leq(lhs=Mul((CeilDiv(work, share), *others)), rhs=Int(cores)) if share is variable.symbol:
                return ceil_div(work, maximum(1, floor_div(cores, mul(*others))))
            case _:
                pass
    return integer(variable.symbol.lo)
