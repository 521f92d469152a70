"""Conditions as CP-SAT literals that are equivalent to them: true exactly where the condition holds.

Also the few things of CP-SAT that all lowering uses, with plain types: a linear value is a LinearExpr or an int.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ortools.sat.python.cp_model import Constraint, CpModel, LinearExpr
from ortools.sat.python.cp_model_helper import Literal

from att.errors import ModelError
from att.expr.compare import Eq, Le, Lt
from att.expr.core import Expr
from att.expr.logic import And, Cond, Not, Or

Linear = LinearExpr | int


def total(terms: Sequence[Linear]) -> Linear:
    """Sum of linear values."""
    return LinearExpr.sum(list(terms))  # pyright: ignore[reportUnknownMemberType]  # the stub lacks the parameter types


def enforce(constraint: Constraint, literals: Sequence[Literal]) -> None:
    """Makes a constraint hold only where all the literals are true."""
    constraint.only_enforce_if(list(literals))  # pyright: ignore[reportUnknownMemberType]  # the stub lacks the parameter types


class Literals:
    """Writes conditions into one CpModel; every condition once."""

    def __init__(self, model: CpModel, linear: Callable[[Expr], Linear]) -> None:
        self._model = model
        self._linear = linear
        self._made: dict[Cond, Literal] = {}

    def of(self, cond: Cond) -> Literal:
        """The literal of a condition."""
        if cond not in self._made:
            self._made[cond] = self._make(cond)
        return self._made[cond]

    def _make(self, cond: Cond) -> Literal:
        match cond:
            case Le(lhs, rhs):
                return self.at_least(self._linear(rhs - lhs), 0)
            case Lt(lhs, rhs):
                return self.at_least(self._linear(rhs - lhs), 1)
            case Eq(lhs, rhs):
                return self._zero(rhs - lhs)
            case And(conds):
                return self._all([self.of(c) for c in conds])
            case Or(conds):
                return ~self._all([~self.of(c) for c in conds])
            case Not(inner):
                return ~self.of(inner)
            case _:
                raise ModelError(f"no CP-SAT form of {type(cond).__name__}")

    def at_least(self, value: Linear, bound: int) -> Literal:
        """A literal that is true exactly where a value is not below a bound."""
        literal = self._model.new_bool_var("")
        enforce(self._model.add(value >= bound), [literal])
        enforce(self._model.add(value < bound), [~literal])
        return literal

    def _zero(self, difference: Expr) -> Literal:
        literal, value = self._model.new_bool_var(""), self._linear(difference)
        enforce(self._model.add(value == 0), [literal])
        enforce(self._model.add(value != 0), [~literal])
        return literal

    def _all(self, literals: list[Literal]) -> Literal:
        """And(()) is true."""
        result = self._model.new_bool_var("")
        for literal in literals:
            self._model.add_implication(result, literal)
        self._model.add_bool_or([result, *(~literal for literal in literals)])
        return result
