"""Core count: a phase uses at most the vector cores of the chip (S1 §5.2, hardware constraints)."""

from __future__ import annotations

from att.expr.core import integer
from att.ir.loops import LoopNest
from att.model.tiling import Leq, Origin
from hwmodels.model import Chip

FAMILY = "core_count"


def core_count(nest: LoopNest, chip: Chip) -> tuple[Leq, ...]:
    """The constraint of a nest that shares its block loop, none for a nest on one core."""
    if nest.block is None:
        return ()
    text = f"the {nest.block.outer} blocks run on {chip.vector_cores} vector cores of {chip.name}"
    origin = Origin(family=FAMILY, subject=nest.block.outer, text=text)
    return (Leq(lhs=nest.block_dim, rhs=integer(chip.vector_cores), origin=origin, unit="cores"),)
