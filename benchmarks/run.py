"""Prints the numbers of the README: `python -m benchmarks.run [--only NAME] [--chips a,b] [--cost COST] [--json PATH]`.

Every template of every benchmark graph at every shape on every chip goes through CP-SAT, enumerate and the axis-sorting heuristic; then
the command itself is timed from a cold shell. Every template that is left open, or whose exact solvers differ, is named. The machine is
noisy: read medians and ratios, not single times.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

import att
from att.chips import load_chip
from att.model.options import ModelOptions
from att.ops.call import CostSet
from att.solve.base import SolveOptions
from benchmarks.cases import CHIPS, GraphCase, graph_cases
from benchmarks.make_graphs import FOLDER
from benchmarks.measure import Measurement, measure, timed
from hwmodels.model import Chip
from schedule.generate import schedule_graph

LIMITS = SolveOptions()
QUANTILE = 0.99


def main(argv: Sequence[str] | None = None) -> int:
    """Measures, prints the tables, writes JSON if asked. 1 if an optimum was not proven or two exact solvers disagree."""
    options = _arguments(argv)
    cases = list(graph_cases(options.only))
    model = ModelOptions(cost_set=CostSet(options.cost))
    console = Console(width=120)
    rows: list[Measurement] = []
    plans_ms: list[float] = []
    for name in options.chips.split(","):
        chip = load_chip(name)
        on_chip = _measure_all(cases, chip, model)
        timed_ms = [timed(lambda c=case, chip=chip: _plan(c, chip, options.cost))[1] for case in cases]
        console.print(_graph_table(name, on_chip))
        console.print(_summary_table(name, summarise(on_chip, timed_ms, {})))
        for row in on_chip:
            for fault in faults(row):
                print(f"{row.chip} {row.case} {row.template}: {fault}", flush=True)
        rows += on_chip
        plans_ms += timed_ms
    summary = summarise(rows, plans_ms, _shell_times() if not options.only else {})
    console.print(_summary_table(options.chips, summary))
    if options.json:
        Path(options.json).write_text(json.dumps({"summary": summary, "rows": [asdict(r) for r in rows]}, indent=1) + "\n")
    return 0 if summary["templates_not_optimal"] == 0 and summary["exact_disagreements"] == 0 else 1


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument("--only", default="", help="graphs whose file name contains this")
    parser.add_argument("--chips", default=CHIPS[0], help=f"names, or the benchmark set's: {','.join(CHIPS)}")
    parser.add_argument("--cost", default=CostSet.MENDED.value, choices=[CostSet.MENDED.value, CostSet.PUBLISHED.value])
    parser.add_argument("--json", help="also write every measurement here")
    return parser.parse_args(argv)


def _measure_all(cases: Sequence[GraphCase], chip: Chip, model: ModelOptions) -> list[Measurement]:
    measure_first = cases[:1]  # the first solve imports the solvers
    for case in measure_first:
        _measure_case(case, chip, model)
    console = Console(stderr=True)
    tracked = track(cases, description="solving", console=console, disable=not console.is_terminal)
    return [row for case in tracked for row in _measure_case(case, chip, model)]


def _measure_case(case: GraphCase, chip: Chip, model: ModelOptions) -> list[Measurement]:
    templates = schedule_graph(case.graph, chip).templates
    return [measure(case.label, template, case.shape, chip, model, LIMITS) for template in templates]


def _plan(case: GraphCase, chip: Chip, cost: str) -> None:
    try:
        att.solve(case.graph, chip=chip, shape=case.shape, cost=cost, cache=False)
    except att.InfeasibleError:
        return


def _shell_times() -> dict[str, float]:
    """Seconds from a cold shell, best of three."""
    sample = str(FOLDER / "softmax.static.json")
    command = [sys.executable, "-m", "att.cli.main"]
    return {
        "att_solve_s": _best_of_three([*command, "solve", sample, "--no-cache"]),
        "att_help_s": _best_of_three([*command, "--help"]),
        "import_att_s": _best_of_three([sys.executable, "-c", "import att"]) - _best_of_three([sys.executable, "-c", "pass"]),
    }


def _best_of_three(command: Sequence[str]) -> float:
    times: list[float] = []
    for _ in range(3):
        start_s = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - start_s)
    return round(min(times), 3)


def faults(row: Measurement) -> Iterator[str]:
    """What design §9 does not allow: no proof, exact solvers that differ, a heuristic that finds nothing where a tiling exists."""
    if row.status not in ("OPTIMAL", "INFEASIBLE"):
        yield f"cpsat says {row.status}"
    if row.same_tiling is None:
        yield f"enumerate says {row.enumerate_status}"
    if row.same_tiling is False:
        yield "cpsat and enumerate differ"
    if row.optimum_ticks is not None and row.heuristic_ticks is None:
        yield "axis_sort finds nothing"


def summarise(rows: Sequence[Measurement], plans_ms: Sequence[float], shell: dict[str, float]) -> dict[str, float]:
    """The numbers of design §9."""
    solved = [r for r in rows if r.status != "INFEASIBLE"]
    gaps = sorted(r.gap for r in solved if r.gap is not None)
    finished = [r for r in rows if r.same_tiling is not None]
    return {
        "templates": len(rows),
        "templates_infeasible": len(rows) - len(solved),
        "templates_not_optimal": sum(r.status != "OPTIMAL" for r in solved),
        "enumerate_finished": len(finished),
        "enumerate_unfinished": len(rows) - len(finished),
        "heuristic_finds_nothing": sum(r.optimum_ticks is not None and r.heuristic_ticks is None for r in rows),
        "exact_disagreements": sum(r.same_tiling is False for r in rows),
        "cpsat_median_ms": _median([r.cpsat_total_ms for r in rows]),
        "cpsat_p99_ms": _quantile([r.cpsat_total_ms for r in rows], QUANTILE),
        "enumerate_median_ms": _median([r.enumerate_ms for r in rows]),
        "enumerate_p99_ms": _quantile([r.enumerate_ms for r in rows], QUANTILE),
        "heuristic_median_ms": _median([r.heuristic_ms for r in rows]),
        "model_median_ms": _median([r.model_ms for r in rows]),
        "plan_median_ms": _median(plans_ms),
        "plan_max_ms": round(max(plans_ms, default=0.0), 1),
        "heuristic_optimal_fraction": round(sum(g == 0 for g in gaps) / max(1, len(gaps)), 3),
        "heuristic_gap_median_percent": round(100 * _quantile(gaps, 0.5), 3),
        "heuristic_gap_p95_percent": round(100 * _quantile(gaps, 0.95), 3),
        "heuristic_gap_max_percent": round(100 * max(gaps, default=0.0), 3),
        **shell,
    }


def _median(values: Sequence[float]) -> float:
    return round(statistics.median(values), 2) if values else 0.0


def _quantile(values: Sequence[float], fraction: float) -> float:
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(fraction * len(ordered)))], 5) if ordered else 0.0


def _graph_table(chip: str, rows: Sequence[Measurement]) -> Table:
    table = Table(title=f"{chip} by graph: times in ms, gap of the heuristic in percent of the optimum")
    for column in ("graph", "problems", "optimal", "enumerated", "cpsat median", "cpsat max", "enumerate median", "gap median", "gap max"):
        table.add_column(column, justify="left" if column == "graph" else "right")
    by_graph: dict[str, list[Measurement]] = {}
    for row in rows:
        by_graph.setdefault(row.case.split("[")[0], []).append(row)
    for graph, group in by_graph.items():
        gaps = [r.gap for r in group if r.gap is not None]
        table.add_row(
            graph,
            str(len(group)),
            str(sum(r.status == "OPTIMAL" for r in group)),
            str(sum(r.same_tiling is True for r in group)),
            f"{_median([r.cpsat_total_ms for r in group]):.1f}",
            f"{max(r.cpsat_total_ms for r in group):.1f}",
            f"{_median([r.enumerate_ms for r in group]):.1f}",
            f"{100 * _quantile(gaps, 0.5):.2f}",
            f"{100 * max(gaps, default=0.0):.2f}",
        )
    return table


def _summary_table(chips: str, summary: dict[str, float]) -> Table:
    table = Table(title=f"summary, {chips}")
    table.add_column("number")
    table.add_column("value", justify="right")
    for name, value in summary.items():
        table.add_row(name, str(value))
    return table


if __name__ == "__main__":
    sys.exit(main())
