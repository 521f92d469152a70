"""Axis groups of nodes and of the graph: Y parallel, R reduced, N whole in UB (S1 §3.1.2–3.1.3).

Two groups merge where the document's table has an entry for them; a pair without one cannot share a loop nest:

    target  source   condition                       result
    Y       Y        equal                           Y
    Y       YR       Y == Y and R of the source      YR
    YR      Y        mirrored                        YR
    YR      YR       both equal                      YR

Before that, what is N on either side leaves Y and R on both.
"""

from __future__ import annotations

from dataclasses import dataclass

from att.errors import ScheduleError
from att.ir.graph import Graph
from att.ir.node import Node
from att.ir.roles import reduced_axes
from att.ops.registry import spec_of
from att.ops.spec import ComputeType

SCHEDULABLE = frozenset(
    {ComputeType.ELEMENTWISE, ComputeType.BROADCAST, ComputeType.REDUCE, ComputeType.LOAD, ComputeType.STORE, ComputeType.STRUCTURAL}
)


@dataclass(frozen=True, slots=True)
class AxisGroups:
    """Axes by what may be done with them, each in graph order."""

    y: tuple[str, ...] = ()
    """Parallel: may be cut and shared among cores."""
    r: tuple[str, ...] = ()
    """Reduced: may be cut, looped inside one core."""
    n: tuple[str, ...] = ()
    """Whole in UB."""


def graph_groups(graph: Graph, *, full_load: bool) -> AxisGroups:
    """Groups of the whole graph; with `full_load` every reduced axis is N. Raises ScheduleError where two nodes do not fit one nest."""
    order = {axis: i for i, axis in enumerate(a for node in graph.nodes for a in node.axes)}
    total: AxisGroups | None = None
    for node in graph.nodes:
        if not node.axes or spec_of(node.op).compute is ComputeType.STRUCTURAL:
            continue
        groups = node_groups(graph, node, full_load=full_load)
        merged = groups if total is None else merge_groups(total, groups, order)
        if merged is None:
            raise ScheduleError(
                f"{node.op} {node.name} reduces ({', '.join(groups.r)}), the nodes before it ({', '.join(total.r if total else ())})",
                where=graph.name,
                hint="one loop nest cannot cut both; only a full-load template can hold this graph",
            )
        total = merged
    if total is None:
        raise ScheduleError("the graph computes nothing", where=graph.name)
    return total


def node_groups(graph: Graph, node: Node, *, full_load: bool) -> AxisGroups:
    """Groups of one node. Raises ScheduleError for compute types without a schedule."""
    compute = spec_of(node.op).compute
    if compute not in SCHEDULABLE:
        raise ScheduleError(
            f"{node.op} {node.name} is a {compute} op, which has no template yet",
            where=graph.name,
            hint="elementwise, broadcast and reduce graphs can be scheduled",
        )
    if compute is not ComputeType.REDUCE:
        return AxisGroups(y=node.axes)
    reduced = tuple(axis for axis in node.axes if axis in reduced_axes(graph, node))
    kept = tuple(axis for axis in node.axes if axis not in reduced)
    return AxisGroups(y=kept, n=reduced) if full_load else AxisGroups(y=kept, r=reduced)


def merge_groups(target: AxisGroups, source: AxisGroups, order: dict[str, int]) -> AxisGroups | None:
    """The groups of both together, None if they cannot share a loop nest."""
    whole = tuple(sorted({*target.n, *source.n}, key=lambda a: order[a]))
    ty, tr = _without(target.y, whole), _without(target.r, whole)
    sy, sr = _without(source.y, whole), _without(source.r, whole)
    if tr and sr:
        return AxisGroups(y=ty, r=tr, n=whole) if (set(ty), set(tr)) == (set(sy), set(sr)) else None
    if sr:
        return AxisGroups(y=sy, r=sr, n=whole) if set(ty) == {*sy, *sr} else None
    if tr:
        return AxisGroups(y=ty, r=tr, n=whole) if set(sy) == {*ty, *tr} else None
    return AxisGroups(y=ty, n=whole) if set(ty) == set(sy) else None


def _without(axes: tuple[str, ...], removed: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(a for a in axes if a not in removed)
