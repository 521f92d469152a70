"""Which templates of a graph take part, and their models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import cast

from att import late
from att.errors import InfeasibleError, ModelError, UsageError
from att.ir.graph import Candidates, Dropped, HintGraph, Template
from att.model.buffers import opened
from att.model.build import build_model, prices_of
from att.model.options import Objective
from att.model.tiling import TilingModel
from att.solve.request import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Modelled:
    """The templates that take part, each with its model for every shape, and those that do not, with the reason."""

    models: tuple[tuple[Template, TilingModel], ...]
    dropped: tuple[Dropped, ...]


def candidates_of(graph: HintGraph | Template, request: Request) -> Candidates:
    """Every template of a graph; a template is its own only candidate. Numbers of buffers are open where the objective decides them."""
    if isinstance(graph, Template):
        found = Candidates(graph=HintGraph(name=graph.graph_name), templates=(graph,), dropped=())
    else:
        found = cast("Candidates", late.resolve("schedule")(graph, request.chip, few_rows=request.model.few_rows))
    if request.model.objective is not Objective.PIPELINE:
        return found
    return replace(found, templates=tuple(map(opened, found.templates)))


def chosen(candidates: Candidates, request: Request) -> Candidates:
    """The candidates that take part: `template` alone, without `exclude`, with every fixed variable; none where the scheduler left none.

    Raises UsageError for a template that does not exist, and where the request leaves none.
    """
    _require_known((*((request.template,) if request.template else ()), *request.exclude), candidates)
    kept: list[Template] = []
    dropped: list[Dropped] = list(candidates.dropped)
    for template in candidates.templates:
        reason = _why_not(template, request)
        if reason:
            dropped.append(Dropped(name=template.name, tiling_key=template.tiling_key, reason=reason))
        else:
            kept.append(template)
    if candidates.templates and not kept:
        raise UsageError(nothing_left(dropped), where=candidates.graph.name, hint="change --template, --exclude or --fix")
    return replace(candidates, templates=tuple(kept), dropped=tuple(dropped))


def _require_known(wanted: Iterable[str], candidates: Candidates) -> None:
    known = {t.name for t in candidates.templates}
    gone = {d.name: d.reason for d in candidates.dropped}
    for name in wanted:
        if name in gone and name not in known:
            raise UsageError(f"template {name} was dropped: {gone[name]}", where=candidates.graph.name, hint="choose another template")
        if name not in known:
            raise UsageError(f"no template {name}", where=candidates.graph.name, hint=f"templates: {', '.join(sorted(known)) or 'none'}")


def _why_not(template: Template, request: Request) -> str:
    if template.name in request.exclude:
        return "excluded by --exclude"
    if request.template is not None and template.name != request.template:
        return f"left out by --template {request.template}"
    missing = sorted(set(request.fixed) - variable_names(template))
    return f"has no variable {', '.join(missing)} to fix" if missing else ""


def variable_names(template: Template) -> frozenset[str]:
    """The unknowns of a template."""
    return frozenset(v.name for phase in template.phases for v in (*phase.variables, *phase.buffer_vars))


def require_some(candidates: Candidates) -> Candidates:
    """The candidates. Raises InfeasibleError with one reason per template if the scheduler left none."""
    if not candidates.templates:
        raise nothing_fits(candidates.dropped, candidates.graph.name)
    return candidates


def nothing_fits(dropped: Sequence[Dropped], graph: str) -> InfeasibleError:
    """The error for a graph all of whose templates the scheduler dropped: no tile fits the chip."""
    reasons = tuple(f"{d.name}: {d.reason}" for d in dropped)
    return InfeasibleError(nothing_left(dropped), reasons=reasons, where=graph, hint="give the kernel more UB, or split the graph")


def nothing_left(dropped: Iterable[Dropped]) -> str:
    """A sentence that lists why every template is out."""
    return "no template is left: " + "; ".join(f"{d.name}: {d.reason}" for d in dropped)


def model_all(candidates: Candidates, request: Request) -> Modelled:
    """A model for every candidate, and those that this version cannot model. Raises ModelError if it can model none of them."""
    models: list[tuple[Template, TilingModel]] = []
    dropped: list[Dropped] = list(candidates.dropped)
    prices = prices_of(request.chip, request.model)
    for template in candidates.templates:
        try:
            models.append((template, build_model(template, request.chip, request.model, prices)))
        except ModelError as error:
            dropped.append(Dropped(name=template.name, tiling_key=template.tiling_key, reason=str(error)))
    if candidates.templates and not models:
        raise ModelError(nothing_left(dropped), where=candidates.graph.name)
    return Modelled(models=tuple(models), dropped=tuple(dropped))
