"""How long the solvers take on hand-made models of real sizes: `python -m benchmarks.bench_solvers [--ablate]`.

Prints CPU time (the machine may be shared) and deterministic effort per problem, the heuristic included as `run` includes it.
`--ablate` switches off each technique of the CP-SAT backend in turn, and the work bound of enumerate.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from rich.console import Console
from rich.table import Table

from att.model.bind import bind
from att.model.tiling import Problem
from att.solve.base import SolveOptions, SolveResult, SolveStatus
from att.solve.cpsat import CpSatSolver
from att.solve.cpsat_model import FULL, LEAN
from att.solve.enumerate import EnumerateSolver
from att.solve.registry import solver_names
from att.solve.run import Start, run, run_from, starting_point
from benchmarks.waist_models import REALISTIC

REPEATS = 3
LIMITS = SolveOptions(work_limit=10.0)

ABLATIONS = {
    "cpsat": CpSatSolver(),
    "full": CpSatSolver(technique=FULL),
    "no cap": CpSatSolver(technique=replace(FULL, cap=False)),
    "no work bound (lean)": CpSatSolver(technique=LEAN),
    "no work cuts": CpSatSolver(technique=replace(FULL, work_cuts=False)),
    "hint": CpSatSolver(technique=replace(FULL, hint=True)),
    "CP-SAT's own branching": CpSatSolver(technique=replace(FULL, tiles_first=False)),
    "linearization 1": CpSatSolver(technique=replace(FULL, linearization_level=1)),
    "presolve": CpSatSolver(technique=replace(FULL, presolve_from=0)),
    "presolve with probing": CpSatSolver(technique=replace(FULL, presolve_from=0, probing_level=2, presolve_iterations=3)),
    "enumerate": EnumerateSolver(),
    "enumerate, no work bound": EnumerateSolver(relaxed=False),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the tables. 1 if an exact solver leaves a problem open or two of them disagree."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_solvers", description=__doc__)
    parser.add_argument("--ablate", action="store_true", help="switch off each technique in turn")
    options = parser.parse_args(argv)
    problems = {case.name: bind(case.model, case.shape) for case in REALISTIC}
    console = Console(width=150)
    if options.ablate:
        console.print(ablation_table(problems))
        return 0
    table, agree = solver_table(problems)
    console.print(table)
    return 0 if agree else 1


def solver_table(problems: dict[str, Problem]) -> tuple[Table, bool]:
    """One row per problem, and whether the exact solvers proved the same tiling everywhere."""
    names = solver_names()
    table = Table(
        "problem", "variables", *(f"{n}, ms" for n in names), "boxes", "gap of the heuristic", title="CPU time, heuristic included"
    )
    times: dict[str, list[float]] = {n: [] for n in names}
    agree = True
    for title, problem in problems.items():
        results: dict[str, SolveResult] = {}
        for name in names:
            results[name], ms = best_of(lambda n=name, p=problem: run(p, n, LIMITS))
            times[name].append(ms)
        exact, other, heuristic = (results[n] for n in ("cpsat", "enumerate", "axis_sort"))
        agree &= exact.status is other.status is SolveStatus.OPTIMAL and exact.tiling == other.tiling
        gap = 1 - (exact.objective_ticks or 0) / (heuristic.objective_ticks or 1)
        cells = [f"{times[n][-1]:.1f}" for n in names]
        table.add_row(title, str(len(problem.variables)), *cells, str(other.effort.get("boxes", "")), f"{gap:.2%}")
    for label, number in (("median", statistics.median), ("mean", statistics.mean), ("largest", max)):
        table.add_row(label, "", *(f"{number(times[n]):.1f}" for n in names), "", "", style="bold")
    return table, agree


def ablation_table(problems: dict[str, Problem]) -> Table:
    """One row per variant over all problems."""
    table = Table(
        "variant", "median, ms", "mean, ms", "largest, ms", "deterministic, ms", "boxes", "proven", title=f"{len(problems)} problems"
    )
    starts = {title: starting_point(problem) for title, problem in problems.items()}
    for label, solver in ABLATIONS.items():
        found = [best_of(lambda s=solver, p=p, t=starts[title]: _answer(s, p, t)) for title, p in problems.items()]
        times = [ms for _, ms in found]
        proven = sum(result.status is SolveStatus.OPTIMAL for result, _ in found)
        effort = sum(result.effort.get("deterministic_us", 0) for result, _ in found) / 1000
        boxes = sum(result.effort.get("boxes", 0) for result, _ in found)
        cells = [f"{number(times):.1f}" for number in (statistics.median, statistics.mean, max)]
        table.add_row(label, *cells, f"{effort:.0f}" if effort else "", str(boxes or ""), f"{proven}/{len(problems)}")
    return table


def _answer(solver: CpSatSolver | EnumerateSolver, problem: Problem, start: Start | None) -> SolveResult:
    return run_from(problem, solver, LIMITS, start)


def best_of(job: Callable[[], SolveResult]) -> tuple[SolveResult, float]:
    """The answer and the shortest CPU time of a few runs, milliseconds."""
    times: list[float] = []
    for _ in range(REPEATS):
        started = time.process_time()
        result = job()
        times.append((time.process_time() - started) * 1000)
    return result, min(times)


if __name__ == "__main__":
    raise SystemExit(main())
