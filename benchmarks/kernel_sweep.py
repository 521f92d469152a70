"""Runs every kernel there is: `python -m benchmarks.kernel_sweep [FOLDER...]`.

All benchmark graphs, dynamic and static, and all graphs of the folders (default `../shared/data/hint_graphs`), every template, four shapes
with odd tails (the one shape of a static graph), the heuristic's tiling and random legal ones. Prints a line for each graph, what was
wrong, and a summary; exits with 1 if anything was.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from att.chips import load_chip
from att.errors import AttError
from att.formats.load import load
from att.ir.graph import HintGraph, Template
from att.model.bind import bind
from att.model.build import build_model
from att.model.options import ModelOptions
from att.ops.call import CostSet
from att.ops.spec import Costs
from att.solve.base import SolveOptions
from att.solve.run import run
from benchmarks.library import OPERATORS
from benchmarks.make_graphs import dynamic_graph, static_graph
from benchmarks.tilings import elements, nasty_shapes, random_tilings
from codegen.build import build_kernel
from codegen.driver import Built, Case, check_run, make_case
from codegen.entry import emit_kernel
from hwmodels.model import Chip
from schedule.generate import schedule_graph

HINTS = Path(__file__).resolve().parents[2] / "shared" / "data" / "hint_graphs"

HEURISTIC_ONLY_ABOVE = 50_000
"""Iteration space above which random tilings are left out: tiles of one element take minutes there."""
STATIC_MAX = 40_000_000
"""Largest iteration space of a static graph. Measured: a run and its reference take 30 to 110 bytes for each point of it, at the peak."""
EMISSION_BAR_MS, COMPILE_BAR_S = 50.0, 6.0


@dataclass(slots=True)
class Row:
    """What became of one graph."""

    name: str
    templates: int = 0
    shapes: int = 0
    runs: int = 0
    wrong: list[str] = field(default_factory=list[str])
    note: str = ""
    emission_ms: float | None = None
    """CPU time of emitting all templates."""
    compile_s: float | None = None
    """CPU time of g++ for all templates, linking included; None if the kernel came from the cache."""

    def text(self) -> str:
        """The line of the table."""
        emission = f"{self.emission_ms:6.0f}" if self.emission_ms is not None else f"{'-':>6}"
        compiled = f"{self.compile_s:6.1f}" if self.compile_s is not None else f"{'-':>6}"
        numbers = f"{self.templates:9} {self.shapes:6} {self.runs:5} {len(self.wrong):5} {emission:>11} {compiled:>9}"
        return f"{self.name:46} {numbers}  {self.note}".rstrip()


HEAD = f"{'graph':46} templates shapes  runs wrong emission ms compile s"


def graphs(folders: Sequence[Path]) -> Iterator[tuple[str, HintGraph]]:
    """Benchmark graphs, then the files of the folders."""
    for name in OPERATORS:
        yield f"{name} dynamic", dynamic_graph(name)
        yield f"{name} static", static_graph(name)
    for folder in folders:
        for path in sorted(folder.glob("*.py")):
            loaded = load(path)
            if isinstance(loaded, HintGraph):
                yield path.stem, loaded


def sweep(name: str, graph: HintGraph, chip: Chip, tilings: int, cache: Path) -> Row:
    """All runs of one graph."""
    row = Row(name)
    try:
        templates = schedule_graph(graph, chip).templates
    except AttError as error:
        row.note = f"not scheduled: {error}"
        return row
    row.templates = len(templates)
    built = _build(row, graph.name, templates, Costs(chip=chip, cost_set=CostSet.MENDED), cache)
    for shape in _shapes(row, graph):
        case = make_case(graph, shape, seed=1)
        row.shapes += 1
        for template in templates:
            _run_template(row, built, case, template, tilings if elements(graph, shape) <= HEURISTIC_ONLY_ABOVE else 0)
    if row.shapes and not row.runs:
        row.note = "compiled only: the heuristic finds no tiling that fits in UB"
    return row


def _shapes(row: Row, graph: HintGraph) -> Sequence[Mapping[str, int]]:
    if graph.sizes or elements(graph, {}) <= STATIC_MAX:
        return nasty_shapes(graph)
    row.note = f"compiled only: the reference of {elements(graph, {}):,} elements would take too much memory"
    return []


def _build(row: Row, graph_name: str, templates: Sequence[Template], costs: Costs, cache: Path) -> Built:
    """Emits and compiles; CPU times, because the machine may have other work."""
    start = time.process_time()
    kernel = emit_kernel(graph_name, templates, costs)
    row.emission_ms = 1000 * (time.process_time() - start)
    before = os.times()
    program = build_kernel(kernel, cache)
    after = os.times()
    if program.compiled:
        row.compile_s = after.children_user + after.children_system - before.children_user - before.children_system
    return Built(kernel=kernel, program=program, costs=costs)


def _run_template(row: Row, built: Built, case: Case, template: Template, tilings: int) -> None:
    chip = built.costs.chip
    problem = bind(build_model(template, chip, ModelOptions()), case.shape)
    found = run(problem, "axis_sort", SolveOptions()).tiling
    chosen = [dict(found)] if found is not None else []
    free = bind(build_model(template, chip, ModelOptions(align_bytes=None, few_rows=False)), case.shape)
    chosen += random_tilings(free, tilings, random.Random(f"{row.name} {template.name}")) if tilings else []
    for tiling in chosen:
        done = check_run(built, case, template, tiling)
        row.runs += 1
        if not done.ok:
            row.wrong.append(f"{template.name} {dict(case.shape)} {tiling}: {done.complaints()[0]}")


def _summary(rows: Sequence[Row]) -> Iterator[str]:
    wrong = sum(len(row.wrong) for row in rows)
    ran = sum(1 for row in rows if row.runs)
    yield f"{len(rows)} graphs, {ran} run, {sum(r.templates for r in rows)} templates, {sum(r.runs for r in rows)} runs, {wrong} wrong"
    for what, unit, bar, values in (
        ("emission of a graph", "ms", EMISSION_BAR_MS, [row.emission_ms for row in rows if row.emission_ms is not None]),
        ("compilation of a kernel", "s", COMPILE_BAR_S, [row.compile_s for row in rows if row.compile_s is not None]),
    ):
        if values:
            yield f"{what}: median {median(values):.2g} {unit}, largest {max(values):.2g} {unit} of CPU time; the bar is {bar:g} {unit}"


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, default=[HINTS])
    parser.add_argument("--chip", default="ascend910b1")
    parser.add_argument("--tilings", type=int, default=2, help="random tilings for each template and shape")
    parser.add_argument("--cache", type=Path, help="keep compiled kernels here; without it all are compiled, and timed")
    parser.add_argument("--only", default="", help="graphs whose name contains this")
    args = parser.parse_args()
    chip, rows = load_chip(args.chip), list[Row]()
    with tempfile.TemporaryDirectory(prefix="att-sweep-") as fresh:
        cache = args.cache or Path(fresh)
        sweep("warm up: compiles the CPU model", dynamic_graph("abs"), chip, 0, cache)
        print(HEAD)
        for name, graph in graphs(args.folders):
            if args.only in name:
                rows.append(sweep(name, graph, chip, args.tilings, cache))
                print(rows[-1].text(), *(f"    {line}" for line in rows[-1].wrong[:3]), sep="\n", flush=True)
    print(*_summary(rows), sep="\n")
    return 1 if any(row.wrong for row in rows) else 0


if __name__ == "__main__":
    raise SystemExit(main())
