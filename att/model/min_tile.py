"""Minimum tile: no tile has fewer elements than a person allows, unless its axis has fewer.

Optional, and off unless a person gives the number (`--min-tile N`; system.md, ATT no. 3: a lower bound of tiles is a heuristic).
"""

from __future__ import annotations

from att.expr.choice import minimum
from att.expr.core import integer
from att.ir.axis import AxisKind
from att.ir.graph import ImplGraph
from att.ir.loops import is_chunk
from att.model.tiling import Leq, Origin

FAMILY = "min_tile"


def min_tile(graph: ImplGraph, least_elems: int | None) -> tuple[Leq, ...]:
    """One constraint per tile of at least `least_elems` elements or the whole axis; none if it is None."""
    if least_elems is None:
        return ()
    tiles = (v for v in graph.variables if graph.axis_of[v.axis].kind is AxisKind.TILE_IN and not is_chunk(graph, v.axis))
    return tuple(_at_least(graph, variable.axis, least_elems) for variable in tiles)


def _at_least(graph: ImplGraph, axis: str, least_elems: int) -> Leq:
    size, whole = graph.axis_of[axis].size, graph.axis_of[graph.axis_of[axis].parents[0]]
    text = f"tiles of {whole.name} have at least {least_elems} elements, as asked, or the whole axis"
    return Leq(
        lhs=minimum(whole.size, integer(least_elems)), rhs=size, origin=Origin(family=FAMILY, subject=axis, text=text), unit="elements"
    )
