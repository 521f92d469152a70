"""Why a template has no legal tiling: the rules that contradict each other, and the UB it would need.

A rule alone that leaves nothing is the whole reason. Else rules are left out one after another, soft ones first, as long as what remains
still leaves no tiling: what cannot be left out is the reason, and without any one of it there would be a tiling. Each question goes to an
exact solver.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from att.expr.choice import maximum
from att.expr.core import integer
from att.ir.graph import Template
from att.model.bind import bind
from att.model.tiling import Origin, Problem, Tiling, TilingModel, VarRole
from att.model.ub_capacity import FAMILY as UB
from att.reasons.buffers import buffer_needs, buffers_text
from att.reasons.document import Conflict, Reason
from att.reasons.solving import is_feasible, solved, with_constraints, with_goal
from att.solve.base import SolveOptions, SolveStatus

FIXED: Final = "fixed"
"""Family of a variable that a person holds at a value."""

_LEFT_OUT_FIRST: Final = (
    "min_tile",
    "cache_line",
    "few_rows",
    "alignment",
    "divisibility",
    "axis_bounds",
    "dma_limits",
    "core_count",
    "queue_count",
    FIXED,
)
"""What a person can change most easily; what is not named, UB above all, comes last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Core:
    """Origins that together leave no tiling."""

    origins: tuple[Origin, ...]
    irreducible: bool


def conflict(template: Template, problem: Problem, limits: SolveOptions) -> Conflict:
    """The conflict of a template that has no legal tiling at the problem's shape."""
    core = smallest_core(problem.source, problem.shape, problem.fixed, limits)
    least = least_ub(problem, limits) if any(o.family == UB for o in core.origins) else None
    parts = () if least is None else buffer_needs(template, problem, least[0])
    return Conflict(
        template=template.name,
        reasons=tuple(Reason(family=o.family, subject=o.subject, text=o.text) for o in core.origins),
        irreducible=core.irreducible,
        needed_bytes=None if least is None else least[1],
        available_bytes=problem.ub_capacity_bytes,
        variables=None if least is None else dict(least[0]),
        buffers=parts,
        text=_sentence(template.name, problem, core, least, buffers_text(parts)),
    )


def smallest_core(model: TilingModel, shape: Mapping[str, int], fixed: Mapping[str, int], limits: SolveOptions) -> Core:
    """Origins of a model without a legal tiling that are infeasible together and, if `irreducible`, feasible without any one of them."""
    trial = _Trial(model, shape, fixed, limits)
    for origin in trial.origins:
        if trial.infeasible((origin,)):
            return Core(origins=(origin,), irreducible=True)
    kept = trial.origins
    for origin in sorted(trial.origins, key=_order):
        fewer = tuple(o for o in kept if o != origin)
        if trial.infeasible(fewer):
            kept = fewer
    return Core(origins=kept, irreducible=not trial.unsure)


def _order(origin: Origin) -> int:
    return _LEFT_OUT_FIRST.index(origin.family) if origin.family in _LEFT_OUT_FIRST else len(_LEFT_OUT_FIRST)


class _Trial:
    """Feasibility of a model with some of its origins only; fixed variables are origins too."""

    def __init__(self, model: TilingModel, shape: Mapping[str, int], fixed: Mapping[str, int], limits: SolveOptions) -> None:
        self._model = model
        self._shape = shape
        self._limits = limits
        self._fixed = {_fixed_origin(name, value): name for name, value in fixed.items()}
        self._values = fixed
        self.origins = (*dict.fromkeys(c.origin for c in model.constraints), *self._fixed)
        self.unsure = False

    def infeasible(self, origins: Collection[Origin]) -> bool:
        """Whether these origins alone surely leave no tiling."""
        model = with_constraints(self._model, (c for c in self._model.constraints if c.origin in origins))
        held = {name: self._values[name] for origin, name in self._fixed.items() if origin in origins}
        found = is_feasible(model, self._shape, held, self._limits)
        self.unsure |= found is None
        return found is False


def _fixed_origin(name: str, value: int) -> Origin:
    return Origin(family=FIXED, subject=name, text=f"{name} is held at {value}")


def least_ub(problem: Problem, limits: SolveOptions) -> tuple[Tiling, int] | None:
    """The legal tiling that uses least UB when UB has no end, with its bytes; None if there is none, or a limit was reached."""
    others = [c for c in problem.source.constraints if c.origin.family != UB]
    used = maximum(integer(0), *(phase.ub_bytes for phase in problem.source.phases))
    smallest = bind(with_goal(with_constraints(problem.source, others), used), problem.shape, fixed=problem.fixed)
    if smallest.contradiction is not None:
        return None
    found = solved(smallest, limits)
    if found.status is not SolveStatus.OPTIMAL or found.tiling is None or found.objective_ticks is None:
        return None
    return found.tiling, found.objective_ticks


def _sentence(name: str, problem: Problem, core: Core, least: tuple[Tiling, int] | None, parts: str) -> str:
    others = [o for o in core.origins if o.family != UB]
    because = "; ".join(f"{o.family} of {o.subject}: {o.text}" for o in others)
    if least is None:
        return f"{name}: {because or '; '.join(o.text for o in core.origins)}"
    tiles = [v.name for v in problem.variables if v.role is VarRole.TILE]
    at = f"the smallest legal tiles ({', '.join(f'{t}={least[0][t]}' for t in tiles)}) need" if tiles else "its one tiling needs"
    text = f"{name}: UB: {at} {least[1]:,} B, {problem.chip} has {problem.ub_capacity_bytes:,} B: {parts}"
    return f"{text}; with {because}" if because else text
