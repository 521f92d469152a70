"""The certificate against trying every tiling: it holds exactly at the optimum, and what refutes it is a real tiling."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from att.expr.core import integer, symbol
from att.formats.load import load
from att.model.bind import bind
from att.model.check import check
from att.model.evaluate import evaluate
from att.model.tiling import Leq
from att.solve.base import SolveOptions, SolveStatus
from att.solve.pipeline import cases
from att.solve.request import make_request
from att.solve.run import run
from att.verify.optimality import search_faster
from att.verify.prove import Limits
from tests.small_models import ORIGIN, best_by_brute_force, random_problems, tiny_cases

CASES = tiny_cases()
GRAPHS = Path(__file__).resolve().parents[3] / "benchmarks" / "graphs"
LIMITS = Limits(units=50_000_000, seconds=60.0)


def _verdict(problem, ticks, limits=LIMITS):
    found = search_faster(problem, ticks, limits)
    assert not (found.faster and found.open)
    return "refuted" if found.faster is not None else "open" if found.open else "proved"


@pytest.mark.parametrize("case", sorted(CASES))
def test_the_optimum_is_certified_and_one_tick_more_is_refuted(case):
    model, shape = CASES[case]
    problem = bind(model, shape)
    optimum = best_by_brute_force(problem)[0][0]
    assert _verdict(problem, optimum) == "proved"
    found = search_faster(problem, optimum + 1, LIMITS)
    assert check(problem, found.faster) == ()
    assert evaluate(problem, found.faster).objective_ticks == optimum


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(problem=random_problems())
def test_any_small_model_is_judged_as_by_brute_force(problem):
    best = best_by_brute_force(problem)
    if best is None:
        assert _verdict(problem, None) == "proved"
        return
    optimum = best[0][0]
    assert _verdict(problem, optimum) == "proved"
    assert _verdict(problem, optimum + 1) == "refuted"
    assert _verdict(problem, None) == "refuted"


SHAPES = {
    "elementwise": {"Z": st.integers(1, 90)},
    "fused_rows": {"M": st.integers(1, 7), "N": st.integers(1, 40)},
    "reduce_rows": {"A": st.integers(1, 12), "R": st.integers(1, 40)},
    "two_phases": {"R": st.integers(1, 90)},
}


@pytest.mark.parametrize("case", sorted(SHAPES))
@settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_the_optimum_of_any_shape_is_certified(case, data):
    shape = {name: data.draw(sizes) for name, sizes in SHAPES[case].items()}
    problem = bind(CASES[case][0], shape)
    best = best_by_brute_force(problem)
    if best is None:
        assert _verdict(problem, None) == "proved"
        return
    optimum = best[0][0]
    assert (_verdict(problem, optimum), _verdict(problem, optimum + 1)) == ("proved", "refuted")


@pytest.mark.parametrize(
    ("graph", "shape"),
    [
        ("add_row", {"ks0": 9, "ks1": 264}),
        ("softmax", {"ks0": 300, "ks1": 250}),
        ("amax_keep", {"ks0": 17, "ks1": 1000}),
        ("hc_post", {"ks0": 6, "ks1": 64}),
        ("hc_pre_tail", {"ks0": 9, "ks1": 256}),
    ],
)
def test_scheduled_templates_are_certified_at_their_optimum_and_nowhere_else(graph, shape):
    """One tick above the optimum that CP-SAT proves z3 finds a tiling of just that time: the encoding forbids nothing that is legal."""
    request = make_request(shape=shape, cores=6)
    (found,) = cases(load(GRAPHS / f"{graph}.dynamic.json"), request, (shape,))
    for posed in found.posed:
        result = run(posed.problem, "cpsat", SolveOptions())
        if result.status is SolveStatus.INFEASIBLE:
            assert _verdict(posed.problem, None) == "proved"
            continue
        assert result.status is SolveStatus.OPTIMAL
        assert _verdict(posed.problem, result.objective_ticks) == "proved"
        faster = search_faster(posed.problem, result.objective_ticks + 1, LIMITS).faster
        assert evaluate(posed.problem, faster).objective_ticks == result.objective_ticks


def test_a_slow_plan_is_refuted_by_a_faster_tiling():
    model, shape = CASES["fused_rows"]
    problem = bind(model, shape)
    slow = 2 * best_by_brute_force(problem)[0][0]
    found = search_faster(problem, slow, LIMITS)
    assert check(problem, found.faster) == ()
    assert evaluate(problem, found.faster).objective_ticks < slow


def test_nothing_legal_is_certified_too():
    model, shape = CASES["elementwise"]
    none = Leq(lhs=model.variables[0].symbol + 1, rhs=model.variables[0].symbol, origin=ORIGIN)
    problem = bind(replace(model, constraints=(*model.constraints, none)), shape)
    assert problem.contradiction is not None
    assert _verdict(problem, None) == "proved"


def test_what_intervals_settle_is_not_cut_by_cores():
    """Enough rows for every core: sharing them in two phases is ruled out whatever the tiling, so no pair of core counts is a case."""
    graph = load(GRAPHS / "amax_keep.dynamic.json")
    (case,) = cases(graph, make_request(chip="ascend910b1"), [{"ks0": 512, "ks1": 4096}])
    problem = next(posed.problem for posed in case.posed if posed.template.name == "r_split.z0.z1")
    found = search_faster(problem, None, LIMITS)
    assert (found.faster, found.open) == (None, ())
    assert found.effort["cases_by_intervals"] < 20


def test_binding_is_not_trusted():
    """A bound problem whose domains are wrong does not spoil the certificate: the claim is read from the model it came from."""
    model, shape = CASES["elementwise"]
    right = bind(model, shape)
    optimum = best_by_brute_force(right)[0][0]
    narrow = [replace(v, symbol=symbol(v.name, v.symbol.lo, v.symbol.lo, v.symbol.multiple)) for v in right.variables]
    wrong = replace(right, variables=tuple(narrow))
    assert _verdict(wrong, optimum) == "proved"
    assert _verdict(wrong, optimum + 1) == "refuted"


def test_a_limit_leaves_cases_and_says_which():
    model, shape = CASES["three_tiles"]
    problem = bind(model, shape)
    optimum = best_by_brute_force(problem)[0][0]
    found = search_faster(problem, optimum, Limits(units=1, seconds=60.0))
    assert found.faster is None
    assert found.open
    for case in found.open:
        assert {v.name for v in problem.variables} <= set(case.bounds)
        assert all(lo <= hi for lo, hi in case.bounds.values())


def test_a_fixed_variable_is_held():
    model, shape = CASES["elementwise"]
    free = best_by_brute_force(bind(model, shape))
    name = next(v.name for v in model.variables if v.name.endswith("t_size"))
    fixed = bind(model, shape, fixed={name: 8})
    optimum = best_by_brute_force(fixed)[0][0]
    assert optimum > free[0][0]
    assert _verdict(fixed, optimum) == "proved"


def test_the_effort_does_not_depend_on_the_run():
    model, shape = CASES["fused_rows"]
    problem = bind(model, shape)
    optimum = best_by_brute_force(problem)[0][0]
    assert search_faster(problem, optimum, LIMITS) == search_faster(problem, optimum, LIMITS)


def test_two_phases_share_what_is_left():
    """The sum over phases counts, not each phase alone."""
    model, shape = CASES["two_phases"]
    later = replace(model.phases[1], launch=model.phases[1].launch + integer(1_000_000))
    problem = bind(replace(model, phases=(model.phases[0], later)), shape)
    optimum = best_by_brute_force(problem)[0][0]
    assert (_verdict(problem, optimum), _verdict(problem, optimum + 1)) == ("proved", "refuted")
