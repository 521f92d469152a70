"""Runs every kernel there is: `python -m benchmarks.kernel_sweep [FOLDER...]`.

All benchmark graphs and all graphs of the folders (default `../shared/data/hint_graphs`), every template, four shapes with odd tails (the
one shape of a static graph), the heuristic's tiling and random legal ones. Prints a line for each graph, what was wrong, and a summary;
exits with 1 if anything was.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

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
from benchmarks.make_graphs import dynamic_graph
from benchmarks.tilings import nasty_shapes, random_tilings
from codegen.driver import Built, Case, build, check_run, make_case
from hwmodels.model import Chip
from schedule.generate import schedule_graph

HINTS = Path(__file__).resolve().parents[2] / "shared" / "data" / "hint_graphs"


@dataclass(slots=True)
class Row:
    """What became of one graph."""

    name: str
    templates: int = 0
    runs: int = 0
    wrong: list[str] = field(default_factory=list[str])
    note: str = ""
    seconds: float = 0.0


def graphs(folders: Sequence[Path]) -> Iterator[tuple[str, HintGraph]]:
    """Benchmark graphs, then the files of the folders."""
    for name in OPERATORS:
        yield name, dynamic_graph(name)
    for folder in folders:
        for path in sorted(folder.glob("*.py")):
            loaded = load(path)
            if isinstance(loaded, HintGraph):
                yield path.stem, loaded


def sweep(name: str, graph: HintGraph, chip: Chip, tilings: int, cache: Path | None) -> Row:
    """All runs of one graph."""
    row, start = Row(name), time.perf_counter()
    costs = Costs(chip=chip, cost_set=CostSet.MENDED)
    try:
        templates = schedule_graph(graph, chip).templates
    except AttError as error:
        row.note = f"not scheduled: {error}"
        return row
    built = build(graph.name, templates, costs, cache)
    row.templates = len(templates)
    for shape in nasty_shapes(graph):
        case = make_case(graph, shape, seed=1)
        for template in templates:
            _run_template(row, built, case, template, tilings)
    row.seconds = time.perf_counter() - start
    return row


def _run_template(row: Row, built: Built, case: Case, template: Template, tilings: int) -> None:
    chip = built.costs.chip
    problem = bind(build_model(template, chip, ModelOptions()), case.shape)
    found = run(problem, "axis_sort", SolveOptions()).tiling
    chosen = [dict(found)] if found is not None else []
    free = bind(build_model(template, chip, ModelOptions(align_bytes=None)), case.shape)
    chosen += random_tilings(free, tilings, random.Random(f"{row.name} {template.name}"))
    for tiling in chosen:
        done = check_run(built, case, template, tiling)
        row.runs += 1
        if not done.ok:
            row.wrong.append(f"{template.name} {dict(case.shape)} {tiling}: {done.complaints()[0]}")


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, default=[HINTS])
    parser.add_argument("--chip", default="ascend910b1")
    parser.add_argument("--tilings", type=int, default=2, help="random tilings for each template and shape")
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--only", default="", help="graphs whose name contains this")
    args = parser.parse_args()
    chip = load_chip(args.chip)
    rows: list[Row] = []
    for name, graph in graphs(args.folders):
        if args.only not in name:
            continue
        row = sweep(name, graph, chip, args.tilings, args.cache)
        rows.append(row)
        print(
            f"{row.name:44} {row.templates:2} templates {row.runs:4} runs {len(row.wrong):3} wrong {row.seconds:7.1f} s {row.note}",
            flush=True,
        )
        for line in row.wrong[:3]:
            print(f"    {line}", flush=True)
    wrong = sum(len(row.wrong) for row in rows)
    print(f"{len(rows)} graphs, {sum(r.templates for r in rows)} templates, {sum(r.runs for r in rows)} runs, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
