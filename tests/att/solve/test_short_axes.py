"""Axes of one or few elements: a tile that is as long as its axis is shorter than the smallest tile of another axis."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from att.chips import load_chip
from att.model.bind import bind
from att.model.build import build_model
from att.model.options import ModelOptions
from att.solve.base import SolveOptions, SolveStatus
from att.solve.run import run
from benchmarks.library import OPERATORS
from benchmarks.make_graphs import dynamic_graph
from schedule.generate import schedule_graph
from tests.moves import transposed

CHIP = load_chip("ascend910b1")
ORDERS = ("ba", "cba", "acb", "dcba")


@cache
def models(name):
    """The models of an operator of the benchmark, or of a Transpose by the order of its input's axes."""
    graph = transposed(name, "MNKL"[: len(name)]) if name in ORDERS else dynamic_graph(name)
    return tuple(build_model(t, CHIP, ModelOptions()) for t in schedule_graph(graph, CHIP).templates)


@pytest.mark.parametrize("name", [*OPERATORS, *ORDERS])
@settings(max_examples=5)
@given(data=st.data())
def test_the_heuristic_is_legal_wherever_anything_is(name, data):
    sizes = st.one_of(st.just(1), st.integers(1, 20))
    shape = {size.name: data.draw(sizes, size.name) for size in models(name)[0].sizes}
    for model in models(name):
        problem = bind(model, shape)
        for solver in ("axis_sort", "descent"):
            found = run(problem, solver, SolveOptions())
            assert found.tiling is not None or run(problem, "enumerate", SolveOptions()).status is SolveStatus.INFEASIBLE


@pytest.mark.parametrize("shape", [(17, 1), (1, 17), (8, 1), (1, 1), (3, 500)])
def test_a_transposed_tile_may_have_one_row(shape):
    """Tiles of one rank cannot be alike where one axis is shorter than what the other must have."""
    for model in models("ba"):
        problem = bind(model, dict(zip("MN", shape, strict=True)))
        best = run(problem, "enumerate", SolveOptions())
        assert best.status is SolveStatus.OPTIMAL
        assert run(problem, "cpsat", SolveOptions()).tiling == best.tiling
        assert run(problem, "axis_sort", SolveOptions()).objective_ticks <= 1.05 * best.objective_ticks
