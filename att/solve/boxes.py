"""Boxes of tilings: a bound problem as intervals over many boxes at once.

A box is, for each variable, a stretch of its grid numbers (`att.solve.grid`). `BoxProblem.evaluate` gives for every box bounds of
the time and of the tie-break, whether the box can hold a legal tiling, and whether all its tilings are legal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from att.expr.core import CeilDiv, Expr, Int, Sym, ceil_div, integer, mod
from att.expr.node import topological
from att.model.tiling import Constraint, Divides, Leq, Member, Problem, VarRole
from att.solve.box_program import BoxProgram, VarBounds
from att.solve.grid import Gridded, grid_of
from att.solve.relaxation import relaxed_time
from att.solve.saturating import LIMIT, Rows, Truth

Array = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Boxes:
    """Boxes as grid numbers; both arrays have one row per variable and one column per box."""

    low: Array
    high: Array

    @property
    def count(self) -> int:
        """Number of boxes."""
        return self.low.shape[1]

    def take(self, which: NDArray[np.int64] | Truth) -> Boxes:
        """Some of the boxes."""
        return Boxes(self.low[:, which], self.high[:, which])

    def joined(self, other: Boxes) -> Boxes:
        """These boxes, then the others."""
        return Boxes(np.concatenate((self.low, other.low), axis=1), np.concatenate((self.high, other.high), axis=1))

    @property
    def is_point(self) -> Truth:
        """Boxes of one tiling."""
        return (self.low == self.high).all(axis=0)


@dataclass(frozen=True, slots=True)
class Judged:
    """What intervals say of boxes; all arrays have one column per box."""

    boxes: Boxes
    """The boxes, cut by the implied bounds."""
    values: Array
    """Values at the lower and upper end, shape (2, variables, boxes)."""
    counted: Array
    """For each variable how much of it is counted in steps of the variable (0: nothing), at most; shape (variables, boxes)."""
    time: Rows
    """Bounds of the makespan, ticks."""
    ties: tuple[Rows, ...]
    """Bounds of the tie-break expressions."""
    possible: Truth
    """Boxes that may hold a legal tiling."""
    exact: Truth
    """Points that are legal, with exact time and ties."""

    def take(self, which: NDArray[np.int64] | Truth) -> Judged:
        """Some of the boxes."""
        return Judged(
            self.boxes.take(which),
            self.values[:, :, which],
            self.counted[:, which],
            self.time[:, which],
            tuple(t[:, which] for t in self.ties),
            self.possible[which],
            self.exact[which],
        )

    def joined(self, other: Judged) -> Judged:
        """These boxes, then the others."""
        return Judged(
            self.boxes.joined(other.boxes),
            np.concatenate((self.values, other.values), axis=2),
            np.concatenate((self.counted, other.counted), axis=1),
            np.concatenate((self.time, other.time), axis=1),
            tuple(np.concatenate(pair, axis=1) for pair in zip(self.ties, other.ties, strict=True)),
            np.concatenate((self.possible, other.possible)),
            np.concatenate((self.exact, other.exact)),
        )


class BoxProblem:
    """A bound problem compiled for boxes. Immutable once built. Raises ModelError for what int64 rows cannot hold."""

    def __init__(self, problem: Problem, *, relaxed: bool = False) -> None:
        """`relaxed`: sharpen the lower bounds of the time by total work (`att.solve.relaxation`), at some cost per box."""
        ordered = sorted(problem.variables, key=lambda v: (v.role is not VarRole.TILE, v.rank, v.name))
        self.names = tuple(v.name for v in ordered)
        self.is_block = np.array([v.role is not VarRole.TILE for v in ordered], dtype=np.bool_)
        gridded = [grid_of(v.symbol, problem.constraints) for v in ordered]
        self.grids = tuple(g.grid for g in gridded)
        self.bounds = implied_bounds(problem.constraints, [v.symbol for v in ordered])
        excesses = _excesses(problem.constraints, gridded)
        self._excess_count = len(excesses)
        bound = relaxed_time(problem) if relaxed else None
        counted = _counted(problem, [v.symbol for v in ordered])
        roots = (problem.objective, problem.objective if bound is None else bound, *counted, *excesses, *problem.tie_break)
        self._program = BoxProgram(roots, self.bounds)
        names = {v.symbol: i for i, v in enumerate(ordered)}
        self.leaders = tuple(tuple(sorted({names[s] for e in (*b.lower, *b.upper) for s in _symbols(e)})) for b in self.bounds)

    @property
    def root(self) -> Boxes:
        """The box of all tilings."""
        high = np.array([[g.size - 1] for g in self.grids], dtype=np.int64).reshape(len(self.grids), 1)
        return Boxes(np.zeros_like(high), high)

    def point(self, tiling: Mapping[str, int]) -> Boxes:
        """The box of one tiling; no box if it is not on the grids."""
        found: list[int] = []
        for name, grid in zip(self.names, self.grids, strict=True):
            number = int(grid.first_at_least(np.array([tiling[name]], dtype=np.int64))[0])
            if number >= grid.size or int(grid.values(np.array([number], dtype=np.int64))[0]) != tiling[name]:
                return Boxes(np.zeros((len(self.grids), 0), dtype=np.int64), np.zeros((len(self.grids), 0), dtype=np.int64))
            found.append(number)
        index = np.array(found, dtype=np.int64).reshape(len(found), 1)
        return Boxes(index, index)

    def values_of(self, index: Array) -> Array:
        """Values of grid numbers, one row per variable."""
        rows = [grid.values(row) for grid, row in zip(self.grids, index, strict=True)]
        return np.stack(rows) if rows else np.zeros((0, index.shape[1]), dtype=np.int64)

    def evaluate(self, boxes: Boxes) -> Judged:
        """Judges every box."""
        ends = np.stack((self.values_of(boxes.low), self.values_of(boxes.high)))
        found = self._program.run([ends[:, i] for i in range(len(self.grids))] or [np.zeros((2, boxes.count), dtype=np.int64)])
        time, bound, *rest = found.roots
        counted, rest = rest[: len(self.grids)], rest[len(self.grids) :]
        excesses, ties = rest[: self._excess_count], rest[self._excess_count :]
        possible, legal = ~found.empty, ~found.empty
        for excess in excesses:
            possible &= excess[0] <= 0
            legal &= excess[1] <= 0
        cut = self._cut(boxes, found.variables)
        values = np.stack((self.values_of(cut.low), self.values_of(np.maximum(cut.high, 0)))) if self._has_bounds else ends
        possible &= (cut.low <= cut.high).all(axis=0)
        settled = (time[0] == time[1]) & (time[1] < LIMIT)
        for tie in ties:
            settled &= (tie[0] == tie[1]) & (tie[1] < LIMIT)
        time = np.stack((np.maximum(time[0], bound[0]), time[1]))
        amounts = np.stack([c[1] for c in counted]) if counted else np.zeros((0, boxes.count), dtype=np.int64)
        return Judged(cut, values, amounts, time, tuple(ties), possible, legal & settled & cut.is_point & possible)

    @property
    def _has_bounds(self) -> bool:
        return any(b.lower or b.upper for b in self.bounds)

    def _cut(self, boxes: Boxes, variables: Sequence[Rows]) -> Boxes:
        """The boxes without the grid values outside the implied bounds."""
        low, high = boxes.low.copy(), boxes.high.copy()
        for i, (grid, bound, rows) in enumerate(zip(self.grids, self.bounds, variables, strict=True)):
            if bound.lower or bound.upper:
                np.maximum(low[i], grid.first_at_least(rows[0]), out=low[i])
                np.minimum(high[i], grid.last_at_most(rows[1]), out=high[i])
        last = np.array([g.size - 1 for g in self.grids], dtype=low.dtype).reshape(-1, 1)
        return Boxes(np.minimum(low, last), high)


def implied_bounds(constraints: Sequence[Constraint], ordered: Sequence[Sym]) -> tuple[VarBounds, ...]:
    """Bounds of each variable by the variables before it that the constraints imply.

    `x <= e` and `e <= x` as they stand; `ceil(n/x) <= c`, the core limit, says `x >= ceil(n/c)`.
    """
    found: list[VarBounds] = []
    for i, symbol in enumerate(ordered):
        earlier = frozenset(ordered[:i])
        lower: list[Expr] = []
        upper: list[Expr] = []
        for constraint in constraints:
            if isinstance(constraint, Leq):
                lower += [e for e in _lower_bounds(constraint, symbol) if _symbols(e) <= earlier]
                upper += [e for e in _upper_bounds(constraint, symbol) if _symbols(e) <= earlier]
        found.append(VarBounds(symbol, tuple(lower), tuple(upper)))
    return tuple(found)


def _counted(problem: Problem, symbols: Sequence[Sym]) -> list[Expr]:
    """For each variable the whole n of `ceil(n/x)`, the first in the objective; 0 where there is none."""
    wholes: dict[Expr, Expr] = {}
    for node in topological(problem.objective):
        if isinstance(node, CeilDiv):
            wholes.setdefault(node.denominator, node.numerator)
    return [wholes.get(s, integer(0)) for s in symbols]


def _lower_bounds(constraint: Leq, symbol: Sym) -> list[Expr]:
    if constraint.rhs == symbol:
        return [constraint.lhs]
    match constraint.lhs:
        case CeilDiv(n, d) if d == symbol and constraint.rhs.lo >= 1:
            return [ceil_div(n, constraint.rhs)]
        case _:
            return []


def _upper_bounds(constraint: Leq, symbol: Sym) -> list[Expr]:
    return [constraint.rhs] if constraint.lhs == symbol else []


def _symbols(expr: Expr) -> frozenset[Sym]:
    return frozenset(n for n in topological(expr) if isinstance(n, Sym))


def _excesses(constraints: Sequence[Constraint], gridded: Sequence[Gridded]) -> list[Expr]:
    """For each constraint that the grids do not settle an expression that is at most 0 exactly where the constraint holds."""
    settled = [c for g in gridded for c in g.settled]
    found: list[Expr] = []
    for constraint in constraints:
        match constraint:
            case Leq(lhs=lhs, rhs=rhs):
                found.append(lhs - rhs)
            case Divides(divisor=divisor, dividend=dividend) if constraint not in settled:
                found.append(mod(dividend, divisor))
            case Divides() | Member():
                pass
    return [e for e in found if not isinstance(e, Int) or e.value > 0]
