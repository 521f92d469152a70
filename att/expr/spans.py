"""Bounds of expressions over thousands of boxes at once, in doubles rounded outward.

A span says `lo <= value <= hi` for every value that the symbols take in a box. The rules are those of `att.expr.ranges`, and no span leaves
the range of its node. Integers below 2^53 are exact in a double, and so is everything that is computed from them while it stays there;
beyond, an operation rounds to the nearest double, so the next one outward is taken. Where that overflows, the range of the node is left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import inf, nextafter, prod
from sys import float_info
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from att.errors import ModelError
from att.expr.compare import Eq, Le, Lt
from att.expr.core import Add, CeilDiv, Expr, FloorDiv, Int, Lookup, Max, Min, Mod, Mul, Sym, Where
from att.expr.logic import And, Cond, Not, Or
from att.expr.node import Node, topological
from att.expr.ranges import Range

Array = NDArray[Any]

EXACT: Final = 2**53
"""Magnitudes below it are exact in a double."""

_LARGEST: Final = int(float_info.max)


class Span(NamedTuple):
    """Bounds of an expression in each box, or in all of them."""

    lo: Array
    hi: Array


class Truth(NamedTuple):
    """What is known of a condition in each box, or in all of them."""

    may_hold: Array
    may_fail: Array


def enclosing(lo: int, hi: int) -> Span:
    """Integers as doubles, or where they are not exact as the doubles next to them."""
    below, beyond = _toward(lo, -inf), _toward(hi, inf)
    return Span(below, below if lo == hi and abs(lo) < EXACT else beyond)


def _toward(value: int, end: float) -> Array:
    near = float(min(max(value, -_LARGEST), _LARGEST))
    return np.asarray(near if abs(value) < EXACT else nextafter(near, end))


@dataclass(frozen=True, slots=True)
class Spans:
    """What is known of nodes in some boxes."""

    exprs: dict[Expr, Span]
    conds: dict[Cond, Truth]


class Bounding:
    """Bounds of the same nodes, for one set of boxes after another."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._order = tuple(topological(*nodes))
        exprs = [node for node in self._order if isinstance(node, Expr)]
        self._own = {node: enclosing(node.lo, node.hi) for node in exprs}
        self._rounded = {node: not _stays_exact(node) for node in exprs}

    def __call__(self, boxes: Mapping[Sym, Span]) -> Spans:
        """The bounds where the symbols lie in the boxes. Raises ModelError for a node kind it does not know."""
        found = Spans({}, {})
        with np.errstate(all="ignore"):
            for node in self._order:
                if isinstance(node, Cond):
                    found.conds[node] = _truth(node, found)
                elif isinstance(node, Expr):
                    found.exprs[node] = boxes[node] if isinstance(node, Sym) else self._span(node, found)
        return found

    def _span(self, node: Expr, found: Spans) -> Span:
        of = found.exprs
        match node:
            case Int():
                return self._own[node]
            case Where(cond, then, orelse):
                return _choice(found.conds[cond], of[then], of[orelse])
            case Min(args):
                return Span(reduce(np.minimum, [of[a].lo for a in args]), reduce(np.minimum, [of[a].hi for a in args]))
            case Max(args):
                return Span(reduce(np.maximum, [of[a].lo for a in args]), reduce(np.maximum, [of[a].hi for a in args]))
            case Lookup(table, index):
                return _entry(table, of[index], index.range)
            case _:
                least, most = self._own[node]
                span = _arithmetic(node, of, rounded=self._rounded[node])
                return Span(np.fmax(span.lo, least), np.fmin(span.hi, most))  # either ignores what is not a number


def _stays_exact(node: Expr) -> bool:
    """Whether doubles hold the operands, what is computed on the way and the result exactly, spans being within the ranges of the nodes."""
    sizes = [max(abs(o.lo), abs(o.hi)) for o in node.operands if isinstance(o, Expr)]
    return (prod(max(1, size) for size in sizes) if isinstance(node, Mul) else sum(sizes)) < EXACT


def _arithmetic(node: Expr, of: Mapping[Expr, Span], *, rounded: bool) -> Span:
    match node:
        case Add(terms):
            return reduce(lambda a, b: _outward(Span(a.lo + b.lo, a.hi + b.hi), rounded=rounded), [of[t] for t in terms])
        case Mul(factors):
            return _product(factors, of, rounded=rounded)
        case FloorDiv(n, d):
            return _quotient(of[n], of[d], np.floor, rounded=rounded)
        case CeilDiv(n, d):
            return _quotient(of[n], of[d], np.ceil, rounded=rounded)
        case Mod(n, d):
            return _remainder(of[n], of[d], rounded=rounded)
        case _:
            raise ModelError(f"no bounds of a {type(node).__name__}")


