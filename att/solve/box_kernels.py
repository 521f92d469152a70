"""Interval steps on numpy rows: each function makes the step that computes a node from the slots of its operands.

Rows are `(2, N)` or `(2, 1)` int64 arrays, lower bounds above upper bounds; a truth value is a bool array of that shape, "everywhere" above
"somewhere". `v` is the list of values by slot. On one point both rows are the exact value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from att.solve import saturating
from att.solve.saturating import LIMIT, Rows, Truth

Values = list[Any]
"""Rows and truth values by slot."""
Step = Callable[[Values], Any]


def constant(value: int) -> Step:
    """A number."""
    rows = np.full((2, 1), max(-LIMIT, min(LIMIT, value)), dtype=np.int64)
    return lambda _: rows


def always(*, value: bool) -> Step:
    """A condition that is decided."""
    rows = np.full((2, 1), value, dtype=np.bool_)
    return lambda _: rows


def folded(operation: Any, slots: Sequence[int]) -> Step:
    """Min, Max, And and Or are monotone in each operand, so rows combine row by row."""

    def run(v: Values) -> Any:
        result = v[slots[0]]
        for s in slots[1:]:
            result = operation(result, v[s])
        return result

    return run


def narrow_sum(parts: Sequence[tuple[int, int]], offset: int) -> Step:
    """`offset` plus coefficient times slot, inside int64."""

    def run(v: Values) -> Rows:
        total: Any = offset
        for factor, s in parts:
            rows: Rows = v[s]
            total = total + (rows if factor == 1 else factor * rows if factor > 0 else factor * rows[::-1])
        return total

    return run


def wide_sum(parts: Sequence[tuple[int, int]], offset: int) -> Step:
    """`offset` plus coefficient times slot, saturated."""
    start: Rows = constant(offset)([])

    def run(v: Values) -> Rows:
        total = start
        for factor, s in parts:
            total = saturating.add(total, saturating.scale(factor, v[s]))
        return total

    return run


def narrow_product(factor: int, slots: Sequence[int]) -> Step:
    """A number times factors that are never negative, inside int64."""

    def run(v: Values) -> Rows:
        product: Rows = v[slots[0]]
        for s in slots[1:]:
            product = product * v[s]
        return _scaled(factor, product)

    return run


def signed_product(factor: int, slots: Sequence[int]) -> Step:
    """A number times factors of any sign, inside int64: the extremes of the corners."""

    def run(v: Values) -> Rows:
        product: Rows = v[slots[0]]
        for s in slots[1:]:
            other: Rows = v[s]
            same, crossed = product * other, product * other[::-1]
            low = np.minimum(np.minimum(same[0], same[1]), np.minimum(crossed[0], crossed[1]))
            high = np.maximum(np.maximum(same[0], same[1]), np.maximum(crossed[0], crossed[1]))
            product = np.stack((low, high))
        return _scaled(factor, product)

    return run


def wide_product(factor: int, slots: Sequence[int]) -> Step:
    """A number times factors of any sign, saturated."""

    def run(v: Values) -> Rows:
        product: Rows = v[slots[0]]
        for s in slots[1:]:
            product = saturating.multiply(product, v[s])
        return product if factor == 1 else saturating.scale(factor, product)

    return run


def _scaled(factor: int, rows: Rows) -> Rows:
    return rows if factor == 1 else factor * rows if factor > 0 else factor * rows[::-1]


def _divide(n: Rows, d: Any, *, up: bool) -> Rows:
    return -(-n // d) if up else n // d


def constant_quotient(n: int, divisor: int, *, up: bool) -> Step:
    """A quotient by a number."""
    return lambda v: _divide(v[n], divisor, up=up)


def natural_quotient(n: int, d: int, *, up: bool) -> Step:
    """A quotient of something that is never negative."""
    return lambda v: _divide(v[n], v[d][::-1], up=up)


def signed_quotient(n: int, d: int, *, up: bool) -> Step:
    """A quotient of something of any sign: the divisor that gives the extreme depends on it."""

    def run(v: Values) -> Rows:
        by_largest, by_smallest = _divide(v[n], v[d][1], up=up), _divide(v[n], v[d][0], up=up)
        return np.stack((np.minimum(by_largest[0], by_smallest[0]), np.maximum(by_largest[1], by_smallest[1])))

    return run


def saturated_quotient(step: Step, n: int) -> Step:
    """A quotient whose numerator may be saturated."""
    return lambda v: saturating.quotient(step(v), v[n])


def kept_share(x: int, d: int, *, up: bool) -> Step:
    """`x - x/d` for `x >= 0` is monotone in both (`att.model.intervals.kept_share`)."""
    return lambda v: v[x] - _divide(v[x], v[d], up=up)


def remainder(n: int, d: int, *, wide: bool) -> Step:
    """Where every value of the box has the same quotient q the remainder is `n - q*d`; elsewhere it is anything below the divisor."""

    def run(v: Values) -> Rows:
        low: Rows = v[n][0]
        high: Rows = v[n][1]
        small: Rows = v[d][0]
        large: Rows = v[d][1]
        least: Rows = np.floor_divide(low, np.where(low >= 0, large, small))
        most: Rows = np.floor_divide(high, np.where(high >= 0, small, large))
        same: Truth = np.equal(least, most)
        if wide:
            same &= saturating.is_known(v[n])
        q: Rows = np.where(same, least, 0)
        largest: Rows = np.where(low >= 0, np.minimum(high, large - 1), large - 1)
        first = np.where(same, np.maximum(low - q * np.where(q >= 0, large, small), 0), 0)
        last = np.where(same, np.minimum(high - q * np.where(q >= 0, small, large), largest), largest)
        return np.stack((first, last))

    return run


def choice(cond: int, then: int, orelse: int) -> Step:
    """One of two where the condition is decided, their hull elsewhere."""

    def run(v: Values) -> Rows:
        (surely, possibly), a, b = v[cond], v[then], v[orelse]
        hull = np.stack((np.minimum(a[0], b[0]), np.maximum(a[1], b[1])))
        return np.where(surely, a, np.where(possibly, hull, b))

    return run


def entry(table: Sequence[int], index: int) -> Step:
    """Smallest and largest entry of a stretch of a table."""
    entries = np.array(table, dtype=np.int64)
    steps = np.diff(entries)
    if (steps >= 0).all():
        return lambda v: entries[v[index]]
    if (steps <= 0).all():
        return lambda v: entries[v[index][::-1]]
    lowest, highest = _extremes(entries, np.minimum), _extremes(entries, np.maximum)
    return lambda v: np.stack((lowest(v[index]), highest(v[index])))


def _extremes(entries: Rows, operation: Any) -> Callable[[Rows], Rows]:
    """Extremes of stretches: level k holds those of 2^k entries in a row, and two overlapping ones cover any stretch."""
    levels = [entries]
    while 2 ** len(levels) <= len(entries):
        half = 2 ** (len(levels) - 1)
        levels.append(operation(levels[-1][:-half], levels[-1][half:]))
    padded = np.stack([np.pad(level, (0, len(entries) - len(level)), mode="edge") for level in levels])

    def run(index: Rows) -> Rows:
        level = np.floor(np.log2(index[1] - index[0] + 1)).astype(np.int64)
        return operation(padded[level, index[0]], padded[level, index[1] - (1 << level) + 1])

    return run


def less(compare: Any, lhs: int, rhs: int) -> Step:
    """`lhs < rhs` or `lhs <= rhs`, as `compare` says."""
    return lambda v: compare(v[lhs][::-1], v[rhs])


def equal(lhs: int, rhs: int) -> Step:
    """`lhs == rhs`: everywhere on equal points, somewhere where the intervals meet."""

    def run(v: Values) -> Truth:
        a: Rows = v[lhs]
        b: Rows = v[rhs]
        return np.stack((a[1] <= b[0], a[0] <= b[1])) & np.stack((b[1] <= a[0], b[0] <= a[1]))

    return run


def unless_unknown(compare: Step, lhs: int, rhs: int) -> Step:
    """A comparison of rows that may be saturated: there nothing is sure and anything possible."""

    def run(v: Values) -> Truth:
        surely, possibly = compare(v)
        known = saturating.is_known(v[lhs]) & saturating.is_known(v[rhs])
        return np.stack((surely & known, possibly | ~known))

    return run


def negation(cond: int) -> Step:
    """What holds nowhere holds everywhere negated."""
    return lambda v: ~v[cond][::-1]
