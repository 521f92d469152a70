"""A second phase that knows only how many partial results there are is solved apart, and the whole is the best of all tilings."""

from __future__ import annotations

import pytest

from att.chips import load_chip
from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.model.bind import bind
from att.model.build import build_model
from att.model.options import ModelOptions
from att.ops.call import CostSet
from att.solve.base import SolveOptions, SolveStatus
from att.solve.link import linked
from att.solve.linked import solve_in_turn, solve_linked
from att.solve.outcome import outcome
from att.solve.registry import solver_named
from att.solve.run import run
from schedule.generate import schedule_graph
from tests.small_models import best_by_brute_force, tiny_cases

EXACT = ("cpsat", "enumerate")


def shared_sum(reduced, shape, cores=48, cost=CostSet.MENDED, **fixed):
    """The problem of a sum of x[m, n] in two phases."""
    sizes = (Size(name="m"), Size(name="n"))
    g = GraphBuilder("sum", {"a": sizes[0].symbol, "b": sizes[1].symbol}, sizes)
    g.store("y", g.op("Abs", g.reduce("Sum", g.load("x", ("a", "b")), reduced)))
    chip = load_chip("ascend910b1", cores=cores)
    template = next(t for t in schedule_graph(g.build(), chip).templates if t.name.startswith("r_split"))
    return bind(
        build_model(template, chip, ModelOptions(align_bytes=None, cost_set=cost)), dict(zip("mn", shape, strict=True)), fixed=fixed
    )


@pytest.mark.parametrize("cost", [CostSet.MENDED, CostSet.PUBLISHED])
@pytest.mark.parametrize(("reduced", "shape"), [("a", (7, 5)), ("a", (12, 3)), ("b", (2, 9)), ("b", (3, 7))])
def test_the_answer_is_the_best_of_all_tilings(reduced, shape, cost):
    problem = shared_sum(reduced, shape, cores=4, cost=cost)
    assert linked(problem) is not None
    (time, *_), _ = best_by_brute_force(problem)
    for name in EXACT:
        found = run(problem, name, SolveOptions())
        assert (found.status, found.objective_ticks, found.bound_ticks) == (SolveStatus.OPTIMAL, time, time)


@pytest.mark.parametrize(("reduced", "shape"), [("a", (8192, 333)), ("a", (16384, 1000)), ("b", (1, 10_000_000)), ("b", (4, 1_000_000))])
@pytest.mark.parametrize("cost", [CostSet.MENDED, CostSet.PUBLISHED])
def test_long_reduces_are_proven_and_both_solvers_agree(reduced, shape, cost):
    problem = shared_sum(reduced, shape, cost=cost)
    first, second = (run(problem, name, SolveOptions(work_limit=5.0)) for name in EXACT)
    assert first.status is second.status is SolveStatus.OPTIMAL
    assert (dict(first.tiling), first.objective_ticks) == (dict(second.tiling), second.objective_ticks)


def test_the_second_phase_uses_many_cores_for_one_row():
    problem = shared_sum("a", (16384, 4000))
    best = run(problem, "cpsat", SolveOptions())
    link = linked(problem)
    assert link.count_of(best.tiling) > 8
    assert -(-4000 // best.tiling["z1p1t_size"]) > 8


def test_nothing_is_returned_above_a_known_time():
    problem = shared_sum("a", (100, 9), cores=8)
    best = run(problem, "cpsat", SolveOptions())
    for name in EXACT:
        found = solve_linked(solver_named(name), linked(problem), SolveOptions(upper_bound_ticks=best.objective_ticks - 1), None)
        assert (found.status, found.bound_ticks) == (SolveStatus.TIMEOUT, best.objective_ticks)


def test_a_limit_leaves_a_sound_bound():
    problem = shared_sum("a", (8192, 333))
    best = run(problem, "enumerate", SolveOptions())
    found = run(problem, "cpsat", SolveOptions(work_limit=0.001))
    assert found.status is SolveStatus.FEASIBLE
    assert best.objective_ticks <= found.objective_ticks
    assert found.bound_ticks <= best.objective_ticks


def test_a_part_that_a_solver_cannot_read_is_no_matter_of_the_limit():
    class Refusing:
        name = "cpsat"
        exact = True

        def solve(self, *_):
            return outcome("cpsat", SolveStatus.UNSUPPORTED, note="its numbers are too large")

    result = solve_linked(Refusing(), linked(shared_sum("a", (4096, 16))), SolveOptions(), None)
    assert (result.status, result.note, result.tiling) == (SolveStatus.UNSUPPORTED, "its numbers are too large", None)


def test_fixed_variables_stay_fixed():
    problem = shared_sum("a", (1000, 9), z0t_size=7, z1p1t_size=2)
    for name in (*EXACT, "axis_sort", "descent"):
        found = run(problem, name, SolveOptions())
        assert (found.tiling["z0t_size"], found.tiling["z1p1t_size"]) == (7, 2)


def test_heuristics_solve_one_phase_after_the_other():
    problem = shared_sum("a", (16384, 1000))
    best = run(problem, "enumerate", SolveOptions())
    for name in ("axis_sort", "descent"):
        found = solve_in_turn(solver_named(name), linked(problem), SolveOptions())
        assert best.objective_ticks <= found.objective_ticks <= 1.05 * best.objective_ticks


def test_what_sees_more_of_the_first_phase_is_not_parted():
    model, shape = tiny_cases()["two_phases"]
    assert linked(bind(model, shape)) is None
