"""docs/results.md: what `python -m benchmarks.run --write` measured, on one page."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Final

from benchmarks.measure import Measurement
from benchmarks.summary import by_graph, faults, median, quantile, summarise

PAGE: Final = Path(__file__).resolve().parents[1] / "docs" / "results.md"

_WORST: Final = 3


def page(rows: Sequence[Measurement], summary: Mapping[str, float]) -> str:
    """The page. `summary`: the numbers over all rows, with those of a cold shell."""
    chips = list(dict.fromkeys(row.chip for row in rows))
    lines = [
        "# Results",
        "",
        "Written by `python -m benchmarks.run --write`: every template of every benchmark graph (`benchmarks/graphs`) at every shape",
        "(`benchmarks/shapes.toml`) on four chips, prices `mended`. Kernel times are modelled, not measured. Times of solvers are of the",
        f"processor, {_versions()}.",
        "",
        "## Exact solvers",
        "",
        *_solver_table(chips, rows),
        "",
        *(_faults(rows) or ["Every template with a legal tiling is proven optimal, and both exact solvers return one tiling everywhere."]),
        "",
        "## Time",
        "",
        *_time_table(chips, rows),
        "",
        *_process_times(summary),
        "",
        "## The heuristic",
        "",
        "Gap: how much slower `axis_sort` is than the proven optimum of the same template.",
        "",
        *_heuristic_table(chips, rows),
        "",
        f"The {_WORST} graphs where it loses most:",
        "",
        *_worst(rows),
        "",
        "## By graph, all chips",
        "",
        *_graph_table(rows),
    ]
    return "\n".join(lines) + "\n"


def _versions() -> str:
    return f"Python {platform.python_version()}, ortools {version('ortools')}, {platform.system()} on {platform.machine()}"


def _rows_of(chips: Sequence[str], rows: Sequence[Measurement]) -> Iterator[tuple[str, list[Measurement]]]:
    yield from ((chip, [r for r in rows if r.chip == chip]) for chip in chips)
    yield "all", list(rows)


def _table(header: Sequence[str], lines: Iterator[tuple[object, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield f"|---|{'---:|' * (len(header) - 1)}"
    yield from (f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)


def _solver_table(chips: Sequence[str], rows: Sequence[Measurement]) -> Iterator[str]:
    header = ("chip", "templates", "without a legal tiling", "proven optimal", "enumerate finishes", "the same tiling")
    return _table(header, (_solver_line(chip, some) for chip, some in _rows_of(chips, rows)))


def _solver_line(chip: str, rows: Sequence[Measurement]) -> tuple[object, ...]:
    statuses = [row.status for row in rows]
    finished = sum(row.same_tiling is not None for row in rows)
    return chip, len(rows), statuses.count("INFEASIBLE"), statuses.count("OPTIMAL"), finished, sum(row.same_tiling is True for row in rows)


def _faults(rows: Sequence[Measurement]) -> list[str]:
    return [f"- {row.chip}, {row.case}, {row.template}: {fault}" for row in rows for fault in faults(row)]


def _time_table(chips: Sequence[str], rows: Sequence[Measurement]) -> Iterator[str]:
    header = ("milliseconds", "model", "CP-SAT, model included", "p99", "enumerate", "p99", "axis_sort", "p99")
    return _table(header, (_time_line(chip, some) for chip, some in _rows_of(chips, rows)))


def _time_line(chip: str, rows: Sequence[Measurement]) -> tuple[object, ...]:
    times = ([r.cpsat_total_ms for r in rows], [r.enumerate_ms for r in rows], [r.heuristic_ms for r in rows])
    cells = (text for some in times for text in (f"{median(some):.1f}", f"{quantile(some, 0.99):.0f}"))
    return chip, f"{median([r.model_ms for r in rows]):.1f}", *cells


def _process_times(summary: Mapping[str, float]) -> Iterator[str]:
    yield f"Medians but for the p99. Graph to solved plan, in process: median {summary['plan_median_ms']:.0f} ms,"
    yield f"slowest {summary['plan_max_ms']:.0f} ms. From a cold shell, on the clock on the wall:"
    yield f"`att solve` {summary['att_solve_s']:.2f} s, `att --help` {summary['att_help_s']:.2f} s,"
    yield f"`import att` {1000 * summary['import_att_s']:.0f} ms."


def _heuristic_table(chips: Sequence[str], rows: Sequence[Measurement]) -> Iterator[str]:
    header = ("chip", "templates", "exact", "median gap", "p95", "largest", "finds nothing", "tilings looked at, median", "most")
    return _table(header, (_heuristic_line(chip, some) for chip, some in _rows_of(chips, rows)))


def _heuristic_line(chip: str, rows: Sequence[Measurement]) -> tuple[object, ...]:
    solved = [row for row in rows if row.optimum_ticks is not None]
    numbers = summarise(solved, (), {})
    gaps = (f"{numbers[f'heuristic_gap_{name}_percent']:.2f} %" for name in ("median", "p95", "max"))
    looked_at = [row.evaluations for row in solved]
    exact, nothing = f"{100 * numbers['heuristic_optimal_fraction']:.1f} %", numbers["heuristic_finds_nothing"]
    return chip, len(solved), exact, *gaps, nothing, round(median(looked_at)), max(looked_at, default=0)


def worst(rows: Sequence[Measurement]) -> list[Measurement]:
    """The graphs where the heuristic loses most, each with its worst template, shape and chip; nothing found comes first."""
    lost = sorted((row for row in rows if row.reason), key=lambda row: (row.gap is not None, -(row.gap or 0.0)))
    first = {row.graph: row for row in reversed(lost)}
    return [row for row in lost if first[row.graph] is row][:_WORST]


def _worst(rows: Sequence[Measurement]) -> Iterator[str]:
    for number, row in enumerate(worst(rows), start=1):
        slower = "" if row.gap is None else f" {100 * row.gap:.2f} % slower,"
        yield f"{number}. {row.case} on {row.chip}, {row.template}:{slower} {row.reason}"


def _graph_table(rows: Sequence[Measurement]) -> Iterator[str]:
    header = ("graph", "templates", "proven optimal", "exact by `axis_sort`", "p95 gap", "largest gap")
    return _table(header, (graph_line(graph, some) for graph, some in by_graph(rows).items()))


def graph_line(graph: str, rows: Sequence[Measurement]) -> tuple[object, ...]:
    """The cells of one graph; the same on every machine."""
    gaps = [row.gap for row in rows if row.gap is not None]
    exact = sum(gap == 0 for gap in gaps)
    proven = sum(row.status == "OPTIMAL" for row in rows)
    return graph, len(rows), proven, exact, f"{100 * quantile(gaps, 0.95):.2f} %", f"{100 * max(gaps, default=0.0):.2f} %"
