"""The graphs that are scheduled for one HintGraph, each with its tiling cases: what is folded away, what is done in UB."""

from __future__ import annotations

from dataclasses import dataclass

from att.ir.graph import Dropped
from schedule.axes import mergeable
from schedule.cases import Kind, TilingCase, tiling_cases, transpose_cases, why_not_chunked, why_not_general
from schedule.trace import Traced
from schedule.transposes import FoldTransposes, tails_of, transposes, why_folded


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One way to write the graph, its axes merged, and the cases that cut it."""

    start: Traced
    cases: tuple[TilingCase, ...]


def variants(traced: Traced) -> tuple[tuple[Variant, ...], tuple[Dropped, ...]]:
    """All variants in the order of their tiling keys, and the kinds of template that none has, with the reason.

    Raises ScheduleError if the graph fits no template at all.
    """
    transposed = transposes(traced.graph)
    folded = _merged(traced.then((FoldTransposes(),)) if transposed else traced)
    found = [Variant(start=folded, cases=tiling_cases(folded.graph))]
    not_general = why_not_general(folded.graph)
    dropped = [_never(Kind.GENERAL, not_general), _never(Kind.CHUNKED, why_not_chunked(folded.graph) if not_general else "")]
    if transposed:
        kept = _merged(traced)
        reason = why_folded(kept.graph)
        dropped.append(_never(Kind.TRANSPOSE, reason))
        if not reason:
            found.append(Variant(start=kept, cases=transpose_cases(kept.graph, tails_of(kept.graph))))
    return tuple(found), tuple(d for d in dropped if d.reason)


def _merged(traced: Traced) -> Traced:
    return traced.then(mergeable(traced.graph))


def _never(kind: Kind, reason: str) -> Dropped:
    return Dropped(name=kind.value, tiling_key=-1, reason=reason)
