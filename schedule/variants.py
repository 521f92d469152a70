"""The graphs that are scheduled for one HintGraph, each with its tiling cases: what is folded away, what is done in UB."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from att.errors import ScheduleError
from att.ir.graph import Dropped, Graph
from schedule.apart import store_groups
from schedule.axes import DropIdleAxes
from schedule.cases import (
    Kind,
    TilingCase,
    gather_cases,
    joined_cases,
    parts_cases,
    tiling_cases,
    transpose_cases,
)
from schedule.cleanup import DropCopies
from schedule.joins import OverAllAxes, axes_of_columns, joins, why_not_joined, why_not_stored
from schedule.lookups import LoadRows, lookups, why_not_in_ub, why_not_loaded
from schedule.online import why_not_online, why_not_shared_online
from schedule.reduced_parts import ReduceParts, joining_reduces, reduce_nests, why_not_reduced_in_parts
from schedule.reduces import why_not_chunked, why_not_general, why_not_shared, why_not_shared_again
from schedule.steps import merged, part_of, parts_apart
from schedule.trace import Traced
from schedule.transposes import FoldTransposes, tails_of, transposes, why_folded
from schedule.unroll import UnrollReduce, short_axes, why_not_unrolled


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One way to write the graph, its axes merged, and the cases that cut it."""

    start: Traced
    cases: tuple[TilingCase, ...]


Variants = tuple[tuple[Variant, ...], tuple[Dropped, ...]]
"""All variants in the order of their tiling keys, and the kinds of template that none has, with the reason."""


def variants(traced: Traced) -> Variants:
    """How a graph can be written. Raises ScheduleError if two nodes fit no nest together and are needed by stores of one group."""
    if joins(traced.graph):
        return _joined(_folded(traced.then((OverAllAxes(),))))
    if lookups(traced.graph):
        return _picked(_folded(traced.then((OverAllAxes(),))))
    unmerged = _folded(traced)
    folded = merged(unmerged)
    apart, not_apart = _apart(folded)
    together, never = _together(folded.graph, required=not apart)
    if never:
        return (Variant(start=folded, cases=apart),), never
    unrolled, not_unrolled = _unrolled(unmerged)
    found = [Variant(start=folded, cases=(*together, *apart)), *unrolled]
    reasons: dict[str, str] = {**_why_not_cut(folded.graph), Kind.APART: not_apart, "unrolled": not_unrolled}
    if transposes(traced.graph):
        kept = merged(traced)
        reasons[Kind.TRANSPOSE] = why_folded(kept.graph)
        if not reasons[Kind.TRANSPOSE]:
            found.append(Variant(start=kept, cases=transpose_cases(kept.graph, tails_of(kept.graph))))
    return tuple(found), _never(reasons)


def _why_not_cut(graph: Graph) -> Mapping[Kind, str]:
    """By kind of template that cuts reduced axes, the sentence that says why none is; `""` where it is, or nothing is to cut."""
    not_general = why_not_general(graph)
    not_chunked = why_not_chunked(graph) if not_general else ""
    return {
        Kind.GENERAL: not_general,
        Kind.R_SPLIT: why_not_shared(graph),
        Kind.CHUNKED: not_chunked,
        Kind.ONLINE: why_not_online(graph) if not_general and not not_chunked else "",
        Kind.R_SPLIT_AGAIN: why_not_shared_again(graph) if why_not_online(graph) else "",
        Kind.R_SPLIT_ONLINE: "" if not not_general or not_chunked or why_not_online(graph) else why_not_shared_online(graph),
    }


def _unrolled(traced: Traced) -> tuple[tuple[Variant, ...], str]:
    """The graph whose reduces over short axes are written out, else the sentence that says why none is; `""` where no axis is short."""
    done, axes, reasons = traced, list[str](), list[str]()
    for axis in short_axes(traced.graph):
        reason = why_not_unrolled(done.graph, axis)
        if reason:
            reasons.append(reason)
        else:
            done = done.then((UnrollReduce(axis), DropCopies(), DropIdleAxes()))
            axes.append(axis)
    if not axes:
        return (), "; ".join(reasons)
    start = merged(done)
    return (Variant(start=start, cases=tuple(replace(case, unrolled=tuple(axes)) for case in tiling_cases(start.graph))),), ""


