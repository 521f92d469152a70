"""The iterative search: always legal, never better than the optimum, nearly always as good, and the same every time."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings

from att.chips import load_chip
from att.expr.core import integer, symbol
from att.model.bind import bind
from att.model.build import build_model
from att.model.check import check
from att.model.evaluate import evaluate
from att.model.options import ModelOptions
from att.model.tiling import Divides, Member, VarRole
from att.solve.base import SolveOptions, SolveStatus
from att.solve.descent import DescentSolver, descend
from att.solve.enumerate import EnumerateSolver
from benchmarks import waist_models as waist
from benchmarks.cases import graph_cases
from schedule.generate import schedule_graph
from tests.small_models import ORIGIN, best_by_brute_force, model_of, random_problems, tiny_cases

GRAPHS = ("amax_keep", "gelu", "softmax", "add_row", "hc_pre_tail")


def solve(problem, hint=None, **limits):
    return DescentSolver().solve(problem, SolveOptions(**limits), hint)


def optimum(problem):
    result = EnumerateSolver().solve(problem, SolveOptions())
    assert result.status is SolveStatus.OPTIMAL
    return result


@cache
def benchmark_gaps():
    """For every feasible template of some benchmark graphs how much slower than the optimum descent is."""
    chip = load_chip("ascend910b1")
    found = []
    for case in (case for name in GRAPHS for case in graph_cases(name)):
        for template in schedule_graph(case.graph, chip).templates:
            problem = bind(build_model(template, chip, ModelOptions()), case.shape)
            if problem.contradiction is None:
                best = optimum(problem).objective_ticks
                found.append(solve(problem).objective_ticks / best - 1)
    return found


@pytest.mark.parametrize("case", sorted(tiny_cases()))
def test_small_models_are_solved_to_the_optimum(case):
    model, shape = tiny_cases()[case]
    problem = bind(model, shape)
    result = solve(problem)
    key, tiling = best_by_brute_force(problem)
    assert (result.status, result.bound_ticks) == (SolveStatus.FEASIBLE, None)
    assert check(problem, result.tiling) == ()
    assert result.objective_ticks == evaluate(problem, result.tiling).objective_ticks == key[0]
    assert dict(result.tiling) == tiling


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(random_problems())
def test_it_finds_a_tiling_wherever_there_is_one(problem):
    best = best_by_brute_force(problem)
    result = solve(problem)
    if best is None:
        assert result.tiling is None
        return
    assert result.status is SolveStatus.FEASIBLE
    assert check(problem, result.tiling) == ()
    assert result.objective_ticks == evaluate(problem, result.tiling).objective_ticks >= best[0][0]


@pytest.mark.parametrize("case", waist.REALISTIC, ids=lambda case: case.name)
def test_models_of_real_kernels_are_solved_within_a_thousandth(case):
    """Measured: 21 of the 24 exactly, the worst 0.6 thousandths above the optimum."""
    problem = bind(case.model, case.shape)
    result = solve(problem)
    best = optimum(problem).objective_ticks
    assert check(problem, result.tiling) == ()
    assert best <= result.objective_ticks <= best * 1.001
    assert result.effort["evaluations"] < 3000


def test_benchmark_templates_are_solved_almost_always_to_the_optimum():
    """Measured: 108 of the 113 exactly, the worst (a chunked template) 5.4 % above the optimum."""
    gaps = benchmark_gaps()
    assert min(gaps) == 0
    assert sum(gap == 0 for gap in gaps) >= 0.9 * len(gaps)
    assert max(gaps) <= 0.055


def test_the_whole_axis_is_reached_though_it_is_no_multiple():
    problem = bind(waist.fused_rows(), {"M": 1009, "N": 1013})
    assert solve(problem).tiling["z1t_size"] == 1013 == optimum(problem).tiling["z1t_size"]


def test_tiles_keep_to_lists_and_divisors():
    model = waist.elementwise()
    tile = model.variables[0].symbol
    for rule in (
        Divides(divisor=tile, dividend=model.variables[0].upper, origin=ORIGIN),
        Member(var=tile.name, values=(8, 72, 1000), origin=ORIGIN),
    ):
        ruled = model_with(model, rule)
        problem = bind(ruled, {"Z": 90_000})
        result = solve(problem)
        assert check(problem, result.tiling) == ()
        assert result.objective_ticks == optimum(problem).objective_ticks


def model_with(model, constraint):
    return replace(model, constraints=(*model.constraints, constraint))


def test_fixed_variables_stay():
    problem = bind(waist.reduce_rows(), {"A": 4097, "R": 511}, fixed={"z0t_size": 20})
    result = solve(problem)
    assert result.tiling["z0t_size"] == 20
    assert result.objective_ticks == optimum(problem).objective_ticks


def test_a_hint_is_never_made_worse_and_a_bad_one_does_not_matter():
    problem = bind(waist.reduce_rows(), {"A": 8192, "R": 8192})
    best = optimum(problem)
    alone = solve(problem)
    assert alone.objective_ticks > best.objective_ticks, "the search alone does not find this one"
    assert dict(solve(problem, best.tiling).tiling) == dict(best.tiling)
    illegal = {v.name: v.symbol.hi for v in problem.variables}
    for hint in ({}, {"z0t_size": 1}, illegal, dict.fromkeys(illegal, 10**9)):
        result = solve(problem, hint)
        assert check(problem, result.tiling) == ()
        assert result.objective_ticks <= 1.01 * best.objective_ticks


def test_the_work_limit_counts_evaluations():
    problem = bind(waist.reduce_rows(), {"A": 8192, "R": 8192})
    whole = solve(problem)
    assert whole.note == ""
    spent = [solve(problem, work_limit=units) for units in (0.001, 0.1, 0.4, 60.0)]
    for units, result in zip((0.001, 0.1, 0.4), spent, strict=False):
        assert result.effort["evaluations"] <= 1000 * units + 100, "one ray may be finished"
        assert "limit reached" in result.note
        assert result.tiling is None or check(problem, result.tiling) == ()
    times = [result.objective_ticks for result in spent if result.objective_ticks is not None]
    assert times == sorted(times, reverse=True)
    assert spent[-1] == whole


def test_a_legal_hint_is_the_answer_when_nothing_may_be_tried():
    problem = bind(waist.reduce_rows(), {"A": 8192, "R": 8192})
    hint = optimum(problem).tiling
    result = solve(problem, hint, work_limit=0.001)
    assert (result.status, dict(result.tiling)) == (SolveStatus.FEASIBLE, dict(hint))
    assert "limit reached" in result.note


def test_a_watchdog_that_has_run_out_stops_the_walks():
    result = solve(bind(waist.reduce_rows(), {"A": 8192, "R": 8192}), watchdog_s=0.0)
    assert result.effort["moves"] == 0
    assert "limit reached" in result.note


def test_the_best_tilings_are_recorded_in_order():
    problem = bind(waist.fused_rows(), {"M": 1000, "N": 100_003})
    best = descend(problem, SolveOptions(), keep=8).best
    assert len({tuple(found.tiling.items()) for found in best}) == 8
    assert [found.ticks for found in best] == sorted(found.ticks for found in best)
    for found in best:
        assert check(problem, found.tiling) == ()
        assert found.ticks == evaluate(problem, found.tiling).objective_ticks
    assert dict(solve(problem).tiling) == dict(best[0].tiling)


def test_nothing_is_claimed_where_no_tiling_exists():
    refuted = bind(waist.impossible(), {"Z": 100})
    assert solve(refuted).status is SolveStatus.INFEASIBLE
    x = symbol("x", 1, 9)
    rules = [Divides(divisor=x, dividend=integer(7), origin=ORIGIN), Member(var="x", values=(2, 3), origin=ORIGIN)]
    y = symbol("y", 1, 9)
    odd_and_even = [Divides(divisor=integer(2), dividend=x + y + k, origin=ORIGIN) for k in (0, 1)]
    for unsolvable in (rules, odd_and_even):
        model = model_of([(x, VarRole.TILE), (y, VarRole.TILE)], unsolvable, integer(0), [x])
        result = solve(bind(model, {}))
        assert (result.status, result.tiling, result.bound_ticks) == (SolveStatus.TIMEOUT, None, None)
        assert result.note == "no legal tiling on any walk"


def test_the_answer_does_not_depend_on_the_hash_seed():
    code = (
        "from att.model.bind import bind; from att.solve.base import SolveOptions; from att.solve.descent import descend;"
        "from benchmarks.waist_models import reduce_rows;"
        "print(descend(bind(reduce_rows(), {'A': 8192, 'R': 8192}), SolveOptions()))"
    )
    texts = {_output(code, seed) for seed in ("0", "1", "77")}
    assert len(texts) == 1
    assert "z0t_size" in texts.pop()


def _output(code, seed):
    env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout
