"""Loads that a loop outside the cut axis would repeat, and the cases that make them once.

    general.z1            for z0: for z1T: w = Load(w[z1t]); y[z1t] = Add(Load(x[z1t]), w)                      w is loaded for each z0
    general.z1.z0.reuse   for z1T: w = Load(w[z1t]); for z0T: y[z0t, z1t] = Add(Load(x[z0t, z1t]), w)           w is loaded once

Where nothing is reduced, the axes that the largest such Load lacks become the loop inside a core, cut as well. A reduce needs that loop, or
reads all of its axes at a time; there they stay whole in UB (`general.z3.z1.reuse`), if they are short enough. Either makes the tiles of
the cut axis shorter, or leaves fewer passes to share among cores; which template is faster, the prices decide.
Source: the reference caches such a Load by an execution condition (schedule_codegen_facts §3.9); here its place in the nest says it all,
so that price, walk and kernel need to know nothing more.
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
from schedule.axes import loop_order
from schedule.cases import Kind, TilingCase
from schedule.groups import AxisGroups

_KINDS: Final = frozenset({Kind.GENERAL, Kind.FULL_LOAD})


def with_reuse(graph: Graph, case: TilingCase, chip: Chip) -> TilingCase | None:
    """The case that loads the largest repeated tile once; None where no Load repeats, or where its axes may be too long to stay whole.

    A row of a tile takes at least one block of UB.
    """
    load = _repeated_load(graph, case)
    if load is None:
        return None
    lacked = _lacked(graph, case, load)
    if case.kind is Kind.GENERAL and not case.groups.r:
        shared = tuple(axis for axis in case.groups.y if axis not in lacked)
        return replace(case, groups=AxisGroups(y=shared, r=lacked), r=lacked[-1], reuse=load.name)
    most_rows = mul(*(graph.axis_of[axis].size for axis in lacked)).hi
    return replace(case, whole=lacked, reuse=load.name) if most_rows * BLOCK_BYTES <= chip.ub_usable_bytes else None


def _repeated_load(graph: Graph, case: TilingCase) -> Node | None:
    """The largest Load of tiles of the cut axis that some loop outside of it repeats, the first of several; None if there is none."""
    loads = [n for n in graph.nodes if spec_of(n.op).compute is ComputeType.LOAD and case.y in varying_axes(n.output)]
    repeated = [n for n in loads if _lacked(graph, case, n)]
    return max(repeated, key=lambda n: mul(*n.output.repeats).hi, default=None)


def _lacked(graph: Graph, case: TilingCase, load: Node) -> tuple[str, ...]:
    """Parallel axes outside the cut one over which a Load does not vary, but something else does."""
    if case.kind not in _KINDS or case.y is None:
        return ()
    order = loop_order(graph)
    varied = varying_axes(load.output)
    by_any = {axis for node in graph.nodes for axis in varying_axes(node.output)}
    outside = (axis for axis in order[: order.index(case.y)] if axis in case.groups.y and axis not in varied)
    return tuple(axis for axis in outside if axis in by_any)
