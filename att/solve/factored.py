"""The same value with fewer products: what the terms of a sum, the arguments of a maximum or both branches have in common is drawn out.

    r*a + r*b + c               ->  r*(a + b) + c
    max(s + a, s + b)           ->  s + max(a, b)
    max(a // d, b // d)         ->  max(a, b) // d
    s + a if p else s + b       ->  s + (a if p else b)

A model then has fewer variables, and intervals of the result are never wider: each shared part is counted once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from att.expr.choice import maximum, minimum, where
from att.expr.core import Add, Expr, FloorDiv, Int, Max, Min, Mul, Where, add, floor_div, mul
from att.expr.node import Node, topological
from att.expr.substitute import rebuild


def factored(expr: Expr) -> Expr:
    """An expression of the same value for all values of the symbols."""
    new: dict[Node, Node] = {}
    for node in topological(expr):
        operands = tuple([new[o] for o in node.operands])
        plain = node if operands == node.operands else rebuild(node, operands)
        new[node] = _drawn_out(plain) if isinstance(plain, Expr) else plain
    return cast("Expr", new[expr])


def _drawn_out(expr: Expr) -> Expr:
    match expr:
        case Add(terms):
            return _grouped(terms)
        case Max(args) | Min(args):
            shared = _shared(args)
            rest = [_less(a, shared) for a in args] if shared else list(args)
            return add(*shared, _extremum(type(expr), rest))
        case Where(cond, then, orelse):
            shared = _shared((then, orelse))
            return add(*shared, where(cond, _less(then, shared), _less(orelse, shared))) if shared else expr
        case _:
            return expr


def _grouped(terms: Sequence[Expr]) -> Expr:
    """The sum with the most frequent factor of its products drawn out, again and again."""
    factors = {t: found for t in terms if len(found := _factors(t)) > 1}
    common = _most_frequent(factors.values())
    if common is None:
        return add(*terms)
    inside = [t for t, found in factors.items() if common in found]
    outside = [t for t in terms if t not in inside]
    return add(mul(common, _grouped([_without(t, common) for t in inside])), _grouped(outside) if outside else 0)


def _most_frequent(products: Iterable[Sequence[Expr]]) -> Expr | None:
    """The factor of most products, the first of several; None if none is in two."""
    counts: dict[Expr, int] = {}
    for product in products:
        for factor in dict.fromkeys(product):
            counts[factor] = counts.get(factor, 0) + 1
    most = max(counts.values(), default=0)
    return next(f for f, count in counts.items() if count == most) if most > 1 else None


def _extremum(kind: type[Expr], args: Sequence[Expr]) -> Expr:
    of = maximum if kind is Max else minimum
    match args:
        case [FloorDiv(_, Int() as divisor), *others] if all(isinstance(o, FloorDiv) and o.denominator == divisor for o in others):
            return floor_div(of(*(cast("FloorDiv", a).numerator for a in args)), divisor)
        case _:
            return of(*args)


def _shared(args: Sequence[Expr]) -> tuple[Expr, ...]:
    """Terms that all the sums have."""
    first, *others = (_terms(a) for a in args)
    return tuple(t for t in first if all(t in other for other in others))


def _less(expr: Expr, terms: Sequence[Expr]) -> Expr:
    return add(*(t for t in _terms(expr) if t not in terms))


def _terms(expr: Expr) -> tuple[Expr, ...]:
    return expr.terms if isinstance(expr, Add) else (expr,)


def _factors(expr: Expr) -> tuple[Expr, ...]:
    """Factors that are no numbers."""
    factors = expr.factors if isinstance(expr, Mul) else (expr,)
    return factors[1:] if isinstance(factors[0], Int) else factors


def _without(term: Expr, factor: Expr) -> Expr:
    """The term divided by one of its factors."""
    left = list(cast("Mul", term).factors)
    left.remove(factor)
    return mul(*left)
