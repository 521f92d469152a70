"""Which axes a template cuts: one of each group that can be cut (S1 §3.1.6).

*General* cuts one Y and one R axis: R is looped inside a core and accumulated. It needs exactly one reduce, and nothing after it that
varies over the reduced axes again. *Full load* keeps every reduced axis whole in UB and cuts one Y axis; any number of reduces fits.
*Transpose* cuts the innermost axes of a Transpose's input and output, one of them shared among cores, the other looped inside a core; or
an axis outside both, which then lie whole in UB. *Concat* keeps the joined axis and its parts whole and joins them in UB; *concat store*
stores every part to its place instead, and *concat parts* does so in a nest for each part.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from att.errors import ScheduleError
from att.ir.graph import HintGraph
from att.ir.node import Node
from att.ir.roles import ONE, reduced_axes, varying_axes
from att.ops.registry import spec_of
from att.ops.spec import ComputeType
from schedule.groups import AxisGroups, graph_groups
from schedule.transposes import Tails


class Kind(StrEnum):
    """Template kinds, in order of generation."""

    GENERAL = "general"
    FULL_LOAD = "full_load"
    TRANSPOSE = "transpose"
    CONCAT = "concat"
    CONCAT_STORE = "concat_store"
    CONCAT_PARTS = "concat_parts"
    GATHER = "gather"
    GATHER_ROWS = "gather_rows"


@dataclass(frozen=True, slots=True, kw_only=True)
class TilingCase:
    """One choice of cut axes."""

    kind: Kind
    groups: AxisGroups
    y: str | None
    """Cut parallel axis; None: nothing is parallel."""
    r: str | None
    """Cut axis of the loop inside a core: a reduced one, or one side of a transposed tile. None: none is cut."""

    @property
    def name(self) -> str:
        """Kind and cut axes, e.g. `general.z0.z1`."""
        return ".".join((self.kind.value, *self.cuts))

    @property
    def cuts(self) -> tuple[str, ...]:
        """The axes that are cut."""
        return tuple(axis for axis in (self.y, self.r) if axis)


def tiling_cases(graph: HintGraph) -> tuple[TilingCase, ...]:
    """Every legal case, general ones first. Raises ScheduleError if the graph fits no template at all."""
    reduces = reduce_nodes(graph)
    cases: list[TilingCase] = []
    if general_is_legal(graph, reduces):
        cases.extend(_cases(Kind.GENERAL, graph, graph_groups(graph, full_load=False)))
    if reduces:
        cases.extend(_cases(Kind.FULL_LOAD, graph, graph_groups(graph, full_load=True)))
    return tuple(cases)


def transpose_cases(graph: HintGraph, tails: Tails) -> tuple[TilingCase, ...]:
    """The cases of a graph whose Transpose is done in UB: either tail shared among cores, then every axis outside both.

    Axes that are neither tail are loops, so that the tile is a matrix, unless one of them is the axis that is cut.
    """
    graph_groups(graph, full_load=False)
    order = max((node.axes for node in graph.nodes), key=len)
    x, y = tails.of_input, tails.of_output
    outside = order[: order.index(x)]
    rest = tuple(a for a in order if a not in (x, y))
    groups = [
        (AxisGroups(y=(*rest, y), r=(x,)), y, x),
        (AxisGroups(y=(*outside, x), r=tuple(a for a in order if a not in (*outside, x))), x, y),
        *((AxisGroups(y=order), axis, None) for axis in outside),
    ]
    return tuple(TilingCase(kind=Kind.TRANSPOSE, groups=g, y=y, r=r) for g, y, r in groups)


def joined_cases(graph: HintGraph, kind: Kind, *, innermost: bool) -> tuple[TilingCase, ...]:
    """The cases of a graph with a Concat: one for every axis before the joined one, which lies whole in UB as its parts do.

    `innermost`: only the last of those axes, so that all others are loops.
    """
    found = _cases(kind, graph, graph_groups(graph, full_load=True))
    return tuple(found[-1:] if innermost else found)


def gather_cases(graph: HintGraph, kind: Kind) -> tuple[TilingCase, ...]:
    """The cases of a graph with a Gather: one for every axis; in UB the gathered one is whole, as reduced axes are."""
    return tuple(_cases(kind, graph, graph_groups(graph, full_load=True)))


def _cases(kind: Kind, graph: HintGraph, groups: AxisGroups) -> list[TilingCase]:
    ys = _worth_cutting(graph, groups.y)
    rs = _worth_cutting(graph, groups.r) if kind is Kind.GENERAL else (None,)
    return [TilingCase(kind=kind, groups=groups, y=y, r=r) for y in ys for r in rs]


def _worth_cutting(graph: HintGraph, axes: tuple[str, ...]) -> tuple[str | None, ...]:
    """Axes of a group, without those of one element while others remain."""
    longer = tuple(axis for axis in axes if graph.axis_of[axis].size != ONE)
    return longer or axes[:1] or (None,)


def reduce_nodes(graph: HintGraph) -> tuple[Node, ...]:
    """Nodes that reduce."""
    return tuple(n for n in graph.nodes if spec_of(n.op).compute is ComputeType.REDUCE)


def general_is_legal(graph: HintGraph, reduces: tuple[Node, ...]) -> bool:
    """Whether the reduced axis may be cut: no reduce at all, or one that can be merged and whose axes nothing after it varies over."""
    if not reduces:
        return True
    first, *others = reduces
    return not others and _merges(first) and not _varies_again(graph, first)


def _varies_again(graph: HintGraph, reduce: Node) -> bool:
    reduced = set(reduced_axes(graph, reduce))
    return any(reduced & set(varying_axes(graph.node_of[name].output)) for name in descendants(graph, reduce.name))


def why_not_general(graph: HintGraph) -> str:
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
        return f"{len(reduces)} reduces ({', '.join(n.name for n in reduces)}) need the same rows, so the reduced axis cannot be cut"
    if not _merges(first):
        return f"partial results of {first.op} {first.name} cannot be merged, so its axis cannot be cut"
    return f"a node after {first.op} {first.name} varies over the reduced axis again, so it cannot be cut"


def _merges(node: Node) -> bool:
    reduction = spec_of(node.op).reduction
    if reduction is None:
        raise ScheduleError(f"{node.op} is a reduce without a numpy meaning")
    return bool(reduction.merge)


def descendants(graph: HintGraph, name: str) -> tuple[str, ...]:
    """Names of the nodes that depend on a node, in graph order."""
    reached = {name}
    for node in graph.nodes:
        if reached & set(node.inputs):
            reached.add(node.name)
    return tuple(n.name for n in graph.nodes if n.name in reached and n.name != name)
