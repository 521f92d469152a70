"""A case of a claim as conditions for z3, simplified by what the case holds.

With `d` cores for `W` iterations, `b` each, `ceil(W/b) = d` is two linear inequalities and `(W - 1) mod b` a linear expression. Where `W`
is `m*n`, the rows `b/n` of a core lie between `m/d` and `m/(d - 1)`, which nearly settles how many of its tiles are tails.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from att.expr.choice import maximum
from att.expr.compare import le, lt
from att.expr.core import CeilDiv, Expr, Int, Mod, Sym, add, integer, mod, mul
from att.expr.logic import FALSE, TRUE, Cond
from att.expr.node import Node
from att.expr.ranges import Range, ceil_quotient, floor_quotient
from att.expr.ranges import domain as stretch
from att.verify.cases import Case, Faster, Phase, narrowed
from att.verify.conditions import Replacing


@dataclass(frozen=True, slots=True, kw_only=True)
class Posed:
    """A case as conditions."""

    stages: tuple[tuple[Cond, ...], ...]
    """What is most likely to fail comes first."""
    symbols: tuple[Sym, ...]
    """Variables that still have several values."""
    numbers: Mapping[str, int]
    """The others."""


def pose(claim: Faster, case: Case) -> Posed | None:
    """The case as conditions; None if intervals show that it has no tiling that is legal and fast enough."""
    known: dict[Node, Node] = {s: narrowed(s.name, d) for s, d in case.domains.items()}
    shared: list[Cond] = []
    for phase, cores in zip(claim.phases, case.cores, strict=True):
        if phase.shared is not None and cores.lo == cores.hi:
            conditions = _share_out(phase, *phase.shared, cores.lo, known)
            if conditions is None:
                return None
            shared += conditions
    new = Replacing(known)
    required = [*shared]
    for condition in claim.legal:
        required.append(new(condition))
        if required[-1] is FALSE:
            return None
    times = _rebuilt_times(claim, new)
    if times is None:
        return None
    first, others = _slowest_first(times, claim.ticks)
    if FALSE in shared or FALSE in others:
        return None
    values = {s.name: known[s] for s in claim.variables}
    stages = [tuple(c for c in stage if c is not TRUE) for stage in ((*required, *first), others)]
    return Posed(
        stages=tuple(stages if stages[1] else stages[:1]),
        symbols=tuple(v for v in values.values() if isinstance(v, Sym)),
        numbers={name: v.value for name, v in values.items() if isinstance(v, Int)},
    )


def _share_out(phase: Phase, work: Expr, share: Sym, d: int, known: dict[Node, Node]) -> list[Cond] | None:
    """What `ceil(W/b) = d` says, with the nodes that it settles entered into `known`; None if no share does it."""
    amount = Replacing(known)(work)
    domain = share.domain if share not in known else _range_of(known[share])
    hi = min(domain.hi, (amount.hi - 1) // (d - 1)) if d > 1 else domain.hi
    lo, hi, step = stretch(max(domain.lo, -(-amount.lo // d)), hi, max(1, domain.multiple))
    if lo > hi:
        return None
    each = narrowed(share.name, Range(lo, hi, step))
    known[share] = each
    known[phase.cores] = integer(d)
    rest = mod(add(work, -1), share)
    if isinstance(rest, Mod):
        known[rest] = add(amount, -1, mul(1 - d, each))
    return [*_says(amount, each, d, known), *_rows(phase, share, d, known)]


def _range_of(node: Node) -> Range:
    assert isinstance(node, Expr)
    return node.range


def _says(amount: Expr, each: Expr, d: int, known: Mapping[Node, Node]) -> Iterator[Cond]:
    """`(d - 1)*b < W <= d*b`, also times each tile: it is on both sides, and z3 need not find that product."""
    tiles = [new for old, new in known.items() if isinstance(old, Sym) and new is not each and isinstance(new, Sym) and new.lo >= 1]
    for factor in (integer(1), *tiles):
        yield le(mul(amount, factor), mul(d, each, factor))
        yield lt(mul(d - 1, each, factor), mul(amount, factor))


def _rows(phase: Phase, share: Sym, d: int, known: dict[Node, Node]) -> list[Cond]:
    """The quotients of `phase.rows`: each becomes a number or an unknown with narrow bounds."""
    found: list[Cond] = []
    for node, rest in phase.rows:
        new = Replacing(known)
        each, n, rows = new(share), new(node.denominator), new(rest)
        bounds = _rows_of_core(each, n, rows, d, up=isinstance(node, CeilDiv))
        if bounds.lo > bounds.hi:
            return [FALSE]
        quotient = narrowed(f"rows_of_a_core_{len(known)}", bounds)
        known[node] = quotient
        below = add(quotient, -1) if isinstance(node, CeilDiv) else quotient
        first, last = (lt, le) if isinstance(node, CeilDiv) else (le, lt)
        found += [first(mul(n, below), each), last(each, mul(n, add(below, 1)))]
    return found


def _rows_of_core(each: Expr, n: Expr, rows: Expr, d: int, *, up: bool) -> Range:
    """Bounds of `b/n` from those of b and n and from `m/d <= b/n < m/(d - 1)`."""
    plain = ceil_quotient(each.range, n.range) if up else floor_quotient(each.range, n.range)
    lo = -(-rows.lo // d) if up else rows.lo // d
    hi = plain.hi if d == 1 else -(-rows.hi // (d - 1)) - (not up)
    return Range(max(lo, plain.lo), min(hi, plain.hi), 1)


def _rebuilt_times(claim: Faster, new: Replacing) -> list[list[Expr]] | None:
    """The times of each phase; None as soon as those looked at take too long together."""
    times: list[list[Expr]] = []
    least = [phase.least_ticks for phase in claim.phases]
    for i, phase in enumerate(claim.phases):
        times.append([])
        for time in phase.times:
            times[-1].append(new(time))
            least[i] = max(least[i], times[-1][-1].lo)
            if sum(least) >= claim.ticks:
                return None
    return times


def _slowest_first(times: Sequence[Sequence[Expr]], ticks: int) -> tuple[list[Cond], list[Cond]]:
    """The time that is slowest by intervals must be short enough; so must the others, and the sum over phases."""
    least = [max(time.lo for time in phase) for phase in times]
    limited = [(time, ticks - sum(least) + own) for phase, own in zip(times, least, strict=True) for time in phase]
    conditions = [lt(time, limit) for time, limit in sorted(limited, key=lambda item: -item[0].lo)]
    total = [lt(add(*(maximum(*phase) for phase in times)), ticks)] if len(times) > 1 else []
    return conditions[:1], [*conditions[1:], *total]
