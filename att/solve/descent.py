"""The iterative search: a heuristic that walks from a few starting points to the fastest legal tiling it can reach.

    while the point is illegal   locate the legal region: the move that breaks the constraints least
    while a move is faster       improve: the move that is fastest
    else                         step aside: the best move to a point not visited, unless it takes the last step back; a few times

Every move looks along a ray (`att.solve.rays`) with steps 1, 2, 4 ..., which may fail a few times, and then closes in by halving the step
(system.md ATT item 7; att_facts.md §4.10, whose search knows steps of one variable and a smoothed objective only). Among equally good moves
the heading wins that has gained most lately. All numbers are exact; the same problem always gives the same walk.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from heapq import nsmallest
from time import monotonic
from typing import Final, NamedTuple

from att.model.tiling import Problem, Tiling
from att.solve.base import SolveOptions, SolveResult, SolveStatus
from att.solve.outcome import outcome
from att.solve.rays import Heading, Ray, headings, ray
from att.solve.terrain import Point, Terrain, View

NAME = "descent"

_EVALUATIONS_PER_UNIT: Final = 1000
"""Tilings evaluated per unit of the work limit; a walk usually ends by itself after a few hundred."""
_FAILURES: Final = 2
"""Steps along a ray that may bring nothing: costs have teeth, and the next one may be lower."""
_ASIDE: Final = 3
"""Steps aside in a row that may bring nothing faster."""
_KEPT: Final = 5
"""Best tilings that are remembered (att_facts.md §4.10)."""


@dataclass(frozen=True, slots=True)
class Found:
    """A legal tiling and its modelled time."""

    tiling: Tiling
    ticks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Descent:
    """What a search has seen."""

    best: tuple[Found, ...]
    """The best legal tilings, best first, by time and then by the tie-break of the problem; empty if none was met."""
    evaluations: int
    moves: int
    stopped: bool
    """Whether a limit ended it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DescentSolver:
    """Heuristic; answers FEASIBLE, or TIMEOUT where it finds nothing legal."""

    name: str = NAME
    exact: bool = False

    def solve(self, problem: Problem, options: SolveOptions, hint: Tiling | None = None) -> SolveResult:
        """The best tiling met, never a slower one than a legal hint. One unit of the work limit is 1000 evaluated tilings."""
        if problem.contradiction is not None:
            return outcome(NAME, SolveStatus.INFEASIBLE, note=problem.contradiction.origin.text)
        found = descend(problem, options, hint, keep=1)
        effort = {"evaluations": found.evaluations, "moves": found.moves}
        note = f"limit reached after {found.evaluations} evaluations" if found.stopped else ""
        if not found.best:
            return outcome(NAME, SolveStatus.TIMEOUT, effort=effort, note=note or "no legal tiling on any walk")
        best = found.best[0]
        return outcome(NAME, SolveStatus.FEASIBLE, tiling=best.tiling, time=best.ticks, effort=effort, note=note)


def descend(problem: Problem, options: SolveOptions, hint: Tiling | None = None, keep: int = _KEPT) -> Descent:
    """The `keep` best tilings met on walks from the hint, from the largest tiles and from the smallest."""
    terrain = Terrain(problem)
    if any(ladder.size == 0 for ladder in terrain.ladders):
        return Descent(best=(), evaluations=0, moves=0, stopped=False)
    search = _Search(terrain, options)
    for start in _starts(terrain, hint):
        search.walk(start)
    ranked = nsmallest(keep, ((view, point) for point, view in terrain.seen.items() if not view.broken))
    best = tuple(Found(terrain.tiling(point), view.ticks) for view, point in ranked)
    return Descent(best=best, evaluations=len(terrain.seen), moves=search.moves, stopped=search.stopped)


def _starts(terrain: Terrain, hint: Tiling | None) -> Iterator[Point]:
    point = None if hint is None else terrain.point(hint)
    if point is not None:
        yield point
    yield terrain.corner(largest=True)
    yield terrain.corner(largest=False)


