"""What the pipeline objective changes: buffers, tilings and times against the bottleneck objective and the literal timeline.

    python -m benchmarks.objectives [--only NAME] [--chip CHIP] [--all]

For each template of each graph at each shape: the proven optimum by either objective (mended prices, `enumerate`); what the bottleneck's
tiling costs by the pipeline objective; the same optimum with two buffers everywhere; and, where a kernel has not too many calls, what
the timeline of its calls takes. `--all` prints every row.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from att.chips import load_chip
from att.expr.evaluate import evaluate as value_of
from att.ir.graph import HintGraph, Template
from att.ir.loops import loop_nest
from att.model.bind import bind
from att.model.build import build_model
from att.model.evaluate import evaluate
from att.model.options import ModelOptions, Objective
from att.model.tiling import Problem, Tiling, TilingModel, VarRole
from att.model.timeline import timeline
from att.ops.call import CostSet
from att.ops.spec import Costs
from att.solve.base import SolveOptions, SolveStatus
from att.solve.run import run
from benchmarks.cases import GraphCase, graph_cases
from hwmodels.model import Chip
from schedule.generate import schedule_graph

MOST_TURNS = 3000
"""Turns of all loops of all cores up to which a timeline is drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One template at one shape, ticks."""

    case: str
    template: str
    pipeline_ticks: int
    buffers: tuple[int, ...]
    double_ticks: int | None
    """The best with two buffers everywhere; None if that fits nowhere."""
    unaware_ticks: int | None
    """The bottleneck's tiling by the pipeline objective."""
    timeline_ticks: int | None


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the summary."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="NAME", default="", help="graphs whose name contains this")
    parser.add_argument("--chip", metavar="CHIP", default="ascend910b1")
    parser.add_argument("--all", action="store_true", help="print every row")
    options = parser.parse_args(argv)
    rows = [row for case in graph_cases(options.only) for row in _rows(case, load_chip(options.chip))]
    for row in rows if options.all else ():
        sys.stdout.write(f"{row}\n")
    sys.stdout.write("\n".join(_summary(rows)) + "\n")
    return 0


def _rows(case: GraphCase, chip: Chip) -> Iterator[Row]:
    if not isinstance(case.graph, HintGraph):
        return
    for template in schedule_graph(case.graph, chip).templates:
        model = build_model(template, chip, ModelOptions(objective=Objective.PIPELINE))
        plain = build_model(template, chip, ModelOptions())
        problem = bind(model, case.shape)
        best = _best(problem)
        if best is None:
            continue
        names = [v.name for v in model.variables if v.role is VarRole.BUFFER]
        two = dict.fromkeys(names, 2)
        double, unaware = _best(bind(model, case.shape, fixed=two)), _best(bind(plain, case.shape))
        yield Row(
            case=case.label,
            template=template.name,
            pipeline_ticks=_ticks(problem, best),
            buffers=tuple(best[name] for name in names),
            double_ticks=None if double is None else _ticks(problem, double),
            unaware_ticks=None if unaware is None else _ticks(problem, {**unaware, **two}),
            timeline_ticks=_literal(template, model, case, best, chip),
        )


def _best(problem: Problem) -> Tiling | None:
    result = run(problem, "enumerate", SolveOptions())
    return result.tiling if result.status is SolveStatus.OPTIMAL else None


def _ticks(problem: Problem, tiling: Tiling) -> int:
    return evaluate(problem, tiling).objective_ticks


def _literal(template: Template, model: TilingModel, case: GraphCase, tiling: Tiling, chip: Chip) -> int | None:
    known = {**case.shape, **tiling}
    turns = 0
    for graph in template.phases:
        nest = loop_nest(graph)
        inner = value_of(graph.axis_of[nest.inner[-1]].size, known) if nest.inner else 1
        turns += inner * (value_of(nest.block.count, known) if nest.block else 1)
    return timeline(template, case.shape, tiling, Costs(chip=chip, cost_set=CostSet(model.cost))) if turns <= MOST_TURNS else None


def _summary(rows: Sequence[Row]) -> Iterator[str]:
    one = [row for row in rows if 1 in row.buffers]
    faster = [row.double_ticks / row.pipeline_ticks for row in rows if row.double_ticks and row.double_ticks > row.pipeline_ticks]
    single = sum(row.double_ticks is None for row in rows)
    yield f"optima: {len(rows)}; one buffer in some queue: {len(one)}; only so does a tiling fit: {single}"
    yield f"faster than the best with two buffers everywhere: {len(faster)} {_spread(faster)}"
    yield f"the bottleneck's tiling over the optimum: {_spread([r.unaware_ticks / r.pipeline_ticks for r in rows if r.unaware_ticks])}"
    drawn = [row for row in rows if row.timeline_ticks]
    for name, kept in (
        ("two buffers", [r for r in drawn if 1 not in r.buffers]),
        ("one in some queue", [r for r in drawn if 1 in r.buffers]),
    ):
        ratios = [row.pipeline_ticks / row.timeline_ticks for row in kept if row.timeline_ticks]
        yield f"model over timeline, {name}: {len(kept)} {_spread(ratios)}"


def _spread(ratios: Sequence[float]) -> str:
    return f"(least {min(ratios):.3f}, median {median(ratios):.3f}, most {max(ratios):.3f})" if ratios else ""


if __name__ == "__main__":
    raise SystemExit(main())
