"""Making a SolveResult: what most answers leave out has a default."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from att.model.tiling import Tiling
from att.solve.base import SolveResult, SolveStatus


def outcome(
    solver: str,
    status: SolveStatus,
    *,
    tiling: Tiling | None = None,
    time: int | None = None,
    bound: int | None = None,
    effort: Mapping[str, int] | None = None,
    note: str = "",
) -> SolveResult:
    """An answer; the tiling is sorted by name, everything in it is read-only. Times in ticks."""
    return SolveResult(
        solver=solver,
        status=status,
        tiling=None if tiling is None else MappingProxyType(dict(sorted(tiling.items()))),
        objective_ticks=time,
        bound_ticks=bound,
        effort=MappingProxyType(dict(effort or {})),
        note=note,
    )


def beyond(solver: str, ceiling_ticks: int | None, effort: Mapping[str, int] | None, note: str) -> SolveResult:
    """A proof that nothing is left: INFEASIBLE, or with a ceiling that no tiling is as fast as that."""
    if ceiling_ticks is None:
        return outcome(solver, SolveStatus.INFEASIBLE, effort=effort, note=note)
    return outcome(
        solver, SolveStatus.TIMEOUT, bound=ceiling_ticks + 1, effort=effort, note=f"no tiling takes {ceiling_ticks} ticks or less"
    )


def total_effort(results: Iterable[SolveResult]) -> Mapping[str, int]:
    """The counts of all answers, added up by name."""
    effort: dict[str, int] = {}
    for result in results:
        for name, count in result.effort.items():
            effort[name] = effort.get(name, 0) + count
    return MappingProxyType(effort)
