"""Alignment: the tile of an axis that is innermost in a widest DMA is a multiple of 32 bytes, or the whole axis.

A row that is not whole 32-byte blocks costs a slower store and padding in UB, so the grid loses little that a kernel engineer would want:
measured over the benchmark set on 910B1 and 950PR, at most 0.3 % of the best plan's time. Rows of a DMA that moves fewer axes than another
of its phase are a fraction of the bytes; to bind them costs far more than it saves. `y[m] = max(x[m, n])` stores a number a row: in steps
of 8 rows, 37 long ones would be work for 5 cores (design §4; `--align none` drops the rule, `--align N` changes the bytes).
"""

from __future__ import annotations

from math import gcd, lcm

from att.expr.choice import where
from att.expr.compare import eq
from att.expr.core import integer
from att.ir.graph import ImplGraph
from att.model.tiling import Divides, Origin
from att.model.transfers import row_tile, widest_transfers

FAMILY = "alignment"


def alignment(graph: ImplGraph, align_bytes: int | None) -> tuple[Divides, ...]:
    """One constraint per cut axis that is innermost in a widest DMA; none if `align_bytes` is None."""
    if align_bytes is None:
        return ()
    steps: dict[str, int] = {}
    for node in widest_transfers(graph):
        axis = row_tile(graph, node)
        if axis is not None:
            step = align_bytes // gcd(align_bytes, node.output.dtype.bytes)
            steps[axis] = lcm(steps.get(axis, 1), step)
    return tuple(_aligned(graph, axis, step, align_bytes) for axis, step in steps.items() if step > 1)


def _aligned(graph: ImplGraph, axis: str, step: int, align_bytes: int) -> Divides:
    size, whole = graph.axis_of[axis].size, graph.axis_of[graph.axis_of[axis].parents[0]]
    text = f"tiles of {whole.name} are rows of a transfer: multiples of {align_bytes} B ({step} elements) or the whole axis"
    divisor = where(eq(size, whole.size), 1, integer(step))
    return Divides(divisor=divisor, dividend=size, origin=Origin(family=FAMILY, subject=axis, text=text))
