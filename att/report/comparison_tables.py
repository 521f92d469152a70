"""The comparison of solvers for a person."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from rich.console import Group, RenderableType
from rich.text import Text

from att.report.comparison import Comparison
from att.report.console import assignments_text, heading, microseconds_text, percent_text, table
from att.report.plan import TIMES_ARE_MODELLED
from att.verify.rows import ComparisonRow

COLUMNS = ("template", "solver", "status", "makespan µs", "gap", "cores", "UB B", "wall ms", "variables")


def comparison_tables(comparison: Comparison, clock_mhz: int) -> RenderableType:
    """For every graph and shape a row per template and solver, then a summary per solver. The gap is to the proven optimum."""
    parts: list[RenderableType] = []
    for _, rows in groupby(comparison.rows, key=lambda row: (row.graph, sorted(row.shape.items()))):
        parts += [_problem(tuple(rows), clock_mhz), ""]
    return Group(*parts, _summary(comparison), "", *_worst(comparison), TIMES_ARE_MODELLED)


def _problem(rows: tuple[ComparisonRow, ...], clock_mhz: int) -> RenderableType:
    shape = assignments_text(rows[0].shape.items()) if rows[0].shape else "static"
    title = f"{rows[0].graph} on {rows[0].chip}, shape {shape} (modelled)"
    return table(title, COLUMNS, (_cells(row, clock_mhz) for row in rows), numbers=COLUMNS[3:8])


def _cells(row: ComparisonRow, clock_mhz: int) -> tuple[object, ...]:
    return (
        row.template,
        row.solver,
        row.status,
        microseconds_text(row.makespan_ticks, clock_mhz),
        percent_text(row.gap_to_best),
        row.block_dim,
        row.ub_bytes,
        f"{row.wall_ms:.1f}",
        assignments_text((row.variables or {}).items()),
    )


def _worst(comparison: Comparison) -> Iterator[RenderableType]:
    """For every solver that loses time anywhere the three graphs where it loses most, with the reason."""
    for solver in comparison.summary:
        rows = comparison.worst(solver)
        if rows:
            yield heading(f"Where {solver} loses most")
            yield from (Text(f"{number}. {_loss(row)}") for number, row in enumerate(rows, start=1))
            yield ""


def _loss(row: ComparisonRow) -> str:
    shape = assignments_text(row.shape.items()) if row.shape else "static"
    how_much = "" if row.gap_to_best is None else f" {percent_text(row.gap_to_best)} slower,"
    return f"{row.graph} on {row.chip}, shape {shape}, {row.template}:{how_much} {row.reason}"


def _summary(comparison: Comparison) -> RenderableType:
    columns = ("solver", "problems", "optimal", "median gap", "p95 gap", "max gap", "median wall ms", "p95 wall ms")
    rows = (
        (
            solver,
            s.count,
            s.optimal,
            *(percent_text(gap) for gap in (s.median_gap, s.p95_gap, s.max_gap)),
            f"{s.median_wall_ms:.1f}",
            f"{s.p95_wall_ms:.1f}",
        )
        for solver, s in comparison.summary.items()
    )
    return table("Summary (gap to the proven optimum of each template and shape)", columns, rows, numbers=columns[1:])
