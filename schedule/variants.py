"""The graphs that are scheduled for one HintGraph, each with its tiling cases: what is folded away, what is done in UB."""

from __future__ import annotations

from dataclasses import dataclass

from att.ir.graph import Dropped, HintGraph
from schedule.axes import merge_axes
from schedule.cases import Kind, TilingCase, tiling_cases, transpose_cases, why_not_general
from schedule.transposes import fold_transposes, tails_of, transposes, why_folded


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One way to write the graph, its axes merged, and the cases that cut it."""

    graph: HintGraph
    cases: tuple[TilingCase, ...]


def variants(graph: HintGraph) -> tuple[tuple[Variant, ...], tuple[Dropped, ...]]:
    """All variants in the order of their tiling keys, and the kinds of template that none has, with the reason.

    Raises ScheduleError if the graph fits no template at all.
    """
    folded = merge_axes(fold_transposes(graph))
    found = [Variant(graph=folded, cases=tiling_cases(folded))]
    dropped = [_never(Kind.GENERAL, why_not_general(folded))]
    if transposes(graph):
        kept = merge_axes(graph)
        reason = why_folded(kept)
        dropped.append(_never(Kind.TRANSPOSE, reason))
        if not reason:
            found.append(Variant(graph=kept, cases=transpose_cases(kept, tails_of(kept))))
    return tuple(found), tuple(d for d in dropped if d.reason)


def _never(kind: Kind, reason: str) -> Dropped:
    return Dropped(name=kind.value, tiling_key=-1, reason=reason)