class _Rank(IntEnum):
    """How good a move is, best first."""

    LEGAL = 0
    """From an illegal point to a legal one."""
    EASED = 1
    """To an illegal point that breaks less."""
    FASTER = 2
    NEATER = 3
    """As fast, and better by the tie-break."""
    ASIDE = 4


class _Move(NamedTuple):
    """A move to compare: the smallest is the best."""

    rank: _Rank
    broken: int
    ticks: int
    momentum: int
    """Less what the heading has gained lately, ticks."""
    view: View
    point: Point
    heading: Heading


class _Search:
    """What the walks of one solve share."""

    def __init__(self, terrain: Terrain, options: SolveOptions) -> None:
        self.terrain = terrain
        self.headings = headings(terrain)
        self.limit = max(1, int(options.work_limit * _EVALUATIONS_PER_UNIT))
        self.deadline = monotonic() + options.watchdog_s
        self.visited: set[Point] = set()
        self.moves = 0
        self.stopped = False

    def walk(self, here: Point) -> None:
        """Moves until nothing better has come for a few steps, or a limit is reached."""
        best, aside = self.terrain.view(here), 0
        gained: dict[Heading, int] = {}
        tabu: Heading | None = None
        while aside < _ASIDE:
            self.visited.add(here)
            move = self._best_move(here, gained, tabu)
            if move is None:
                break
            here = move.point
            self.moves += 1
            if move.view < best:
                best, aside, tabu = move.view, 0, None
            else:
                aside, tabu = aside + 1, move.heading

    def _best_move(self, here: Point, gained: dict[Heading, int], tabu: Heading | None) -> _Move | None:
        """The best move from a point, or None; records what every heading would have gained."""
        view = self.terrain.view(here)
        best: _Move | None = None
        for heading in self.headings:
            if self._spent():
                break
            if tabu is not None and heading.reverses(tabu):
                continue
            end = self._along(ray(self.terrain, here, heading), view)
            if end is None:
                continue
            there = self.terrain.view(end)
            if not view.broken:
                gained[heading] = max(0, view.ticks - there.ticks) + gained.get(heading, 0) // 2
            move = _Move(_rank(view, there), there.broken, there.ticks, -gained.get(heading, 0), there, end, heading)
            if best is None or move[:5] < best[:5]:
                best = move
        return best

    def _spent(self) -> bool:
        self.stopped = self.stopped or len(self.terrain.seen) >= self.limit or monotonic() > self.deadline
        return self.stopped

    def _along(self, line: Ray, here: View) -> Point | None:
        """The best point on a ray: steps are doubled while that pays, then halved around the best."""
        best = self._doubled(line, here)
        if best is None:
            return None
        view, steps, point = best
        width = steps // 2
        while width:
            for tried in (steps + width, steps - width):
                end = line.at(tried)
                seen = None if end is None else self._open_view(end, here)
                if end is not None and seen is not None and seen < view:
                    view, steps, point = seen, tried, end
                    break
            width //= 2
        return point

    def _doubled(self, line: Ray, here: View) -> tuple[View, int, Point] | None:
        best: tuple[View, int, Point] | None = None
        steps, failures = 1, 0
        while failures <= _FAILURES:
            point = line.at(steps)
            if point is None:
                break
            view = self._open_view(point, here)
            if view is not None and (best is None or view < best[0]):
                best = (view, steps, point)
            else:
                failures += 1
            steps *= 2
        return best

    def _open_view(self, point: Point, here: View) -> View | None:
        """The view of a point, unless it was visited or leaves the legal region."""
        if point in self.visited:
            return None
        view = self.terrain.view(point)
        return None if view.broken and not here.broken else view


def _rank(here: View, there: View) -> _Rank:
    if here.broken:
        return _Rank.LEGAL if not there.broken else _Rank.EASED if there.broken < here.broken else _Rank.ASIDE
    return _Rank.FASTER if there.ticks < here.ticks else _Rank.NEATER if there < here else _Rank.ASIDE
