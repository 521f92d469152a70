"""The exact solvers agree on templates that move values, at odd shapes and realistic ones."""

from __future__ import annotations

import pytest

from att.chips import load_chip
from att.model.bind import bind
from att.model.build import build_model
from att.model.options import ModelOptions
from att.solve.base import SolveOptions, SolveStatus
from att.solve.run import run
from schedule.generate import schedule_graph
from tests.moves import joined, picked, rows_picked, transposed

CHIP = load_chip("ascend910b1")
GRAPHS = {
    "transpose": transposed("ba", (37, 53)),
    "batched transpose": transposed("acb", (6, 128, 64), added=True),
    "concat": joined((3, 5), rows=(16,)),
    "gather": picked((7, 30), (19,)),
    "embedding": rows_picked(1000, (64,), (256,), scaled=True),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_both_exact_solvers_return_the_same_tiling(name):
    for template in schedule_graph(GRAPHS[name], CHIP).templates:
        problem = bind(build_model(template, CHIP, ModelOptions()), {})
        first, second = (run(problem, solver, SolveOptions()) for solver in ("cpsat", "enumerate"))
        assert first.status is second.status
        assert first.status in (SolveStatus.OPTIMAL, SolveStatus.INFEASIBLE)
        assert first.tiling == second.tiling, template.name
