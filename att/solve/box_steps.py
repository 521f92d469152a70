"""Which interval step computes a node: one `match` over the expression kinds, one over the conditions.

Steps are specialised by what is known over the whole domain: signs, and whether int64 is left (`att.solve.saturating`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from att.errors import ModelError
from att.expr.compare import Eq, Le, Lt
from att.expr.core import Add, CeilDiv, Expr, FloorDiv, Int, Lookup, Max, Min, Mod, Mul, Where
from att.expr.logic import And, Not, Or
from att.expr.node import Node
from att.model.intervals import Knowledge, kept_share, range_of
from att.solve import box_kernels as kernels
from att.solve.box_kernels import Step
from att.solve.saturating import LIMIT


@dataclass(frozen=True, slots=True)
class Steps:
    """Makes the step of each node from the slots of its operands and what is known over the whole domain."""

    slots: Mapping[Node, int]
    known: Knowledge

    def of(self, node: Node) -> Step:
        """The step of an expression or condition. Raises ModelError for a kind it does not know or a divisor that may leave int64."""
        return self._expression(node) if isinstance(node, Expr) else self._condition(node)

    def _expression(self, node: Expr) -> Step:
        match node:
            case Int(value):
                return kernels.constant(value)
            case Add():
                return self._sum(node)
            case Mul(factors):
                return self._product(factors)
            case FloorDiv(n, d):
                return self._quotient(n, d, up=False)
            case CeilDiv(n, d):
                return self._quotient(n, d, up=True)
            case Mod(n, d):
                return kernels.remainder(self.slots[n], self._divisor(d), wide=self._wide(n))
            case Min(args):
                return kernels.folded(np.minimum, [self.slots[a] for a in args])
            case Max(args):
                return kernels.folded(np.maximum, [self.slots[a] for a in args])
            case Where(cond, then, orelse):
                return kernels.choice(self.slots[cond], self.slots[then], self.slots[orelse])
            case Lookup(table, index):
                return kernels.entry(table, self.slots[index])
            case _:
                raise ModelError(f"no box rule for {type(node).__name__}")

    def _condition(self, node: Node) -> Step:
        match node:
            case Le(lhs, rhs):
                return self._comparison(kernels.less(np.less_equal, self.slots[lhs], self.slots[rhs]), lhs, rhs)
            case Lt(lhs, rhs):
                return self._comparison(kernels.less(np.less, self.slots[lhs], self.slots[rhs]), lhs, rhs)
            case Eq(lhs, rhs):
                return self._comparison(kernels.equal(self.slots[lhs], self.slots[rhs]), lhs, rhs)
            case And(conds):
                return kernels.folded(np.logical_and, [self.slots[c] for c in conds]) if conds else kernels.always(value=True)
            case Or(conds):
                return kernels.folded(np.logical_or, [self.slots[c] for c in conds]) if conds else kernels.always(value=False)
            case Not(cond):
                return kernels.negation(self.slots[cond])
            case _:
                raise ModelError(f"no box rule for {type(node).__name__}")

    def _comparison(self, step: Step, lhs: Expr, rhs: Expr) -> Step:
        wide = self._wide(lhs) or self._wide(rhs)
        return kernels.unless_unknown(step, self.slots[lhs], self.slots[rhs]) if wide else step

    def _wide(self, expr: Expr) -> bool:
        """Whether rows of the expression may be saturated."""
        return self._size(expr) >= LIMIT

    def _size(self, expr: Expr) -> int:
        lo, hi, _ = range_of(expr, self.known)
        return max(abs(lo), abs(hi))

    def _sum(self, node: Add) -> Step:
        share = kept_share(node)
        if share is not None and range_of(share[0], self.known).lo >= 0 and not self._wide(share[0]):
            x, quotient = share
            return kernels.kept_share(self.slots[x], self._divisor(quotient.denominator), up=isinstance(quotient, CeilDiv))
        offset = sum(t.value for t in node.terms if isinstance(t, Int))
        parts = [self._scaled(t) for t in node.terms if not isinstance(t, Int)]
        if sum(self._size(t) for t in node.terms) >= LIMIT:
            return kernels.wide_sum(parts, offset)
        return kernels.narrow_sum(parts, offset)

    def _scaled(self, term: Expr) -> tuple[int, int]:
        """Coefficient and slot of a term."""
        match term:
            case Mul((Int(c), x)):
                return c, self.slots[x]
            case _:
                return 1, self.slots[term]

    def _product(self, factors: Sequence[Expr]) -> Step:
        head = factors[0].value if isinstance(factors[0], Int) else 1
        rest = factors[1:] if isinstance(factors[0], Int) else factors
        size = abs(head)
        for factor in rest:
            size *= max(1, self._size(factor))
        slots = [self.slots[f] for f in rest]
        if size >= LIMIT:
            return kernels.wide_product(head, slots)
        if all(range_of(f, self.known).lo >= 0 for f in rest):
            return kernels.narrow_product(head, slots)
        return kernels.signed_product(head, slots)

    def _divisor(self, expr: Expr) -> int:
        if self._wide(expr):
            raise ModelError(f"a divisor may reach {range_of(expr, self.known).hi}, which leaves 64 bits")
        return self.slots[expr]

    def _quotient(self, n: Expr, d: Expr, *, up: bool) -> Step:
        top, bottom = self.slots[n], self._divisor(d)
        if isinstance(d, Int):
            step = kernels.constant_quotient(top, d.value, up=up)
        elif range_of(n, self.known).lo >= 0:
            step = kernels.natural_quotient(top, bottom, up=up)
        else:
            step = kernels.signed_quotient(top, bottom, up=up)
        return kernels.saturated_quotient(step, top) if self._wide(n) else step
