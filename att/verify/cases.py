"""The claim that a tiling of a template is faster than a time, and how it is cut into cases.

A case holds the cores of a phase at a number and every tile in an interval: with the cores known every bandwidth is a constant, and within
a short interval little is left for z3 to find out. The parts of a cut cover all tilings of the case, so how it is cut affects speed only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import isqrt
from types import MappingProxyType

from att.expr.compare import Eq
from att.expr.core import CeilDiv, Expr, FloorDiv, Int, Mod, Sym, add, exact_quotient, integer
from att.expr.logic import Cond
from att.expr.node import topological
from att.expr.ranges import Range
from att.expr.substitute import substitute_all
from att.model.tiling import Leq, Makespan, TilingModel
from att.verify.conditions import as_condition

_FEW = 4
"""A tile with so few values is taken value by value."""

_MOST_CORES = 256
"""A phase that may use more cores is not cut by them."""


@dataclass(frozen=True, kw_only=True)
class Phase:
    """One loop nest at a shape."""

    times: tuple[Expr, ...]
    """Launch, head and work of each pipe on each distinguished core, or of each chain of pipes, ticks; the largest is the phase's time."""
    cores: Expr
    """Cores in use."""
    most_cores: int

    @cached_property
    def shared(self) -> tuple[Expr, Sym] | None:
        """`(W, b)` where `ceil(W/b)` cores are in use and few enough to be taken one by one."""
        match self.cores:
            case CeilDiv(work, Sym() as share) if self.most_cores <= _MOST_CORES:
                return work, share
            case _:
                return None

    @cached_property
    def least_ticks(self) -> int:
        """What the phase takes at least, whatever the tiling."""
        return max(time.lo for time in self.times)

    @cached_property
    def rows(self) -> tuple[tuple[FloorDiv | CeilDiv, Expr], ...]:
        """Quotients `b/n` of the share, rounded either way, where n divides the work W, each with `W/n`."""
        if self.shared is None:
            return ()
        work, share = self.shared
        quotients = (n for n in topological(*self.times) if isinstance(n, (FloorDiv, CeilDiv)) and n.numerator is share)
        rests = ((node, exact_quotient(work, node.denominator)) for node in quotients)
        return tuple((node, rest) for node, rest in rests if rest is not None)


@dataclass(frozen=True, kw_only=True)
class Faster:
    """A legal tiling takes less than `ticks`: the claim to be refuted."""

    variables: tuple[Sym, ...]
    legal: tuple[Cond, ...]
    phases: tuple[Phase, ...]
    ticks: int

    @cached_property
    def shares(self) -> frozenset[Sym]:
        """Variables that tiles and cores nearly settle."""
        return frozenset(phase.shared[1] for phase in self.phases if phase.shared is not None)

    @cached_property
    def counted(self) -> Mapping[Sym, int]:
        """For each tile how much it cuts, at most: the z of `ceil(z/t)`."""
        found: dict[Sym, int] = {}
        for node in topological(*(time for phase in self.phases for time in phase.times)):
            if isinstance(node, CeilDiv) and isinstance(node.denominator, Sym):
                found.setdefault(node.denominator, node.numerator.hi)
        return MappingProxyType(found)

    def named_values(self, variable: Sym) -> frozenset[int]:
        """Numbers that a constraint compares a variable with, such as the whole axis."""
        nodes = (n for n in topological(*self.legal) if isinstance(n, Eq) and n.lhs is variable)
        return frozenset(n.rhs.value for n in nodes if isinstance(n.rhs, Int))

    def named_steps(self, variable: Sym) -> frozenset[int]:
        """Numbers of which a constraint may want a variable to be a multiple."""
        nodes = (n for n in topological(*self.legal) if isinstance(n, Mod) and n.numerator is variable)
        return frozenset(n.denominator.value for n in nodes if isinstance(n.denominator, Int))


def faster_than(model: TilingModel, shape: Mapping[str, int], ticks: int | None) -> Faster:
    """The claim for a model that is not bound, read from it alone: nothing that binding or a solver made of it is used.

    `ticks` None: any legal tiling will do.
    """
    symbols = {v.name: v.symbol for v in model.variables}
    sizes = {size.name: integer(shape[size.name]) for size in model.sizes}
    limits = {c.lhs: c.rhs.hi for c in model.constraints if isinstance(c, Leq)}
    phases: list[Phase] = []
    for makespan in model.phases:
        times = list(_times(makespan))
        cores, *sized = substitute_all((makespan.block_dim, *times), sizes)
        phases.append(Phase(times=tuple(sized), cores=cores, most_cores=min(cores.hi, limits.get(makespan.block_dim, cores.hi))))
    legal = substitute_all([as_condition(c, symbols) for c in model.constraints], sizes)
    most = 1 + sum(max(time.hi for time in phase.times) for phase in phases)
    return Faster(variables=tuple(symbols.values()), legal=legal, phases=tuple(phases), ticks=most if ticks is None else ticks)


