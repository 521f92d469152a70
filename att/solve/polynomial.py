"""Integer expressions multiplied out to polynomials that are never above them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import cast

from att.expr.choice import where
from att.expr.compare import Le, Lt, le, lt
from att.expr.core import Add, CeilDiv, Expr, FloorDiv, Int, Lookup, Max, Min, Mod, Mul, Sym, Where, add, integer, mul
from att.expr.logic import Cond
from att.expr.node import Node, topological
from att.expr.substitute import rebuild
from att.model.intervals import kept_share

Monomial = tuple[Expr, ...]
"""Factors that are not expanded further, in the order in which the expander met them first."""
Number = int | Fraction
Terms = dict[Monomial, Number]

MAX_TERMS = 300
"""Polynomials that grow beyond it are given up."""


@dataclass(frozen=True, slots=True)
class Lower:
    """A polynomial that is never above an expression; `exact`: equal to it."""

    terms: Mapping[Monomial, Number]
    exact: bool


class Expander:
    """Expands expressions; what it cannot expand (a quotient by a variable, a remainder, a table) is a factor as it stands."""

    def __init__(self) -> None:
        self._order: dict[Expr, int] = {}
        self._done: dict[Expr, Lower] = {}

    def lower(self, expr: Expr) -> Lower:
        """A polynomial that is never above the expression, whatever the symbols' values."""
        if expr not in self._done:
            self._done[expr] = self._expanded(expr)
        return self._done[expr]

    def monomial(self, *factors: Expr) -> Monomial:
        """The product of factors in canonical order."""
        return tuple(sorted(factors, key=lambda f: self._order.setdefault(f, len(self._order))))

    def product(self, a: Mapping[Monomial, Number], b: Mapping[Monomial, Number]) -> Terms:
        """Product of two polynomials."""
        for one, other in ((a, b), (b, a)):
            if len(one) == 1 and () in one:
                return {m: one[()] * c for m, c in other.items()}
        return collected((self.monomial(*m, *n), c * d) for m, c in a.items() for n, d in b.items())

    def _factor(self, expr: Expr) -> Lower:
        return Lower({self.monomial(expr): 1}, exact=True)

    def _expanded(self, expr: Expr) -> Lower:
        match expr:
            case Int(value):
                return Lower({(): value} if value else {}, exact=True)
            case Add(terms):
                parts = [self.lower(t) for t in terms]
                total = collected(item for p in parts for item in p.terms.items())
                return Lower(total, exact=all(p.exact for p in parts))
            case Mul(factors):
                return self._product(expr, [self.lower(f) for f in factors])
            case FloorDiv(n, Int(d)):
                return self._divided(n, d, 0 if n.multiple % d == 0 else Fraction(1 - d, d))
            case CeilDiv(n, Int(d)):
                return self._divided(n, d, 0)
            case Where(Lt(lhs, Int(limit)), then, orelse) if lhs == orelse and then.lo >= limit - 1:
                return Lower(self.lower(orelse).terms, exact=False)
            case Where(cond, then, orelse):
                return self._choice(cond, self.lower(then), self.lower(orelse))
            case Max((a, b)):
                return self._larger(a, b)
            case _:
                return self._factor(expr)

    def _product(self, expr: Mul, parts: list[Lower]) -> Lower:
        """Multiplying a bound by a number that may be negative would turn it round: such products stay factors."""
        rounded = [p for p in parts if not p.exact]
        natural = all(_is_natural(f) for f, p in zip(expr.factors, parts, strict=True) if p.exact)
        if len(rounded) > 1 or (rounded and not natural):
            return self._factor(expr)
        total: Mapping[Monomial, Number] = {(): 1}
        for part in parts:
            total = self.product(total, part.terms)
            if len(total) > MAX_TERMS:
                return self._factor(expr)
        return Lower(total, exact=not rounded)

    def _divided(self, numerator: Expr, divisor: int, slack: Number) -> Lower:
        part = self.lower(numerator)
        total = collected([*((m, ratio(c, divisor)) for m, c in part.terms.items()), ((), slack)])
        return Lower(total, exact=part.exact and numerator.multiple % divisor == 0)

    def _larger(self, a: Expr, b: Expr) -> Lower:
        """Not below either; where one side stops growing at a limit (`min(x, c)`), not below that side up to there and the other beyond."""
        for one, other in ((a, b), (b, a)):
            if never_below(one, other):
                return self.lower(one)
        for one, other in ((a, b), (b, a)):
            stops, shared = _limits(one), _limits(other)
            own = [(node, limit) for node, limit in stops.items() if node not in shared]
            if len(own) == 1 and shared.keys() <= stops.keys():
                ((node, (x, limit)),) = own
                (growing,) = replaced((one,), {node: x})
                return Lower(self._choice(le(x, limit), self.lower(growing), self.lower(other)).terms, exact=False)
        return Lower(self.lower(a if a.hi > b.hi else b).terms, exact=False)

    def _choice(self, cond: Cond, then: Lower, orelse: Lower) -> Lower:
        """Size by size: `where(p, a*t, b*t)` is `where(p, a, b)*t`.

        If a is never below b, a condition that holds less often gives a bound; conditions on whole tiles let tiles and tails add up.
        """
        a, b = _by_size(then.terms), _by_size(orelse.terms)
        found: list[tuple[Monomial, Number]] = []
        exact = then.exact and orelse.exact
        for size in dict.fromkeys((*a, *b)):
            shared, *rests = _apart(a.get(size, {}), b.get(size, {}))
            found += [(self.monomial(*size, *m), c) for m, c in shared.items()]
            unit = _unit([c for rest in rests for c in rest.values()])
            one, other = (whole_sum(rest, unit) for rest in rests)
            natural = all(f.lo >= 0 for f in size)
            certain = _of_whole_tiles(cond) if natural and never_below(one, other) else cond
            factor = where(certain, one, other)
            part = self._factor(factor) if isinstance(factor, Where) else self.lower(factor)
            if not (part.exact or natural):
                part = self._factor(factor)
            exact = exact and part.exact and certain == cond
            found += [(self.monomial(*size, *m), _as_int_if_whole(c * unit)) for m, c in part.terms.items()]
        return Lower(collected(found), exact=exact)


