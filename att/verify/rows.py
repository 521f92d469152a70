"""One answer of one solver for one template and shape, set beside the others; what the answers say of each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

from msgspec import Struct

from att.solve.registry import solver_named

BUG: Final = "BUG"
"""Status of a row whose solver failed for a reason of its own, which is a bug of ours."""


class ComparisonRow(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What one solver says of one template at one shape."""

    graph: str
    template: str
    chip: str
    shape: Mapping[str, int]
    solver: str
    status: str
    makespan_ticks: int | None
    bound_ticks: int | None
    gap_to_best: float | None
    """`makespan / proven optimum of this template and shape - 1`; None if either is unknown."""
    block_dim: int | None
    ub_bytes: int | None
    variables: Mapping[str, int] | None
    wall_ms: float
    reason: str | None = None
    """Why a heuristic's tiling is slower than the proven optimum, or why a solver has no answer, in words; None where neither is so."""


Answers = tuple[ComparisonRow, ...]
"""What every solver says of one problem: one graph, template and shape."""


def proven_optimum(rows: Iterable[ComparisonRow]) -> int | None:
    """The proven optimum among answers to one problem, ticks; None if no exact solver finished."""
    best = optimum_of(rows)
    return None if best is None else best.makespan_ticks


def optimum_of(rows: Iterable[ComparisonRow]) -> ComparisonRow | None:
    """The answer with a proven optimum; None if no exact solver finished."""
    return next((row for row in rows if _is_optimal(row)), None)


def gap_to(optimum_ticks: int | None, ticks: int | None) -> float | None:
    """`ticks / optimum - 1`; None if either is unknown."""
    if optimum_ticks is None or ticks is None:
        return None
    return (ticks - optimum_ticks) / optimum_ticks if optimum_ticks else 0.0


def _is_optimal(row: ComparisonRow) -> bool:
    return solver_named(row.solver).exact and row.status == "OPTIMAL"


def disagreements(answers: Sequence[ComparisonRow]) -> Iterator[str]:
    """A sentence for every two answers to one problem that cannot both be right."""
    for one, other in combinations(answers, 2):
        conflict = _conflict(one, other) or _conflict(other, one)
        if conflict:
            yield f"{one.graph}, template {one.template}, shape {dict(sorted(one.shape.items()))}: {conflict}"


def _conflict(proof: ComparisonRow, other: ComparisonRow) -> str | None:
    if not solver_named(proof.solver).exact:
        return None
    if proof.status == "INFEASIBLE" and other.makespan_ticks is not None:
        return f"{proof.solver} says INFEASIBLE, {other.solver} has a tiling of {other.makespan_ticks} ticks"
    if _is_optimal(proof) and _is_optimal(other) and dict(proof.variables or {}) != dict(other.variables or {}):
        return f"{proof.solver} proves {_answer(proof)} optimal, {other.solver} {_answer(other)}"
    if proof.bound_ticks is not None and other.makespan_ticks is not None and other.makespan_ticks < proof.bound_ticks:
        return f"{proof.solver} proves that no tiling is below {proof.bound_ticks} ticks, {other.solver} has {_answer(other)}"
    return None


def _answer(row: ComparisonRow) -> str:
    return f"{dict(sorted((row.variables or {}).items()))} at {row.makespan_ticks} ticks"
