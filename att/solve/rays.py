"""The moves of the iterative search: rays, along which a point runs away from where it stands, step by step.

    rung    a variable goes up or down by `s` values of its ladder: alignment points
    count   its whole is cut into `s` parts more or fewer, by the smallest value that does: the break points of a ceiling
    scale   the value of one that follows none is multiplied or divided by `s + 1`
    trade   a tile goes up or down by `s` rungs while another one keeps their product: UB passes from one axis to the other

S1 §5.3.2 searches at such break points, capacity borders and alignment points only. Followers of the variable (`att.solve.terrain`) keep
their counts, so that a tile may grow with the number of cores unchanged; along rungs and counts they are also tried as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Final, Literal

from att.model.tiling import VarRole
from att.solve.terrain import Point, Terrain, moved

Direction = Literal[1, -1]
Kind = Literal["rung", "count", "scale", "trade"]

_DIRECTIONS: Final[tuple[Direction, ...]] = (1, -1)


@dataclass(frozen=True, slots=True)
class Heading:
    """Which way a ray runs, wherever it starts."""

    kind: Kind
    variable: int
    direction: Direction
    carries: bool = False
    """Whether the followers of the variable keep their counts."""
    payer: int | None = None
    """The variable that a trade keeps the product with."""

    def reverses(self, other: Heading) -> bool:
        """Whether it takes back what a step along the other one did."""
        return (self.kind, self.variable, self.payer, self.direction) == (other.kind, other.variable, other.payer, -other.direction)


@dataclass(frozen=True, slots=True)
class Ray:
    """A heading from a given point."""

    heading: Heading
    at: Callable[[int], Point | None]
    """The point after `s >= 1` steps; None where the ray has left the ladders or its variable stays where it is."""


def headings(terrain: Terrain) -> tuple[Heading, ...]:
    """All ways to move, in a fixed order: variable by variable, trades last for each."""
    free = [i for i, ladder in enumerate(terrain.ladders) if ladder.size > 1]
    return tuple(heading for i in free for heading in (*_own(terrain, i), *_trades(terrain, i, free)))


def _own(terrain: Terrain, i: int) -> Iterator[Heading]:
    kinds: tuple[Kind, ...] = ("count", "rung")
    carries = (True, False) if terrain.followers[i] else (False,)
    follows = any(i in those for those in terrain.followers)
    for direction in _DIRECTIONS:
        for kind, carry in product(kinds, carries):
            yield Heading(kind, i, direction, carry)
        if not follows:
            yield Heading("scale", i, direction, carries=True)


def _trades(terrain: Terrain, i: int, free: list[int]) -> Iterator[Heading]:
    tiles = [j for j in free if terrain.variables[j].role is VarRole.TILE]
    for direction, j in product(_DIRECTIONS, tiles if i in tiles else ()):
        if i != j:
            yield Heading("trade", i, direction, carries=True, payer=j)


def ray(terrain: Terrain, start: Point, heading: Heading) -> Ray:
    """The ray of a heading from a point."""
    return Ray(heading, lambda steps: _landing(terrain, start, heading, steps))


def _landing(terrain: Terrain, start: Point, heading: Heading, steps: int) -> Point | None:
    i, ladder = heading.variable, terrain.ladders[heading.variable]
    number = _number(terrain, start, heading, steps)
    if number is None or number == start[i] or not 0 <= number < ladder.size:
        return None
    point = moved(start, i, number)
    if heading.payer is not None:
        j, payer = heading.payer, terrain.ladders[heading.payer]
        kept = ladder.value(start[i]) * payer.value(start[j])
        point = terrain.carried(moved(point, j, payer.at_most(kept // ladder.value(number))), start, j)
    return terrain.carried(point, start, i) if heading.carries else point


def _number(terrain: Terrain, start: Point, heading: Heading, steps: int) -> int | None:
    """Where on its ladder the variable lands."""
    i, ladder = heading.variable, terrain.ladders[heading.variable]
    value = ladder.value(start[i])
    match heading.kind:
        case "rung" | "trade":
            return start[i] + heading.direction * steps
        case "count":
            count = terrain.count(start, i) + heading.direction * steps
            return terrain.counted(start, i, count) if count >= 1 else None
        case "scale":
            return ladder.at_most(value * (steps + 1)) if heading.direction > 0 else ladder.at_least(-(-value // (steps + 1)))
