"""HintGraph in, templates out: the order of the transforms, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from att.errors import ScheduleError
from att.ir.graph import Candidates, Dropped, HintGraph, ImplGraph, Template
from att.ops.verify import check_dtypes, verify_graph
from hwmodels.model import Chip
from schedule.axes import drop_unit_axes, rename_axes
from schedule.buffers import place_buffers
from schedule.cases import TilingCase
from schedule.cleanup import clean
from schedule.joins import unnumbered
from schedule.redundant import drop_redundant_broadcasts
from schedule.tile import tile
from schedule.variants import plans
from schedule.vectorize import vectorize


def schedule_graph(graph: HintGraph, chip: Chip) -> Candidates:
    """Every template of a graph, in the order of their tiling keys, and those dropped with the reason.

    Raises GraphError if the graph is wrong, ScheduleError if no template can hold it or the chip lacks a dtype.
    """
    verify_graph(graph)
    check_dtypes(graph, chip)
    renamed, names = rename_axes(clean(graph))
    found, never = plans(drop_unit_axes(renamed))
    templates: list[Template] = []
    dropped = list(never)
    for key, plan in enumerate(found):
        try:
            phases = tuple(_scheduled(merged, case, chip) for merged, case in plan.phases)
        except ScheduleError as error:
            dropped.append(Dropped(name=plan.name, tiling_key=key, reason=str(error)))
            continue
        templates.append(
            Template(name=plan.name, tiling_key=key, graph_name=graph.name, phases=phases, axis_names=_originals(phases, names))
        )
    if not templates:
        raise ScheduleError("; ".join(d.reason for d in dropped) or "no template fits", where=graph.name)
    return Candidates(graph=graph, templates=tuple(templates), dropped=tuple(dropped))


def _scheduled(graph: HintGraph, case: TilingCase, chip: Chip) -> ImplGraph:
    impl = place_buffers(drop_redundant_broadcasts(vectorize(tile(graph, case))), chip)
    return replace(impl, name=f"{graph.name}.{case.name}")


def _originals(phases: tuple[ImplGraph, ...], names: Mapping[str, str]) -> Mapping[str, str]:
    """Names in the HintGraph by those of the scheduler; parts that have a nest of their own number their axes."""
    numbered = {axis.name: names[base] for phase in phases for axis in phase.axes if (base := unnumbered(axis.name)) in names}
    return {**names, **numbered}
