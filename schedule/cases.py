"""Which axes a template cuts: one of each group that can be cut (S1 §3.1.6).

*General* cuts one Y and one R axis: R is looped inside a core and accumulated. It needs exactly one reduce, and nothing after it that
varies over the reduced axes again. *Full load* keeps every reduced axis whole in UB and cuts one Y axis; any number of reduces fits.
*R-split* is for few, long rows: it cuts as general does and shares chunks of R tiles among cores too, then joins their results in a second
phase, which is full load. It needs what general needs, and takes several reduces that do not wait for each other. Where what follows them
varies over the reduced axis again, *R-split again* has cores share that axis in the second phase, too; *R-split online* does so where sums
of exponentials follow a maximum. *Chunked* is for rows that do not fit: the reduced axis is cut and walked once per reduce, each walk
loading and computing what it needs again (`schedule.stages`). All reduces must share their axes, and their partial results must merge. A
value that is dear to make again may be *kept* in workspace (`schedule.kept`). *Online* is chunked where sums of exponentials follow a
maximum, which saves a walk (`schedule.online`). *Transpose* cuts the innermost axes of a Transpose's input and output, one of them shared
among cores, the other looped inside a core; or an axis outside both, which then lie whole in UB. *Concat* keeps the joined axis and its
parts whole and joins them in UB; *concat store* stores every part to its place instead, and *concat parts* does so in a nest for each part;
*concat reduce* first reduces every part in a nest of its own (`schedule.reduced_parts`). *Apart* makes a nest for each group of stores that
vary over other axes than the rest, as the pieces of a Split do, or reduce over others. *Gather* keeps the rows that it picks from whole in
UB; *gather rows* loads a row for each index, and reduced axes are whole; general, R-split and chunked cut them behind such loads too, or
behind picks from a table that is made here. *Unaligned* is general with rows side by side in UB, whatever their length
(`schedule.unaligned`). Where a loop outside the cut axis would repeat a Load, a case *reuses* it (`schedule.reuse`). Rows that are no whole
blocks may be *packed* before they are stored (`schedule.packed`). A reduce over a short axis may be written out before all that
(`schedule.unroll`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from att.expr.core import mul
from att.ir.graph import Graph
from att.ir.roles import ONE, reduced_axes
from schedule.axes import loop_order, numbered
from schedule.groups import AxisGroups, graph_groups
from schedule.kept import worth_keeping
from schedule.online import online, why_not_online, why_not_shared_online
from schedule.reduces import (
    by_value,
    general_is_legal,
    one_walk_is_enough,
    reduce_nodes,
    varies_again,
    why_not_chunked,
    why_not_shared,
    why_not_shared_again,
)
from schedule.transposes import Tails


class Kind(StrEnum):
    """Template kinds, in order of generation."""

    GENERAL = "general"
    UNALIGNED = "unaligned"
    FULL_LOAD = "full_load"
    R_SPLIT = "r_split"
    CHUNKED = "chunked"
    ONLINE = "online"
    R_SPLIT_AGAIN = "r_split_again"
    R_SPLIT_ONLINE = "r_split_online"
    TRANSPOSE = "transpose"
    CONCAT = "concat"
    CONCAT_STORE = "concat_store"
    CONCAT_PARTS = "concat_parts"
    CONCAT_REDUCE = "concat_reduce"
    APART = "apart"
    GATHER = "gather"
    GATHER_ROWS = "gather_rows"


PACKED_KINDS: Final = frozenset({Kind.FULL_LOAD, Kind.CONCAT, Kind.TRANSPOSE})
"""Kinds whose tiles hold whole rows that they store, and that cannot work on rows without padding."""

AGAIN_KINDS: Final = frozenset({Kind.R_SPLIT_AGAIN, Kind.R_SPLIT_ONLINE})
"""Kinds of two phases for rows that one walk is not enough for."""

SHARED_KINDS: Final = AGAIN_KINDS | {Kind.R_SPLIT}
"""Kinds of two phases, whose cores share a reduced axis."""

_FEW_REDUCED: Final = 4
"""Reduced elements up to which sharing them never pays. Measured: on 910B1 and 950PR, by both cost sets, sums of 4 rows of 8 to 50,257
elements are never fastest in two phases; of 8 rows they are in one case of 28."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TilingCase:
    """One choice of cut axes."""

    kind: Kind
    groups: AxisGroups
    y: str | None
    """Cut parallel axis; None: nothing is parallel."""
    r: str | None
    """Cut axis of the loop inside a core: a reduced one, one side of a transposed tile, or one that shares a Load. None: none is cut."""
    inline: bool = False
    """Whether instructions repeat a row in place of a Broadcast."""
    packed: bool = False
    """Whether rows are laid side by side in UB before they are stored (`schedule.packed`)."""
    parts: tuple[TilingCase, ...] = ()
    """For a nest of each part: the case of each, over its numbered axes."""
    summed_online: bool = False
    """For a nest of each part: whether the part that gives the names is cut as online is."""
    reuse: str = ""
    """The Load that is made once for all of the parallel axes that it does not vary over; `""`: every loop makes it again."""
    whole: tuple[str, ...] = ()
    """Those axes where they stay whole in UB; else they are the loop inside a core."""
    kept: str = ""
    """The value that later walks load in place of making it again (`schedule.kept`)."""
    unrolled: tuple[str, ...] = ()
    """Axes whose reduces are written out in the graph that it cuts (`schedule.unroll`)."""

    @property
    def looped(self) -> tuple[str, ...]:
        """Parallel axes that are loops where they lie outside the cut one."""
        return tuple(axis for axis in self.groups.y if axis not in self.whole)

    @property
    def walks_again(self) -> bool:
        """Whether the inner loop is walked several times, once per reduce or once less."""
        return self.kind in (Kind.CHUNKED, Kind.ONLINE)

    @property
    def walked(self) -> tuple[str, ...]:
        """Reduced axes that become the inner loop: the cut one and those outside it."""
        return self.groups.r[: self.groups.r.index(self.r) + 1] if self.r else ()

    @property
    def name(self) -> str:
        """Kind and cut axes, e.g. `general.z0.z1`, and what else is special."""
        cuts = (axis for axis in (self.y, self.r) if axis)
        special = {"online": self.summed_online, "kept": self.kept, "unrolled": self.unrolled, "reuse": self.reuse}
        special |= {"inline": self.inline, "packed": self.packed}
        return ".".join((self.kind.value, *cuts, *(name for name, is_so in special.items() if is_so)))


