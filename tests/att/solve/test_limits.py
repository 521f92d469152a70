"""Limits, ceilings, fixed variables, threads and repeated runs: what an exact solver answers besides the optimum."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from att.model.bind import bind
from att.solve import cpsat
from att.solve import enumerate as enumerate_
from att.solve.base import SolveOptions, SolveStatus
from att.solve.cpsat import CpSatSolver
from att.solve.cpsat_model import FULL
from att.solve.registry import solver_named
from att.solve.run import run
from benchmarks import waist_models as waist
from tests.small_models import best_by_brute_force, tiny_cases

CASES = tiny_cases()
EXACT = ("cpsat", "enumerate")


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("limit", [0.0, 0.0005, 0.002])
def test_a_limit_leaves_a_true_bound(name, limit):
    problem = bind(waist.reduce_rows(), {"A": 4097, "R": 511})
    optimum = run(problem, "enumerate", SolveOptions()).objective_ticks
    result = run(problem, name, SolveOptions(work_limit=limit))
    assert result.status in (SolveStatus.FEASIBLE, SolveStatus.OPTIMAL)
    assert 0 < result.bound_ticks <= optimum <= result.objective_ticks
    if limit == 0.0:
        assert result.status is SolveStatus.FEASIBLE
        assert result.note


@pytest.mark.parametrize("name", EXACT)
def test_a_limit_without_a_start_leaves_a_bound_alone(name):
    problem = bind(waist.reduce_rows(), {"A": 4097, "R": 511})
    result = solver_named(name).solve(problem, SolveOptions(work_limit=0.0))
    assert result.status is SolveStatus.TIMEOUT
    assert result.tiling is None
    assert result.bound_ticks > 0


def test_open_boxes_count_against_the_limit_of_enumerate(monkeypatch):
    """A pool that grows in every round is sorted and copied in every round: the limit ends it, the same on every run, with a true bound."""
    problem = bind(waist.reduce_rows(), {"A": 4097, "R": 511})
    whole = run(problem, "enumerate", SolveOptions())
    monkeypatch.setattr(enumerate_, "_KEPT_PER_JUDGED", 0.001)
    first, second = (run(problem, "enumerate", SolveOptions(work_limit=whole.effort["boxes"] / 1e6)) for _ in range(2))
    assert first == second
    assert first.status is SolveStatus.FEASIBLE
    assert 0 < first.bound_ticks <= whole.objective_ticks
    assert first.effort["boxes"] < whole.effort["boxes"]


@pytest.mark.parametrize("name", EXACT)
def test_a_watchdog_that_has_expired_stops_the_search(name):
    problem = bind(waist.reduce_rows(), {"A": 4097, "R": 511})
    assert run(problem, name, SolveOptions(watchdog_s=0.0)).status is SolveStatus.FEASIBLE


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("off", [-1, 0, 1])
def test_a_ceiling_cuts_off_slower_tilings_and_no_others(name, off):
    model, shape = CASES["reduce_rows"]
    problem = bind(model, shape)
    key, tiling = best_by_brute_force(problem)
    result = solver_named(name).solve(problem, SolveOptions(upper_bound_ticks=key[0] + off))
    if off < 0:
        assert (result.status, result.bound_ticks, result.tiling) == (SolveStatus.TIMEOUT, key[0], None)
    else:
        assert (result.status, dict(result.tiling)) == (SolveStatus.OPTIMAL, tiling)


@pytest.mark.parametrize("name", EXACT)
def test_fixed_variables_stay_fixed(name):
    problem = bind(waist.elementwise(), {"Z": 4096}, fixed={"z0t_size": 512})
    result = run(problem, name, SolveOptions())
    assert result.tiling["z0t_size"] == 512
    assert result.objective_ticks > run(bind(waist.elementwise(), {"Z": 4096}), name, SolveOptions()).objective_ticks


RUN_ALL = """
import json, sys
from att.model.bind import bind
from att.solve.base import SolveOptions
from att.solve.run import run
from benchmarks import waist_models as waist
for name in ("cpsat", "enumerate", "axis_sort"):
    for model, shape in ((waist.fused_rows(), {"M": 48, "N": 3000}), (waist.reduce_rows(), {"A": 48, "R": 3000})):
        r = run(bind(model, shape), name, SolveOptions())
        print(name, r.status, dict(r.tiling), r.objective_ticks, r.bound_ticks, dict(r.effort), r.note)
"""


def test_answers_do_not_depend_on_the_hash_seed_or_the_run():
    outputs = [
        subprocess.run(
            [sys.executable, "-c", RUN_ALL], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("0", "1", "77")
    ]
    assert outputs[0].count("\n") == 6
    assert outputs[0] == outputs[1] == outputs[2]


def test_threads_do_not_disturb_each_other():
    problem = bind(waist.fused_rows(), {"M": 48, "N": 3000})
    alone = [run(problem, name, SolveOptions()) for name in EXACT]
    with ThreadPoolExecutor(max_workers=4) as pool:
        together = list(pool.map(lambda name: run(problem, name, SolveOptions()), EXACT * 4))
    assert together == alone * 4


def test_cp_sat_s_two_attempts_answer_as_one(monkeypatch):
    """Lean for a while, then in full from where the lean attempt got to."""
    problem = bind(waist.reduce_rows(), {"A": 4097, "R": 511})
    whole = CpSatSolver(technique=FULL).solve(problem, SolveOptions())
    monkeypatch.setattr(cpsat, "LEAN_LIMIT", 0.001)
    staged = CpSatSolver().solve(problem, SolveOptions())
    assert (staged.status, staged.tiling, staged.bound_ticks) == (SolveStatus.OPTIMAL, whole.tiling, whole.bound_ticks)
    assert staged.effort["solves"] > whole.effort["solves"]
    stopped = CpSatSolver().solve(problem, SolveOptions(work_limit=0.002, upper_bound_ticks=whole.objective_ticks))
    assert stopped.status in (SolveStatus.TIMEOUT, SolveStatus.FEASIBLE)
    assert stopped.bound_ticks <= whole.objective_ticks
