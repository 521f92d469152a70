"""A lower bound of the time that intervals cannot see: total work is what it is, however it is cut.

For n = ceil(N/t) tiles of t elements, intervals of n and of t know nothing of each other, yet `n*t` is N up to one tail. So the
time of a core is multiplied out to a polynomial in tile sizes, tile counts and tails (`att.solve.polynomial`), in which

    n*t  ->  N - 1 + t - (N - 1) mod t     exactly, for n = ceil(N/t)
    b*t  >=  m*N/c                         for c = ceil(m*n/b) cores that share m*n tiles
    (b - k)*t + k*tail  >=  m*N/c          for k = floor(b/n) tails among the b tiles of a core: its part of the last row is full tiles
    b*t*c  >=  m*N                         likewise: with a bandwidth that c cores share, the whole work is what a core waits for
    b*t*u  >=  N*U/c                       for c = ceil(ceil(N/t)/b)*ceil(U/u) cores, each with b tiles of one axis and a tile of another

The result is an ordinary expression that is never above the time: solvers use it to discard tilings, never to choose one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import floor

from att.expr.choice import maximum, where
from att.expr.compare import lt
from att.expr.core import CeilDiv, Expr, Int, Min, Mul, Sym, add, floor_div, integer, mod, mul
from att.expr.logic import TRUE
from att.expr.node import Node
from att.model.tiling import Makespan, PipeTime, TilingModel
from att.ops.call import Pipe
from att.solve.polynomial import Expander, Monomial, Number, Terms, collected, replaced

_COARSE = 2**16
"""Coefficients above it lose less than 2^-16 of themselves when rounded down to whole ticks."""


def relaxed_time(model: TilingModel, only: Pipe | None = None) -> Expr | None:
    """An expression that is never above the makespan and knows total work, ticks; None if no tile of the model meets its count.

    `only`: by the work of that pipe alone.
    """
    bounds = [_relaxed_phase(phase, only) for phase in model.phases]
    if all(b is None for b in bounds):
        return None
    return add(*(phase.ticks if bound is None else bound for phase, bound in zip(model.phases, bounds, strict=True)))


def _relaxed_phase(phase: Makespan, only: Pipe | None) -> Expr | None:
    """One bound for a single core and one for several, since the two distinguished cores never meet in one (design §4)."""
    relaxation = _Relaxation(phase.block_dim)
    pipes = [pipe for pipe in phase.pipes if only in (None, pipe.pipe)]
    several = lt(1, phase.block_dim)
    if several == TRUE or not isinstance(phase.block_dim, CeilDiv):
        return _relaxed_case(phase, pipes, {}, relaxation)
    whole, share = phase.block_dim.numerator, phase.block_dim.denominator
    single: dict[Node, Node] = {phase.block_dim: integer(1), mod(add(whole, -1), share): add(whole, -1)}
    alone = _relaxed_case(phase, pipes, single, relaxation)
    shared = _relaxed_case(phase, pipes, {several: TRUE}, relaxation)
    if alone is None or shared is None:
        return None
    return where(several, shared, *replaced((alone,), single))


def _relaxed_case(phase: Makespan, pipes: Sequence[PipeTime], known: Mapping[Node, Node], relaxation: _Relaxation) -> Expr | None:
    bounds = {pipe.pipe: _relaxed_pipe(pipe, known, relaxation) for pipe in pipes}
    found = {pipe: bound for pipe, bound in bounds.items() if bound is not None}
    if not found:
        return None
    if not phase.chains:
        return add(*replaced((phase.launch,), known), maximum(*found.values()))
    totals = {pipe.pipe: found.get(pipe.pipe, pipe.total) for pipe in phase.pipes}
    return add(*replaced((phase.launch, phase.busiest(totals)), known))


def _relaxed_pipe(pipe: PipeTime, known: Mapping[Node, Node], relaxation: _Relaxation) -> Expr | None:
    """A core whose share of the work is known says all; the others are only looked at if there is none."""
    head, *cores = replaced((pipe.head, *(core.ticks for core in pipe.cores)), known)
    found: list[Expr] = []
    for ticks in cores:
        bound, knows_share = relaxation.lower(ticks)
        if knows_share and bound is not None:
            return add(head, bound)
        found += [bound] if bound is not None else []
    return add(head, maximum(*found)) if found else None


class _Relaxation:
    """Lower bounds of the times of one phase, whose cores are counted by `block_dim`."""

    def __init__(self, block_dim: Expr) -> None:
        self.expander = Expander()
        self.cores = block_dim if isinstance(block_dim, CeilDiv) and isinstance(block_dim.denominator, Sym) else None
        self.block_dim = block_dim
        self.counts = tuple(f for f in block_dim.factors if isinstance(f, CeilDiv)) if isinstance(block_dim, Mul) else ()

    def lower(self, time: Expr) -> tuple[Expr | None, bool]:
        """A bound in which some tile met its count (None if there is none), and whether it knows a core's share of the work."""
        expanded = dict(self.expander.lower(time).terms)
        per_core, divided = self._share(self._meet(expanded))
        if per_core == expanded:
            return None, False
        total = _expression(per_core)
        if not divided:
            return total, False
        return add(total, *self._per_core(divided)), True

    def _per_core(self, divided: Terms) -> Iterator[Expr]:
        """Terms divided by the number of cores."""
        by_divisor: dict[Expr, list[tuple[Monomial, Number]]] = {}
        for monomial, coefficient in divided.items():
            rest, multiple, divisor = self._cancelled(monomial)
            by_divisor.setdefault(divisor, []).append((rest, multiple * coefficient))
        return (floor_div(_expression(collected(terms)), divisor) for divisor, terms in by_divisor.items())

    def _cancelled(self, monomial: Monomial) -> tuple[Monomial, int, Expr]:
        """A monomial by the number of cores c: what is left of it, times a number, by a divisor.

        `c/c` is 1, and `min(c, m)/c` is `m/max(c, m)`, a plain number where c is at most m: intervals would not cancel them.
        """
        for factor in monomial:
            match factor:
                case Min((cores, Int(most))) if cores == self.block_dim:
                    return _without(monomial, factor), most, maximum(cores, most)
                case _ if factor == self.block_dim:
                    return _without(monomial, factor), 1, integer(1)
                case _:
                    pass
        return monomial, 1, self.block_dim

    def _meet(self, terms: Terms) -> Terms:
        """Every tile that is multiplied by its own count replaced by what it cuts, but for what `_share` divides by that count."""
        terms = dict(terms)
        while (found := next((m for m in _meetings(terms) if not self._is_shared(*m, terms)), None)) is not None:
            monomial, count = found
            tile = count.denominator
            tail = self.expander.lower(mod(add(count.numerator, -1), tile))
            cut = self.expander.lower(add(count.numerator, -1, tile))
            coefficient = terms.pop(monomial)
            rest = {_without(monomial, count, tile): coefficient}
            whole = self.expander.product(rest, cut.terms)
            tails = self.expander.product(rest, tail.terms)
            terms = collected([*terms.items(), *whole.items(), *((m, -c) for m, c in tails.items())])
        return terms

    def _is_shared(self, monomial: Monomial, count: CeilDiv, terms: Terms) -> bool:
        """Whether the count is the number of cores, and the monomial has a tile beside the share of a core."""
        if count != self.cores or not _is_natural(monomial, terms[monomial]):
            return False
        return _shared_count(monomial, count.denominator, self.expander.lower(count.numerator).terms) is not None

    def _share(self, terms: Terms) -> tuple[Terms, Terms]:
        """Terms per core, and terms to be divided by the number of cores: shares of a whole that a tile of the share makes known."""
        if self.cores is None:
            return self._share_of_several(terms)
        share = self.cores.denominator
        work = self.expander.lower(self.cores.numerator).terms
        kept = dict(terms)
        divided: list[tuple[Monomial, Number]] = []
        for monomial, coefficient in terms.items():
            count = _shared_count(monomial, share, work) if _is_natural(monomial, coefficient) else None
            if count is None:
                continue
            kept = self._less_tails(kept, monomial, share, count)
            ((tiles, multiple),) = work.items()
            rest = {_without(monomial, share, count.denominator): coefficient * multiple}
            others = self.expander.product(rest, {_without(tiles, count): 1})
            divided += self.expander.product(others, self.expander.lower(count.numerator).terms).items()
        return kept, collected(divided)

    def _share_of_several(self, terms: Terms) -> tuple[Terms, Terms]:
        """The same where several counts make up the cores: every share or tile that one of them counts becomes its part of the whole."""
        kept: Terms = {}
        divided: list[tuple[Monomial, Number]] = []
        for monomial, coefficient in terms.items():
            met = [n for n in self.counts if n.denominator in monomial]
            if not any(isinstance(n.numerator, CeilDiv) for n in met) or not _is_natural(monomial, coefficient):
                kept[monomial] = coefficient
                continue
            rest, others = monomial, [f for f in _factors(self.block_dim) if f not in met]
            for count in met:
                rest = _without(rest, count.denominator)
                inner = count.numerator
                if isinstance(inner, CeilDiv) and inner.denominator in rest:
                    rest, inner = _without(rest, inner.denominator), inner.numerator
                others.append(inner)
            whole: Mapping[Monomial, Number] = {rest: coefficient}
            for factor in others:
                whole = self.expander.product(whole, self.expander.lower(factor).terms)
            divided += whole.items()
        return kept, collected(divided)

    def _less_tails(self, terms: Terms, monomial: Monomial, share: Expr, count: CeilDiv) -> Terms:
        """The terms without `b*t`, and without `k*(tail - t)`, k = floor(b/n), if it is there.

        With it they are not below the same share of the work, since a row's tiles but the last are full.
        """
        tile = count.denominator
        rest, tails = _without(monomial, share, tile), floor_div(share, count)
        longer = self.expander.monomial(tails, tile, *rest)
        shorter = self.expander.monomial(tails, mod(add(count.numerator, -1), tile), *rest)
        single = self.expander.monomial(tails, *rest)
        coefficient = terms[monomial]
        left = {m: c for m, c in terms.items() if m != monomial}
        if terms.get(longer) == -coefficient and min(terms.get(shorter, 0), terms.get(single, 0)) >= coefficient:
            return collected([*left.items(), (longer, coefficient), (shorter, -coefficient), (single, -coefficient)])
        return left


