"""By how much a constraint is exceeded, as an expression."""

from __future__ import annotations

from att.expr.core import Expr, mod
from att.model.tiling import Constraint, Divides, Leq, Member


def excess(constraint: Constraint) -> Expr | None:
    """At most 0 exactly where the constraint holds; None for a list of values."""
    match constraint:
        case Leq(lhs=lhs, rhs=rhs):
            return lhs - rhs
        case Divides(divisor=divisor, dividend=dividend):
            return mod(dividend, divisor)
        case Member():
            return None
