"""The error of a plan that has no tiling: none is legal, or none was found within the limit."""

from __future__ import annotations

from att.errors import InfeasibleError, SolverTimeout
from att.solve.plan import Plan


def no_tiling(plan: Plan) -> InfeasibleError | SolverTimeout:
    """What to raise for a plan without a template: the reasons of each template, or the limit that ended the search."""
    reasons = tuple(f"{row.template}: {row.reason}" for row in plan.templates)
    where = f"{plan.graph} on {plan.chip}"
    if plan.status == "TIMEOUT":
        return SolverTimeout(
            f"{plan.solver} found no tiling; {'; '.join(reasons)}", where=where, hint="raise --limit, or take --solver cpsat or enumerate"
        )
    return InfeasibleError(
        f"no tiling is legal; {'; '.join(reasons)}",
        reasons=reasons,
        where=where,
        hint="`att explain` says what contradicts what, and which changes help",
    )
