"""Explains the answer for a graph at a shape: why the best plan is what it is, or why there is none and what would help."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from att import __version__
from att.expr.node import nodes_held
from att.ir.graph import HintGraph, Template
from att.reasons.buffers import buffer_needs, buffers_text
from att.reasons.conflict import conflict
from att.reasons.document import BufferNeed, Conflict, ExplainTiming, Explanation, Lever, PhaseShare, Rival, Rule, SensitivityRow, Step
from att.reasons.levers import levers
from att.reasons.pipes import phase_shares
from att.reasons.rival import HEURISTIC, rival
from att.reasons.rules import rules
from att.reasons.sensitivity import sensitivity
from att.reasons.steps import steps
from att.reasons.too_large import too_large
from att.solve.assemble import Outcome, plan_graph
from att.solve.drafts import Drafts
from att.solve.no_tiling import no_tiling, unproven
from att.solve.pipeline import Case, Posed, cases
from att.solve.plan import Plan
from att.solve.request import Request

Subject = HintGraph | Template


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """What is known of one answer."""

    summary: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    steps: tuple[Step, ...] = ()
    buffers: tuple[BufferNeed, ...] = ()
    phases: tuple[PhaseShare, ...] = ()
    heuristic: Rival | None = None
    sensitivity: tuple[SensitivityRow, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    levers: tuple[Lever, ...] = ()


def explain(graph: Subject, request: Request) -> Explanation:
    """The explanation for the shape of the request. Raises AttError where the input does not allow one; INFEASIBLE is explained."""
    started_s = time.perf_counter()
    drafts = Drafts()
    with nodes_held():  # chips of the sensitivity have most expressions in common; measured: a tenth less for hc_post
        outcome = plan_graph(graph, request, drafts)
        parts = _parts(graph, request, outcome, drafts)
    plan = outcome.plan
    return Explanation(
        format="explanation",
        version=1,
        graph=plan.graph,
        chip=plan.chip,
        cost=plan.cost,
        objective=plan.objective,
        shape=plan.shape,
        status=plan.status,
        template=plan.template,
        variables=plan.variables,
        makespan_ticks=plan.makespan_ticks,
        bound_ticks=plan.bound_ticks,
        block_dim=plan.block_dim,
        ub_bytes=plan.ub_bytes,
        ub_capacity_bytes=plan.ub_capacity_bytes,
        summary=parts.summary,
        rules=parts.rules,
        steps=parts.steps,
        buffers=parts.buffers,
        phases=parts.phases,
        heuristic=parts.heuristic,
        sensitivity=parts.sensitivity,
        conflicts=parts.conflicts,
        levers=parts.levers,
        timing=ExplainTiming(explain_ms=round((time.perf_counter() - started_s) * 1000, 3)),
        att_version=__version__,
    )


def _parts(graph: Subject, request: Request, outcome: Outcome, drafts: Drafts) -> _Parts:
    plan = outcome.plan
    if plan.status == "TIMEOUT":
        return _Parts(summary=("no tiling was found within the limit, so there is nothing to explain; raise --limit",))
    if plan.status == "UNSUPPORTED":
        return _Parts(summary=(f"there is nothing to explain: {no_tiling(plan)}",))
    if plan.status == "INFEASIBLE":
        return _infeasible(graph, request, plan, drafts)
    if plan.template is None or plan.variables is None:
        return _Parts(summary=("a size is 0, so there is nothing to do",))
    return _feasible(graph, request, outcome, drafts)


def _feasible(graph: Subject, request: Request, outcome: Outcome, drafts: Drafts) -> _Parts:
    plan, cost = outcome.plan, outcome.breakdown
    assert cost is not None
    variables = plan.variables or {}
    (posed,) = _case(graph, replace(request, template=plan.template, exclude=()), plan, drafts).posed
    neighbours = steps(posed.problem, variables, cost.objective_ticks, request.limits)
    held = rules(posed.problem, variables, cost.objective_ticks, neighbours, request.limits)
    phases = phase_shares(cost)
    parts = buffer_needs(posed.template, posed.problem, variables)
    other = rival(plan, plan_graph(graph, replace(request, solver=HEURISTIC), drafts).plan)
    table = sensitivity(graph, request, plan)
    doubts = (unproven(plan),) if outcome.stopped else ()
    sentences = (*doubts, *_why(posed, plan, parts, neighbours), *_used_up(held), *(p.text for p in phases), other.text, *_worth(table))
    return _Parts(summary=sentences, rules=held, steps=neighbours, buffers=parts, phases=phases, heuristic=other, sensitivity=table)


def _case(graph: Subject, request: Request, plan: Plan, drafts: Drafts) -> Case:
    (case,) = cases(graph, request, (plan.shape,), drafts)
    return case


def _why(posed: Posed, plan: Plan, parts: tuple[BufferNeed, ...], neighbours: tuple[Step, ...]) -> Iterator[str]:
    used, capacity = plan.ub_bytes or 0, plan.ub_capacity_bytes
    yield f"UB: {used:,} of {capacity:,} B, {capacity - used:,} B are left: {buffers_text(parts)}"
    yield from (step.text for step in neighbours if step.direction == "larger" and step.breaks is not None)
    if not posed.problem.source.variables:
        yield f"{posed.template.name} has no variables: its one tiling is the plan"


def _used_up(held: tuple[Rule, ...]) -> Iterator[str]:
    """Limits of the chip of which nothing is left, and rules that cost time; that a tile is a whole axis is no news."""
    for rule in held:
        if rule.slack == 0 and rule.family != "axis_bounds":
            yield f"nothing is left of {rule.allowed:,} {rule.unit}: {rule.text}"
        if rule.gain_ticks:
            yield f"{rule.family} costs {rule.gain_ticks:,} ticks: {rule.text}"


def _worth(table: tuple[SensitivityRow, ...]) -> Iterator[str]:
    """What the largest chip of each kind would bring."""
    for what, name in (("ub_bytes", "UB"), ("cores", "cores")):
        *_, most = (row for row in table if row.what == what)
        amount = f"{most.value:,} B of UB" if name == "UB" else f"{most.value} cores"
        if most.change is not None:
            gain = "no less time" if most.change >= 0 else f"{-100 * most.change:.2f} % less time"
            yield f"with {amount} the best plan takes {gain}"


def _infeasible(graph: Subject, request: Request, plan: Plan, drafts: Drafts) -> _Parts:
    case = _case(graph, request, plan, drafts)
    large = too_large(graph, request, plan.shape, drafts)
    posed = (*case.posed, *large)
    found = [conflict(p.template, p.problem, request.limits) for p in posed]
    ordered = tuple(sorted(found, key=lambda c: (c.needed_bytes is None, c.needed_bytes or 0, c.template)))
    helping = levers(graph, request, posed, drafts)
    advice = [f"{lever.text} ({option})" if (option := _options(lever)) else lever.text for lever in helping]
    sentences = (*(c.text for c in ordered), *(f"to change: {text}" for text in advice))
    return _Parts(summary=sentences or ("nothing that was tried helps",), conflicts=ordered, levers=helping)


def _options(lever: Lever) -> str:
    """The options of a lever as they are typed, or those to leave out where that is all."""
    typed = [f"{name} {value}" for name, value in lever.options.items() if value]
    return " ".join(typed) or " ".join(f"without {name}" for name in lever.options)