def _outward(span: Span, *, rounded: bool) -> Span:
    """The span; if it was rounded to the nearest doubles, the one that surely holds what was rounded."""
    return Span(np.nextafter(span.lo, -inf), np.nextafter(span.hi, inf)) if rounded else span


def _product(factors: Sequence[Expr], of: Mapping[Expr, Span], *, rounded: bool) -> Span:
    found, positive = of[factors[0]], factors[0].lo >= 0
    for factor in factors[1:]:
        other = of[factor]
        positive = positive and factor.lo >= 0
        found = Span(found.lo * other.lo, found.hi * other.hi) if positive else _corners(found, other, np.multiply)
        found = _outward(found, rounded=rounded)
    return found


def _quotient(n: Span, d: Span, rounding: Callable[[Array], Array], *, rounded: bool) -> Span:
    """The quotient for `d >= 1`; with `n + d` below 2^53 one that is no integer is further from the next than it is rounded by."""
    found = _outward(_corners(n, d, np.true_divide), rounded=rounded)
    return Span(rounding(found.lo), rounding(found.hi))


def _corners(a: Span, b: Span, operation: Callable[[Array, Array], Array]) -> Span:
    """Smallest and largest result of an operation that is monotone in each operand."""
    ends = [operation(x, y) for x in (a[:1] if a.lo is a.hi else a) for y in (b[:1] if b.lo is b.hi else b)]
    return Span(reduce(np.minimum, ends), reduce(np.maximum, ends))


def _remainder(n: Span, d: Span, *, rounded: bool) -> Span:
    """The remainder for `d >= 1`: `n - q*d`, from 0 to d - 1."""
    if rounded:
        return Span(np.zeros_like(d.hi), d.hi)
    taken = _corners(_quotient(n, d, np.floor, rounded=False), d, np.multiply)
    top = np.where(n.lo >= 0, np.minimum(d.hi - 1, n.hi), d.hi - 1)
    return Span(np.maximum(n.lo - taken.hi, 0), np.minimum(n.hi - taken.lo, top))


def _choice(cond: Truth, then: Span, orelse: Span) -> Span:
    lo = np.where(cond.may_hold, np.where(cond.may_fail, np.minimum(then.lo, orelse.lo), then.lo), orelse.lo)
    hi = np.where(cond.may_hold, np.where(cond.may_fail, np.maximum(then.hi, orelse.hi), then.hi), orelse.hi)
    return Span(lo, hi)


def _entry(table: Sequence[int], index: Span, reach: Range) -> Span:
    """Smallest and largest entry between two indices: that of two stretches which overlap and are a power of two long."""
    first, last = (np.clip(end, reach.lo, reach.hi).astype(np.int64) for end in index)
    level = np.frexp(last - first + 1.0)[1] - 1
    last = last - 2**level + 1
    entries = [enclosing(entry, entry) for entry in table]
    low, high = _stretches(np.array([e.lo for e in entries]), np.minimum), _stretches(np.array([e.hi for e in entries]), np.maximum)
    return Span(np.minimum(low[level, first], low[level, last]), np.maximum(high[level, first], high[level, last]))


def _stretches(entries: Array, pick: np.ufunc) -> Array:
    """Row k holds for each entry what is picked from the 2^k entries that start with it."""
    rows = [entries]
    while 2 ** len(rows) <= len(entries):
        half = 2 ** (len(rows) - 1)
        rows.append(np.concatenate([pick(rows[-1][:-half], rows[-1][half:]), rows[-1][-half:]]))
    return np.array(rows)


def _truth(node: Cond, found: Spans) -> Truth:
    match node:
        case Le(lhs, rhs):
            a, b = found.exprs[lhs], found.exprs[rhs]
            return Truth(a.lo <= b.hi, a.hi > b.lo)
        case Lt(lhs, rhs):
            a, b = found.exprs[lhs], found.exprs[rhs]
            return Truth(a.lo < b.hi, a.hi >= b.lo)
        case Eq(lhs, rhs):
            a, b = found.exprs[lhs], found.exprs[rhs]
            return Truth((a.lo <= b.hi) & (b.lo <= a.hi), (a.lo < b.hi) | (b.lo < a.hi))
        case And(conds):
            return _joined([found.conds[c] for c in conds], np.logical_and, np.logical_or)
        case Or(conds):
            return _joined([found.conds[c] for c in conds], np.logical_or, np.logical_and)
        case Not(cond):
            return Truth(*reversed(found.conds[cond]))
        case _:
            raise ModelError(f"no bounds of a {type(node).__name__}")


def _joined(truths: Sequence[Truth], hold: np.ufunc, fail: np.ufunc) -> Truth:
    """`hold` joins what may hold and `fail` what may fail; nothing joined is what the operation leaves unchanged."""
    may_hold = reduce(hold, [t.may_hold for t in truths], np.bool_(hold is np.logical_and))
    return Truth(may_hold, reduce(fail, [t.may_fail for t in truths], np.bool_(fail is np.logical_and)))
