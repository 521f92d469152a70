"""Whether the axes of the reduces of a graph may be cut, and the sentences that say why not.

s = Sum(x); q = Sum(x * x); y = s + q              one walk over the rows is enough, and cores may share them
m = Max(x); y = x - m                              a walk for m, and another for y
"""

from __future__ import annotations

from typing import Final

from att.errors import ScheduleError
from att.expr.core import mul
from att.ir.graph import Graph
from att.ir.node import Node
from att.ir.roles import reduced_axes, varying_axes
from att.ir.running import running_values
from att.ops.registry import spec_of
from att.ops.spec import ComputeType
from schedule.dependence import descendants
from schedule.groups import graph_groups

MOST_PLACES: Final = 2**31 - 1
"""Elements among which a kernel finds a place tile by tile: it counts them as int32 (`codegen/device/TilesArgMax.h`)."""


def reduce_nodes(graph: Graph) -> tuple[Node, ...]:
    """Nodes that reduce."""
    return tuple(n for n in graph.nodes if spec_of(n.op).compute is ComputeType.REDUCE)


def general_is_legal(graph: Graph, reduces: tuple[Node, ...]) -> bool:
    """Whether the reduced axis may be cut: no reduce at all, or one that can be merged and whose axes nothing after it varies over."""
    return not reduces or (len(reduces) == 1 and one_walk_is_enough(graph, reduces))


def one_walk_is_enough(graph: Graph, reduces: tuple[Node, ...]) -> bool:
    """Whether there are reduces, all over the same axes, that can be merged, and nothing that needs one varies over these axes again."""
    same = len({frozenset(reduced_axes(graph, node)) for node in reduces}) == 1
    names = {node.name for node in reduces}
    waits = any(names & set(descendants(graph, node.name)) for node in reduces)
    return same and not waits and not any(_why_not_merged(graph, node) or _varies_again(graph, node) for node in reduces)


def _varies_again(graph: Graph, reduce: Node) -> bool:
    reduced = set(reduced_axes(graph, reduce))
    return any(reduced & set(varying_axes(graph.node_of[name].output)) for name in descendants(graph, reduce.name))


def why_not_general(graph: Graph) -> str:
    """The sentence that says why only full load is legal, `""` where general is."""
    reduces = reduce_nodes(graph)
    if general_is_legal(graph, reduces):
        return ""
    first, *others = reduces
    if others:
        try:
            graph_groups(graph, full_load=False)
        except ScheduleError as error:
            return f"{error.message}; {error.hint}"
        names = ", ".join(n.name for n in reduces)
        if one_walk_is_enough(graph, reduces):
            return f"{names} are {len(reduces)} reduces, and general has one; chunked accumulates them in one walk"
        return f"{len(reduces)} reduces ({names}) need the same rows, so one walk over the reduced axis is not enough"
    reason = _why_not_merged(graph, first)
    if reason:
        return reason
    return f"a node after {first.op} {first.name} varies over the reduced axis again, so one walk over it is not enough"


def why_not_chunked(graph: Graph) -> str:
    """The sentence that says why the reduced axes cannot be walked once per reduce, `""` where they can."""
    reduces = reduce_nodes(graph)
    whole = next(filter(None, (_why_not_merged(graph, n) for n in reduces)), "")
    if whole:
        return whole
    if len({frozenset(reduced_axes(graph, n)) for n in reduces}) > 1:
        return f"{' and '.join(n.name for n in reduces)} reduce different axes, so one loop cannot cut them all"
    try:
        graph_groups(graph, full_load=False)
    except ScheduleError as error:
        return str(error)
    return ""


def why_not_shared(graph: Graph) -> str:
    """The sentence that says why cores do not share a reduced axis that may be cut, `""` where they may or none may be."""
    reduces = reduce_nodes(graph)
    if not one_walk_is_enough(graph, reduces):
        return ""
    places = next((node for node in reduces if by_value(node)), None)
    if places is not None:
        return f"a second phase would need the largest elements beside their places, and {places.op} {places.name} yields places only"
    return why_not_one_type(reduces)


def why_not_shared_again(graph: Graph) -> str:
    """The sentence that says why cores do not share a reduced axis that is walked once more after its reduces, `""` where they may.

    Also `""` where no reduced axis is walked once more.
    """
    return why_not_partial(graph) if varies_again(graph) else ""


def varies_again(graph: Graph) -> bool:
    """Whether something varies over a reduced axis once more after the reduce."""
    return any(_varies_again(graph, node) for node in reduce_nodes(graph))


def why_not_partial(graph: Graph) -> str:
    """The sentence that says why partial results of all reduces cannot be found in one walk over one axis, `""` where they can.

    A sum that follows a maximum while that is being found (`att.ir.running`) does not wait for it.
    """
    reduces, running = reduce_nodes(graph), running_values(graph)
    for node in reduces:
        later = descendants(graph, node.name, stop=running)
        waiting = next((n for n in reduces if n.name in later), None)
        if waiting:
            return f"{waiting.op} {waiting.name} waits for {node.op} {node.name}, and cores would have to meet once for each of them"
        reason = _why_not_merged(graph, node)
        if reason:
            return reason
        if by_value(node):
            return f"{node.op} {node.name} yields places only, and a second phase would need the largest elements beside them"
    axes = {axis for node in reduces for axis in reduced_axes(graph, node)}
    if any(set(reduced_axes(graph, node)) != axes for node in reduces) or len(axes) > 1:
        return f"{' and '.join(n.name for n in reduces)} reduce {len(axes)} axes, and cores share one"
    return why_not_one_type(reduces)


def why_not_one_type(reduces: tuple[Node, ...]) -> str:
    """The sentence that says why partial results of some reduces cannot lie in workspace together, `""` where they can."""
    first = reduces[0]
    other = next((n for n in reduces if n.output.dtype is not first.output.dtype), None)
    if other is None:
        return ""
    types = f"{first.op} {first.name} is {first.output.dtype}, {other.op} {other.name} {other.output.dtype}"
    return f"{types}; partial results in workspace have one element type"


def _why_not_merged(graph: Graph, node: Node) -> str:
    """The sentence that says why a loop may not cut the axes of a reduce, `""` where it may."""
    reduction = spec_of(node.op).reduction
    if reduction is None:
        raise ScheduleError(f"{node.op} is a reduce without a numpy meaning")
    if not reduction.merges:
        return f"partial results of {node.op} {node.name} cannot be merged, so its axis cannot be cut"
    most = mul(*(graph.axis_of[axis].size for axis in reduced_axes(graph, node))).hi
    if reduction.by_value and most > MOST_PLACES:
        return f"{node.op} {node.name} may reduce {most} elements, and places from tile to tile are counted up to {MOST_PLACES}"
    return ""


def by_value(node: Node) -> bool:
    """Whether a reduce yields the place of an element."""
    reduction = spec_of(node.op).reduction
    return reduction is not None and reduction.by_value is not None
