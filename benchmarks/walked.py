"""Every optimum of the benchmark against the literal walk of its loop nest.

    python -m benchmarks.walked [--only NAME] [--chip CHIP] [--all]

For each template of each graph at each shape: the proven optimum by the mended prices, its modelled time, and the time of the slowest
core when every call of every core is priced with its actual sizes. The model must never promise less. It may exceed the walk by at most
what a tail tile costs more than a whole one, and only where rows are fused with the tiles of an axis: which core meets how many tails is
then bounded, not counted (design §5). `--all` prints every row, not only those that differ.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from att.chips import load_chip
from att.expr.core import Expr
from att.expr.evaluate import evaluate as value_of
from att.ir.graph import Template
from att.ir.loops import loop_nest
from att.model.bind import bind
from att.model.build import build_model
from att.model.evaluate import evaluate
from att.model.options import ModelOptions
from att.model.pipes import node_costs
from att.model.prices import Prices
from att.model.walk import walk
from att.ops.call import CostSet
from att.ops.spec import Costs
from att.solve.base import SolveOptions
from att.solve.run import run
from benchmarks.cases import GraphCase, graph_cases
from hwmodels.model import Chip
from schedule.generate import schedule_graph

LIMITS = SolveOptions()


@dataclass(frozen=True, slots=True, kw_only=True)
class Walked:
    """One optimum, modelled and walked, ticks."""

    case: str
    template: str
    model_ticks: int
    walk_ticks: int
    allowed_ticks: int
    """What the model may exceed the walk by."""

    @property
    def excess_ticks(self) -> int:
        """Model minus walk."""
        return self.model_ticks - self.walk_ticks

    @property
    def sound(self) -> bool:
        """Whether the model keeps its bound."""
        return 0 <= self.excess_ticks <= self.allowed_ticks


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the table. 1 if the model promises less than the walk, or exceeds its bound."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.walked", description=__doc__)
    parser.add_argument("--only", default="", help="graphs whose file name contains this")
    parser.add_argument("--chip", default="ascend910b1")
    parser.add_argument("--all", action="store_true", help="print every row")
    options = parser.parse_args(argv)
    chip = load_chip(options.chip)
    found = [row for case in graph_cases(options.only) for row in walked_case(case, chip)]
    console = Console(width=120)
    console.print(_table([row for row in found if options.all or row.excess_ticks], options.chip))
    console.print(summary(found))
    return int(not all(row.sound for row in found))


def walked_case(case: GraphCase, chip: Chip) -> Iterator[Walked]:
    """The optimum of every template that has one."""
    costs = Costs(chip=chip, cost_set=CostSet.MENDED)
    for template in schedule_graph(case.graph, chip).templates:
        problem = bind(build_model(template, chip, ModelOptions()), case.shape)
        tiling = run(problem, "enumerate", LIMITS).tiling
        if tiling is not None:
            walked = walk(template, case.shape, tiling, costs)
            values = {**case.shape, **tiling}
            yield Walked(
                case=case.label,
                template=template.name,
                model_ticks=evaluate(problem, tiling).objective_ticks,
                walk_ticks=sum(phase.makespan_ticks for phase in walked),
                allowed_ticks=allowed_excess(template, values, costs),
            )


def allowed_excess(template: Template, values: dict[str, int], costs: Costs) -> int:
    """Ticks that one tail tile may cost more than a whole one, on the pipe where that is most; 0 without fused rows."""
    most = 0
    for graph in template.phases:
        nest = loop_nest(graph)
        fused = nest.block is not None and nest.block.tile is not None and nest.block.fused != nest.block.tile.outer
        if fused:
            pairs = ([(n.full, n.tail) for n in nodes] for nodes in node_costs(graph, nest, Prices(costs)).values())
            most += max(_dearer_tail(pair, values) for pair in pairs)
    return most


def _dearer_tail(nodes: Sequence[tuple[Expr, Expr]], values: dict[str, int]) -> int:
    return max(0, sum(value_of(tail, values) - value_of(full, values) for full, tail in nodes))


def summary(found: Sequence[Walked]) -> str:
    """Counts, and the largest excess."""
    equal = sum(row.excess_ticks == 0 for row in found)
    below = sum(row.excess_ticks < 0 for row in found)
    worst = max((row.excess_ticks / row.walk_ticks for row in found), default=0.0)
    broken = sum(not row.sound for row in found)
    return f"{len(found)} optima: {equal} equal to the walk, {below} below it, largest excess {worst:.2%}; {broken} outside the bound"


def _table(rows: Sequence[Walked], chip: str) -> Table:
    table = Table(title=f"modelled and walked makespans of optima on {chip}, cycles")
    for column in ("case", "template", "model", "walk", "excess", "allowed"):
        table.add_column(column, justify="left" if column in {"case", "template"} else "right")
    for row in rows:
        cycles = (f"{ticks / 10**6:,.1f}" for ticks in (row.model_ticks, row.walk_ticks, row.excess_ticks, row.allowed_ticks))
        table.add_row(row.case, row.template, *cycles)
    return table


if __name__ == "__main__":
    sys.exit(main())