def _limits(expr: Expr) -> dict[Node, tuple[Expr, int]]:
    """The nodes `min(x, c)` with a constant below an expression, with their x and c; not those that keep an index within its table."""
    found: dict[Node, tuple[Expr, int]] = {}
    indices: set[Node] = set()
    for node in topological(expr):
        match node:
            case Min((x, Int(limit))):
                found[node] = (x, limit)
            case Lookup():
                indices.update(topological(node.index))
            case _:
                pass
    return {node: stop for node, stop in found.items() if node not in indices}


def replaced(exprs: Sequence[Expr], known: Mapping[Node, Node]) -> tuple[Expr, ...]:
    """Expressions with nodes replaced by what they are in a case."""
    new: dict[Node, Node] = {}
    for node in topological(*exprs):
        if node in known:
            new[node] = known[node]
            continue
        operands = tuple([new[o] for o in node.operands])
        new[node] = node if operands == node.operands else rebuild(node, operands)
    return tuple(cast("Expr", new[e]) for e in exprs)


def _is_natural(expr: Expr) -> bool:
    share = kept_share(expr) if isinstance(expr, Add) else None
    return expr.lo >= 0 or (share is not None and share[0].lo >= 0)


def never_below(a: Expr, b: Expr) -> bool:
    """True only if `a >= b` for every value of the symbols; sees through tables with one index."""
    difference = add(a, mul(-1, b))
    return difference.lo >= 0 or _least(difference) >= 0


def _least(expr: Expr) -> int:
    """A lower bound in which all tables of one index have their entries at the same place."""
    plain, tables = 0, dict[Expr, list[tuple[int, Sequence[int]]]]()
    for term in expr.terms if isinstance(expr, Add) else (expr,):
        match term:
            case Lookup(table, index):
                tables.setdefault(index, []).append((1, table))
            case Mul((Int(factor), Lookup(table, index))):
                tables.setdefault(index, []).append((factor, table))
            case _:
                plain += term.lo
    return plain + sum(min(sum(f * t[k] for f, t in rows) for k in range(i.lo, i.hi + 1)) for i, rows in tables.items())


def _of_whole_tiles(cond: Cond) -> Cond:
    """`size < c` with every tail in the size as long as its tile: it holds for fewer values."""
    match cond:
        case Lt(size, Int(limit)):
            return lt(_with_whole_tiles(size), limit)
        case Le(size, Int(limit)):
            return le(_with_whole_tiles(size), limit)
        case _:
            return cond


def _with_whole_tiles(size: Expr) -> Expr:
    """The size with `x mod t` replaced by `t - 1`, where it grows with all its parts."""
    new: dict[Node, Node] = {}
    for node in topological(size):
        match node:
            case Mod(_, d):
                new[node] = add(d, -1)
            case Int() | Sym() | Add() | Mul() if node.lo >= 0:
                new[node] = rebuild(node, tuple(new[o] for o in node.operands))
            case _:
                return size
    return cast("Expr", new[size])


def collected(items: Iterable[tuple[Monomial, Number]]) -> Terms:
    """Equal monomials added up, zeros dropped."""
    total: Terms = {}
    for monomial, coefficient in items:
        total[monomial] = total.get(monomial, 0) + coefficient
    return {m: c for m, c in total.items() if c}


def ratio(number: Number, divisor: int) -> Number:
    """The quotient, as an int where it is whole: most numbers are, and ints are faster."""
    if isinstance(number, int):
        return number // divisor if number % divisor == 0 else Fraction(number, divisor)
    return _as_int_if_whole(number / divisor)


def _as_int_if_whole(number: Number) -> Number:
    return number.numerator if number.denominator == 1 else number


def whole_sum(terms: Mapping[Monomial, Number], unit: Number) -> Expr:
    """A polynomial divided by a unit of which all coefficients are multiples."""
    return add(*(mul(int(Fraction(c) / unit), *m) for m, c in terms.items())) if terms else integer(0)


def _apart(a: Terms, b: Terms) -> tuple[Terms, Terms, Terms]:
    """What both have of each term, and what is left of either."""
    shared = {m: min(c, b[m]) for m, c in a.items() if m in b}
    return shared, _less(a, shared), _less(b, shared)


def _less(terms: Terms, shared: Terms) -> Terms:
    return collected([*terms.items(), *((m, -c) for m, c in shared.items())])


def _unit(numbers: Sequence[Number]) -> Number:
    """The largest number of which all are multiples; 1 for none."""
    return ratio(gcd(*(n.numerator for n in numbers)) or 1, lcm(*(n.denominator for n in numbers)))


def _by_size(terms: Mapping[Monomial, Number]) -> dict[Monomial, Terms]:
    """Terms by their factors that are sizes and counts; what is left of each monomial are coefficients."""
    found: dict[Monomial, Terms] = {}
    for monomial, coefficient in terms.items():
        size = tuple(f for f in monomial if is_size(f))
        rest = tuple(f for f in monomial if not is_size(f))
        found.setdefault(size, {})[rest] = coefficient
    return found


def is_size(factor: Expr) -> bool:
    """Whether a factor counts elements or tiles, rather than being a rate."""
    return isinstance(factor, (Sym, CeilDiv, FloorDiv, Mod)) or not isinstance(factor, (Where, Lookup))
