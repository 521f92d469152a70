"""The exact solvers against trying every tiling: same time, same tiling, same verdict."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from att.expr.core import integer, symbol
from att.model.bind import bind
from att.model.tiling import Divides, VarRole
from att.solve.base import SolveOptions, SolveStatus
from att.solve.registry import solver_named
from att.solve.run import run
from benchmarks import waist_models as waist
from tests.small_models import ORIGIN, best_by_brute_force, model_of, random_problems, tiny_cases

CASES = tiny_cases()
EXACT = ("cpsat", "enumerate")


@pytest.mark.parametrize("sharp", [False, True])
@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("case", sorted(CASES))
def test_the_answer_is_the_best_of_all_tilings(name, case, sharp):
    model, shape = CASES[case]
    problem = bind(model, shape)
    key, tiling = best_by_brute_force(problem)
    result = solver_named(name).solve(problem, SolveOptions(sharp=sharp))
    assert result.status is SolveStatus.OPTIMAL
    assert (result.objective_ticks, result.bound_ticks) == (key[0], key[0])
    assert dict(result.tiling) == tiling


@pytest.mark.parametrize("name", EXACT)
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(problem=random_problems())
def test_any_small_model_is_solved_as_by_brute_force(name, problem):
    best = best_by_brute_force(problem)
    result = solver_named(name).solve(problem, SolveOptions())
    if best is None:
        assert result.status is SolveStatus.INFEASIBLE
        return
    key, tiling = best
    assert result.status is SolveStatus.OPTIMAL
    assert result.objective_ticks == key[0]
    assert dict(result.tiling) == tiling


SHAPES = {
    "elementwise": {"Z": st.integers(1, 90)},
    "fused_rows": {"M": st.integers(1, 7), "N": st.integers(1, 40)},
    "reduce_rows": {"A": st.integers(1, 12), "R": st.integers(1, 40)},
    "three_tiles": {"X": st.integers(1, 8), "Y": st.integers(1, 9), "Z": st.integers(1, 9)},
    "two_phases": {"R": st.integers(1, 90)},
}


@pytest.mark.parametrize("case", sorted(SHAPES))
@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_both_solvers_agree_with_brute_force_at_any_shape(case, data):
    shape = {name: data.draw(sizes, label=name) for name, sizes in SHAPES[case].items()}
    problem = bind(CASES[case][0], shape)
    best = best_by_brute_force(problem)
    results = [run(problem, name, SolveOptions()) for name in EXACT]
    if best is None:
        assert {r.status for r in results} == {SolveStatus.INFEASIBLE}
    else:
        assert [(r.objective_ticks, dict(r.tiling)) for r in results] == [(best[0][0], best[1])] * 2


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize(("wide", "narrow"), [({"cores": 5}, {"cores": 2}), ({"ub_bytes": 12_000}, {"ub_bytes": 8800})])
def test_more_cores_or_more_ub_never_make_it_slower(name, wide, narrow):
    times = [run(bind(waist.elementwise(**limits), {"Z": 3000}), name, SolveOptions()).objective_ticks for limits in (wide, narrow)]
    assert times[0] <= times[1]


@pytest.mark.parametrize("case", waist.REALISTIC, ids=lambda c: c.name)
def test_both_solvers_return_one_tiling_at_real_sizes(case):
    problem = bind(case.model, case.shape)
    found = [run(problem, name, SolveOptions()) for name in (*EXACT, "axis_sort")]
    assert [r.status for r in found] == [SolveStatus.OPTIMAL, SolveStatus.OPTIMAL, SolveStatus.FEASIBLE]
    assert found[0].tiling == found[1].tiling
    assert found[0].objective_ticks == found[1].objective_ticks <= found[2].objective_ticks


@pytest.mark.parametrize("name", [*EXACT, "axis_sort"])
def test_what_intervals_refute_is_infeasible_for_every_solver(name):
    problem = bind(waist.impossible(), {"Z": 100})
    assert problem.contradiction.origin.family == "ub_capacity"
    result = solver_named(name).solve(problem, SolveOptions())
    assert result.status is SolveStatus.INFEASIBLE
    assert "unified buffer" in result.note
    assert run(problem, name, SolveOptions()).status is SolveStatus.INFEASIBLE


@pytest.mark.parametrize("name", EXACT)
def test_no_tiling_though_intervals_see_none_of_it_is_infeasible(name):
    x, y = symbol("x", 2, 9), symbol("y", 2, 9)
    rules = [Divides(divisor=integer(2), dividend=x + y + odd, origin=ORIGIN) for odd in (0, 1)]
    problem = bind(model_of([(x, VarRole.TILE), (y, VarRole.BLOCK)], rules, integer(0), [x + y]), {})
    assert problem.contradiction is None
    assert solver_named(name).solve(problem, SolveOptions()).status is SolveStatus.INFEASIBLE
