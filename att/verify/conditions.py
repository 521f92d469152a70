"""Constraints of a model as conditions of the waist, and nodes rebuilt with some of them replaced."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar, cast

from att.expr.compare import eq, le
from att.expr.core import Expr, Int, Mod, Sym, Where, add, mod, mul
from att.expr.logic import Cond, conj, disj, negate
from att.expr.node import Node
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


class Replacing:
    """Rebuilds nodes with parts replaced by what they are known to be, simplified and bounded anew; what they share is rebuilt once."""

    def __init__(self, known: Mapping[Node, Node]) -> None:
        """`known` must not change afterwards."""
        self._new: dict[Node, Node] = dict(known)

    def __call__(self, node: N) -> N:
        """The node, rebuilt from the leaves or from what is known up."""
        new = self._new
        pending: list[Node] = [node]
        while pending:
            one = pending[-1]
            missing = [operand for operand in one.operands if operand not in new] if one not in new else []
            if missing:
                pending += missing
                continue
            pending.pop()
            if one not in new:
                operands = tuple([new[operand] for operand in one.operands])
                new[one] = one if operands == one.operands else _settled(rebuild(one, operands))
        return cast("N", new[node])


def _settled(node: Node) -> Node:
    """A remainder whose quotient is known as the difference that it is."""
    match node:
        case Mod(n, d):
            quotient = floor_quotient(n.range, d.range)
            return add(n, mul(-quotient.lo, d)) if quotient.lo == quotient.hi else node
        case _:
            return node
