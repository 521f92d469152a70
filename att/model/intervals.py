"""What narrower domains of the symbols say of an expression, without rebuilding it.

One `match` over the node kinds of `att.expr`; the arithmetic is `att.expr.ranges`. A condition has the truth value
`(surely, possibly)`: whether it holds for all, and for any, values of the symbols.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from att.errors import ModelError
from att.expr import ranges
from att.expr.compare import Eq, Le, Lt
from att.expr.core import Add, CeilDiv, Expr, FloorDiv, Int, Lookup, Max, Min, Mod, Mul, Sym, Where
from att.expr.logic import And, Not, Or
from att.expr.node import Node
from att.expr.ranges import Range

Truth = tuple[bool, bool]
Knowledge = dict[Node, Any]
"""Range of every expression, truth value of every condition met so far."""


def learn(nodes: Sequence[Node], domains: Mapping[Sym, Range], known: Knowledge) -> None:
    """Adds what is known of `nodes` (operands before users) when symbols lie in `domains` (others: in their own domain)."""
    for node in nodes:
        known[node] = value_of(node, domains, known)


def range_of(node: Expr, known: Knowledge) -> Range:
    """What was learned of an expression."""
    return known[node]


def value_of(node: Node, domains: Mapping[Sym, Range], known: Knowledge) -> Range | Truth:
    """What is known of one node from what was learned of its operands."""
    match node:
        case Int():
            return node.range
        case Sym():
            return domains.get(node, node.domain)
        case Expr():
            return _expression(node, known)
        case _:
            return _condition(node, known)


def _expression(node: Expr, known: Knowledge) -> Range:
    match node:
        case Mul(factors):
            return ranges.product_of([known[f] for f in factors])
        case Add(terms):
            share = kept_share(node)
            return ranges.sum_of([known[t] for t in terms]) if share is None else _share_range(share, known)
        case CeilDiv(n, d):
            return ranges.ceil_quotient(known[n], known[d])
        case FloorDiv(n, d):
            return ranges.floor_quotient(known[n], known[d])
        case Mod(n, d):
            return ranges.remainder(known[n], known[d])
        case Min(args):
            return ranges.smallest_of([known[a] for a in args])
        case Max(args):
            return ranges.largest_of([known[a] for a in args])
        case Where(cond, then, orelse):
            surely, possibly = truth_of(cond, known)
            a, b = range_of(then, known), range_of(orelse, known)
            return a if surely else ranges.either(a, b) if possibly else b
        case Lookup(table, index):
            return ranges.table_entries(table, known[index])
        case _:
            raise ModelError(f"no interval rule for {type(node).__name__}")


def kept_share(node: Add) -> tuple[Expr, FloorDiv | CeilDiv] | None:
    """`(x, x/d)` if the node is `x - floor(x/d)` or `x - ceil(x/d)`: what is left of x calls when one in d is of another kind.

    Both are monotone in x and in d, which interval arithmetic on the two terms does not see.
    """
    match node.terms:
        case (x, Mul((Int(-1), (FloorDiv(n, _) | CeilDiv(n, _)) as quotient))) if n == x:
            return x, quotient
        case _:
            return None


def _share_range(share: tuple[Expr, FloorDiv | CeilDiv], known: Knowledge) -> Range:
    x, d = range_of(share[0], known), range_of(share[1].denominator, known)
    up = isinstance(share[1], CeilDiv)
    ends = [v - (-(-v // w) if up else v // w) for v, w in ((x.lo, d.lo), (x.hi, d.hi))] if x.lo >= 0 else None
    if ends is None:
        return ranges.sum_of([x, ranges.product_of([ranges.exactly(-1), range_of(share[1], known)])])
    return Range(ends[0], ends[1], 1)


def truth_of(cond: Node, known: Knowledge) -> Truth:
    """What was learned of a condition."""
    return known[cond]


def _condition(node: Node, known: Knowledge) -> Truth:
    match node:
        case Le(lhs, rhs):
            a, b = range_of(lhs, known), range_of(rhs, known)
            return a.hi <= b.lo, a.lo <= b.hi
        case Lt(lhs, rhs):
            a, b = range_of(lhs, known), range_of(rhs, known)
            return a.hi < b.lo, a.lo < b.hi
        case Eq(lhs, rhs):
            a, b = range_of(lhs, known), range_of(rhs, known)
            return a.lo == a.hi == b.lo == b.hi, a.lo <= b.hi and b.lo <= a.hi
        case And(conds):
            truths = [truth_of(c, known) for c in conds]
            return all(s for s, _ in truths), all(p for _, p in truths)
        case Or(conds):
            truths = [truth_of(c, known) for c in conds]
            return any(s for s, _ in truths), any(p for _, p in truths)
        case Not(cond):
            surely, possibly = truth_of(cond, known)
            return not possibly, not surely
        case _:
            raise ModelError(f"no truth rule for {type(node).__name__}")
