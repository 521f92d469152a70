"""What a solver is: Problem in, SolveResult out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from att.model.policy import Trade
from att.model.tiling import Problem, Tiling


class SolveStatus(StrEnum):
    """What a solver says of its answer."""

    OPTIMAL = "OPTIMAL"
    """The tiling is the one best tiling, proven."""
    FEASIBLE = "FEASIBLE"
    """A tiling without a proof."""
    INFEASIBLE = "INFEASIBLE"
    """No tiling exists, proven (a heuristic never says so)."""
    TIMEOUT = "TIMEOUT"
    """Nothing found within the limit."""
    UNSUPPORTED = "UNSUPPORTED"
    """The solver cannot read this model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SolveOptions:
    """Limits of one solve."""

    work_limit: float = 60.0
    """Deterministic limit, units of the backend.

    CP-SAT: deterministic seconds. enumerate: million boxes, or two million that stay open from one round to the next. descent: thousand
    evaluated tilings.
    """
    watchdog_s: float = 600.0
    """Wall-clock limit, seconds; only a watchdog."""
    fixed: Mapping[str, int] = field(default_factory=dict[str, int])
    """Variables the user fixed (already applied to the problem's domains)."""
    sharp: bool = False
    """Whether CP-SAT states bounds by total work (`att.solve.relaxation`) from the beginning: few tilings are near the ceiling, if any."""
    upper_bound_ticks: int | None = None
    """A time that is known to be reachable; answers above it are useless."""
    trade: Trade | None = None
    """UB that the axis-sorting heuristic gives up for cores; None: it looks for the fastest core count."""
    compat: bool = False
    """Whether the axis-sorting heuristic and the choice among templates repeat the reference's decisions, faults included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SolveResult:
    """An answer. `tiling` is None unless the status is OPTIMAL or FEASIBLE, or UNSUPPORTED where a heuristic's is known."""

    solver: str
    status: SolveStatus
    tiling: Tiling | None
    objective_ticks: int | None
    bound_ticks: int | None
    """No tiling is faster than this, ticks; None if unknown."""
    effort: Mapping[str, int]
    """Deterministic counts: branches, boxes, evaluations …"""
    note: str = ""


class Solver(Protocol):
    """A backend. Exact ones may answer OPTIMAL and INFEASIBLE."""

    @property
    def name(self) -> str:
        """What it is called on the command line and in results."""
        ...

    @property
    def exact(self) -> bool:
        """Whether OPTIMAL and INFEASIBLE of it are proofs."""
        ...

    def solve(self, problem: Problem, options: SolveOptions, hint: Tiling | None = None) -> SolveResult:
        """Answers for one problem; never raises for lack of time."""
        ...
