"""A plan at a glance: what was chosen, what it costs, how sure that is, and what became of the other templates."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from rich.console import Group, RenderableType

from att.ir.graph import Why
from att.model.evaluate import CostBreakdown
from att.ops.call import Pipe
from att.report.choice import next_best_text
from att.report.console import NONE, assignments_text, bar, bytes_text, heading, microseconds_text, pairs, percent_text, table
from att.solve.plan import Plan, PlanPhase

TIMES_ARE_MODELLED = "Times are modelled, not measured."


def plan_tables(plan: Plan, clock_mhz: int, breakdown: CostBreakdown | None = None, why: Why | None = None) -> RenderableType:
    """The whole report of a plan; with a breakdown also what every node costs on every pipe, with a `why` the reason of its template."""
    parts: list[RenderableType] = [_title(plan), "", _summary(plan, why)]
    if plan.phases:
        parts += ["", _pipes(plan, clock_mhz)]
    if plan.violations:
        parts += ["", _violations(plan)]
    if breakdown is not None:
        parts += ["", _nodes(breakdown, clock_mhz)]
    if plan.templates:
        parts += ["", _templates(plan, clock_mhz)]
    if plan.estimated_ops:
        parts += ["", f"Estimated or borrowed cost: {', '.join(plan.estimated_ops)}"]
    return Group(*parts, "", TIMES_ARE_MODELLED)


def _title(plan: Plan) -> RenderableType:
    shape = assignments_text(plan.shape.items()) if plan.shape else "static"
    return heading(f"{plan.graph} on {plan.chip}, shape {shape}, cost {plan.cost}, solver {plan.solver}")


def _summary(plan: Plan, why: Why | None) -> RenderableType:
    rows: list[tuple[str, str]] = [("status", _status(plan))]
    if plan.template is not None:
        rows += [
            ("template", f"{plan.template} (tiling key {plan.tiling_key})"),
            *_choice(plan, why),
            ("variables", assignments_text((plan.variables or {}).items())),
        ]
    if plan.block_dim is not None:
        rows += [
            ("cores", str(plan.block_dim)),
            ("UB", _ub(plan)),
            ("workspace", bytes_text(plan.workspace_bytes)),
            ("makespan", f"{plan.makespan_us:.3f} µs modelled ({plan.makespan_ticks:,} ticks)"),
            ("bottleneck", plan.bottleneck or NONE),
        ]
    return pairs(rows)


def _choice(plan: Plan, why: Why | None) -> Iterator[tuple[str, str]]:
    """What the template is for, what called for it, and what the next best one would lose."""
    if why is not None:
        yield "purpose", why.purpose
        yield "trigger", why.trigger
    if plan.templates:
        yield "next best", next_best_text(plan)


def _status(plan: Plan) -> str:
    match plan.status:
        case "OPTIMAL":
            return "OPTIMAL: proven, no tiling of any template is faster"
        case "FEASIBLE" if plan.gap == 0:
            return "FEASIBLE: no tiling is faster, proven; the choice among equally fast ones is not"
        case "FEASIBLE" if plan.gap is not None:
            return f"FEASIBLE: not proven optimal, another tiling saves at most {_percent_at_most(plan.gap)} of the makespan"
        case "FEASIBLE":
            return "FEASIBLE: legal, nothing is proven about faster ones"
        case "INFEASIBLE" if plan.violations:
            return f"INFEASIBLE: {len(plan.violations)} constraint{'s' if len(plan.violations) > 1 else ''} violated"
        case "INFEASIBLE":
            return "INFEASIBLE: no tiling of any template is legal"
        case "TIMEOUT":
            return "TIMEOUT: nothing found within the limit"
        case "UNSUPPORTED":
            return f"UNSUPPORTED: {plan.solver} cannot read the models, so nothing is known"


def _percent_at_most(share: float) -> str:
    """A share as percent, rounded up: what is promised must not be exceeded."""
    return percent_text(ceil(share * 10_000) / 10_000)


def _ub(plan: Plan) -> str:
    used, capacity = plan.ub_bytes or 0, plan.ub_capacity_bytes
    return f"{bar(used, capacity)} {used:,} of {capacity:,} B ({percent_text(used / capacity)})"


def _pipes(plan: Plan, clock_mhz: int) -> RenderableType:
    ends = ("fill µs", "drain µs") if plan.fill_ticks is not None else ()
    columns = ("phase", "cores", "UB", *(f"{pipe.value} µs" for pipe in Pipe), "launch µs", *ends, "makespan µs", "bottleneck")
    rows = (_pipe_row(str(n), phase, clock_mhz) for n, phase in enumerate(plan.phases, start=1))
    return table("Pipes (modelled)", columns, rows, numbers=columns[1:-1])


def _pipe_row(label: str, phase: PlanPhase, clock_mhz: int) -> tuple[object, ...]:
    ends = (phase.fill_ticks, phase.drain_ticks) if phase.fill_ticks is not None else ()
    times = (phase.pipes.MTE2, phase.pipes.VEC, phase.pipes.MTE3, phase.launch_ticks, *ends, phase.makespan_ticks)
    return (
        label,
        phase.block_dim,
        bytes_text(phase.ub_bytes),
        *(microseconds_text(ticks, clock_mhz) for ticks in times),
        phase.limit,
    )


def _violations(plan: Plan) -> RenderableType:
    rows = ((v.family, v.subject, v.got, v.allowed, v.text) for v in plan.violations)
    return table("Violations", ("family", "subject", "got", "allowed", "rule"), rows, numbers=("got", "allowed"))


def _nodes(breakdown: CostBreakdown, clock_mhz: int) -> RenderableType:
    columns = ("phase", "pipe", "node", "µs", "share of the pipe")
    return table(
        "Cost by node, slowest core (modelled)", columns, _node_rows(breakdown, clock_mhz), numbers=("phase", "µs", "share of the pipe")
    )


def _node_rows(breakdown: CostBreakdown, clock_mhz: int) -> Iterator[tuple[object, ...]]:
    for number, phase in enumerate(breakdown.phases, start=1):
        for pipe in phase.pipes:
            entries = [("(head)", pipe.head_ticks), *pipe.nodes.items()]
            for node, ticks in entries:
                share = percent_text(ticks / pipe.ticks) if pipe.ticks else NONE
                yield number, pipe.pipe.value, node, microseconds_text(ticks, clock_mhz), share


def _templates(plan: Plan, clock_mhz: int) -> RenderableType:
    rows = (
        (
            "*" if row.template == plan.template else " ",
            row.tiling_key if row.tiling_key >= 0 else "",
            row.template,
            row.status,
            microseconds_text(row.makespan_ticks, clock_mhz),
            microseconds_text(row.bound_ticks, clock_mhz),
            row.block_dim,
            row.ub_bytes,
            row.reason or assignments_text((row.variables or {}).items()),
        )
        for row in plan.templates
    )
    columns = ("", "key", "template", "status", "makespan µs", "bound µs", "cores", "UB B", "variables, or why not")
    return table("Templates (modelled; * chosen)", columns, rows, numbers=columns[4:8])
