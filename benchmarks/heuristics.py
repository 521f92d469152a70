"""How far the heuristics are from the optimum: `python -m benchmarks.heuristics [--only NAME] [--chip CHIP] [--cost COST]`.

Every template of every benchmark graph at every shape that has a proven optimum, by the number of its unknowns (variables with more than
one value). Times are of the processor, not of the clock on the wall: the machine may be busy.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from att.chips import load_chip
from att.model.bind import bind
from att.model.build import build_model
from att.model.options import ModelOptions
from att.model.tiling import Problem
from att.ops.call import CostSet
from att.solve.base import SolveOptions, SolveStatus
from att.solve.run import run
from benchmarks.cases import graph_cases
from hwmodels.model import Chip
from schedule.generate import schedule_graph

HEURISTICS = ("axis_sort", "descent")
LIMITS = SolveOptions()


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One heuristic on one problem."""

    solver: str
    unknowns: int
    gap: float
    """`ticks / optimum - 1`."""
    cpu_ms: float
    evaluations: int


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the distribution of the gaps. 1 if a heuristic found nothing where a tiling exists."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.heuristics", description=__doc__)
    parser.add_argument("--only", default="", help="graphs whose file name contains this")
    parser.add_argument("--chip", default="ascend910b1")
    parser.add_argument("--cost", default=CostSet.MENDED.value, choices=[CostSet.MENDED.value, CostSet.PUBLISHED.value])
    options = parser.parse_args(argv)
    rows = list(_rows(options.only, load_chip(options.chip), ModelOptions(cost_set=CostSet(options.cost))))
    Console(width=120).print(_table(rows))
    return int(any(row.gap == float("inf") for row in rows))


def _rows(only: str, chip: Chip, model: ModelOptions) -> Iterator[Row]:
    for problem in _problems(only, chip, model):
        exact = run(problem, "enumerate", LIMITS)
        if exact.status is SolveStatus.OPTIMAL and exact.objective_ticks is not None:
            yield from (_row(problem, solver, exact.objective_ticks) for solver in HEURISTICS)


def _problems(only: str, chip: Chip, model: ModelOptions) -> Iterator[Problem]:
    for case in graph_cases(only):
        for template in schedule_graph(case.graph, chip).templates:
            yield bind(build_model(template, chip, model), case.shape)


def _row(problem: Problem, solver: str, optimum_ticks: int) -> Row:
    start_s = time.process_time()
    result = run(problem, solver, LIMITS)
    cpu_ms = (time.process_time() - start_s) * 1000
    ticks = result.objective_ticks
    return Row(
        solver=solver,
        unknowns=sum(v.symbol.lo < v.symbol.hi for v in problem.variables),
        gap=float("inf") if ticks is None else ticks / optimum_ticks - 1,
        cpu_ms=cpu_ms,
        evaluations=result.effort["evaluations"],
    )


def _table(rows: Sequence[Row]) -> Table:
    table = Table(title="gap to the proven optimum, percent, by the number of unknowns")
    for column in ("solver", "unknowns", "problems", "optimal", "mean", "p90", "p95", "max", "median ms", "max ms", "tilings"):
        table.add_column(column, justify="left" if column == "solver" else "right")
    for solver in HEURISTICS:
        mine = [row for row in rows if row.solver == solver]
        for unknowns in sorted({row.unknowns for row in mine}):
            table.add_row(solver, str(unknowns), *_cells([row for row in mine if row.unknowns == unknowns]))
        table.add_row(solver, "all", *_cells(mine), end_section=True)
    return table


def _cells(rows: Sequence[Row]) -> Iterator[str]:
    gaps = sorted(100 * row.gap for row in rows)
    times = sorted(row.cpu_ms for row in rows)
    yield from (str(len(rows)), str(sum(gap == 0 for gap in gaps)), f"{sum(gaps) / max(1, len(gaps)):.3f}")
    yield from (f"{_quantile(gaps, fraction):.3f}" for fraction in (0.9, 0.95, 1.0))
    yield from (f"{_quantile(times, fraction):.1f}" for fraction in (0.5, 1.0))
    yield f"{_quantile(sorted(float(row.evaluations) for row in rows), 0.5):.0f}"


def _quantile(ordered: Sequence[float], fraction: float) -> float:
    return ordered[min(len(ordered) - 1, int(fraction * len(ordered)))] if ordered else 0.0


if __name__ == "__main__":
    sys.exit(main())
