"""What the commands `att emit` and `att run` do, and the functions of the library behind them. Reached by name (`att.late`)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from att.errors import InfeasibleError, UsageError
from att.ir.graph import Candidates, HintGraph, Template
from att.ops.call import CostSet
from att.ops.spec import Costs
from att.solve.assemble import plan_graph
from att.solve.candidates import candidates_of, chosen, require_some
from att.solve.judge import check_plan, evaluate_tiling, with_cost_of
from att.solve.no_tiling import no_tiling
from att.solve.plan import Plan
from att.solve.request import Request, require_objective
from att.solve.shapes import complete_shape, graph_name, is_empty, with_ranges
from codegen.bundle import Bundle, kernel_bundle
from codegen.driver import Built, Case, Checked, build, check_run, make_case
from codegen.entry import emit_kernel


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What `att run` may be told besides the request."""

    seed: int = 0
    all_templates: bool = False
    """Run every template with its own best tiling, not only the best template."""
    tiling: Mapping[str, int] = field(default_factory=dict[str, int])
    """Run this tiling; nothing is solved."""
    plan: Plan | None = None
    """Run this plan; nothing is solved."""
    cache: Path | None = None
    """Folder of compiled kernels; None: the user's cache."""


def emit(graph: HintGraph | Template, request: Request) -> Bundle:
    """The kernel with every template of a graph, its tiling data, manifest and build note.

    Raises EmitError naming the node where an op has no emission.
    """
    candidates = _candidates(graph, request)
    return kernel_bundle(emit_kernel(graph_name(graph), candidates.templates, _costs(request)))


def write_bundle(graph: HintGraph | Template, request: Request, folder: Path) -> tuple[Path, ...]:
    """The same, written into a folder."""
    return emit(graph, request).write(folder)


def run(graph: HintGraph | Template, request: Request, options: RunOptions) -> Mapping[str, Any]:
    """Compiles the kernel, runs it on the CPU model, compares it with numpy and with the model.

    The result is the document of `att run --json`; its `ok` says whether every run was right in every respect. Raises InfeasibleError where
    no tiling, or not the given one, is legal; EmitError where something has no emission or no compiler is there.
    """
    if not isinstance(graph, HintGraph):
        raise UsageError("a template has no numpy reference to be compared with", where=graph.graph_name, hint="run its HintGraph")
    request = _as_planned(request, options.plan)
    sized = with_ranges(graph, request.ranges)
    assert isinstance(sized, HintGraph)
    shape = complete_shape(sized, request.shape)
    if is_empty(sized, shape):
        return {**_head(graph, request, shape, options), "ok": True, "kernel": None, "runs": [], "skipped": []}
    candidates = _candidates(sized, request)
    plans, skipped = _plans(sized, request, options, candidates)
    templates = {t.name: t for t in candidates.templates}
    watch = time.perf_counter()
    built = build(graph_name(graph), candidates.templates, _costs(request), options.cache)
    build_ms = round((time.perf_counter() - watch) * 1000, 3)
    case = make_case(sized, shape, options.seed)
    checked = [_checked(built, case, templates[str(plan.template)], plan) for plan in plans]
    return {
        **_head(graph, request, shape, options),
        "ok": all(entry["ok"] for entry in checked),
        "kernel": {"entry": built.kernel.entry, "compiled": built.program.compiled},
        "runs": checked,
        "skipped": skipped,
        "timing": {"build_ms": build_ms},
    }


def _as_planned(request: Request, plan: Plan | None) -> Request:
    """The request with the objective of the plan that is run: the kernel reads what that plan decides."""
    if plan is None:
        return request
    return replace(request, model=replace(request.model, objective=require_objective(plan.objective)))


def _candidates(graph: HintGraph | Template, request: Request) -> Candidates:
    return require_some(chosen(candidates_of(with_ranges(graph, request.ranges), request), request))


def _costs(request: Request) -> Costs:
    """A kernel takes the temporary memory of its public APIs, whatever set its plan is priced by; only the mended one counts it."""
    return Costs(chip=request.chip, cost_set=CostSet.MENDED)


def _head(graph: HintGraph, request: Request, shape: Mapping[str, int], options: RunOptions) -> Mapping[str, Any]:
    return {
        "format": "run",
        "version": 1,
        "graph": graph.name,
        "chip": request.chip.name,
        "shape": dict(shape),
        "seed": options.seed,
    }


