"""Divisibility, for graphs that ask for it.

Where an axis forbids a shorter last tile (`allow_unaligned_tail` false), the tile divides it; where it asks for an alignment in elements,
its tile is a multiple of that.
"""

from __future__ import annotations

from att.expr.core import integer
from att.ir.graph import ImplGraph
from att.model.tiling import Divides, Origin

FAMILY = "divisibility"


def divisibility(graph: ImplGraph) -> tuple[Divides, ...]:
    """Constraints of hand-written graphs; the scheduler's own axes ask for none."""
    found: list[Divides] = []
    for variable in graph.variables:
        axis = graph.axis_of[variable.axis]
        parent = graph.axis_of[axis.parents[0]]
        if not axis.allow_unaligned_tail:
            text = f"axis {parent.name} must have no tail, so {variable.name} divides it"
            found.append(Divides(divisor=variable.symbol, dividend=parent.size, origin=_origin(parent.name, text)))
        if axis.align > 1:
            text = f"axis {axis.name} asks for tiles in steps of {axis.align} elements"
            found.append(Divides(divisor=integer(axis.align), dividend=variable.symbol, origin=_origin(axis.name, text)))
    return tuple(found)


def _origin(subject: str, text: str) -> Origin:
    return Origin(family=FAMILY, subject=subject, text=text)