def _meetings(terms: Mapping[Monomial, Number]) -> Iterator[tuple[Monomial, CeilDiv]]:
    """Monomials with a count and the tile it counts."""
    for monomial in terms:
        for factor in monomial:
            if isinstance(factor, CeilDiv) and factor.denominator in monomial:
                yield monomial, factor


def _shared_count(monomial: Monomial, share: Expr, work: Mapping[Monomial, Number]) -> CeilDiv | None:
    """The count in the cores' work whose tile the monomial has beside the share."""
    if share not in monomial or len(work) != 1:
        return None
    ((tiles, multiple),) = work.items()
    counts = (n for n in tiles if isinstance(n, CeilDiv) and n.denominator in monomial and n.denominator != share)
    return next(counts, None) if _is_natural(tiles, multiple) else None


def _factors(expr: Expr) -> tuple[Expr, ...]:
    return expr.factors if isinstance(expr, Mul) else (expr,)


def _is_natural(monomial: Monomial, coefficient: Number) -> bool:
    return coefficient > 0 and all(f.lo >= 0 for f in monomial)


def _without(monomial: Monomial, *factors: Expr) -> Monomial:
    """The monomial less one occurrence of each factor."""
    rest = list(monomial)
    for factor in factors:
        rest.remove(factor)
    return tuple(rest)


def _expression(terms: Mapping[Monomial, Number]) -> Expr:
    """A whole number of ticks that is never above the polynomial."""
    whole: list[Expr] = []
    parts: dict[int, list[Expr]] = {}
    for monomial, coefficient in terms.items():
        if coefficient.denominator == 1 or (coefficient >= _COARSE and _is_natural(monomial, coefficient)):
            whole.append(mul(floor(coefficient), *monomial))
        else:
            parts.setdefault(coefficient.denominator, []).append(mul(coefficient.numerator, *monomial))
    return add(*whole, *(floor_div(add(*terms), divisor) for divisor, terms in parts.items())) if terms else integer(0)
