"""Where a later phase sees the first one through one number only, the model falls into two that share it.

The second phase of a shared reduction knows of the first only how many partial results there are, at most one for each core.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from att.expr.choice import lookup, minimum
from att.expr.core import CeilDiv, Expr, Mul, Sym, add, integer, symbol
from att.expr.evaluate import evaluate
from att.ir.axis import Size
from att.model.bind import bind, expressions, with_named_part
from att.model.core_count import FAMILY as CORE_COUNT
from att.model.tiling import Constraint, Leq, Makespan, Origin, Problem, Tiling, TilingModel, Var, VarRole
from att.solve.parts import constraint_names, names_in, parted_ties, phase_exprs

_NAME: Final = "partial_results"


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A problem as two."""

    problem: Problem
    count: Expr
    """What the second part knows of the first, in unknowns and sizes of the model."""
    most: int
    """Its largest value."""
    first: TilingModel
    second: TilingModel
    """The later phases, with the symbol `name` in place of `count`."""
    name: Sym

    def first_with(self, ticks: tuple[int, ...]) -> Problem:
        """The first part, whose launch also takes `ticks[n - 1]` where the count is n."""
        index = add(minimum(self.count, self.most), -1)
        phase = self.first.phases[0]
        longer = replace(phase, launch=add(phase.launch, lookup(ticks, index)))
        return self._bound(replace(self.first, phases=(longer,)), {})

    def second_at(self, n: int) -> Problem:
        """The second part for one value of the count."""
        size = Size(name=self.name.name, minimum=1, maximum=self.most)
        return self._bound(replace(self.second, sizes=(*self.second.sizes, size)), {size.name: n})

    def second_within(self, low: int, high: int) -> Problem:
        """The second part with the count as an unknown between two values; only its time matters, so equal ones are not told apart."""
        unknown = Var(symbol=self.name, role=VarRole.TILE, axis=_NAME, upper=integer(self.most), rank=-1)
        origin = Origin(family="axis_bounds", subject=_NAME, text="the partial results looked at")
        ends = (Leq(lhs=integer(low), rhs=self.name, origin=origin), Leq(lhs=self.name, rhs=integer(high), origin=origin))
        model = replace(
            self.second,
            variables=(unknown, *self.second.variables),
            constraints=(*ends, *self.second.constraints),
            tie_break=(),
        )
        return self._bound(model, {})

    def count_of(self, tiling: Tiling) -> int:
        """The count that a tiling of the first part leaves."""
        return evaluate(self.count, {**self.problem.shape, **tiling})

    def _bound(self, model: TilingModel, more: Mapping[str, int]) -> Problem:
        own = {v.name for v in model.variables}
        fixed = {name: value for name, value in self.problem.fixed.items() if name in own}
        return bind(model, {**self.problem.shape, **more}, fixed=fixed)


def linked(problem: Problem) -> Link | None:
    """The problem in two parts; None where it has one phase, or where the later ones see more of the first than a count of cores."""
    model = problem.source
    first_phase = model.phases[0]
    most = _most_cores(model, first_phase)
    if len(model.phases) < 2 or most is None:
        return None
    mine = frozenset(v.name for v in model.variables) & names_in(phase_exprs(first_phase))
    others = frozenset(v.name for v in model.variables) - mine
    later = tuple(c for c in model.constraints if constraint_names(c) & others)
    first = _part(model, mine, model.phases[:1], tuple(c for c in model.constraints if c not in later))
    second = _part(model, others, model.phases[1:], later)
    if not others or first is None or second is None:
        return None
    name = symbol(_NAME, 1, most)
    for count in _counts(first_phase.block_dim):
        named = with_named_part(second, count, name)
        if not names_in(expressions(named)) & mine:
            return Link(problem=problem, count=count, most=most, first=first, second=named, name=name)
    return None


def _counts(block_dim: Expr) -> tuple[Expr, ...]:
    """What the cores are a multiple of."""
    return tuple(f for f in (block_dim.factors if isinstance(block_dim, Mul) else (block_dim,)) if isinstance(f, CeilDiv))


def _most_cores(model: TilingModel, phase: Makespan) -> int | None:
    limits = [c.rhs.hi for c in model.constraints if isinstance(c, Leq) and c.origin.family == CORE_COUNT and c.lhs == phase.block_dim]
    return min(limits, default=None)


def _part(
    model: TilingModel, names: frozenset[str], phases: tuple[Makespan, ...], constraints: tuple[Constraint, ...]
) -> TilingModel | None:
    """The model of some variables; None where an expression of the tie-break cannot be parted."""
    order = parted_ties(model, names, phases)
    own = tuple(v for v in model.variables if v.name in names)
    if order is None:
        return None
    return replace(model, variables=own, constraints=constraints, phases=phases, tie_break=order, workspace_bytes=integer(0))
