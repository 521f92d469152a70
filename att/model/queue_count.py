"""Queue count: a position has at most as many queues as the chip allows."""

from __future__ import annotations

from att.expr.core import integer
from att.ir.graph import ImplGraph
from att.ir.layout import queues_at
from att.ir.tensor import Position
from att.model.tiling import Leq, Origin
from hwmodels.model import Chip

FAMILY = "queue_count"


def queue_count(graph: ImplGraph, chip: Chip) -> tuple[Leq, ...]:
    """One constraint per position in use."""
    limits = {Position.VECIN: chip.vecin_queues, Position.VECOUT: chip.vecout_queues}
    return tuple(
        Leq(
            lhs=integer(used),
            rhs=integer(limits[position]),
            origin=Origin(family=FAMILY, subject=position.value, text=f"{chip.name} has {limits[position]} queues at {position}"),
            unit="queues",
        )
        for position, used in queues_at(graph).items()
        if used
    )
