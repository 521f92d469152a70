"""Matrices that are read in one order and written in the other, element by element: both exact solvers prove the same tiling.

Every tile of such a nest takes about the same time per element, and cores share the bandwidth of both transfers. Bounds that did not
know the work that cores wait for together left CP-SAT more than two minutes of search.
"""

from __future__ import annotations

import pytest

from att.chips import load_chip
from att.formats.builder import GraphBuilder
from att.ir.dtype import DType
from att.model.bind import bind
from att.model.build import build_model
from att.model.options import ModelOptions
from att.solve.base import SolveOptions, SolveStatus
from att.solve.bounds import lower_bound
from att.solve.run import run
from att.solve.select import select
from schedule.generate import schedule_graph
from tests.moves import transposed

LIMITS = {"cpsat": SolveOptions(work_limit=1.0), "enumerate": SolveOptions(work_limit=0.05)}


def read_across(order, sizes, dtype):
    """x lies in the axis order `order` and is stored as a, b, …, with no op between."""
    g = GraphBuilder(f"across_{order}", dict(zip("abc", sizes, strict=False)))
    g.store("y", g.load("x", tuple(order), dtype))
    return g.build()


def problems(graph, chip_name):
    chip = load_chip(chip_name)
    return [bind(build_model(t, chip, ModelOptions()), {}) for t in schedule_graph(graph, chip).templates]


@pytest.mark.parametrize(
    ("chip", "order", "sizes", "dtype"),
    [
        ("ascend910b1", "ba", (4096, 4096), DType.FLOAT32),
        ("ascend310p3", "ba", (32, 100_000), DType.FLOAT16),
        ("ascend950pr", "ba", (1009, 1013), DType.FLOAT32),
        ("ascend910b1", "acb", (64, 49, 768), DType.FLOAT16),
    ],
)
def test_both_exact_solvers_prove_one_tiling_of_every_template(chip, order, sizes, dtype):
    for graph in (read_across(order, sizes, dtype), transposed(order, sizes, dtype)):
        for problem in problems(graph, chip):
            first, second = (run(problem, name, limits) for name, limits in LIMITS.items())
            assert first.status in (SolveStatus.OPTIMAL, SolveStatus.INFEASIBLE)
            assert (first.status, first.objective_ticks, first.tiling) == (second.status, second.objective_ticks, second.tiling)


@pytest.mark.parametrize("chip", ["ascend910b1", "ascend310p3", "ascend950pr"])
def test_the_work_alone_bounds_the_time_closely(chip):
    for problem in problems(read_across("ba", (4096, 4096), DType.FLOAT32), chip):
        best = run(problem, "enumerate", LIMITS["enumerate"])
        if best.status is SolveStatus.OPTIMAL:
            assert 0.88 * best.objective_ticks <= lower_bound(problem) <= best.objective_ticks


def test_where_cp_sat_stops_the_choice_takes_the_proof_of_enumerate():
    limits = SolveOptions(work_limit=0.05)
    posed = problems(read_across("ba", (4096, 4096), DType.FLOAT32), "ascend910b1")
    stopped = [run(p, "cpsat", limits) for p in posed]
    assert SolveStatus.FEASIBLE in [r.status for r in stopped]
    chosen = select(posed, "cpsat", limits)
    assert chosen.status is SolveStatus.OPTIMAL
    assert chosen.best.result.solver == "enumerate"
    assert chosen.best.result.tiling == select(posed, "enumerate", SolveOptions()).best.result.tiling
