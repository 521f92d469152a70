"""From answers to the plan: which one wins, what it costs, what is proven, and a row for every template."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from dataclasses import replace as replace_outcome
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from att import __version__
from att.expr.node import nodes_held
from att.formats import graph_json
from att.ir.graph import Dropped, HintGraph, Template, Why
from att.model.check import amount_text
from att.model.evaluate import CostBreakdown, PhaseCost
from att.model.options import Objective
from att.model.tiling import Constraint, Leq, Tiling
from att.ops.call import Pipe
from att.solve.base import SolveStatus
from att.solve.drafts import Drafts
from att.solve.pipeline import Case, Posed, Solved, solve_cases
from att.solve.plan import (
    PipeTicks,
    Plan,
    PlanPhase,
    PlanStatus,
    TemplateRow,
    Timing,
    microseconds,
    relative_gap,
    total_pipes,
)
from att.solve.registry import solver_named
from att.solve.request import Request
from att.solve.select import Row, Selection


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A plan, what every node costs where it has a tiling, why there is its template, and whether a limit stopped an exact solver."""

    plan: Plan
    breakdown: CostBreakdown | None = None
    why: Why | None = None
    stopped: bool = False


@nodes_held()
def plan_graph(graph: HintGraph | Template, request: Request, drafts: Drafts | None = None) -> Outcome:
    """The best plan for the shape of the request; what was made before is taken from `drafts`.

    Raises AttError where the input does not allow one; INFEASIBLE is an outcome.
    """
    (solved,) = solve_cases(graph, request, (request.shape,), drafts)
    return _assemble(solved, request)


def _assemble(solved: Solved, request: Request) -> Outcome:
    case, selection = solved.case, solved.selection
    if selection is None:
        return Outcome(plan=empty_plan(case.graph, case.shape, request))
    outcome = _chosen(case, selection, request)
    solved_rows = (_solved_row(row, request.chip.clock_mhz) for row in selection.rows)
    rows = (*solved_rows, *map(_dropped_row, case.dropped))
    plan = replace(
        outcome.plan,
        templates=tuple(sorted(rows, key=lambda row: (row.tiling_key, row.template))),
        timing=Timing(schedule_ms=case.schedule_ms, model_ms=case.model_ms, solve_ms=solved.solve_ms),
    )
    return replace_outcome(outcome, plan=plan)


def _chosen(case: Case, selection: Selection, request: Request) -> Outcome:
    """The plan of the best template with what is proven of it, or of none; its template rows are still missing."""
    best = selection.best
    status = _STATUS[selection.status]
    if best is None or best.cost is None or best.result.tiling is None:
        return Outcome(plan=blank_plan(case.graph, case.shape, request, status=status))
    posed = next(p for p in case.posed if p.problem is best.problem)
    bound_ticks = selection.bound_ticks
    plan = replace(
        plan_of(case.graph, posed, best.result.tiling, best.cost, request),
        status=status,
        bound_ticks=bound_ticks,
        gap=relative_gap(best.cost.objective_ticks, bound_ticks),
    )
    why = why_of(posed.template, case.whys)
    return Outcome(plan=plan, breakdown=best.cost, why=why, stopped=status == "FEASIBLE" and solver_named(request.solver).exact)


_STATUS: Final[Mapping[SolveStatus, PlanStatus]] = MappingProxyType({
    SolveStatus.OPTIMAL: "OPTIMAL",
    SolveStatus.FEASIBLE: "FEASIBLE",
    SolveStatus.INFEASIBLE: "INFEASIBLE",
    SolveStatus.TIMEOUT: "TIMEOUT",
    SolveStatus.UNSUPPORTED: "UNSUPPORTED",
})  # fmt: skip


def _solved_row(row: Row, clock_mhz: int) -> TemplateRow:
    result, cost = row.result, row.cost
    solved = result.status in (SolveStatus.OPTIMAL, SolveStatus.FEASIBLE) and not row.pruned
    return TemplateRow(
        template=row.problem.template,
        tiling_key=row.problem.tiling_key,
        status="PRUNED" if row.pruned else result.status.value,
        makespan_ticks=None if cost is None else cost.objective_ticks,
        bound_ticks=result.bound_ticks,
        block_dim=None if cost is None else cost.block_dim,
        ub_bytes=None if cost is None else cost.ub_bytes,
        variables=None if result.tiling is None else dict(result.tiling),
        reason="" if solved else _why_not(row, clock_mhz),
    )


def _why_not(row: Row, clock_mhz: int) -> str:
    if row.ceiling_ticks is not None:
        faster_us = microseconds(row.ceiling_ticks, clock_mhz)
        return f"none of its tilings is as fast as another template, which takes at most {faster_us:.3f} µs modelled"
    refuted = row.problem.contradiction
    return _refutation(refuted) if refuted is not None else row.reason or row.result.note or "no tiling found"


def _refutation(constraint: Constraint) -> str:
    """Why a constraint that intervals alone refute cannot hold: its smallest demand against its largest allowance, if they say it."""
    origin = constraint.origin
    rule = "UB" if origin.family == "ub_capacity" else f"{origin.family} of {origin.subject}"
    match constraint:
        case Leq(lhs=lhs, rhs=rhs, unit=unit) if lhs.lo > rhs.hi:
            return f"{rule}: needs at least {amount_text(lhs.lo, unit)}, allowed {amount_text(rhs.hi, unit)}"
        case _:
            return f"{rule}: {origin.text}; no value is left"


