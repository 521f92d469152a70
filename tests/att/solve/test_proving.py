"""Where one exact solver stops without a proof, the other is asked: who works when, and what is known if none proves."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from att.model.bind import bind
from att.solve import proving
from att.solve.base import SolveOptions, SolveStatus
from att.solve.outcome import outcome
from att.solve.proving import run_until_proven
from att.solve.registry import solver_named
from att.solve.run import run, starting_point
from benchmarks import waist_models as waist

PROBLEM = bind(waist.reduce_rows(), {"A": 4097, "R": 511})
OPTIMUM = run(PROBLEM, "enumerate", SolveOptions())
START = starting_point(PROBLEM)


@dataclass
class Stub:
    """A solver that gives prepared answers and keeps the options that it was called with."""

    name: str
    answers: list
    exact: bool = True
    seen: list = field(default_factory=list)

    def solve(self, problem, options, hint=None):
        self.seen.append(options)
        return self.answers.pop(0)


def stopped(name, bound):
    return outcome(name, SolveStatus.TIMEOUT, bound=bound, effort={"steps": 1}, note="limit reached")


def optimal(name):
    return outcome(name, SolveStatus.OPTIMAL, tiling=OPTIMUM.tiling, time=OPTIMUM.objective_ticks, bound=OPTIMUM.objective_ticks)


def pair(monkeypatch, first, second):
    stubs = Stub("cpsat", first), Stub("enumerate", second)
    monkeypatch.setattr(proving, "solver_named", lambda _: stubs[1])
    return stubs


def test_a_proof_of_the_first_is_the_answer(monkeypatch):
    cpsat, other = pair(monkeypatch, [optimal("cpsat")], [])
    assert run_until_proven(PROBLEM, cpsat, SolveOptions(), START).solver == "cpsat"
    assert [o.work_limit for o in cpsat.seen] == [proving.PATIENCE]
    assert not other.seen


def test_a_proof_of_the_second_is_the_answer_before_the_first_uses_up_its_limit(monkeypatch):
    cpsat, other = pair(monkeypatch, [stopped("cpsat", 1)], [optimal("enumerate")])
    result = run_until_proven(PROBLEM, cpsat, SolveOptions(), START)
    assert (result.solver, result.status, result.tiling) == ("enumerate", SolveStatus.OPTIMAL, OPTIMUM.tiling)
    assert result.effort == {"steps": 1}
    assert [o.work_limit for o in (*cpsat.seen, *other.seen)] == [proving.PATIENCE] * 2


@pytest.mark.parametrize(("limit", "works"), [(60.0, [1.0, 59.0]), (1.0, [1.0]), (0.25, [0.25]), (0.0, [0.0])])
def test_no_solver_works_more_than_its_limit_and_the_highest_bound_stays(monkeypatch, limit, works):
    cpsat, other = pair(monkeypatch, [stopped("cpsat", 3)] * 2, [stopped("enumerate", 7)] * 2)
    result = run_until_proven(PROBLEM, cpsat, SolveOptions(work_limit=limit), START)
    assert [o.work_limit for o in cpsat.seen] == [o.work_limit for o in other.seen] == works
    assert (result.status, result.bound_ticks, result.objective_ticks) == (SolveStatus.FEASIBLE, 7, START.ticks)
    assert result.effort == {"steps": 2 * len(works)}


def test_each_starts_from_the_best_tiling_so_far(monkeypatch):
    found = outcome("cpsat", SolveStatus.FEASIBLE, tiling=OPTIMUM.tiling, time=OPTIMUM.objective_ticks, bound=1)
    cpsat, other = pair(monkeypatch, [found], [stopped("enumerate", 2)])
    result = run_until_proven(PROBLEM, cpsat, SolveOptions(work_limit=0.5), None)
    assert other.seen[0].upper_bound_ticks == OPTIMUM.objective_ticks
    assert (result.tiling, result.bound_ticks) == (OPTIMUM.tiling, 2)


def test_that_nothing_is_fast_enough_is_a_proof_too(monkeypatch):
    cpsat, other = pair(monkeypatch, [stopped("cpsat", 6)], [])
    assert run_until_proven(PROBLEM, cpsat, SolveOptions(upper_bound_ticks=5), None).bound_ticks == 6
    assert not other.seen


def test_without_any_tiling_a_limit_says_more_than_a_refusal(monkeypatch):
    refusal = outcome("cpsat", SolveStatus.UNSUPPORTED, note="too large")
    cpsat, _ = pair(monkeypatch, [refusal], [stopped("enumerate", 7)])
    result = run_until_proven(PROBLEM, cpsat, SolveOptions(work_limit=0.5), None)
    assert (result.status, result.bound_ticks) == (SolveStatus.TIMEOUT, 7)


def test_enumerate_is_not_replaced():
    limits = SolveOptions(work_limit=1e-9)
    assert run_until_proven(PROBLEM, solver_named("enumerate"), limits, START) == run(PROBLEM, "enumerate", limits)
