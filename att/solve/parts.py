"""What a part of a model is made of: the unknowns that expressions use, and its share of the tie-break.

The tie-break falls apart as the time does: expressions of one part stay, the sum of cores and the largest UB become those of the part.
"""

from __future__ import annotations

from collections.abc import Iterable

from att.expr.choice import maximum
from att.expr.core import Expr, Sym, add
from att.expr.node import topological
from att.model.tiling import Constraint, Divides, Leq, Makespan, Member, TilingModel


def parted_ties(model: TilingModel, names: frozenset[str], phases: tuple[Makespan, ...]) -> tuple[Expr, ...] | None:
    """The tie-break of the part with these unknowns and phases; None where an expression cannot be parted."""
    variables = frozenset(v.name for v in model.variables)
    parted = {
        add(*(p.block_dim for p in model.phases)): add(*(p.block_dim for p in phases)),
        maximum(*(p.ub_bytes for p in model.phases)): maximum(*(p.ub_bytes for p in phases)),
    }
    order: list[Expr] = []
    for expr in model.tie_break:
        used = names_in((expr,)) & variables
        if used <= names:
            order.append(expr)
        elif used & names:
            if expr not in parted:
                return None
            order.append(parted[expr])
    return tuple(order)


def phase_exprs(phase: Makespan) -> tuple[Expr, ...]:
    """What a phase costs and uses."""
    return (phase.launch, phase.block_dim, phase.ub_bytes, *(p.total for p in phase.pipes))


def constraint_names(constraint: Constraint) -> set[str]:
    """The symbols of a constraint."""
    match constraint:
        case Leq():
            return names_in((constraint.lhs, constraint.rhs))
        case Divides():
            return names_in((constraint.divisor, constraint.dividend))
        case Member():
            return {constraint.var}


def names_in(exprs: Iterable[Expr]) -> set[str]:
    """The symbols of expressions."""
    return {node.name for expr in exprs for node in topological(expr) if isinstance(node, Sym)}
