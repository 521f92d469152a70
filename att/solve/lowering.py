"""From the waist to CP-SAT: one `match` over the expression kinds and one over the constraints (conditions: `att.solve.literals`).

Sums and constant multiples stay linear expressions; every other node becomes one integer variable whose domain is what
`bounds_under` knows of it. A quotient rounded up is `floor((n - 1)/d) + 1`, so that `ceil(Z/t)` and `(Z - 1) mod t` share one
native division; a division by a constant is two linear inequalities (cpsat_practice C1).

A table whose entries only rise or only fall is a sum of its rises, each with the literal that its index is reached, which all tables of
one index share. Measured: an element constraint, which makes a variable of every entry, takes 2.9 times the work on the 45 slowest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import prod
from typing import cast

from ortools.sat.python.cp_model import CHOOSE_FIRST, SELECT_UPPER_HALF, CpModel, Domain, IntVar
from ortools.sat.python.cp_model_helper import Literal

from att.errors import ModelError
from att.expr.core import Add, CeilDiv, Expr, FloorDiv, Int, Lookup, Max, Min, Mod, Mul, Sym, Where, add, floor_div, mod, mul
from att.expr.node import topological
from att.expr.ranges import Range
from att.model.intervals import Knowledge, learn, range_of, truth_of, value_of
from att.model.tiling import Constraint, Divides, Leq, Member, Var
from att.solve.literals import Linear, Literals, enforce, total

MAX_MAGNITUDE = 2**62
"""CP-SAT refuses domains beyond it (cpsat_practice C2)."""


class Lowering:
    """Writes expressions and constraints into one CpModel; every node once."""

    def __init__(self, model: CpModel, symbols: Mapping[str, Sym], known: Knowledge) -> None:
        self.model = model
        self.columns: dict[Sym, IntVar] = {}
        """The problem's variables that are still open, each divided by the step of its domain."""
        self.size = 0
        """Number of integer variables made."""
        self._symbols = symbols
        self._known = known
        self._share_quotients()
        self._lowered: dict[Expr, Linear] = {}
        self._columns: dict[Expr, Linear] = {}
        self._products: dict[tuple[Expr, ...], tuple[Linear, int, int]] = {}
        """Products by their factors in the order in which they were met, tables last, with their bounds."""
        self._order: dict[Expr, int] = {}
        self._thresholds: dict[Expr, Sequence[Literal]] = {}
        self._reach: dict[Expr, int] = {}
        """Largest magnitude of each linear form over the domains of its variables, whatever caps say of its value."""
        self.literals = Literals(model, self.linear)

    def linear(self, expr: Expr) -> Linear:
        """The value of an expression. Raises ModelError where a value on the way to it may leave CP-SAT's numbers."""
        if expr not in self._lowered:
            learn(topological(expr, but=self._known), {}, self._known)
            for node in topological(expr, but=self._lowered):
                if isinstance(node, Expr) and node not in self._lowered:
                    self._reach[node] = _within_magnitude(self._reach_of(node))
                    self._lowered[node] = self._lower(node)
        return self._lowered[expr]

    def require(self, constraint: Constraint) -> None:
        """Adds a constraint of the problem."""
        match constraint:
            case Leq(lhs=lhs, rhs=rhs):
                self.model.add(self.linear(lhs - rhs) <= 0)
            case Divides(divisor=divisor, dividend=dividend):
                self._divides(divisor, dividend)
            case Member(var=var, values=values):
                self.model.add_linear_expression_in_domain(self.linear(self._symbols[var]), Domain.from_values(list(values)))

    def add_hint(self, tiling: Mapping[str, int]) -> None:
        """Tells the solver a tiling to start from."""
        for symbol, column in self.columns.items():
            self.model.add_hint(column, tiling[symbol.name] // self._range(symbol).multiple)

    def branch_on(self, variables: Sequence[Var]) -> None:
        """Makes the solver decide these variables first, in this order, by halving their domains from above."""
        columns = [self.columns[v.symbol] for v in variables if v.symbol in self.columns]
        if columns:
            self.model.add_decision_strategy(columns, CHOOSE_FIRST, SELECT_UPPER_HALF)

    def _share_quotients(self) -> None:
        """Lets `ceil(n/d)` narrow the `floor((n - 1)/d)` that stands for it, which a remainder may use too."""
        for node in [n for n in self._known if isinstance(n, CeilDiv)]:
            quotient = _floor_form(node)
            learn(topological(quotient, but=self._known), {}, self._known)
            old, whole = self._range(quotient), self._range(node)
            self._known[quotient] = Range(max(old.lo, whole.lo - 1), min(old.hi, whole.hi - 1), old.multiple)

    def _range(self, expr: Expr) -> Range:
        return range_of(expr, self._known)

    def _reach_of(self, node: Expr) -> int:
        """The reach of a node whose operands have theirs. OR-Tools multiplies coefficients in 64 bits without a check."""
        match node:
            case Add(terms):
                return sum(self._reach[t] for t in terms)
            case Mul(factors) if len(rest := [f for f in factors if not self._is_fixed(f)]) == 1:
                return abs(prod(self._range(f).lo for f in factors if self._is_fixed(f))) * self._reach[rest[0]]
            case Max() | Min() if len(args := self._contenders(node)) == 1:
                return self._reach[args[0]]
            case Where():
                surely, possibly = truth_of(node.cond, self._known)
                branches = (node.then, node.orelse) if possibly and not surely else (node.then if surely else node.orelse,)
                return max(self._reach[b] for b in branches)
            case _:
                return magnitude(self._range(node))

    def _is_fixed(self, expr: Expr) -> bool:
        return self._range(expr).lo == self._range(expr).hi

    def _variable(self, lo: int, hi: int) -> IntVar:
        _within_magnitude(max(abs(lo), abs(hi)))
        self.size += 1
        return self.model.new_int_var(lo, hi, "")

    def _lower(self, node: Expr) -> Linear:
        """Value of a node whose operands are lowered.

        What is known of a node may come from its users (a cap on the makespan), so it is enforced here, by a domain or an
        inequality; only what follows from the operands may replace the node by a number.
        """
        lo, hi, step = self._range(node)
        plain = cast("Range", value_of(node, {}, self._known))
        if plain.lo == plain.hi:
            return plain.lo
        match node:
            case Sym():
                self.columns[node] = self._variable(lo // step, hi // step)
                return step * self.columns[node]
            case Add(terms):
                return self._within(total([self._value(t) for t in terms]), plain, self._range(node))
            case Mul((Int(constant), factor)):
                return self._within(constant * self._lowered[factor], plain, self._range(node))
            case Mul(factors):
                return self._within(self._product(factors, self._range(node)), plain, self._range(node))
            case FloorDiv(n, d):
                return self._quotient(n, d, self._range(node))
            case CeilDiv():
                return self.linear(_floor_form(node)) + 1
            case Mod(n, d):
                return self._remainder(n, d, self._range(node))
            case Max() | Min():
                return self._within(self._extremum(node), plain, self._range(node))
            case Where():
                return self._within(self._choice(node), plain, self._range(node))
            case Lookup(table, index):
                return self._entry(table, index, self._range(node))
            case _:
                raise ModelError(f"no CP-SAT form of {type(node).__name__}")

    def _value(self, expr: Expr) -> Linear:
        """The number, where only one is left; the node itself has been lowered, which enforces that."""
        lo, hi, _ = self._range(expr)
        return lo if lo == hi else self._lowered[expr]

    def _within(self, value: Linear, plain: Range, known: Range) -> Linear:
        """The value, kept inside what is known of it where that does not follow from its operands."""
        if plain.lo < known.lo or known.hi < plain.hi:
            self.model.add_linear_constraint(value, max(known.lo, -MAX_MAGNITUDE), min(known.hi, MAX_MAGNITUDE))
        return value

    def _column(self, expr: Expr) -> Linear:
        """The value as `a*x + b` over one variable, the only form that every version takes in products and quotients."""
        if expr not in self._columns:
            value = self.linear(expr)
            lo, hi, _ = self._range(expr)
            if lo < hi and not self._is_affine(expr):
                column = self._variable(lo, hi)
                self.model.add(column == value)
                value = column
            self._columns[expr] = value
        return self._columns[expr]

    def _is_affine(self, expr: Expr) -> bool:
        match expr:
            case Add(terms):
                open_terms = [t for t in terms if self._range(t).lo < self._range(t).hi]
                return len(open_terms) == 1 and self._is_affine(open_terms[0])
            case _:
                return True

    def _product(self, factors: Sequence[Expr], value: Range) -> Linear:
        constant = prod(self._range(f).lo for f in factors if self._range(f).lo == self._range(f).hi)
        rest = [f for f in factors if self._range(f).lo < self._range(f).hi]
        if len(rest) <= 1:
            return constant * (self._lowered[rest[0]] if rest else 1)
        ends = sorted((value.lo // constant, value.hi // constant))
        rest.sort(key=lambda f: (isinstance(f, Lookup), self._order.setdefault(f, len(self._order))))
        product, lo, hi = self._column(rest[0]), *self._range(rest[0])[:2]
        for i, factor in enumerate(rest[1:], start=2):
            flo, fhi, _ = self._range(factor)
            corners = (lo * flo, lo * fhi, hi * flo, hi * fhi)
            lo, hi = min(corners), max(corners)
            if i == len(rest):
                lo, hi = max(lo, ends[0]), min(hi, ends[1])
            elif lo >= 0 and (least := prod(self._range(f).lo for f in rest[i:])) > 0:
                hi = min(hi, ends[1] // least)
            product = self._times(tuple(rest[:i]), product, lo, hi)
        return constant * product

    def _times(self, factors: tuple[Expr, ...], first: Linear, lo: int, hi: int) -> Linear:
        """The product of `factors`, all but the last of which make `first`, between two bounds; made once."""
        known = self._products.get(factors)
        if known is None:
            target = self._variable(lo, hi)
            self.model.add_multiplication_equality(target, [first, self._column(factors[-1])])
            self._products[factors] = target, lo, hi
            return target
        target, least, most = known
        if least < lo or hi < most:
            self.model.add_linear_constraint(target, lo, hi)
        return target

    def _quotient(self, n: Expr, d: Expr, value: Range) -> Linear:
        """Rounded down. CP-SAT's own division rounds toward zero, so the numerator is made natural first."""
        quotient = self._variable(value.lo, value.hi)
        divisor = self._range(d)
        _within_magnitude(magnitude(divisor))
        if divisor.lo == divisor.hi:
            self.model.add_linear_constraint(self.linear(n) - divisor.lo * quotient, 0, divisor.lo - 1)
            return quotient
        shift = max(0, -(self._range(n).lo // divisor.lo))
        numerator = self._column(add(n, mul(shift, d)))
        self.model.add_division_equality(quotient + shift, numerator, self._column(d))
        return quotient

    def _remainder(self, n: Expr, d: Expr, value: Range) -> Linear:
        """`n - d*floor(n/d)`."""
        rest = self._variable(value.lo, value.hi)
        quotient = floor_div(n, d)
        self.model.add(self.linear(n) - rest == self.linear(mul(quotient, d)))
        self.model.add(rest + 1 <= self.linear(d))
        return rest

    def _extremum(self, node: Max | Min) -> Linear:
        args = self._contenders(node)
        if len(args) == 1:
            return self._lowered[args[0]]
        lo, hi, _ = self._range(node)
        target = self._variable(lo, hi)
        equality = self.model.add_max_equality if isinstance(node, Max) else self.model.add_min_equality
        equality(target, [self._lowered[a] for a in args])
        return target

    def _contenders(self, node: Max | Min) -> list[Expr]:
        """The arguments that may be the extremum alone."""
        sign = 1 if isinstance(node, Max) else -1
        ends = {arg: sorted((sign * self._range(arg).lo, sign * self._range(arg).hi)) for arg in node.args}
        sure = max(ends, key=lambda arg: ends[arg])
        reached = min(sign * self._range(node).lo, sign * self._range(node).hi)
        return [arg for arg, (_, top) in ends.items() if arg is sure or (top > ends[sure][0] and top >= reached)]

    def _choice(self, node: Where) -> Linear:
        surely, possibly = truth_of(node.cond, self._known)
        if surely or not possibly:
            return self._lowered[node.then if surely else node.orelse]
        literal = self.literals.of(node.cond)
        a, b = self._range(node.then), self._range(node.orelse)
        if a.lo == a.hi and b.lo == b.hi:
            return b.lo + (a.lo - b.lo) * literal
        lo, hi, _ = self._range(node)
        target = self._variable(lo, hi)
        enforce(self.model.add(target == self._lowered[node.then]), [literal])
        enforce(self.model.add(target == self._lowered[node.orelse]), [~literal])
        return target

    def _entry(self, table: Sequence[int], index: Expr, value: Range) -> Linear:
        lo, hi, _ = self._range(index)
        entries = table[lo : hi + 1]
        _within_magnitude(max(map(abs, entries)))
        rises = [b - a for a, b in pairwise(entries)]
        target = self._variable(value.lo, value.hi)
        if all(r >= 0 for r in rises) or all(r <= 0 for r in rises):
            steps = [rise * literal for rise, literal in zip(rises, self._reached(index), strict=True) if rise]
            self.model.add(target == entries[0] + total(steps))
        else:
            self.model.add_element(self._column(index) - lo, entries, target)
        return target

    def _reached(self, index: Expr) -> Sequence[Literal]:
        """For every value of an index but the least: whether the index is not below it."""
        if index not in self._thresholds:
            lo, hi, _ = self._range(index)
            column = self._column(index)
            self._thresholds[index] = [self.literals.at_least(column, value) for value in range(lo + 1, hi + 1)]
        return self._thresholds[index]

    def _divides(self, divisor: Expr, dividend: Expr) -> None:
        match divisor:
            case Int(d):
                self._multiple(dividend, d, ())
            case Where(cond, Int(a), Int(b)):
                literal = self.literals.of(cond)
                self.linear(dividend)
                self._multiple(dividend, a, (literal,))
                self._multiple(dividend, b, (~literal,))
            case _:
                self.model.add(self.linear(mod(dividend, divisor)) == 0)

    def _multiple(self, dividend: Expr, step: int, enforced: Sequence[Literal]) -> None:
        value = self.linear(dividend)
        lo, hi, known = self._range(dividend)
        if known % step == 0:
            return
        first, last = -(-lo // step), hi // step
        if first > last:
            self.model.add_bool_or([~literal for literal in enforced])
        else:
            enforce(self.model.add(value == step * self._variable(first, last)), enforced)


def magnitude(known: Range) -> int:
    """The largest absolute value of a range."""
    return max(abs(known.lo), abs(known.hi))


def _within_magnitude(value: int) -> int:
    """The value. Raises ModelError if CP-SAT cannot hold it."""
    if value > MAX_MAGNITUDE:
        raise ModelError(f"a value may reach {value:,}, CP-SAT holds at most 2^62 = {MAX_MAGNITUDE:,}", hint="use the solver enumerate")
    return value


def _floor_form(node: CeilDiv) -> Expr:
    """`ceil(n/d)` less 1."""
    return floor_div(add(node.numerator, -1), node.denominator)
