"""The ways to schedule one HintGraph: what is folded away, what is done in UB, what runs one after another; each with its tiling cases."""

from __future__ import annotations

from dataclasses import dataclass

from att.ir.graph import Dropped, HintGraph
from schedule.axes import merge_axes
from schedule.cases import Kind, TilingCase, gather_cases, joined_cases, tiling_cases, transpose_cases, why_not_general
from schedule.joins import has_columns, joins, over_all_axes, part_graphs, store_parts, unnumbered, why_not_joined, why_not_stored
from schedule.lookups import load_rows, lookups, why_not_in_ub, why_not_loaded, without_idle_axes
from schedule.transposes import fold_transposes, tails_of, transposes, why_folded


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One template to make."""

    name: str
    phases: tuple[tuple[HintGraph, TilingCase], ...]
    """Graphs that run one after another, their axes merged, and the case that cuts each."""


def plans(graph: HintGraph) -> tuple[tuple[Plan, ...], tuple[Dropped, ...]]:
    """All templates to make in the order of their tiling keys, and the kinds of which there is none, with the reason.

    Raises ScheduleError if two nodes of the graph share no loop nest.
    """
    if joins(graph):
        return _joined(merge_axes(fold_transposes(over_all_axes(graph))))
    if lookups(graph):
        return _picked(fold_transposes(over_all_axes(graph)))
    folded = merge_axes(fold_transposes(graph))
    found = _plans(folded, tiling_cases(folded))
    reasons = {Kind.GENERAL: why_not_general(folded)}
    if transposes(graph):
        kept = merge_axes(graph)
        reasons[Kind.TRANSPOSE] = why_folded(kept)
        if not reasons[Kind.TRANSPOSE]:
            found.extend(_plans(kept, transpose_cases(kept, tails_of(kept))))
    return tuple(found), _never(reasons)


def _plans(graph: HintGraph, cases: tuple[TilingCase, ...]) -> list[Plan]:
    return [Plan(name=case.name, phases=((graph, case),)) for case in cases]


def _joined(graph: HintGraph) -> tuple[tuple[Plan, ...], tuple[Dropped, ...]]:
    """Parts joined in UB, parts stored one by one in one nest, and each part in a nest of its own."""
    reasons = {Kind.CONCAT: why_not_joined(graph), Kind.CONCAT_STORE: why_not_stored(graph)}
    found: list[Plan] = []
    if not reasons[Kind.CONCAT]:
        found.extend(_plans(graph, joined_cases(graph, Kind.CONCAT, innermost=has_columns(graph))))
    if not reasons[Kind.CONCAT_STORE]:
        found.extend(_plans(store_parts(graph), joined_cases(graph, Kind.CONCAT_STORE, innermost=False)))
        found.extend(_one_by_one(graph))
    return tuple(found), _never(reasons)


def _picked(graph: HintGraph) -> tuple[tuple[Plan, ...], tuple[Dropped, ...]]:
    """Elements picked from a table in UB, or rows loaded by index."""
    reasons = {Kind.GATHER: why_not_in_ub(graph), Kind.GATHER_ROWS: why_not_loaded(graph)}
    ways = {Kind.GATHER: merge_axes(graph), Kind.GATHER_ROWS: graph}
    if not reasons[Kind.GATHER_ROWS]:
        ways[Kind.GATHER_ROWS] = merge_axes(without_idle_axes(load_rows(graph)))
    found = [plan for kind, way in ways.items() if not reasons[kind] for plan in _plans(way, gather_cases(way, kind))]
    return tuple(found), _never(reasons)


def _one_by_one(graph: HintGraph) -> list[Plan]:
    """Every part is cut as the others are: by the case of the same number. The part with the most cases gives the names."""
    parts = [merge_axes(part) for part in part_graphs(graph)]
    cases = [tiling_cases(part) for part in parts]
    return [
        Plan(
            name=".".join((Kind.CONCAT_PARTS.value, *(unnumbered(axis) for axis in model.cuts))),
            phases=tuple((part, mine[min(i, len(mine) - 1)]) for part, mine in zip(parts, cases, strict=True)),
        )
        for i, model in enumerate(max(cases, key=len))
    ]


def _never(reasons: dict[Kind, str]) -> tuple[Dropped, ...]:
    return tuple(Dropped(name=kind.value, tiling_key=-1, reason=reason) for kind, reason in reasons.items() if reason)
