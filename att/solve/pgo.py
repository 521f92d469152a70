"""Candidates for profile-guided tuning: tilings worth running on a device, because the fastest by the model need not be the fastest there.

    tiles    variable by variable in solving order: doubling from the smallest value up to `step_max`, then in steps of `step_max`
    cores    the smallest share of each level: 1 to 4 cores by 1, below 16 by 2, above by 4, and the most that are allowed

after each value the constraints that meet the variable are judged by intervals, with the later variables free, and a branch that cannot be
legal is left (S1 §5.3.3; att_facts.md §4.9). Two candidates never have the same tiles on the same cores. They are made one by one: take as
many as you can afford to run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import count, takewhile
from typing import Final

from att.errors import UsageError
from att.expr.core import Expr, Sym
from att.expr.node import Node, topological
from att.expr.ranges import Range, exactly
from att.model.intervals import Knowledge, learn, range_of
from att.model.tiling import Problem, Tiling, VarRole
from att.solve.excess import excess
from att.solve.ladder import Ladder
from att.solve.terrain import Point, Terrain, moved

_FINE, _MEDIUM = 4, 16
"""Core counts up to the first are tried one by one, below the second every other one, from there on every fourth (S1 §5.3.3)."""
_MEDIUM_STEP: Final = 2
_COARSE_STEP: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class PgoOptions:
    """How dense the candidates are."""

    step_max: int = 16
    """Largest step between tile sizes, elements: any number of at least 1 (the usual one is the reference's, att_facts.md §4.9)."""

    def __post_init__(self) -> None:
        if self.step_max < 1:
            raise UsageError(f"step_max is {self.step_max}, allowed is 1 or more elements", where="pgo", hint="the usual one is 16")


USUAL: Final = PgoOptions()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A legal tiling and its modelled time."""

    tiling: Tiling
    ticks: int


def candidates(problem: Problem, options: PgoOptions = USUAL) -> Iterator[Tiling]:
    """Legal tilings in a fixed order, no two with the same tiles and cores."""
    return (tiling for _, tiling in _measured(problem, options))


def top_k(problem: Problem, k: int, options: PgoOptions = USUAL) -> tuple[Candidate, ...]:
    """The `k` of all candidates with the smallest modelled time, fastest first, ties by the tie-break of the problem."""
    best = nsmallest(k, _measured(problem, options), key=lambda found: found[0])
    return tuple(Candidate(tiling, costs[0]) for costs, tiling in best)


def core_levels(most: int) -> Iterator[int]:
    """Core counts to try where `most` can be used, ascending; `most` is the last."""
    yield from takewhile(lambda level: level < most, _levels())
    if most >= 1:
        yield most


def tile_values(ladder: Ladder, step_max: int) -> Iterator[int]:
    """Numbers of the values to try, ascending: first and last among them, in between doubling and then in steps of `step_max`."""
    last = ladder.size - 1
    number = 0
    while number < last:
        yield number
        value = ladder.value(number)
        following = min(2 * value, step_max) if value < step_max else value + step_max
        number = max(number + 1, ladder.at_least(following))
    if last >= 0:
        yield last


def _levels() -> Iterator[int]:
    yield from range(1, _FINE + 1)
    yield from range(_FINE + _MEDIUM_STEP, _MEDIUM, _MEDIUM_STEP)
    yield from count(_MEDIUM, _COARSE_STEP)


def _measured(problem: Problem, options: PgoOptions) -> Iterator[tuple[tuple[int, ...], Tiling]]:
    """Candidates with their time and tie-break."""
    if problem.contradiction is not None:
        return
    enumeration = _Enumeration(problem, options.step_max)
    if any(ladder.size == 0 for ladder in enumeration.terrain.ladders):
        return
    for point in enumeration.below(0, (0,) * len(enumeration.terrain.ladders)):
        view = enumeration.terrain.glance(point)
        if not view.broken:
            yield view.costs, enumeration.terrain.tiling(point)


class _Enumeration:
    """The recursion over the variables of one problem."""

    def __init__(self, problem: Problem, step_max: int) -> None:
        self.terrain = Terrain(problem)
        self.step_max = step_max
        differences = [e for c in problem.constraints if (e := excess(c)) is not None]
        orders = [(e, tuple(topological(e))) for e in differences]
        self.met = tuple([(e, order) for e, order in orders if v.symbol in order] for v in self.terrain.variables)
        """For each variable the constraints that it meets, as expressions that are at most 0, each with its nodes."""

    def below(self, depth: int, point: Point) -> Iterator[Point]:
        """All points that agree with `point` on the variables before `depth` and that intervals do not refute."""
        if depth == len(self.terrain.variables):
            yield point
            return
        tile = self.terrain.variables[depth].role is VarRole.TILE
        for number in self._tiles(depth, point) if tile else self._shares(depth, point):
            yield from self.below(depth + 1, moved(point, depth, number))

    def _tiles(self, depth: int, point: Point) -> Iterator[int]:
        """Numbers of the tile sizes that are not refuted, up to where all larger ones are."""
        ladder = self.terrain.ladders[depth]
        for number in tile_values(ladder, self.step_max):
            if not self._refuted(depth, point, number, number):
                yield number
            elif self._refuted(depth, point, number, ladder.size - 1):
                return

    def _shares(self, depth: int, point: Point) -> Iterator[int]:
        """Numbers of the smallest share for each level of cores, most cores last; levels that come to the same cores count once."""
        work, ladder = self.terrain.glance(point).uppers[depth], self.terrain.ladders[depth]
        smallest = ladder.value(self._smallest_share(depth, point, ladder.at_least(work)))
        reached = 0
        for level in core_levels(-(-work // smallest)):
            number = ladder.at_least(-(-work // level))
            cores = -(-work // ladder.value(number))
            if cores > reached:
                reached = cores
                yield number

    def _smallest_share(self, depth: int, point: Point, whole: int) -> int:
        """Number of the smallest share that is not refuted, by bisection from all the work on one core to ever more cores."""
        low, high = 0, whole
        while low < high:
            middle = (low + high) // 2
            if self._refuted(depth, point, middle, middle):
                low = middle + 1
            else:
                high = middle
        return low

    def _refuted(self, depth: int, point: Point, first: int, last: int) -> bool:
        """Whether no value of the variable at `depth` numbered `first` to `last` is possible, whatever the later variables are."""
        settled = zip(self.terrain.variables[:depth], self.terrain.ladders, point, strict=False)
        domains = {v.symbol: _between(ladder, number, number) for v, ladder, number in settled}
        domains[self.terrain.variables[depth].symbol] = _between(self.terrain.ladders[depth], first, last)
        return any(_impossible(difference, order, domains) for difference, order in self.met[depth])


def _impossible(difference: Expr, order: Sequence[Node], domains: dict[Sym, Range]) -> bool:
    known: Knowledge = {}
    learn(order, domains, known)
    return range_of(difference, known).lo > 0


def _between(ladder: Ladder, first: int, last: int) -> Range:
    low, high = ladder.value(first), ladder.value(last)
    return exactly(low) if low == high else Range(low, high, 1)
