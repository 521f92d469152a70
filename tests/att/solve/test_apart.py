"""Phases without a common variable are solved one by one, and the whole is the same as if they had been solved together."""

from __future__ import annotations

import pytest

from att.chips import load_chip
from att.model.bind import bind
from att.model.build import build_model
from att.model.evaluate import evaluate
from att.model.options import ModelOptions
from att.solve.apart import separated, solve_apart
from att.solve.base import SolveOptions, SolveStatus
from att.solve.registry import solver_named
from att.solve.run import run
from schedule.generate import schedule_graph
from tests.moves import joined
from tests.small_models import tiny_cases

CHIP = load_chip("ascend910b1")


def problem(lengths=(3, 5), tail=(7,)):
    graph = joined(lengths, rows=(), tail=tail)
    template = next(t for t in schedule_graph(graph, CHIP).templates if t.name.startswith("concat_parts"))
    return bind(build_model(template, CHIP, ModelOptions(align_bytes=None)), {})


@pytest.mark.parametrize("lengths", [(3, 5), (1, 9), (2, 2, 4)])
def test_the_sum_of_the_parts_is_the_whole(lengths):
    whole = problem(lengths)
    assert len(separated(whole)) == len(lengths)
    for name in ("cpsat", "enumerate"):
        solver = solver_named(name)
        together = solver.solve(whole, SolveOptions())
        apart = solve_apart(solver, whole, SolveOptions(), None)
        assert together.status is apart.status is SolveStatus.OPTIMAL
        assert together.objective_ticks == apart.objective_ticks == apart.bound_ticks
        assert together.tiling == apart.tiling


def test_what_shares_a_variable_stays_together():
    model, shape = tiny_cases()["two_phases"]
    whole = bind(model, shape)
    assert separated(whole) == (whole,)


def test_a_large_whole_is_proven():
    whole = problem((1000, 900), (3000,))
    found = run(whole, "cpsat", SolveOptions(work_limit=20))
    assert found.status is SolveStatus.OPTIMAL
    assert evaluate(whole, found.tiling).objective_ticks == found.objective_ticks


def test_nothing_is_returned_above_a_known_time():
    whole = problem()
    best = run(whole, "cpsat", SolveOptions())
    found = solve_apart(solver_named("cpsat"), whole, SolveOptions(upper_bound_ticks=best.objective_ticks - 1), None)
    assert found.status is SolveStatus.TIMEOUT
    assert found.bound_ticks == best.objective_ticks
    same = solve_apart(solver_named("cpsat"), whole, SolveOptions(upper_bound_ticks=best.objective_ticks), best.tiling)
    assert same.tiling == best.tiling


def test_fixed_variables_go_with_their_part():
    graph = joined((3, 5), rows=(), tail=(7,))
    template = next(t for t in schedule_graph(graph, CHIP).templates if t.name.startswith("concat_parts"))
    fixed = bind(build_model(template, CHIP, ModelOptions(align_bytes=None)), {}, fixed={"z1z3t_size": 4})
    assert [dict(part.fixed) for part in separated(fixed)] == [{"z1z3t_size": 4}, {}]
    assert run(fixed, "cpsat", SolveOptions()).tiling["z1z3t_size"] == 4
