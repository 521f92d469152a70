"""Chunk count: cores that share a reduced axis have at least two chunks of it; one chunk would be a second phase for nothing."""

from __future__ import annotations

from att.expr.core import integer
from att.ir.loops import LoopNest
from att.model.tiling import Leq, Origin

FAMILY = "chunk_count"


def chunk_count(nest: LoopNest) -> tuple[Leq, ...]:
    """The constraint of a nest whose inner loop walks chunks, none for others."""
    if nest.chunk is None:
        return ()
    text = f"{nest.chunk.outer} has at least two chunks, else no core shares the work of another"
    return (Leq(lhs=integer(2), rhs=nest.chunk.count, origin=Origin(family=FAMILY, subject=nest.chunk.outer, text=text), unit="chunks"),)
