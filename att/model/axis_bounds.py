"""Axis bounds: a tile is not longer than its axis, a core's share not larger than the work (S1 §5.2, semantic constraints)."""

from __future__ import annotations

from att.ir.axis import AxisKind
from att.ir.graph import ImplGraph
from att.ir.loops import is_chunk
from att.model.tiling import Leq, Origin

FAMILY = "axis_bounds"


def axis_bounds(graph: ImplGraph) -> tuple[Leq, ...]:
    """One constraint per cut axis that does not allow oversize tiles."""
    found: list[Leq] = []
    for variable in graph.variables:
        axis = graph.axis_of[variable.axis]
        parent = graph.axis_of[axis.parents[0]]
        if axis.allow_oversize:
            continue
        is_tile = axis.kind is AxisKind.TILE_IN and not is_chunk(graph, axis.name)
        what, unit = ("tile", "elements") if is_tile else ("share of one core", "iterations")
        origin = Origin(family=FAMILY, subject=parent.name, text=f"the {what} {variable.name} does not exceed axis {parent.name}")
        found.append(Leq(lhs=variable.symbol, rhs=parent.size, origin=origin, unit=unit))
    return tuple(found)
