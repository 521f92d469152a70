"""Small matrices of public reports: how many cores the proven optimum takes, and that no other number of cores is faster.

The reference is reported to end on 3 of 48 cores for [64,512] float32 and on 10 for [48,4096] float16. On arch 2201 every core costs 300
cycles to start (att_facts §6), so few cores are right, but not those: 6 and 9. On arch 3510 cores cost nothing: all of them work.
"""

from __future__ import annotations

import pytest

from att.chips import load_chip
from att.formats.builder import GraphBuilder
from att.ir.dtype import DType
from att.model.bind import bind
from att.model.build import build_model
from att.model.check import check
from att.model.evaluate import evaluate
from att.model.options import ModelOptions
from att.solve.base import SolveOptions, SolveStatus
from att.solve.select import select
from schedule.generate import schedule_graph

SMALL, WIDE = ((64, 512), DType.FLOAT32), ((48, 4096), DType.FLOAT16)
CASES = [
    ("ascend910b1", SMALL, 6, 3),
    ("ascend910b1", WIDE, 9, 10),
    ("ascend310p3", SMALL, 6, 3),
    ("ascend950pr", SMALL, 64, 3),
    ("ascend950pr", WIDE, 64, 10),
]


def _problems(chip, sizes, dtype):
    known = load_chip(chip)
    g = GraphBuilder("small", dict(zip("mn", sizes, strict=True)))
    g.store("y", g.op("Abs", g.load("x", ("m", "n"), dtype)))
    return [bind(build_model(t, known, ModelOptions()), {}) for t in schedule_graph(g.build(), known).templates]


@pytest.mark.parametrize(("chip", "matrix", "cores", "badly"), CASES)
def test_the_optimum_takes_the_cores_that_pay(chip, matrix, cores, badly):
    problems = _problems(chip, *matrix)
    exact = select(problems, "enumerate", SolveOptions())
    assert exact.status is SolveStatus.OPTIMAL
    assert exact.best.cost.block_dim == cores
    for solver in ("cpsat", "axis_sort", "descent"):
        assert select(problems, solver, SolveOptions()).best.result.tiling == exact.best.result.tiling
    times = _times_by_cores(exact.best.problem, matrix)
    assert min(times.values()) >= exact.best.cost.objective_ticks
    assert times[badly] > exact.best.cost.objective_ticks


def _times_by_cores(problem, matrix):
    """Ticks with one tile on each of so many cores, where that is legal, by cores."""
    (m, n), dtype = matrix
    step, found = 32 // dtype.bytes, {}
    for cores in range(1, 65):
        tiling = {"z0z1t_size": -(-m * n // cores // step) * step, "z0z1Tb_size": 1}
        if not check(problem, tiling):
            cost = evaluate(problem, tiling)
            found[cost.block_dim] = cost.objective_ticks
    return found
