"""What to say of a plan that has no tiling, or none that is proven: what is illegal, what ended the search, what a solver cannot read."""

from __future__ import annotations

from typing import Final

from att.errors import InfeasibleError, ModelError, SolverTimeout
from att.solve.plan import Plan, PlanStatus

NO_TILING: Final[frozenset[PlanStatus]] = frozenset(("INFEASIBLE", "TIMEOUT", "UNSUPPORTED"))
"""Statuses of a solved plan without a tiling; the empty plan of a size 0, which has none either, is OPTIMAL."""


def no_tiling(plan: Plan) -> InfeasibleError | SolverTimeout | ModelError:
    """What to raise for a plan without a template: the reasons of each template, or what kept the solver from an answer."""
    reasons = tuple(f"{row.template}: {row.reason}" for row in plan.templates)
    where = f"{plan.graph} on {plan.chip}"
    told = "; ".join(reasons)
    match plan.status:
        case "TIMEOUT":
            hint = "raise --limit, or take --solver cpsat or enumerate"
            return SolverTimeout(f"{plan.solver} found no tiling; {told}", where=where, hint=hint)
        case "UNSUPPORTED":
            return ModelError(f"{plan.solver} cannot read the models; {told}", where=where, hint=_another_solver(plan))
        case _:
            hint = "`att explain` says what contradicts what, and which changes help"
            return InfeasibleError(f"no tiling is legal; {told}", reasons=reasons, where=where, hint=hint)


def unproven(plan: Plan) -> str:
    """Why an exact solver left a plan without a proof, and what to change."""
    unread = [row for row in plan.templates if row.status == "UNSUPPORTED"]
    if unread:
        told = "; ".join(f"{row.template}: {row.reason}" for row in unread)
        return f"the plan is not proven optimal, {plan.solver} cannot read every model; {told}; {_another_solver(plan)}"
    return f"the limit stopped {plan.solver} before the plan was proven optimal; raise --limit"


def _another_solver(plan: Plan) -> str:
    exact = {"cpsat": "enumerate", "enumerate": "cpsat"}.get(plan.solver, "cpsat or enumerate")
    return f"take --solver {exact}, which may read them, or smaller sizes"