def _joined(traced: Traced) -> Variants:
    """Parts joined in UB, parts stored one by one in one nest, and each part in a nest of its own."""
    start = merged(traced)
    graph = start.graph
    reasons = {
        Kind.CONCAT: why_not_joined(graph),
        Kind.CONCAT_STORE: why_not_stored(graph),
        Kind.CONCAT_REDUCE: why_not_reduced_in_parts(graph),
    }
    cases: list[TilingCase] = []
    if not reasons[Kind.CONCAT]:
        cases.extend(joined_cases(graph, Kind.CONCAT, innermost=axes_of_columns(graph)))
    if not reasons[Kind.CONCAT_STORE]:
        cases.extend(joined_cases(graph, Kind.CONCAT_STORE))
        cases.extend(parts_cases(Kind.CONCAT_PARTS, _parts(start, Kind.CONCAT_PARTS, parts_apart(graph))))
    if joining_reduces(graph) and not reasons[Kind.CONCAT_REDUCE]:
        nests = len(reduce_nests(ReduceParts().apply(graph)))
        try:
            cases.extend(parts_cases(Kind.CONCAT_REDUCE, _parts(start, Kind.CONCAT_REDUCE, nests)))
        except ScheduleError as error:
            reasons[Kind.CONCAT_REDUCE] = error.message
    return (Variant(start=start, cases=tuple(cases)),), _never(reasons)


def _together(graph: Graph, *, required: bool) -> tuple[tuple[TilingCase, ...], tuple[Dropped, ...]]:
    """The cases of one nest for everything; where there are none and none are required, the kinds that never are, with the reason."""
    try:
        return tiling_cases(graph), ()
    except ScheduleError as error:
        if required:
            raise
        return (), _never({Kind.GENERAL: f"{error.message}; each has a nest of its own"})


def _apart(start: Traced) -> tuple[tuple[TilingCase, ...], str]:
    """The cases of a nest for each group of stores, and where there are several, the sentence that says why they have none."""
    groups = len(store_groups(start.graph))
    if groups < 2:
        return (), ""
    try:
        return parts_cases(Kind.APART, _parts(start, Kind.APART, groups)), ""
    except ScheduleError as error:
        return (), error.message


def _parts(start: Traced, kind: Kind, count: int) -> list[Graph]:
    return [part_of(start, kind, i).graph for i in range(count)]


def _picked(traced: Traced) -> Variants:
    """Elements picked from a table in UB, or rows loaded by index."""
    reasons = {Kind.GATHER: why_not_in_ub(traced.graph), Kind.GATHER_ROWS: why_not_loaded(traced.graph)}
    found: list[Variant] = []
    made_here = bool(reasons[Kind.GATHER_ROWS])
    if not reasons[Kind.GATHER]:
        start = merged(traced)
        found.append(Variant(start=start, cases=gather_cases(start.graph, Kind.GATHER, cut_reduced=made_here)))
        reasons.update(_why_not_cut(start.graph) if made_here else {})
    if not reasons[Kind.GATHER_ROWS]:
        start = merged(traced.then((LoadRows(), DropIdleAxes())))
        found.append(Variant(start=start, cases=gather_cases(start.graph, Kind.GATHER_ROWS, cut_reduced=True)))
        reasons.update(_why_not_cut(start.graph))
    return tuple(found), _never(reasons)


def _folded(traced: Traced) -> Traced:
    return traced.then((FoldTransposes(),)) if transposes(traced.graph) else traced


def _never(reasons: Mapping[Kind, str] | Mapping[str, str]) -> tuple[Dropped, ...]:
    return tuple(Dropped(name=str(kind), tiling_key=-1, reason=reason) for kind, reason in reasons.items() if reason)