def _times(makespan: Makespan) -> Iterator[Expr]:
    """Times of which the largest is the time of a phase."""
    if makespan.chains:
        totals = {pipe.pipe: pipe.total for pipe in makespan.pipes}
        yield from (add(makespan.launch, chain.ticks(totals)) for chain in makespan.chains)
    else:
        yield from (add(makespan.launch, pipe.head, core.ticks) for pipe in makespan.pipes for core in pipe.cores)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Some of the tilings."""

    domains: Mapping[Sym, Range]
    cores: tuple[int | None, ...]
    """Cores of each phase; None: any number."""

    @property
    def bounds(self) -> dict[str, tuple[int, int]]:
        """Smallest and largest value of every variable and, where they are held, of the cores of each phase."""
        held = {f"cores of phase {i}": (n, n) for i, n in enumerate(self.cores, start=1) if n is not None}
        return {**{s.name: (d.lo, d.hi) for s, d in self.domains.items()}, **held}


def must_cut(claim: Faster, case: Case) -> bool:
    """Whether cutting is better than asking: no phase has its cores held, or a tile has few values."""
    open_cores = any(phase.shared is not None for phase in claim.phases) and all(n is None for n in case.cores)
    return open_cores or bool(_by_value(claim, case))


def width(claim: Faster, case: Case) -> int:
    """How many values the tiles have between them, in binary digits; 0 if the tiles are settled."""
    return sum(((d.hi - d.lo) // max(1, d.multiple)).bit_length() for _, d in _open_tiles(claim, case))


def cut(claim: Faster, case: Case) -> list[Case]:
    """The case as several smaller ones; none if it is one tiling."""
    return _by_cores(claim, case) or _by_value(claim, case) or _in_two(claim, case)


def _by_cores(claim: Faster, case: Case) -> list[Case]:
    """One case for each number of cores of the first phase that has them open."""
    for i, (phase, cores) in enumerate(zip(claim.phases, case.cores, strict=True)):
        if phase.shared is not None and cores is None:
            held = range(1, phase.most_cores + 1)
            return [replace(case, cores=(*case.cores[:i], n, *case.cores[i + 1 :])) for n in held]
    return []


def _by_value(claim: Faster, case: Case) -> list[Case]:
    """One case for each value of a tile that has few."""
    for variable, domain in _open_tiles(claim, case):
        step = max(1, domain.multiple)
        if (domain.hi - domain.lo) // step < _FEW:
            return [_within(case, variable, Range(v, v, step)) for v in range(domain.lo, domain.hi + 1, step)]
    return []


def _in_two(claim: Faster, case: Case) -> list[Case]:
    """Two cases along the tile, or else the share, whose ends differ by the largest factor."""
    shares = [(s, d) for s, d in case.domains.items() if s in claim.shares and d.lo < d.hi]
    candidates = list(_open_tiles(claim, case)) or shares
    if not candidates:
        return []
    variable, domain = max(candidates, key=lambda item: item[1].hi / max(1, item[1].lo))
    step = max(1, domain.multiple)
    start = -(-_break_point(domain, claim.counted.get(variable, 0)) // step) * step
    start = min(max(start, domain.lo + step), domain.hi)
    return [_within(case, variable, Range(domain.lo, start - step, step)), _within(case, variable, Range(start, domain.hi, step))]


def _break_point(domain: Range, amount: int) -> int:
    """Where the upper half starts: near the geometric mean, where `ceil(amount/t)` changes if it does so inside."""
    mean = isqrt(max(1, domain.lo) * domain.hi) + 1
    count = max(1, -(-amount // mean))
    here, after = -(-amount // count), -(-amount // max(1, count - 1))
    return here if domain.lo < here <= domain.hi else after if domain.lo < after <= domain.hi else mean


def _open_tiles(claim: Faster, case: Case) -> Iterator[tuple[Sym, Range]]:
    return ((s, d) for s, d in case.domains.items() if s not in claim.shares and d.lo < d.hi)


def _within(case: Case, variable: Sym, domain: Range) -> Case:
    return replace(case, domains=MappingProxyType({**case.domains, variable: domain}))
