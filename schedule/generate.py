"""HintGraph in, templates out: the order of the transforms, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from att.errors import ScheduleError
from att.ir.graph import Candidates, Dropped, HintGraph, ImplGraph, Template, Why
from att.ops.verify import check_dtypes, verify_graph
from hwmodels.model import Chip
from schedule.axes import drop_unit_axes, merge_axes, rename_axes
from schedule.buffers import place_buffers
from schedule.cases import TilingCase, tiling_cases, why_not_general
from schedule.casts import cast_changes, drop_needless_casts
from schedule.cleanup import clean
from schedule.legalize import legalize
from schedule.reasons import why
from schedule.redundant import drop_redundant_broadcasts
from schedule.tile import tile
from schedule.ub_filter import drop_too_large
from schedule.vectorize import vectorize


def schedule_graph(graph: HintGraph, chip: Chip) -> Candidates:
    """Every template of a graph, in the order of their tiling keys, and those dropped with the reason.

    There may be none whose smallest tile fits in UB. Raises GraphError if the graph is wrong, ScheduleError if no template can hold it or
    the chip lacks a dtype.
    """
    verify_graph(graph)
    cleaned = clean(graph)
    legal = drop_needless_casts(legalize(cleaned, chip), chip)
    check_dtypes(legal, chip)
    renamed, names = rename_axes(legal)
    merged = merge_axes(drop_unit_axes(renamed))
    templates: list[Template] = []
    whys: list[Why] = []
    dropped = _never_generated(merged)
    for key, case in enumerate(tiling_cases(merged)):
        try:
            impl = place_buffers(drop_redundant_broadcasts(vectorize(tile(merged, case))), chip)
        except ScheduleError as error:
            dropped.append(Dropped(name=case.name, tiling_key=key, reason=str(error)))
            continue
        whys.append(why(merged, case))
        templates.append(_template(graph, case, key, replace(impl, name=f"{graph.name}.{case.name}"), names))
    if not templates:
        raise ScheduleError("; ".join(d.reason for d in dropped) or "no template fits", where=graph.name)
    found = Candidates(
        graph=graph, templates=tuple(templates), dropped=tuple(dropped), whys=tuple(whys), casts=cast_changes(cleaned, legal)
    )
    return drop_too_large(found, chip)


def _never_generated(graph: HintGraph) -> list[Dropped]:
    reason = why_not_general(graph)
    return [Dropped(name="general", tiling_key=-1, reason=reason)] if reason else []


def _template(graph: HintGraph, case: TilingCase, key: int, impl: ImplGraph, names: Mapping[str, str]) -> Template:
    return Template(name=case.name, tiling_key=key, graph_name=graph.name, phases=(impl,), axis_names=names)
