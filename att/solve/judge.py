"""Judging one tiling without any solver: what it costs, which constraints it breaks, whether a plan's own numbers hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace as replace_outcome
from dataclasses import replace as replace_request

from msgspec.structs import replace

from att.errors import UsageError
from att.ir.graph import HintGraph, Template, Why
from att.model.bind import bind
from att.model.build import build_model
from att.model.check import Violation, check
from att.model.evaluate import evaluate
from att.solve.assemble import Outcome, blank_plan, empty_plan, identified, plan_of, template_hash, why_of
from att.solve.candidates import candidates_of, chosen, require_some, variable_names
from att.solve.pipeline import Posed
from att.solve.plan import Plan, PlanViolation
from att.solve.request import Request, require_cost_set, require_objective
from att.solve.shapes import complete_shape, graph_name, is_empty, whole, with_ranges

GIVEN = "given"
"""What a plan names as its solver where a person gave the tiling."""


def evaluate_tiling(graph: HintGraph | Template, tiling: Mapping[str, int], request: Request) -> Outcome:
    """The plan of a given tiling: FEASIBLE, or INFEASIBLE with its violations; costs are given either way.

    Outside the domain of a variable nothing has a cost. Raises UsageError if the variables do not decide the template, or one is missing
    or unknown.
    """
    sized = with_ranges(graph, request.ranges)
    name = graph_name(graph)
    shape = complete_shape(sized, request.shape)
    given = {variable: whole(variable, value, name) for variable, value in tiling.items()}
    template = _template_of(sized, given, request)
    return _judge(name, template, shape, given, replace_request(request, solver=GIVEN))


def _template_of(graph: HintGraph | Template, tiling: Mapping[str, int], request: Request) -> Template:
    candidates = require_some(chosen(candidates_of(graph, request), request))
    fitting = [t for t in candidates.templates if variable_names(t) == frozenset(tiling)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = ", ".join(t.name for t in fitting)
        raise UsageError(f"the tiling fits the templates {names}", where=graph_name(graph), hint="choose one with --template")
    known = "; ".join(f"{t.name}: {', '.join(sorted(variable_names(t))) or 'none'}" for t in candidates.templates)
    given = ", ".join(sorted(tiling)) or "none"
    raise UsageError(f"no template has exactly the variables {given}", where=graph_name(graph), hint=f"give a value for each of {known}")


def _judge(graph: str, template: Template, shape: Mapping[str, int], tiling: Mapping[str, int], request: Request) -> Outcome:
    problem = bind(build_model(template, request.chip, request.model), shape)
    posed = Posed(template=template, problem=problem)
    found = check(problem, tiling)
    violations = tuple(map(_as_violation, found))
    if any(violation.family == "domain" for violation in found):
        plan = identified(blank_plan(graph, shape, request, status="INFEASIBLE"), template, tiling)
        return Outcome(plan=replace(plan, violations=violations))
    breakdown = evaluate(problem, tiling)
    plan = plan_of(graph, posed, tiling, breakdown, request)
    status = "INFEASIBLE" if violations else "FEASIBLE"
    return Outcome(plan=replace(plan, status=status, violations=violations), breakdown=breakdown)


def _as_violation(found: Violation) -> PlanViolation:
    return PlanViolation(family=found.family, subject=found.subject, text=found.text, got=found.got, allowed=found.allowed)


def check_plan(graph: HintGraph | Template, plan: Plan, request: Request) -> Outcome:
    """The plan as an independent check sees it: INFEASIBLE with violations where a constraint is broken or a number of the plan is wrong.

    Shape and variables are the plan's. Raises UsageError for a plan without a tiling and for one of another graph, template or chip.
    """
    _require_same("graph", plan.graph, graph_name(graph), "check it against the graph it was made for")
    _require_same("chip", plan.chip, request.chip.name, f"pass --chip {plan.chip}")
    sized = with_ranges(graph, request.ranges)
    shape = complete_shape(sized, plan.shape)
    if is_empty(sized, shape):
        return _compared(plan, Outcome(plan=empty_plan(plan.graph, shape, request)))
    if plan.template is None or plan.variables is None:
        raise UsageError(f"the plan has no tiling to check: its status is {plan.status}", where=plan.graph, hint="solve the graph again")
    template, why = _named(sized, plan, request)
    if frozenset(plan.variables) != variable_names(template):
        raise UsageError(
            f"the plan has the variables {', '.join(sorted(plan.variables))}, its template {', '.join(sorted(variable_names(template)))}",
            where=plan.graph,
            hint="solve the graph again",
        )
    return replace_outcome(_compared(plan, _judge(plan.graph, template, shape, plan.variables, request)), why=why)


def _require_same(what: str, plans: str, actual: str, hint: str) -> None:
    if plans != actual:
        raise UsageError(f"the plan is for the {what} {plans}, this is {actual}", where="plan", hint=hint)


def _named(graph: HintGraph | Template, plan: Plan, request: Request) -> tuple[Template, Why | None]:
    """The template of the plan, and why there is one. Raises UsageError if the graph has none of that name, or another one."""
    candidates = require_some(candidates_of(graph, request))
    template = next((t for t in candidates.templates if t.name == plan.template), None)
    if template is None:
        known = ", ".join(t.name for t in candidates.templates)
        raise UsageError(f"the plan is for the template {plan.template}; the graph has {known}", where=plan.graph, hint="solve it again")
    if template_hash(template) != plan.template_hash:
        raise UsageError(
            f"the plan was made for another template {plan.template}: its hash is {plan.template_hash}, not {template_hash(template)}",
            where=plan.graph,
            hint="check it with the graph file and the --range it was solved with, or solve again",
        )
    return template, why_of(template, candidates.whys)


def _compared(plan: Plan, outcome: Outcome) -> Outcome:
    """The outcome with a violation for every number of the plan that is not what the model gives."""
    seen = outcome.plan
    wrong = tuple(_wrong_numbers(plan, seen)) if (plan.cost, plan.objective) == (seen.cost, seen.objective) else ()
    violations = (*seen.violations, *wrong)
    status = "INFEASIBLE" if violations else "FEASIBLE"
    return Outcome(plan=replace(seen, solver=plan.solver, status=status, violations=violations), breakdown=outcome.breakdown)


def _wrong_numbers(plan: Plan, seen: Plan) -> Iterator[PlanViolation]:
    for field in _COMPUTED:
        claimed, actual = getattr(plan, field), getattr(seen, field)
        if claimed != actual:
            yield _wrong(field, claimed, actual, f"the plan's {field} is not what the model gives for its variables")
    makespan = seen.makespan_ticks or 0
    if plan.bound_ticks is not None and plan.bound_ticks > makespan:
        yield _wrong("bound_ticks", plan.bound_ticks, makespan, "the plan's bound is above the time of its own tiling")
    if plan.status == "OPTIMAL" and plan.bound_ticks != makespan:
        yield _wrong("status", plan.status, "FEASIBLE", "the plan says OPTIMAL, but its bound is not its time")
    if plan.status not in ("OPTIMAL", "FEASIBLE"):
        yield _wrong("status", plan.status, "FEASIBLE", "the plan has a tiling, but its status says that it has none")


_COMPUTED = (
    "tiling_key",
    "block_dim",
    "ub_bytes",
    "ub_capacity_bytes",
    "workspace_bytes",
    "makespan_ticks",
    "makespan_us",
    "pipes",
    "launch_ticks",
    "fill_ticks",
    "drain_ticks",
    "bottleneck",
    "phases",
)


def _wrong(field: str, got: object, allowed: object, text: str) -> PlanViolation:
    return PlanViolation(family="plan", subject=field, text=text, got=_cell(got), allowed=_cell(allowed))


def _cell(value: object) -> int | str:
    return value if isinstance(value, int) else str(value)


def with_cost_of(plan: Plan, request: Request) -> Request:
    """The request with the plan's cost set and objective. Raises UsageError if this version does not have them."""
    model = replace_request(request.model, cost_set=require_cost_set(plan.cost), objective=require_objective(plan.objective))
    return replace_request(request, model=model)