def _plans(graph: HintGraph, request: Request, options: RunOptions, candidates: Candidates) -> tuple[list[Plan], list[Mapping[str, str]]]:
    """The plans to run, and the templates that have none with the reason."""
    skipped: list[Mapping[str, str]] = [{"template": d.name, "reason": d.reason} for d in candidates.dropped]
    if not options.all_templates:
        return [_with_room(graph, _plan(graph, request, options), request)], skipped
    plans: list[Plan] = []
    for name, plan in _plan_each(graph, request, candidates.templates):
        if plan.template is None:
            skipped.append({"template": name, "reason": "; ".join(row.reason or "" for row in plan.templates if row.template == name)})
            continue
        try:
            plans.append(_with_room(graph, plan, request))
        except InfeasibleError as error:
            skipped.append({"template": name, "reason": error.message})
    if not plans:
        raise InfeasibleError("no template has a legal tiling", reasons=tuple(f"{s['template']}: {s['reason']}" for s in skipped))
    return plans, skipped


def _plan(graph: HintGraph, request: Request, options: RunOptions) -> Plan:
    if options.plan is not None:
        return _legal(check_plan(graph, options.plan, with_cost_of(options.plan, request)).plan)
    if options.tiling:
        return _legal(evaluate_tiling(graph, options.tiling, request).plan)
    return _solved(plan_graph(graph, request).plan)


def _with_room(graph: HintGraph, plan: Plan, request: Request) -> Plan:
    """The plan. Raises InfeasibleError where UB is too small for what the kernel takes and the cost set of the plan does not count."""
    if plan.cost == CostSet.MENDED:
        return plan
    counted = replace(request, template=plan.template, exclude=(), model=replace(request.model, cost_set=CostSet.MENDED))
    seen = evaluate_tiling(graph, plan.variables or {}, counted).plan
    if seen.violations:
        lacking = tuple(f"{v.subject} needs {v.got} B of UB, allowed {v.allowed} B" for v in seen.violations)
        raise InfeasibleError(
            f"kernels take the temporary memory of their public APIs, which the cost set {plan.cost} does not count: {'; '.join(lacking)}",
            reasons=lacking,
            where=plan.graph,
            hint="use --cost mended",
        )
    return plan


def _plan_each(graph: HintGraph, request: Request, templates: Sequence[Template]) -> Iterator[tuple[str, Plan]]:
    for template in templates:
        yield template.name, plan_graph(graph, replace(request, template=template.name, exclude=())).plan


def _solved(plan: Plan) -> Plan:
    if plan.template is None:
        raise no_tiling(plan)
    return plan


def _legal(plan: Plan) -> Plan:
    """The plan. Raises InfeasibleError with the constraint that it breaks."""
    if plan.violations:
        broken = tuple(f"{v.family} ({v.subject}): {v.text}, got {v.got}, allowed {v.allowed}" for v in plan.violations)
        raise InfeasibleError(f"the tiling is not legal: {'; '.join(broken)}", reasons=broken, where=plan.graph, hint="see att evaluate")
    return plan


def _checked(built: Built, case: Case, template: Template, plan: Plan) -> Mapping[str, Any]:
    done = check_run(built, case, template, plan.variables or {})
    return {
        "template": template.name,
        "tiling_key": template.tiling_key,
        "variables": dict(plan.variables or {}),
        "block_dim": done.block_dim,
        "status": plan.status,
        "ok": done.ok,
        "complaints": list(done.complaints()),
        "fault": _fault(done),
        "outputs": [
            {"name": e.name, "elems": e.elems, "wrong": e.wrong, "max_error": e.max_error, "max_ulps": e.max_ulps} for e in done.errors
        ],
        "agreement": [{"what": a.what, "predicted": a.predicted, "measured": a.measured} for a in done.agreements],
    }


def _fault(done: Checked) -> Mapping[str, Any] | None:
    if done.fault is None:
        return None
    fault = done.fault
    return {
        "kind": fault.kind,
        "node": done.fault_node,
        "line": fault.line,
        "core": fault.core,
        "run": fault.run,
        "text": fault.text,
    }
