"""z3 as the judge of claims about the waist's integers: whether conditions can hold together.

One `match` over the expression kinds and one over the conditions, written for this purpose and shared with no solver. z3 divides as Euclid
does, the waist rounds down, so `q = floor(n/d)` is stated by what it means, `d*q <= n < d*q + d`; a quotient rounded up and a remainder are
stated by the same q. What the waist knows of a node (`Expr.range`) is told to z3 as bounds of the variable that stands for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, cast

from att.errors import ModelError
from att.expr import ranges
from att.expr.compare import Eq, Le, Lt
from att.expr.core import Add, CeilDiv, Expr, FloorDiv, Int, Lookup, Max, Min, Mod, Mul, Sym, Where, add
from att.expr.logic import And, Cond, Not, Or
from att.expr.node import Node, topological
from att.expr.ranges import Range

_SETTINGS: Final[Mapping[str, bool]] = {"arith.nl.grobner": False, "arith.nl.tangents": False, "arith.nl.order": False}
"""Lemmas of z3's nonlinear arithmetic that cost more than they bring on tiling models (measured on the benchmark set)."""


class Answer(Enum):
    """What z3 says of conditions."""

    HOLDS = "holds"
    """There are values for which all hold."""
    NEVER = "never"
    """There are none."""
    UNKNOWN = "unknown"
    """A limit was reached first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """When z3 stops."""

    units: int
    """z3 resource units: deterministic, a million is about a second."""
    seconds: float
    """Wall clock; only a watchdog."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer; the values of the symbols where the conditions hold."""

    answer: Answer
    values: Mapping[str, int]


class Judge:
    """Asks z3 one question after another; the questions share nothing but a count of the work. Not for several threads at once."""

    def __init__(self) -> None:
        import z3

        self._z3: Any = z3
        self._context: Any = z3.Context()
        self._terms = _Terms(z3, self._context)
        self.questions = 0
        """How often z3 was asked."""
        self.units = 0
        """z3 resource units spent."""

    def ask(self, stages: Sequence[Sequence[Cond]], symbols: Sequence[Sym], limits: Limits) -> Reply:
        """Whether all conditions can hold for values of the symbols in their domains; the limits are those of one stage.

        Stages are added one after another: what can never hold after one of them can never hold with the others, which spares z3 the rest.
        Raises ModelError for a node kind that has no z3 form.
        """
        solver = self._solver(limits)
        lowering = _Lowering(self._terms, solver)
        columns = {symbol.name: lowering.value(symbol) for symbol in symbols}
        for stage in stages:
            for condition in stage:
                solver.add(lowering.value(condition))
            answer = self._check(solver)
            if answer is not Answer.HOLDS:
                return Reply(answer=answer, values={})
        model = solver.model()
        found = {name: int(model.eval(column, model_completion=True).as_long()) for name, column in columns.items()}
        return Reply(answer=Answer.HOLDS, values=found)

    def _solver(self, limits: Limits) -> Any:
        solver = self._z3.SimpleSolver(ctx=self._context)
        for name, value in _SETTINGS.items():
            solver.set(name, value)
        solver.set("rlimit", limits.units)
        solver.set("timeout", max(1, int(limits.seconds * 1000)))
        return solver

    def _check(self, solver: Any) -> Answer:
        answer = solver.check()
        self.questions += 1
        self.units = int(solver.statistics().get_key_value("rlimit count"))  # counts up over the context
        if answer == self._z3.unsat:
            return Answer.NEVER
        return Answer.HOLDS if answer == self._z3.sat else Answer.UNKNOWN


class _Lowering:
    """Writes nodes into one z3 solver; what defines a node is said once."""

    def __init__(self, terms: _Terms, solver: Any) -> None:
        self._terms = terms
        self._solver = solver
        self._said: set[Node] = set()

    def value(self, node: Node) -> Any:
        """The z3 term of an expression or condition. Raises ModelError for an unknown kind."""
        pending = [node]
        while pending:
            for part in topological(pending.pop()):
                if part not in self._said:
                    self._said.add(part)
                    term = self._terms.of(part)
                    self._solver.add(*term.definition)
                    pending += term.hidden
        return self._terms.of(node).value


@dataclass(frozen=True, slots=True)
class _Term:
    """A node for z3."""

    value: Any
    definition: tuple[Any, ...]
    """What holds of the unknowns that stand for it or for parts of it."""
    hidden: tuple[Expr, ...] = ()
    """Expressions that the definition names besides the operands."""


