"""Which parallel axes stay whole in UB so that a tile that does not vary over them is loaded once.

    general.z1          for z0: for z1T: w = Load(w[z1t]); y[z1t] = Add(Load(x[z1t]), w)                       w is loaded for each z0
    general.z1.reuse    for z1T: w = Load(w[z1t]); y[z0, z1t] = Add(Load(x[z0, z1t]), Broadcast(w))            w is loaded once

The tiles of the cut axis become shorter by that; which of the two is faster, the prices decide.
Source: the reference reorders loops and caches the Load by an execution condition (schedule_codegen_facts §3.9); here the axis is in the
tile, so every pass makes every call, and price and kernel need to know nothing more.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from att.expr.core import mul
from att.ir.graph import Graph
from att.ir.node import Node
from att.ir.roles import varying_axes
from att.ops.extents import BLOCK_BYTES
from att.ops.registry import spec_of
from att.ops.spec import ComputeType
from hwmodels.model import Chip
from schedule.cases import Kind, TilingCase

_KINDS: Final = frozenset({Kind.GENERAL, Kind.FULL_LOAD})


def with_reuse(graph: Graph, case: TilingCase, chip: Chip) -> TilingCase | None:
    """The case that loads the largest repeated tile once; None where no Load repeats, or where the axes may be too long for UB.

    A row of a tile takes at least one block of UB.
    """
    load = repeated_load(graph, case)
    if load is None:
        return None
    whole = _lacked(graph, case, load)
    most_rows = mul(*(graph.axis_of[axis].size for axis in whole)).hi
    return replace(case, whole=whole) if most_rows * BLOCK_BYTES <= chip.ub_usable_bytes else None


def repeated_load(graph: Graph, case: TilingCase) -> Node | None:
    """The largest Load of tiles of the cut axis that some loop outside of it repeats, the first of several; None if there is none."""
    repeated = [
        n for n in graph.nodes if spec_of(n.op).compute is ComputeType.LOAD and case.y in varying_axes(n.output) and _lacked(graph, case, n)
    ]
    return max(repeated, key=lambda n: mul(*n.output.repeats).hi, default=None)


def _lacked(graph: Graph, case: TilingCase, load: Node) -> tuple[str, ...]:
    """Parallel axes outside the cut one over which a Load does not vary."""
    if case.kind not in _KINDS or case.y is None:
        return ()
    order = max((node.axes for node in graph.nodes), key=len)
    varied = varying_axes(load.output)
    return tuple(axis for axis in order[: order.index(case.y)] if axis in case.groups.y and axis not in varied)
