"""The optimum on chips that have more or less of one thing: how much UB and cores are worth to a graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Final

from att.ir.graph import HintGraph, Template
from att.reasons.document import SensitivityRow
from att.solve.assemble import plan_graph
from att.solve.plan import Plan
from att.solve.request import Request
from hwmodels.model import Chip

FACTORS: Final = (Fraction(1, 2), Fraction(3, 4), Fraction(1), Fraction(4, 3), Fraction(2))
"""Of the chip's own number. 3/4 and 4/3 are the step between the 192 KB and 256 KB of real chips."""


def sensitivity(graph: HintGraph | Template, request: Request, plan: Plan) -> tuple[SensitivityRow, ...]:
    """One row for each chip: the best plan over all templates there; `plan` is that of the chip itself."""
    return tuple(_rows(graph, request, plan))


def _rows(graph: HintGraph | Template, request: Request, plan: Plan) -> Iterator[SensitivityRow]:
    for value in _values(request.chip.ub_bytes):
        if value > request.chip.ub_reserved_bytes:
            yield _row(graph, request, replace(request.chip, ub_bytes=value), plan, "ub_bytes", value)
    for value in _values(request.chip.vector_cores):
        yield _row(graph, request, replace(request.chip, vector_cores=value), plan, "cores", value)


def _values(own: int) -> list[int]:
    return sorted({int(own * factor) for factor in FACTORS} - {0})


def _row(graph: HintGraph | Template, request: Request, chip: Chip, plan: Plan, what: str, value: int) -> SensitivityRow:
    found = plan if chip == request.chip else plan_graph(graph, replace(request, chip=chip)).plan
    variables: Mapping[str, int] | None = found.variables
    change = None
    if plan.makespan_ticks and found.makespan_ticks is not None:
        change = (found.makespan_ticks - plan.makespan_ticks) / plan.makespan_ticks
    return SensitivityRow(
        what="ub_bytes" if what == "ub_bytes" else "cores",
        value=value,
        status=found.status,
        template=found.template,
        variables=variables,
        block_dim=found.block_dim,
        ub_bytes=found.ub_bytes,
        makespan_ticks=found.makespan_ticks,
        change=change,
    )
