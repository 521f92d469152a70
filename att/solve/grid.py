"""The values a variable may take by the constraints on it alone, numbered from 0 in ascending order.

`multiple of 8 or the whole axis`, `one of a list` and `divides 96` are such constraints. Boxes are intervals of these numbers, so
no box holds a value that is illegal by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt, lcm

import numpy as np
from numpy.typing import NDArray

from att.expr.compare import Eq
from att.expr.core import Int, Sym, Where
from att.expr.ranges import Range
from att.model.tiling import Constraint, Divides, Member

Array = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Grid:
    """Either `first + step*i` for `i < count` with perhaps one larger value on top, or a table."""

    first: int
    step: int
    count: int
    top: int | None = None
    table: Array | None = None

    @property
    def size(self) -> int:
        """Number of values."""
        return self.count + (self.top is not None)

    def values(self, index: Array) -> Array:
        """Values of numbers."""
        if self.table is not None:
            return self.table[index]
        regular = self.first + self.step * index
        return regular if self.top is None else np.where(index == self.count, self.top, regular)

    def first_at_least(self, value: Array) -> Array:
        """Number of the smallest value that is not below; `size` if there is none."""
        if self.table is not None:
            return np.searchsorted(self.table, value, side="left")
        index = np.maximum(-((self.first - value) // self.step), 0)
        if self.top is None:
            return np.minimum(index, self.count)
        return np.where(value > self.top, self.size, np.minimum(index, self.count))

    def last_at_most(self, value: Array) -> Array:
        """Number of the largest value that is not above; -1 if there is none."""
        if self.table is not None:
            return np.searchsorted(self.table, value, side="right") - 1
        index = np.clip((value - self.first) // self.step, -1, self.count - 1)
        return index if self.top is None else np.where(value >= self.top, self.count, index)


@dataclass(frozen=True, slots=True)
class Gridded:
    """The grid of a variable, and the constraints that it satisfies by construction."""

    grid: Grid
    settled: tuple[Constraint, ...]


def grid_of(symbol: Sym, constraints: Sequence[Constraint]) -> Gridded:
    """The grid of a variable of a bound problem. An empty one has size 0."""
    lo, hi, step = symbol.domain
    tables = [(c, t) for c in constraints if (t := _table(c, symbol)) is not None]
    if tables:
        allowed = set(tables[0][1]).intersection(*(t for _, t in tables[1:]))
        kept = np.array(sorted(v for v in allowed if lo <= v <= hi and v % step == 0), dtype=np.int64)
        return Gridded(Grid(first=0, step=1, count=len(kept), table=kept), tuple(c for c, _ in tables))
    for constraint in constraints:
        found = _aligned(constraint, symbol)
        if found is not None:
            return Gridded(found, (constraint,))
    return Gridded(_regular(symbol.domain, step), ())


def _regular(domain: Range, step: int) -> Grid:
    step = step or 1
    first = -(-domain.lo // step) * step
    return Grid(first=first, step=step, count=max(0, (domain.hi - first) // step + 1))


def _aligned(constraint: Constraint, symbol: Sym) -> Grid | None:
    """Grid of `d divides x`, or of `where(x == c, d1, d2) divides x` with c above all multiples of d2; None for anything else."""
    if not isinstance(constraint, Divides) or constraint.dividend != symbol:
        return None
    lo, hi, step = symbol.domain
    match constraint.divisor:
        case Int(d):
            return _regular(symbol.domain, lcm(step, d))
        case Where(Eq(x, Int(c)), Int(d1), Int(d2)) if x == symbol and c >= hi // lcm(step, d2) * lcm(step, d2):
            grid = _regular(Range(lo, min(hi, c - 1), step), lcm(step, d2))
            whole = lo <= c <= hi and c % lcm(step, d1) == 0
            return Grid(first=grid.first, step=grid.step, count=grid.count, top=c if whole else None)
        case _:
            return None


def _table(constraint: Constraint, symbol: Sym) -> tuple[int, ...] | None:
    match constraint:
        case Member(var=var, values=values) if var == symbol.name:
            return values
        case Divides(divisor=divisor, dividend=Int(n)) if divisor == symbol and n > 0:
            return _divisors(n)
        case _:
            return None


def _divisors(n: int) -> tuple[int, ...]:
    small = np.arange(1, isqrt(n) + 1, dtype=np.int64)
    small = small[n % small == 0]
    return tuple(int(d) for d in np.unique(np.concatenate((small, n // small))))
