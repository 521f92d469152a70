"""Tight variable domains: values that interval reasoning alone rules out are cut off at both ends.

For a constraint and a variable, the values `m .. upper` are impossible if the constraint cannot hold for any of them by intervals with the
other variables at full domain. That predicate is monotone in `m` (a smaller interval has tighter bounds), so bisection finds the largest
removable end, whatever the constraint's shape. Repeated until nothing changes or a few rounds have passed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import lcm

from att.expr.compare import Eq
from att.expr.core import Expr, Int, Sym, Where
from att.expr.node import Node, topological
from att.expr.ranges import Range
from att.model.intervals import Knowledge, learn, range_of
from att.model.tiling import Constraint, Divides, Leq, Member

Domains = dict[Sym, Range]

_ROUNDS = 4
"""Later rounds of a chain of constraints bring little; domains are sound after any number."""


@dataclass(frozen=True, slots=True)
class Tight:
    """The domains, and the constraint that emptied one (domains are then those before it)."""

    domains: Mapping[Sym, Range]
    contradiction: Constraint | None = None


def tighten(given: Mapping[Sym, Range], constraints: Sequence[Constraint]) -> Tight:
    """The tightest domains that intervals show for the variables of a bound model, starting from the given ones."""
    domains: Domains = {v: _on_grid(d) for v, d in given.items()}
    reducers = [(c, _reducer(c, {v.name: v for v in given})) for c in constraints]
    for _ in range(_ROUNDS):
        before = dict(domains)
        for constraint, reduce in reducers:
            reduced = reduce(domains)
            if reduced is None or any(d.lo > d.hi for d in reduced.values()):
                return Tight(before, constraint)
            domains |= reduced
        if domains == before:
            break
    return Tight(domains)


def _on_grid(domain: Range) -> Range:
    """The same domain with both ends multiples of its step."""
    step = domain.multiple or 1
    return Range(-(-domain.lo // step) * step, domain.hi // step * step, step)


Reducer = Callable[[Domains], Domains | None]
"""Narrower domains for some variables; None if the constraint cannot hold."""


def _reducer(constraint: Constraint, by_name: Mapping[str, Sym]) -> Reducer:
    match constraint:
        case Leq(lhs=lhs, rhs=rhs):
            return _leq_reducer(lhs - rhs)
        case Divides(divisor=divisor, dividend=dividend):
            return lambda domains: _divides(divisor, dividend, domains)
        case Member(var=var, values=values):
            return lambda domains: _member(by_name[var], values, domains)


def _leq_reducer(difference: Expr) -> Reducer:
    """Narrows every variable of `difference <= 0`."""
    order = tuple(topological(difference))
    symbols = [n for n in order if isinstance(n, Sym)]
    users = {s: _users(order, s) for s in symbols}

    def reduce(domains: Domains) -> Domains | None:
        known: Knowledge = {}
        learn(order, domains, known)
        if range_of(difference, known).lo > 0:
            return None
        narrowed = {s: domains[s] for s in symbols}
        for symbol in symbols:
            narrowed[symbol] = _shave(domains[symbol], lambda part, s=symbol: _impossible(difference, s, part, users[s], known))
            if narrowed[symbol].lo > narrowed[symbol].hi:
                return None
            learn(users[symbol], narrowed, known)
        return narrowed

    return reduce


def _users(order: Sequence[Node], symbol: Sym) -> tuple[Node, ...]:
    """The symbol and all nodes above it, operands first."""
    above: set[Node] = {symbol}
    for node in order:
        if any(operand in above for operand in node.operands):
            above.add(node)
    return tuple(n for n in order if n in above)


def _impossible(difference: Expr, symbol: Sym, part: Range, users: Sequence[Node], known: Knowledge) -> bool:
    trial = dict(known)
    learn(users, {symbol: part}, trial)
    return range_of(difference, trial).lo > 0


def _shave(domain: Range, impossible: Callable[[Range], bool]) -> Range:
    """The domain without the ends that are impossible as a whole; empty (`lo > hi`) if they meet."""
    lo, hi, step = domain
    first, last = lo // step, hi // step
    if first == last:
        return domain
    if impossible(Range(hi, hi, step)):
        last = _bisect(first, last, lambda q: impossible(Range(q * step, hi, step))) - 1
    if first <= last and impossible(Range(lo, lo, step)):
        first = -_bisect(-last, -first, lambda q: impossible(Range(lo, -q * step, step))) + 1
    return Range(first * step, last * step, step)


def _bisect(lo: int, hi: int, holds: Callable[[int], bool]) -> int:
    """Smallest value in `lo..hi` from which a monotone predicate holds; it holds at `hi`."""
    while lo < hi:
        middle = (lo + hi) // 2
        if holds(middle):
            hi = middle
        else:
            lo = middle + 1
    return lo


def _divides(divisor: Expr, dividend: Expr, domains: Domains) -> Domains | None:
    known: Knowledge = {}
    learn(tuple(topological(divisor, dividend)), domains, known)
    n = range_of(dividend, known)
    step = _known_divisor(divisor, dividend, known)
    if step > 1 and n.multiple % step and n.hi // step * step < n.lo:
        return None
    if not isinstance(dividend, Sym):
        return {}
    return {dividend: _on_grid(Range(n.lo, n.hi, lcm(n.multiple, step)))}


def _known_divisor(divisor: Expr, dividend: Expr, known: Knowledge) -> int:
    """A number that divides the dividend wherever the constraint holds.

    `where(x == c, d1, d2)` over x itself: d2, if it divides c too.
    """
    d = range_of(divisor, known)
    if d.lo == d.hi:
        return d.lo
    match divisor:
        case Where(Eq(lhs, Int(c)), _, Int(d2)) if lhs == dividend and c % d2 == 0:
            return d2
        case _:
            return 1


def _member(symbol: Sym, values: Sequence[int], domains: Domains) -> Domains | None:
    lo, hi, step = domains[symbol]
    allowed = [v for v in values if lo <= v <= hi and v % step == 0]
    return {symbol: Range(min(allowed), max(allowed), step)} if allowed else None
