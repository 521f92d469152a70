"""Comparisons of integer expressions, and what can be said of them for every value of the symbols."""

from __future__ import annotations

from att.expr.core import Expr, lift, weighted
from att.expr.logic import FALSE, TRUE, Cond
from att.expr.node import intern


class Le(Cond):
    """`lhs <= rhs`."""

    __slots__ = __match_args__ = ("lhs", "rhs")
    lhs: Expr
    rhs: Expr


class Lt(Cond):
    """`lhs < rhs`."""

    __slots__ = __match_args__ = ("lhs", "rhs")
    lhs: Expr
    rhs: Expr


class Eq(Cond):
    """`lhs == rhs`."""

    __slots__ = __match_args__ = ("lhs", "rhs")
    lhs: Expr
    rhs: Expr


def le(lhs: Expr | int, rhs: Expr | int) -> Cond:
    """`lhs <= rhs`."""
    a, b = lift(lhs), lift(rhs)
    if a.hi <= b.lo:
        return TRUE
    excess = _difference(a, b)
    if excess.hi <= 0:
        return TRUE
    return FALSE if excess.lo > 0 else intern(Le, (a, b))


def lt(lhs: Expr | int, rhs: Expr | int) -> Cond:
    """`lhs < rhs`."""
    a, b = lift(lhs), lift(rhs)
    if a.hi < b.lo:
        return TRUE
    excess = _difference(a, b)
    if excess.hi < 0:
        return TRUE
    return FALSE if excess.lo >= 0 else intern(Lt, (a, b))


def eq(lhs: Expr | int, rhs: Expr | int) -> Cond:
    """`lhs == rhs`."""
    a, b = lift(lhs), lift(rhs)
    excess = _difference(a, b)
    if excess.lo == excess.hi == 0:
        return TRUE
    return FALSE if excess.lo > 0 or excess.hi < 0 else intern(Eq, (a, b))


def known_le(a: Expr | int, b: Expr | int) -> bool:
    """True only if `a <= b` for every value of the symbols."""
    return _difference(lift(a), lift(b)).hi <= 0


def known_eq(a: Expr | int, b: Expr | int) -> bool:
    """True only if both are equal for every value of the symbols."""
    if a is b:
        return True
    excess = _difference(lift(a), lift(b))
    return excess.lo == excess.hi == 0


def _difference(a: Expr, b: Expr) -> Expr:
    return weighted(((1, a), (-1, b)))
