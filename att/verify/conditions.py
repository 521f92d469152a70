"""Constraints of a model as conditions of the waist, and nodes rebuilt with some of them replaced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar, cast

from att.expr.compare import eq, le
from att.expr.core import Expr, Int, Mod, Sym, Where, add, mod, mul
from att.expr.logic import Cond, conj, disj, negate
from att.expr.node import Node, topological
from att.expr.ranges import floor_quotient
from att.expr.substitute import rebuild
from att.model.tiling import Constraint, Divides, Leq, Member

N = TypeVar("N", bound=Node)


def as_condition(constraint: Constraint, symbols: Mapping[str, Sym]) -> Cond:
    """A condition that holds exactly where the constraint does; `symbols` are the variables by name."""
    match constraint:
        case Leq(lhs=lhs, rhs=rhs):
            return le(lhs, rhs)
        case Divides(divisor=divisor, dividend=dividend):
            return _divides(divisor, dividend)
        case Member(var=var, values=values):
            return disj(*(eq(symbols[var], value) for value in values))


def _divides(divisor: Expr, dividend: Expr) -> Cond:
    """A divisor that is one of two numbers is told apart by cases: remainders by numbers are linear."""
    match divisor:
        case Where(cond, Int() as then, Int() as orelse):
            return disj(conj(cond, _divides(then, dividend)), conj(negate(cond), _divides(orelse, dividend)))
        case _:
            return eq(mod(dividend, divisor), 0)


def replaced(nodes: Sequence[N], known: Mapping[Node, Node]) -> tuple[N, ...]:
    """Nodes with parts replaced by what they are known to be, simplified and bounded anew."""
    new: dict[Node, Node] = {}
    for node in topological(*nodes):
        new[node] = known[node] if node in known else _settled(rebuild(node, tuple(new[o] for o in node.operands)))
    return tuple(cast("N", new[node]) for node in nodes)


def _settled(node: Node) -> Node:
    """A remainder whose quotient is known as the difference that it is."""
    match node:
        case Mod(n, d):
            quotient = floor_quotient(n.range, d.range)
            return add(n, mul(-quotient.lo, d)) if quotient.lo == quotient.hi else node
        case _:
            return node