def _dropped_row(dropped: Dropped) -> TemplateRow:
    return TemplateRow(
        template=dropped.name,
        tiling_key=dropped.tiling_key,
        status="DROPPED",
        makespan_ticks=None,
        bound_ticks=None,
        block_dim=None,
        ub_bytes=None,
        variables=None,
        reason=dropped.reason,
    )


def blank_plan(graph: str, shape: Mapping[str, int], request: Request, *, status: PlanStatus) -> Plan:
    """A plan without a tiling."""
    return Plan(
        format="plan",
        version=1,
        graph=graph,
        chip=request.chip.name,
        cost=request.model.cost_set.value,
        objective=request.model.objective.value,
        shape=dict(shape),
        status=status,
        solver=request.solver,
        template=None,
        template_hash=None,
        tiling_key=None,
        variables=None,
        block_dim=None,
        ub_bytes=None,
        ub_capacity_bytes=request.chip.ub_usable_bytes,
        workspace_bytes=0,
        makespan_ticks=None,
        bound_ticks=None,
        gap=None,
        makespan_us=None,
        pipes=None,
        launch_ticks=None,
        bottleneck=None,
        phases=(),
        violations=(),
        estimated_ops=(),
        templates=(),
        timing=Timing(schedule_ms=0.0, model_ms=0.0, solve_ms=0.0),
        att_version=__version__,
    )


def empty_plan(graph: str, shape: Mapping[str, int], request: Request) -> Plan:
    """The plan of a kernel with nothing to do (design §4, Shapes)."""
    return replace(
        blank_plan(graph, shape, request, status="OPTIMAL"),
        block_dim=1,
        ub_bytes=0,
        makespan_ticks=0,
        bound_ticks=0,
        gap=0.0,
        makespan_us=0.0,
        pipes=PipeTicks(MTE2=0, VEC=0, MTE3=0),
        launch_ticks=0,
        fill_ticks=0 if request.model.objective is Objective.PIPELINE else None,
        drain_ticks=0 if request.model.objective is Objective.PIPELINE else None,
    )


def plan_of(graph: str, posed: Posed, tiling: Tiling, breakdown: CostBreakdown, request: Request) -> Plan:
    """The plan of one tiling of one template, FEASIBLE and without a bound."""
    phases = tuple(_phase(phase, request.model.objective) for phase in breakdown.phases)
    pipes = total_pipes(phases)
    return replace(
        identified(blank_plan(graph, posed.problem.shape, request, status="FEASIBLE"), posed.template, tiling),
        block_dim=breakdown.block_dim,
        ub_bytes=breakdown.ub_bytes,
        ub_capacity_bytes=posed.problem.ub_capacity_bytes,
        workspace_bytes=breakdown.workspace_bytes,
        makespan_ticks=breakdown.objective_ticks,
        makespan_us=microseconds(breakdown.objective_ticks, request.chip.clock_mhz),
        pipes=pipes,
        launch_ticks=sum(p.launch_ticks for p in phases),
        fill_ticks=_sum(p.fill_ticks for p in phases),
        drain_ticks=_sum(p.drain_ticks for p in phases),
        bottleneck=phases[0].limit if len(phases) == 1 else pipes.bottleneck,
        phases=phases,
        estimated_ops=posed.problem.estimated_ops,
    )


def identified(plan: Plan, template: Template, tiling: Tiling) -> Plan:
    """The plan with its template and variables."""
    return replace(
        plan,
        template=template.name,
        template_hash=template_hash(template),
        tiling_key=template.tiling_key,
        variables=dict(tiling),
    )


def why_of(template: Template, whys: Iterable[Why]) -> Why | None:
    """Why the scheduler made a template; None where it did not make it."""
    return next((why for why in whys if why.template == template.name), None)


def template_hash(template: Template) -> str:
    """SHA-256 of the template's graph JSON, hexadecimal."""
    return hashlib.sha256(graph_json.dumps(template).encode()).hexdigest()


def _sum(ticks: Iterable[int | None]) -> int | None:
    """None if one of them is."""
    known = tuple(ticks)
    return None if None in known else sum(t for t in known if t is not None)


def _phase(cost: PhaseCost, objective: Objective) -> PlanPhase:
    ticks = {pipe.pipe: pipe.ticks for pipe in cost.pipes}
    phase = PlanPhase(
        block_dim=cost.block_dim,
        ub_bytes=cost.ub_bytes,
        launch_ticks=cost.launch_ticks,
        pipes=PipeTicks(MTE2=ticks.get(Pipe.MTE2, 0), VEC=ticks.get(Pipe.VEC, 0), MTE3=ticks.get(Pipe.MTE3, 0)),
        makespan_ticks=cost.makespan_ticks,
    )
    if objective is not Objective.PIPELINE:
        return phase
    return replace(
        phase,
        fill_ticks=cost.fill_ticks,
        drain_ticks=cost.drain_ticks,
        bottleneck="+".join(pipe.value for pipe in cost.limiting) if cost.makespan_ticks > cost.launch_ticks else None,
    )
