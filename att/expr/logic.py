"""Conditions and their connectives. `And(())` is true, `Or(())` is false."""

from __future__ import annotations

from typing import Final

from att.expr.node import Node, intern


class Cond(Node):
    """A condition over integer expressions."""

    __slots__ = ()


class And(Cond):
    """All hold; `And(())` is true."""

    __slots__ = __match_args__ = ("conds",)
    conds: tuple[Cond, ...]


class Or(Cond):
    """At least one holds; `Or(())` is false."""

    __slots__ = __match_args__ = ("conds",)
    conds: tuple[Cond, ...]


class Not(Cond):
    """The condition does not hold."""

    __slots__ = __match_args__ = ("cond",)
    cond: Cond


TRUE: Final = intern(And, ((),))
FALSE: Final = intern(Or, ((),))


def conj(*conds: Cond) -> Cond:
    """All hold."""
    kept = dict.fromkeys(c for cond in conds for c in (cond.conds if isinstance(cond, And) else (cond,)))
    if FALSE in kept:
        return FALSE
    return next(iter(kept)) if len(kept) == 1 else intern(And, (tuple(kept),))


def disj(*conds: Cond) -> Cond:
    """At least one holds."""
    kept = dict.fromkeys(c for cond in conds for c in (cond.conds if isinstance(cond, Or) else (cond,)))
    if TRUE in kept:
        return TRUE
    return next(iter(kept)) if len(kept) == 1 else intern(Or, (tuple(kept),))


def negate(cond: Cond) -> Cond:
    """Does not hold."""
    if isinstance(cond, Not):
        return cond.cond
    return FALSE if cond is TRUE else TRUE if cond is FALSE else intern(Not, (cond,))
