"""What each technique of the CP-SAT backend is worth: `python -m benchmarks.ablation [--only NAME] [--every N] [--limit UNITS] [--write]`.

Every template of every benchmark graph at every shape is solved again with one technique switched off or changed; the variants take turns,
so that a busy machine slows all of them alike. Times are of the processor. What stops at the limit counts with its time, as not proven.
`--write` puts what was measured on docs/ablation.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from rich.console import Console
from rich.progress import track
from rich.table import Table

from att.chips import load_chip
from att.model.bind import bind
from att.model.build import build_model
from att.model.options import ModelOptions
from att.model.tiling import Problem
from att.solve.base import SolveOptions, SolveStatus
from att.solve.cpsat import CpSatSolver
from att.solve.cpsat_model import FULL, LEAN, Technique
from att.solve.run import Start, run_from, starting_point
from benchmarks.ablation_page import AGAIN, COLUMNS, LEAN_ALWAYS, PAGE, SHIPPED, Run, page, table_rows
from benchmarks.cases import graph_cases
from schedule.generate import schedule_graph

VARIANTS: Mapping[str, Technique | None] = {
    SHIPPED: None,
    "in full, always": FULL,
    LEAN_ALWAYS: LEAN,
    "lean without the cap on every node": replace(LEAN, cap=False),
    "lean without work cuts": replace(LEAN, work_cuts=False),
    "lean, products as they are": replace(LEAN, factored=False),
    "lean, CP-SAT's own branching": replace(LEAN, tiles_first=False),
    "lean without a hint": replace(LEAN, hint=False),
    "lean, linear relaxation level 1": replace(LEAN, linearization_level=1),
    "lean, probing level 2": replace(LEAN, probing_level=2),
    "lean with presolve, without a hint": replace(LEAN, hint=False, presolve_from=0),
}
"""Name to technique; None: in full if the work bound is compact, else lean for a while and then in full."""
NO_START = "as shipped, without the heuristic's start"


def main(argv: Sequence[str] | None = None) -> int:
    """Measures all variants and prints the table. 1 if the backend as shipped leaves a problem without a proof."""
    options = _arguments(argv)
    problems = _problems(options.only)[:: options.every]
    runs = _measured(problems, SolveOptions(work_limit=options.limit))
    Console(width=120).print(_table(runs, len(problems)))
    if options.write:
        PAGE.write_text(page(runs, _given(options)), encoding="utf-8")
    return int(not all(run.proven for run in runs[SHIPPED]))


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ablation", description=__doc__)
    parser.add_argument("--only", default="", help="graphs whose file name contains this")
    parser.add_argument("--every", type=int, default=1, help="only every so many problems")
    parser.add_argument("--limit", type=float, default=2.0, help="deterministic seconds per problem and variant")
    parser.add_argument("--write", action="store_true", help="write docs/ablation.md")
    return parser.parse_args(argv)


def _given(options: argparse.Namespace) -> str:
    only = f"--only {options.only} " if options.only else ""
    return f"{only}--every {options.every} --limit {options.limit:g} --write"


def _problems(only: str) -> list[Problem]:
    chip = load_chip("ascend910b1")
    bound = (
        bind(build_model(template, chip, ModelOptions()), case.shape)
        for case in graph_cases(only)
        for template in schedule_graph(case.graph, chip).templates
    )
    return [problem for problem in bound if problem.contradiction is None]


def _measured(problems: Sequence[Problem], limits: SolveOptions) -> dict[str, list[Run]]:
    _run(problems[0], None, limits, None)  # imports
    runs: dict[str, list[Run]] = {name: [] for name in (*VARIANTS, NO_START, AGAIN)}
    console = Console(stderr=True)
    for problem in track(problems, description="solving", console=console, disable=not console.is_terminal):
        start = starting_point(problem)
        for name, technique in VARIANTS.items():
            runs[name].append(_run(problem, technique, limits, start))
        runs[NO_START].append(_run(problem, None, limits, None))
        runs[AGAIN].append(_run(problem, None, limits, start))
    return runs


def _run(problem: Problem, technique: Technique | None, limits: SolveOptions, start: Start | None) -> Run:
    started_s = time.process_time()
    result = run_from(problem, CpSatSolver(technique=technique), limits, start)
    cpu_ms = (time.process_time() - started_s) * 1000
    return Run(cpu_ms=cpu_ms, proven=result.status in (SolveStatus.OPTIMAL, SolveStatus.INFEASIBLE))


def _table(runs: Mapping[str, Sequence[Run]], problems: int) -> Table:
    table = Table(title=f"CP-SAT on {problems} problems: time of each variant, ms, and of all together against the backend as shipped")
    for column in COLUMNS:
        table.add_column(column, justify="left" if column == "variant" else "right")
    for row in table_rows(runs):
        table.add_row(*row)
    return table


if __name__ == "__main__":
    sys.exit(main())