class _Terms:
    """The z3 terms of nodes in one context, each made once: questions about neighbouring cases share most of them."""

    def __init__(self, z3: Any, context: Any) -> None:
        self._z3 = z3
        self._context = context
        self._found: dict[Node, _Term] = {}
        self._quotients: dict[tuple[Expr, Expr], _Term] = {}
        self._made = 0

    def of(self, node: Node) -> _Term:
        """The term of a node. Raises ModelError for an unknown kind."""
        if node not in self._found:
            for part in topological(node):
                if part not in self._found:
                    self._found[part] = self._condition(part) if isinstance(part, Cond) else self._expression(cast("Expr", part))
        return self._found[node]

    def _value(self, node: Node) -> Any:
        return self._found[node].value

    def _expression(self, node: Expr) -> _Term:
        match node:
            case Int(value):
                return _Term(self._z3.IntVal(value, self._context), ())
            case Sym(name, domain):
                return self._symbol(name, domain)
            case Add(terms):
                return _Term(self._z3.Sum([self._value(t) for t in terms]), ())
            case Mul(factors):
                return self._product(factors)
            case FloorDiv(n, d):
                return self._quotient(n, d)
            case CeilDiv(n, d):
                below = self._quotient(add(n, -1), d)
                return _Term(below.value + 1, below.definition, (add(n, -1),))
            case Mod(n, d):
                quotient = self._quotient(n, d)
                return _Term(self._value(n) - self._value(d) * quotient.value, quotient.definition)
            case Min(args) | Max(args):
                return self._extremum(node, [self._value(a) for a in args])
            case Where(cond, then, orelse):
                return self._choice(node, self._value(cond), self._value(then), self._value(orelse))
            case Lookup(table, index):
                return self._entry(node, table, index)
            case _:
                raise ModelError(f"no z3 form of {type(node).__name__}")

    def _condition(self, node: Cond) -> _Term:
        z3, context = self._z3, self._context
        match node:
            case Le(lhs, rhs):
                return _Term(self._value(lhs) <= self._value(rhs), ())
            case Lt(lhs, rhs):
                return _Term(self._value(lhs) < self._value(rhs), ())
            case Eq(lhs, rhs):
                return _Term(self._value(lhs) == self._value(rhs), ())
            case And(conds):
                return _Term(z3.And(z3.BoolVal(True, context), *(self._value(c) for c in conds)), ())
            case Or(conds):
                return _Term(z3.Or(z3.BoolVal(False, context), *(self._value(c) for c in conds)), ())
            case Not(cond):
                return _Term(z3.Not(self._value(cond)), ())
            case _:
                raise ModelError(f"no z3 form of {type(node).__name__}")

    def _symbol(self, name: str, domain: Range) -> _Term:
        lo, hi, step = domain
        column = self._z3.Int(name, self._context)
        ends = (lo <= column, column <= hi)
        if step <= 1:
            return _Term(column, ends)
        count = self._variable(Range(lo // step, hi // step, 1))
        return _Term(column, (*ends, *count.definition, column == step * count.value))

    def _variable(self, known: Range) -> _Term:
        self._made += 1
        made = self._z3.Int(f"!{self._made}", self._context)
        return _Term(made, (known.lo <= made, made <= known.hi))

    def _quotient(self, n: Expr, d: Expr) -> _Term:
        """Rounded down; shared by every division of n by d."""
        if (n, d) not in self._quotients:
            numerator, divisor = self.of(n).value, self._value(d)
            known = ranges.floor_quotient(n.range, d.range)
            whole = self._variable(known) if known.lo < known.hi else _Term(self._z3.IntVal(known.lo, self._context), ())
            floor = divisor * whole.value
            self._quotients[n, d] = _Term(whole.value, (*whole.definition, floor <= numerator, numerator < floor + divisor))
        return self._quotients[n, d]

    def _product(self, factors: Sequence[Expr]) -> _Term:
        """The product; for a quotient by a constant also what its definition says times the other factors, which z3 would have to find."""
        said: list[Any] = []
        for i, factor in enumerate(factors):
            others = [f for j, f in enumerate(factors) if j != i]
            if isinstance(factor, FloorDiv) and isinstance(factor.denominator, Int) and all(f.lo >= 0 for f in others):
                rest = self._z3.Product([self._value(f) for f in others])
                floor, numerator = factor.denominator.value * self._value(factor), self._value(factor.numerator)
                said += (rest * floor <= rest * numerator, rest * numerator <= rest * (floor + factor.denominator.value - 1))
        return _Term(self._z3.Product([self._value(f) for f in factors]), tuple(said))

    def _extremum(self, node: Min | Max, terms: Sequence[Any]) -> _Term:
        chosen = self._variable(node.range)
        beyond = [chosen.value >= t if isinstance(node, Max) else chosen.value <= t for t in terms]
        return _Term(chosen.value, (*chosen.definition, *beyond, self._z3.Or(*(chosen.value == t for t in terms))))

    def _choice(self, node: Where, cond: Any, then: Any, orelse: Any) -> _Term:
        chosen = self._variable(node.range)
        either = (self._z3.Implies(cond, chosen.value == then), self._z3.Implies(self._z3.Not(cond), chosen.value == orelse))
        return _Term(chosen.value, (*chosen.definition, *either))

    def _entry(self, node: Lookup, table: Sequence[int], index: Expr) -> _Term:
        chosen, at = self._variable(node.range), self._value(index)
        rows = [self._z3.Implies(at == i, chosen.value == table[i]) for i in range(index.lo, index.hi + 1)]
        return _Term(chosen.value, (*chosen.definition, *rows))
