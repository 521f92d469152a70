"""Prints the numbers of the README: `python -m benchmarks.run [--only NAME] [--chips a,b] [--cost COST] [--json PATH] [--write]`.

Every template of every benchmark graph at every shape on every chip goes through CP-SAT, enumerate and the axis-sorting heuristic; then
the command itself is timed from a cold shell. Every template that is left open, or whose exact solvers differ, is named. The machine is
noisy: times are of the processor, but for those of a cold shell. `--write` measures the four chips of the benchmark set and writes
docs/results.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
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
from benchmarks.results import PAGE, page
from benchmarks.summary import by_graph, faults, median, quantile, summarise
from hwmodels.model import Chip
from schedule.generate import schedule_graph

LIMITS = SolveOptions()


def main(argv: Sequence[str] | None = None) -> int:
    """Measures, prints the tables, writes JSON if asked. 1 if an optimum was not proven or two exact solvers disagree."""
    options = _arguments(argv)
    chips = CHIPS if options.write else options.chips.split(",")
    cases = list(graph_cases(options.only))
    model = ModelOptions(cost_set=CostSet(options.cost))
    console = Console(width=120)
    rows: list[Measurement] = []
    plans_ms: list[float] = []
    for name in chips:
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
    console.print(_summary_table(",".join(chips), summary))
    if options.write:
        PAGE.write_text(page(rows, summary), encoding="utf-8")
    if options.json:
        Path(options.json).write_text(json.dumps({"summary": summary, "rows": [asdict(r) for r in rows]}, indent=1) + "\n")
    return 0 if summary["templates_not_optimal"] == 0 and summary["exact_disagreements"] == 0 else 1


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument("--only", default="", help="graphs whose file name contains this")
    parser.add_argument("--chips", default=CHIPS[0], help=f"names, or the benchmark set's: {','.join(CHIPS)}")
    parser.add_argument("--cost", default=CostSet.MENDED.value, choices=[CostSet.MENDED.value, CostSet.PUBLISHED.value])
    parser.add_argument("--json", help="also write every measurement here")
    parser.add_argument("--write", action="store_true", help="write docs/results.md")
    options = parser.parse_args(argv)
    if options.write and (options.only or options.cost != CostSet.MENDED.value):
        parser.error("--write is for the whole set and the default prices")
    return options


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
    """Seconds from a cold shell, best of three: the first run leaves byte code for the others, as an installation has it."""
    sample = str(FOLDER / "softmax.static.json")
    command = [sys.executable, "-m", "att.cli.main"]
    return {
        "att_solve_s": _best_of_three([*command, "solve", sample, "--no-cache"]),
        "att_help_s": _best_of_three([*command, "--help"]),
        "import_att_s": _import_s(),
    }


def _best_of_three(command: Sequence[str]) -> float:
    times: list[float] = []
    for _ in range(3):
        start_s = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=_keeping_byte_code())
        times.append(time.perf_counter() - start_s)
    return round(min(times), 3)


def _import_s() -> float:
    """Seconds of `import att` inside a fresh interpreter, best of three."""
    timed = "import time; start_s = time.perf_counter(); import att; print(time.perf_counter() - start_s)"
    command = [sys.executable, "-c", timed]
    runs = (subprocess.run(command, check=True, capture_output=True, text=True, env=_keeping_byte_code()) for _ in range(3))
    return round(min(float(run.stdout) for run in runs), 4)


def _keeping_byte_code() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _graph_table(chip: str, rows: Sequence[Measurement]) -> Table:
    table = Table(title=f"{chip} by graph: times in ms, gap of the heuristic in percent of the optimum")
    for column in ("graph", "problems", "optimal", "enumerated", "cpsat median", "cpsat max", "enumerate median", "gap median", "gap max"):
        table.add_column(column, justify="left" if column == "graph" else "right")
    for graph, group in by_graph(rows).items():
        gaps = [r.gap for r in group if r.gap is not None]
        table.add_row(
            graph,
            str(len(group)),
            str(sum(r.status == "OPTIMAL" for r in group)),
            str(sum(r.same_tiling is True for r in group)),
            f"{median([r.cpsat_total_ms for r in group]):.1f}",
            f"{max(r.cpsat_total_ms for r in group):.1f}",
            f"{median([r.enumerate_ms for r in group]):.1f}",
            f"{100 * quantile(gaps, 0.5):.2f}",
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
