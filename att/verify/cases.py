"""The claim that a tiling of a template is faster than a time, and a case of it: every tile and the cores of every phase in an interval.

Where the cores are held at a number every bandwidth is a constant, and within short intervals little is left for z3 to find out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from att.expr.compare import Eq
from att.expr.core import CeilDiv, Expr, FloorDiv, Int, Mod, Sym, add, exact_quotient, integer, symbol
from att.expr.logic import Cond
from att.expr.node import topological
from att.expr.ranges import Range
from att.expr.substitute import substitute_all
from att.model.tiling import Leq, Makespan, TilingModel
from att.verify.conditions import as_condition


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
        """`(W, b)` where `ceil(W/b)` cores are in use."""
        match self.cores:
            case CeilDiv(work, Sym() as share):
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

    def holds_cores(self, case: Case) -> bool:
        """Whether the cores of every phase that shares its work are a number in the case."""
        return all(phase.shared is None or cores.lo == cores.hi for phase, cores in zip(self.phases, case.cores, strict=True))

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
    cores: tuple[Range, ...]
    """Cores of each phase."""

    @property
    def bounds(self) -> dict[str, tuple[int, int]]:
        """Smallest and largest value of every variable and of the cores of each phase."""
        cores = {f"cores of phase {i}": (d.lo, d.hi) for i, d in enumerate(self.cores, start=1)}
        return {**{s.name: (d.lo, d.hi) for s, d in self.domains.items()}, **cores}

    @property
    def width(self) -> int:
        """How many values the variables have between them, in binary digits; 0 for one tiling."""
        return sum(((d.hi - d.lo) // max(1, d.multiple)).bit_length() for d in self.domains.values())


def narrowed(name: str, domain: Range) -> Expr:
    """A symbol for a number in a domain, or the number."""
    return integer(domain.lo) if domain.lo == domain.hi else symbol(name, domain.lo, domain.hi, max(1, domain.multiple))
