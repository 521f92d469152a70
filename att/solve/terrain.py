"""A problem as a landscape to walk on: points, how far each is from legal, and how fast and how neat it is.

A point gives each variable a number on its ladder (`att.solve.ladder`), variables in solving order. All that a search asks of a point comes
from one compiled function and is remembered.

A variable whose upper bound depends on another one follows it: a share of the work per core follows the tile sizes. What matters of a
follower is its count, `ceil(upper / value)`, for a share the number of cores: `carried` keeps it when the leader moves.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from att.expr.core import Expr, Sym
from att.expr.evaluate import compile_program
from att.expr.node import topological
from att.model.tiling import Constraint, Divides, Leq, Member, Problem, Tiling, VarRole
from att.solve.excess import excess
from att.solve.ladder import ladder_of

Point = tuple[int, ...]
"""A number on the ladder of each variable, variables in solving order."""

_PARTS: Final = 2**20
"""What a constraint is broken by is measured in such parts of what it allows."""


class View(NamedTuple):
    """What is known of a point. Views compare: legal before illegal, less broken first, then faster, then by the tie-break."""

    broken: int
    """0 where all constraints hold, else by how much they do not: the sum over them of excess relative to what is allowed."""
    costs: tuple[int, ...]
    """Time of the kernel in ticks, then the tie-break."""
    uppers: tuple[int, ...]
    """Upper bound of each variable for the values of the others."""

    @property
    def ticks(self) -> int:
        """Modelled time, ticks; it means nothing where `broken`."""
        return self.costs[0]


class Terrain:
    """The points of a bound problem."""

    def __init__(self, problem: Problem) -> None:
        self.variables = tuple(sorted(problem.variables, key=lambda v: (v.role is VarRole.BLOCK, v.rank)))
        self.ladders = tuple(ladder_of(v.symbol, problem.constraints) for v in self.variables)
        needs = [_symbols(v.upper) for v in self.variables]
        self.followers = tuple(tuple(j for j, symbols in enumerate(needs) if v.symbol in symbols) for v in self.variables)
        """For each variable the numbers of those whose upper bound depends on it."""
        costs = (problem.objective, *problem.tie_break)
        excesses = {c: e for c in problem.constraints if (e := excess(c)) is not None and e.hi > 0}
        self._weights = tuple(_allowance(c) for c in excesses)
        self._ends = (len(costs), len(costs) + len(excesses))
        self._program = compile_program((*costs, *excesses.values(), *(v.upper for v in self.variables)))
        self._views: dict[Point, View] = {}

    @property
    def seen(self) -> Mapping[Point, View]:
        """Every point that was viewed so far, first viewed first."""
        return MappingProxyType(self._views)

    def view(self, point: Point) -> View:
        """What is known of a point, remembered."""
        found = self._views.get(point)
        if found is None:
            found = self._views[point] = self.glance(point)
        return found

    def glance(self, point: Point) -> View:
        """What is known of a point, without remembering it."""
        values = self._program.run(self.tiling(point))
        costs, constraints = self._ends
        broken = sum(1 + e * _PARTS // w for e, w in zip(values[costs:constraints], self._weights, strict=True) if e > 0)
        return View(broken, values[:costs], values[constraints:])

    def tiling(self, point: Point) -> Tiling:
        """The values of a point by name."""
        return {v.name: ladder.value(n) for v, ladder, n in zip(self.variables, self.ladders, point, strict=True)}

    def point(self, tiling: Tiling) -> Point | None:
        """The point of a tiling, each value the nearest rung not above it; None if a variable has no value."""
        if any(v.name not in tiling for v in self.variables):
            return None
        return tuple(ladder.at_most(tiling[v.name]) for v, ladder in zip(self.variables, self.ladders, strict=True))

    def corner(self, *, largest: bool) -> Point:
        """All leaders at their largest or smallest values, all followers at their upper bounds: everything on one core."""
        followers = {j for those in self.followers for j in those}
        point = tuple(0 if i in followers or not largest else ladder.size - 1 for i, ladder in enumerate(self.ladders))
        for i in sorted(followers):
            point = moved(point, i, self.ladders[i].at_most(self.view(point).uppers[i]))
        return point

    def count(self, point: Point, i: int) -> int:
        """`ceil(upper / value)` of a variable: how many of its tiles or shares make the whole."""
        return -(-self.view(point).uppers[i] // self.ladders[i].value(point[i]))

    def counted(self, point: Point, i: int, count: int) -> int:
        """Number of the smallest value of a variable that makes the whole in at most `count` parts."""
        return self.ladders[i].at_least(-(-self.view(point).uppers[i] // count))

    def carried(self, point: Point, before: Point, i: int) -> Point:
        """The point with the followers of a variable that has moved since `before` at the counts that they had there."""
        for j in self.followers[i]:
            point = moved(point, j, self.counted(point, j, max(1, self.count(before, j))))
        return point


def moved(point: Point, i: int, number: int) -> Point:
    """The point with another number for one variable."""
    return (*point[:i], number, *point[i + 1 :])


def _allowance(constraint: Constraint) -> int:
    match constraint:
        case Leq(rhs=most) | Divides(divisor=most):
            return max(1, most.hi)
        case Member():
            return 1


def _symbols(expr: Expr) -> frozenset[Sym]:
    return frozenset(n for n in topological(expr) if isinstance(n, Sym))