def tiling_cases(graph: Graph) -> tuple[TilingCase, ...]:
    """Every legal case, general ones first. Raises ScheduleError if the graph fits no template at all."""
    reduces = reduce_nodes(graph)
    cases: list[TilingCase] = []
    if general_is_legal(graph, reduces):
        cases.extend(_cases(Kind.GENERAL, graph, graph_groups(graph, full_load=False)))
    if reduces:
        cases.extend(_cases(Kind.FULL_LOAD, graph, graph_groups(graph, full_load=True)))
    if one_walk_is_enough(graph, reduces) and not why_not_shared(graph) and reduced_axes(graph, reduces[0]):
        cases.extend(_cases(Kind.R_SPLIT, graph, graph_groups(graph, full_load=False)))
    if not general_is_legal(graph, reduces) and not why_not_chunked(graph):
        cases.extend(_walked_cases(Kind.CHUNKED, graph, graph))
        cases.extend(() if why_not_online(graph) else _walked_cases(Kind.ONLINE, graph, online(graph)))
    if varies_again(graph) and not why_not_shared_again(graph):
        cases.extend(_cases(Kind.R_SPLIT_AGAIN, graph, graph_groups(graph, full_load=False)))
    if not general_is_legal(graph, reduces) and not why_not_chunked(graph) and not why_not_shared_online(graph):
        cases.extend(_cases(Kind.R_SPLIT_ONLINE, graph, graph_groups(graph, full_load=False)))
    return tuple(cases)


def _walked_cases(kind: Kind, graph: Graph, walked: Graph) -> Iterator[TilingCase]:
    """The cases of rows walked several times, then those that keep a value; `walked` is the graph as the walks compute it."""
    cases = _cases(kind, graph, graph_groups(graph, full_load=False))
    yield from cases
    for case in cases:
        kept = worth_keeping(walked, case.walked)
        if kept:
            yield replace(case, kept=kept)


def transpose_cases(graph: Graph, tails: Tails) -> tuple[TilingCase, ...]:
    """The cases of a graph whose Transpose is done in UB: either tail shared among cores, then every axis outside both.

    Axes that are neither tail are loops, so that the tile is a matrix, unless one of them is the axis that is cut.
    """
    graph_groups(graph, full_load=False)
    order = loop_order(graph)
    x, y = tails.of_input, tails.of_output
    outside = order[: order.index(x)]
    rest = tuple(a for a in order if a not in (x, y))
    groups = [
        (AxisGroups(y=(*rest, y), r=(x,)), y, x),
        (AxisGroups(y=(*outside, x), r=tuple(a for a in order if a not in (*outside, x))), x, y),
        *((AxisGroups(y=order), axis, None) for axis in outside),
    ]
    return tuple(TilingCase(kind=Kind.TRANSPOSE, groups=g, y=y, r=r) for g, y, r in groups)


