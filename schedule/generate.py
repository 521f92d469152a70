"""HintGraph in, templates out: the order of the transforms, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from att.errors import ScheduleError
from att.ir.graph import Candidates, Dropped, HintGraph, ImplGraph, Template
from att.ops.verify import check_dtypes, verify_graph
from hwmodels.model import Chip
from schedule.axes import drop_unit_axes, merge_axes, rename_axes
from schedule.buffers import place_buffers
from schedule.cases import Kind, TilingCase, tiling_cases, why_not_chunked, why_not_general
from schedule.cleanup import clean
from schedule.needless import why_needless
from schedule.redundant import drop_redundant_broadcasts
from schedule.stages import staged
from schedule.tile import tile
from schedule.vectorize import vectorize


def schedule_graph(graph: HintGraph, chip: Chip) -> Candidates:
    """Every template of a graph, in the order of their tiling keys, and those dropped with the reason.

    Raises GraphError if the graph is wrong, ScheduleError if no template can hold it or the chip lacks a dtype.
    """
    verify_graph(graph)
    check_dtypes(graph, chip)
    renamed, names = rename_axes(clean(graph))
    merged = merge_axes(drop_unit_axes(renamed))
    templates: list[Template] = []
    dropped = _never_generated(merged)
    for key, case in enumerate(tiling_cases(merged)):
        try:
            nodes = staged(merged, case.walked) if case.kind is Kind.CHUNKED else merged
            impl = place_buffers(drop_redundant_broadcasts(vectorize(tile(nodes, case))), chip)
        except ScheduleError as error:
            dropped.append(Dropped(name=case.name, tiling_key=key, reason=str(error)))
            continue
        needless = why_needless(merged, case, templates, chip)
        if needless:
            dropped.append(Dropped(name=case.name, tiling_key=key, reason=needless))
            continue
        templates.append(_template(graph, case, key, replace(impl, name=f"{graph.name}.{case.name}"), names))
    if not templates:
        raise ScheduleError("; ".join(d.reason for d in dropped) or "no template fits", where=graph.name)
    return Candidates(graph=graph, templates=tuple(templates), dropped=tuple(dropped))


def _never_generated(graph: HintGraph) -> list[Dropped]:
    general = why_not_general(graph)
    reasons = {"general": general, "chunked": why_not_chunked(graph) if general else ""}
    return [Dropped(name=kind, tiling_key=-1, reason=reason) for kind, reason in reasons.items() if reason]


def _template(graph: HintGraph, case: TilingCase, key: int, impl: ImplGraph, names: Mapping[str, str]) -> Template:
    return Template(name=case.name, tiling_key=key, graph_name=graph.name, phases=(impl,), axis_names=names)
