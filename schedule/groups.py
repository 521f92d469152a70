"""Axis groups of nodes and of the graph: X transposed, Y parallel, R reduced, N whole in UB (S1 §3.1.2–3.1.3).

Two groups merge where the document's table has an entry for them; a pair without one cannot share a loop nest:

    target  source   condition                       result
    Y       Y        equal                           Y
    Y       YR       Y == Y and R of the source      YR
    YR      Y        mirrored                        YR
    YR      YR       both equal                      YR
    Y       XY       Y == X and Y of the source      XY
    XY      Y        mirrored                        XY
    XY      XY       both equal                      XY

Before that, what is N on either side leaves X, Y and R on both. The document has no row for two transposes; two of the same axes are cut
by the same loops, so they merge. A Y group that is empty covers the cases "only R" and "only X".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from att.errors import ScheduleError
from att.ir.graph import Graph
from att.ir.node import Node
from att.ir.roles import reduced_axes, varying_axes
from att.ops.joins import joined_axis
from att.ops.lookups import gathered_axis
from att.ops.registry import spec_of
from att.ops.spec import ComputeType

SCHEDULABLE = frozenset(
    {
        ComputeType.ELEMENTWISE,
        ComputeType.BROADCAST,
        ComputeType.REDUCE,
        ComputeType.TRANSPOSE,
        ComputeType.CONCAT,
        ComputeType.GATHER,
        ComputeType.LOAD,
        ComputeType.STORE,
        ComputeType.STRUCTURAL,
    }
)


@dataclass(frozen=True, slots=True)
class AxisGroups:
    """Axes by what may be done with them, each in graph order."""

    y: tuple[str, ...] = ()
    """Parallel: may be cut and shared among cores."""
    r: tuple[str, ...] = ()
    """Reduced: may be cut, looped inside one core. In a transposed nest: what is looped inside one core."""
    n: tuple[str, ...] = ()
    """Whole in UB."""
    x: tuple[str, ...] = ()
    """Innermost axis of what a Transpose reads: may be cut beside the innermost axis of its result."""


def graph_groups(graph: Graph, *, full_load: bool) -> AxisGroups:
    """Groups of the whole graph; with `full_load` every reduced axis is N. Raises ScheduleError where two nodes do not fit one nest."""
    order = {axis: i for i, axis in enumerate(a for node in graph.nodes for a in node.axes)}
    seen: list[tuple[Node, AxisGroups]] = []
    total: AxisGroups | None = None
    for node in graph.nodes:
        if not node.axes or spec_of(node.op).compute is ComputeType.STRUCTURAL:
            continue
        groups = node_groups(graph, node, full_load=full_load)
        merged = groups if total is None else merge_groups(total, groups, order)
        if merged is None:
            raise _refusal(graph, seen, total or AxisGroups(), (node, groups))
        seen.append((node, groups))
        total = merged
    if total is None:
        raise ScheduleError("the graph computes nothing", where=graph.name)
    return total


def _refusal(graph: Graph, seen: list[tuple[Node, AxisGroups]], total: AxisGroups, refused: tuple[Node, AxisGroups]) -> ScheduleError:
    """Names the node, the earliest one that it does not go with, and the rule."""
    node, groups = refused
    other, rule = next(
        ((earlier, why) for earlier, theirs in seen if (why := why_apart(theirs, groups))),
        (seen[-1][0], why_apart(total, groups)),
    )
    return ScheduleError(
        f"{other.op} {other.name} and {node.op} {node.name} cannot share a loop nest: {rule}",
        where=graph.name,
        hint="store the value between them, and make a kernel of each part",
    )


def node_groups(graph: Graph, node: Node, *, full_load: bool) -> AxisGroups:
    """Groups of one node. Raises ScheduleError for compute types without a schedule."""
    compute = spec_of(node.op).compute
    if compute not in SCHEDULABLE:
        raise ScheduleError(
            f"{node.op} {node.name} is a {compute} op, which has no template yet",
            where=graph.name,
            hint=f"these can be scheduled: {', '.join(sorted(SCHEDULABLE))}",
        )
    if compute is ComputeType.TRANSPOSE:
        return _transposed_groups(graph, node)
    if compute is ComputeType.CONCAT:
        before = node.axes[: node.axes.index(joined_axis(graph, node))]
        return AxisGroups(y=before, n=node.axes[len(before) :])
    if compute is ComputeType.GATHER:
        axis = gathered_axis(graph, node)
        return AxisGroups(y=tuple(a for a in node.axes if a != axis), n=(axis,) if axis else ())
    if compute is not ComputeType.REDUCE:
        return AxisGroups(y=node.axes)
    reduced = tuple(axis for axis in node.axes if axis in reduced_axes(graph, node))
    kept = tuple(axis for axis in node.axes if axis not in reduced)
    return AxisGroups(y=kept, n=reduced) if full_load else AxisGroups(y=kept, r=reduced)


def _transposed_groups(graph: Graph, node: Node) -> AxisGroups:
    """X is the innermost axis of the input where the Transpose moves it; all others are Y."""
    kept = varying_axes(node.output)
    tail = [axis for axis in graph.node_of[node.inputs[0]].output.axes if axis in kept][-1:]
    moved = tuple(axis for axis in tail if axis != kept[-1])
    return AxisGroups(y=tuple(axis for axis in node.axes if axis not in moved), x=moved)


def merge_groups(target: AxisGroups, source: AxisGroups, order: Mapping[str, int]) -> AxisGroups | None:
    """The groups of both together, None if they cannot share a loop nest."""
    if why_apart(target, source):
        return None
    whole = tuple(sorted({*target.n, *source.n}, key=lambda a: order[a]))
    a, b = _without(target, whole), _without(source, whole)
    cut = a if a.x or a.r else b
    return AxisGroups(x=cut.x, y=cut.y, r=cut.r, n=whole)


def why_apart(target: AxisGroups, source: AxisGroups) -> str:
    """The rule that keeps two groups out of one loop nest; `""` where they merge."""
    whole = (*target.n, *source.n)
    a, b = _without(target, whole), _without(source, whole)
    if (a.x and b.r) or (a.r and b.x):
        return f"one transposes ({_listed(a.x or b.x)}) and the other reduces ({_listed(a.r or b.r)}); a nest has one loop in a core"
    for mine, theirs, verb in ((a.r, b.r, "reduces"), (a.x, b.x, "transposes")):
        if mine and theirs and set(mine) != set(theirs):
            return f"one {verb} ({_listed(mine)}) and the other ({_listed(theirs)}), and one loop in a core cannot cut both"
    ours, others = {*a.x, *a.y, *a.r}, {*b.x, *b.y, *b.r}
    if ours != others:
        return f"one runs over ({_listed(sorted(ours))}) and the other over ({_listed(sorted(others))})"
    return ""


def _without(groups: AxisGroups, removed: tuple[str, ...]) -> AxisGroups:
    x, y, r = (tuple(a for a in axes if a not in removed) for axes in (groups.x, groups.y, groups.r))
    return AxisGroups(x=x, y=y, r=r)


def _listed(axes: tuple[str, ...] | list[str]) -> str:
    return ", ".join(axes) or "nothing"