def joined_cases(graph: Graph, kind: Kind, *, innermost: Set[str] = frozenset()) -> tuple[TilingCase, ...]:
    """The cases of a graph with a Concat: one for every axis before the joined one, which lies whole in UB as its parts do.

    `innermost`: only the last of those axes, so that all others are loops; the last of these axes if they are there.
    """
    found = _cases(kind, graph, graph_groups(graph, full_load=True))
    if not innermost:
        return tuple(found)
    return tuple([case for case in found if case.y in innermost][-1:] or found[-1:])


def gather_cases(graph: Graph, kind: Kind, *, cut_reduced: bool) -> tuple[TilingCase, ...]:
    """The cases of a graph with Gathers, or with loads by index: one for every axis, reduced ones whole as the gathered one is in UB.

    `cut_reduced`: then those that cut a reduced axis, if any is.
    """
    whole = _cases(kind, graph, graph_groups(graph, full_load=True))
    if not cut_reduced:
        return tuple(whole)
    cut = (case for case in tiling_cases(graph) if case.kind is not Kind.FULL_LOAD) if reduce_nodes(graph) else ()
    return (*whole, *cut)


def parts_cases(kind: Kind, parts: Sequence[Graph]) -> tuple[TilingCase, ...]:
    """The cases of one nest for each part of a graph: all parts are cut by their case of the same number, or by their last.

    The part with the most cases gives the names. What needs two phases is left out.
    """
    found = [[case for case in tiling_cases(part) if case.kind not in SHARED_KINDS] for part in parts]
    if kind is Kind.CONCAT_REDUCE:
        found = [_cut_short(cases) for cases in found]
    return tuple(
        replace(
            model,
            kind=kind,
            summed_online=model.kind is Kind.ONLINE,
            parts=tuple(_numbered(mine[min(i, len(mine) - 1)], k) for k, mine in enumerate(found)),
        )
        for i, model in enumerate(max(found, key=len))
    )


def _cut_short(cases: Sequence[TilingCase]) -> list[TilingCase]:
    """Those that cut rows, so that any length fits: along a reduced axis, else along the innermost one.

    None keeps a value in workspace, where results are handed over.
    """
    kept_nothing = [case for case in cases if not case.kept]
    return [case for case in kept_nothing if case.r] or kept_nothing[-1:]


def _numbered(case: TilingCase, number: int) -> TilingCase:
    """The case over the axes that `NumberAxes` makes."""
    y, r = (numbered(axis, number) if axis else None for axis in (case.y, case.r))
    groups = case.groups
    names = (tuple(numbered(a, number) for a in axes) for axes in (groups.y, groups.r, groups.n, groups.x))
    return replace(case, y=y, r=r, groups=AxisGroups(*names))


def _cases(kind: Kind, graph: Graph, groups: AxisGroups) -> list[TilingCase]:
    ys = _worth_cutting(graph, groups.y)
    rs = (None,) if kind is Kind.FULL_LOAD else _worth_cutting(graph, groups.r)
    rs = rs[-1:] if any(by_value(node) for node in reduce_nodes(graph)) else rs
    return [TilingCase(kind=kind, groups=groups, y=y, r=r) for y in ys for r in rs]


def _worth_cutting(graph: Graph, axes: tuple[str, ...]) -> tuple[str | None, ...]:
    """Axes of a group, without those of one element while others remain."""
    longer = tuple(axis for axis in axes if graph.axis_of[axis].size != ONE)
    return longer or axes[:1] or (None,)


def why_not_worth_it(graph: Graph, case: TilingCase, cores: int | None) -> str:
    """The sentence that says why a legal case cannot pay, `""` where it may; `cores`: that rows may keep busy, None: any number of rows."""
    if case.kind not in SHARED_KINDS or case.r is None:
        return ""
    reduced = mul(*(graph.axis_of[axis].size for axis in case.groups.r)).hi
    if reduced <= _FEW_REDUCED:
        return f"a row has at most {reduced} elements to reduce, which gives cores nothing to share"
    if cores is None:
        return ""
    order = loop_order(graph)
    outside = order[: order.index(case.r)]
    rows = mul(*(graph.axis_of[axis].size for axis in case.groups.y if axis in outside)).lo
    return f"there are at least {rows} rows, which keep {cores} cores busy without sharing a row" if rows >= cores else ""


def loops_of(graph: Graph, case: TilingCase) -> frozenset[str]:
    """Parallel axes that are loops outside the tile of a case, the cut one left out."""
    order = loop_order(graph)
    return frozenset(a for a in order[: order.index(case.y)] if a in case.looped) if case.y else frozenset()
