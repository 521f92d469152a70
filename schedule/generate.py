"""HintGraph in, templates out: which cases there are, and what becomes of each."""

from __future__ import annotations

from att.errors import ScheduleError
from att.ir.graph import Candidates, Dropped, Graph, HintGraph, Template
from att.ops.verify import check_dtypes, verify_graph
from hwmodels.model import Chip
from schedule.axes import new_names
from schedule.cases import tiling_cases, why_not_general
from schedule.steps import memory_steps, nest_steps, prepared


def schedule_graph(graph: HintGraph, chip: Chip) -> Candidates:
    """Every template of a graph, in the order of their tiling keys, and those dropped with the reason.

    Raises GraphError if the graph is wrong, ScheduleError if no template can hold it or the chip lacks a dtype.
    """
    verify_graph(graph)
    check_dtypes(graph, chip)
    start = prepared(graph)
    templates: list[Template] = []
    dropped = _never_generated(start.graph)
    for key, case in enumerate(tiling_cases(start.graph)):
        try:
            nest = start.then(nest_steps(start.graph, case)).then(memory_steps(start.graph, chip))
        except ScheduleError as error:
            dropped.append(Dropped(name=case.name, tiling_key=key, reason=str(error)))
            continue
        phase = nest.finished(f"{graph.name}.{case.name}")
        templates.append(Template(name=case.name, tiling_key=key, graph_name=graph.name, phases=(phase,), axis_names=new_names(graph)))
    if not templates:
        raise ScheduleError("; ".join(d.reason for d in dropped) or "no template fits", where=graph.name)
    return Candidates(graph=graph, templates=tuple(templates), dropped=tuple(dropped))


def _never_generated(graph: Graph) -> list[Dropped]:
    reason = why_not_general(graph)
    return [Dropped(name="general", tiling_key=-1, reason=reason)] if reason else []
