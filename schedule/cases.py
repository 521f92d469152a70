"""Which axes a template cuts: one of each group that can be cut (S1 §3.1.6).

*General* cuts one Y and one R axis: R is looped inside a core and accumulated. It needs exactly one reduce, and nothing after it that
varies over the reduced axes again. *Full load* keeps every reduced axis whole in UB and cuts one Y axis; any number of reduces fits.
*Chunked* is for rows that do not fit: the reduced axis is cut and walked once per reduce, each walk loading and computing what it needs
again (`schedule.stages`). All reduces must share their axes, and their partial results must merge.
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


class Kind(StrEnum):
    """Template kinds, in order of generation."""

    GENERAL = "general"
    FULL_LOAD = "full_load"
    CHUNKED = "chunked"


@dataclass(frozen=True, slots=True, kw_only=True)
class TilingCase:
    """One choice of cut axes."""

    kind: Kind
    groups: AxisGroups
    y: str | None
    """Cut parallel axis; None: nothing is parallel."""
    r: str | None
    """Cut reduced axis; None: none is cut."""

    @property
    def walked(self) -> tuple[str, ...]:
        """Reduced axes that become the inner loop: the cut one and those outside it."""
        return self.groups.r[: self.groups.r.index(self.r) + 1] if self.r else ()

    @property
    def name(self) -> str:
        """Kind and cut axes, e.g. `general.z0.z1`."""
        return ".".join((self.kind.value, *(axis for axis in (self.y, self.r) if axis)))


def tiling_cases(graph: HintGraph) -> tuple[TilingCase, ...]:
    """Every legal case, general ones first. Raises ScheduleError if the graph fits no template at all."""
    reduces = reduce_nodes(graph)
    cases: list[TilingCase] = []
    if general_is_legal(graph, reduces):
        cases.extend(_cases(Kind.GENERAL, graph, graph_groups(graph, full_load=False)))
    if reduces:
        cases.extend(_cases(Kind.FULL_LOAD, graph, graph_groups(graph, full_load=True)))
    if not general_is_legal(graph, reduces) and not why_not_chunked(graph):
        cases.extend(_cases(Kind.CHUNKED, graph, graph_groups(graph, full_load=False)))
    return tuple(cases)


def _cases(kind: Kind, graph: HintGraph, groups: AxisGroups) -> list[TilingCase]:
    ys = _worth_cutting(graph, groups.y)
    rs = (None,) if kind is Kind.FULL_LOAD else _worth_cutting(graph, groups.r)
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
        names = ", ".join(n.name for n in reduces)
        return f"{len(reduces)} reduces ({names}) need the same rows, so one walk over the reduced axis is not enough"
    if not _merges(first):
        return f"partial results of {first.op} {first.name} cannot be merged, so its axis cannot be cut"
    return f"a node after {first.op} {first.name} varies over the reduced axis again, so one walk over it is not enough"


def why_not_chunked(graph: HintGraph) -> str:
    """The sentence that says why the reduced axes cannot be walked once per reduce, `""` where they can."""
    reduces = reduce_nodes(graph)
    whole = [n for n in reduces if not _merges(n)]
    if whole:
        return f"partial results of {whole[0].op} {whole[0].name} cannot be merged, so its axis cannot be cut"
    if len({frozenset(reduced_axes(graph, n)) for n in reduces}) > 1:
        return f"{' and '.join(n.name for n in reduces)} reduce different axes, so one loop cannot cut them all"
    try:
        graph_groups(graph, full_load=False)
    except ScheduleError as error:
        return str(error)
    return ""


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
