"""No answer is seen that the checker, the evaluator or a known tiling refutes; unknown solvers are refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from att.errors import BackendBug, UsageError
from att.model.bind import bind
from att.solve.axis_sort import AxisSortSolver
from att.solve.base import SolveOptions, SolveStatus
from att.solve.outcome import outcome
from att.solve.registry import solver_named, solver_names
from att.solve.run import run, run_from, starting_point
from benchmarks import waist_models as waist

PROBLEM = bind(waist.elementwise(), {"Z": 262_144})
START = starting_point(PROBLEM)
TRUE = run(PROBLEM, "enumerate", SolveOptions())


class Liar:
    """A solver that answers what it is told to."""

    name = "liar"
    exact = True

    def __init__(self, answer):
        self.answer = answer

    def solve(self, problem, options, hint=None):
        return self.answer


def claim(**changes):
    return replace(TRUE, solver="liar", **changes)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (claim(objective_ticks=TRUE.objective_ticks - 1, bound_ticks=TRUE.objective_ticks - 1), "the solver says"),
        (claim(tiling={**TRUE.tiling, "z0t_size": 23_528}), "not legal"),
        (claim(tiling={**TRUE.tiling, "z0t_size": 7711}), "not legal"),
        (claim(tiling={"z0t_size": 8}), "no value"),
        (claim(bound_ticks=TRUE.objective_ticks + 1), "bound"),
        (claim(bound_ticks=TRUE.objective_ticks - 1), "optimal at"),
        (claim(tiling=START.tiling, objective_ticks=START.ticks, bound_ticks=START.ticks + 1, status=SolveStatus.FEASIBLE), "bound"),
        (claim(tiling=START.tiling, objective_ticks=START.ticks - 1, bound_ticks=0, status=SolveStatus.FEASIBLE), "the solver says"),
        (claim(tiling=None), "without a tiling"),
        (outcome("liar", SolveStatus.INFEASIBLE), "is legal"),
        (outcome("liar", SolveStatus.TIMEOUT, bound=START.ticks + 2), None),
    ],
)
def test_a_lie_is_a_backend_bug(answer, reason):
    if reason is None:
        result = run_from(PROBLEM, Liar(answer), SolveOptions(), START)
        assert (result.status, result.objective_ticks, result.bound_ticks) == (SolveStatus.FEASIBLE, START.ticks, START.ticks)
        return
    with pytest.raises(BackendBug, match=reason) as caught:
        run_from(PROBLEM, Liar(answer), SolveOptions(), START)
    assert "elementwise" in str(caught.value)
    assert caught.value.exit_code == 4


def test_the_truth_passes():
    assert run_from(PROBLEM, Liar(claim()), SolveOptions(), START).tiling == TRUE.tiling


def test_a_worse_time_than_the_optimum_is_caught_by_its_own_bound():
    worse = claim(tiling=START.tiling, objective_ticks=START.ticks, bound_ticks=TRUE.objective_ticks, status=SolveStatus.FEASIBLE)
    assert run_from(PROBLEM, Liar(worse), SolveOptions(), START).bound_ticks == TRUE.objective_ticks


def test_a_known_time_of_another_template_leaves_the_start_and_a_bound():
    result = run(PROBLEM, "cpsat", SolveOptions(upper_bound_ticks=TRUE.objective_ticks - 1))
    assert (result.status, result.tiling) == (SolveStatus.FEASIBLE, START.tiling)
    assert result.bound_ticks == TRUE.objective_ticks


@pytest.mark.parametrize(
    ("lie", "reason"),
    [({"tiling": {**START.tiling, "z0t_size": 7711}}, "not legal"), ({"objective_ticks": START.ticks - 1}, "the solver says")],
)
def test_a_heuristic_that_errs_costs_the_start_and_not_the_plan(monkeypatch, lie, reason):
    """The warning is an error wherever a test does not expect it."""
    heuristic = replace(run(PROBLEM, "axis_sort", SolveOptions()), **lie)
    monkeypatch.setattr(AxisSortSolver, "solve", lambda *_: heuristic)
    with pytest.warns(RuntimeWarning, match=reason):
        assert starting_point(PROBLEM) is None
    with pytest.warns(RuntimeWarning, match="elementwise.*axis_sort"):
        assert run(PROBLEM, "enumerate", SolveOptions()).tiling == TRUE.tiling
    with pytest.raises(BackendBug, match=reason):
        run(PROBLEM, "axis_sort", SolveOptions())


def test_solvers_have_names():
    assert solver_names() == ("cpsat", "enumerate", "axis_sort", "descent")
    assert [solver_named(n).name for n in solver_names()] == list(solver_names())
    assert [solver_named(n).exact for n in solver_names()] == [True, True, False, False]


@pytest.mark.parametrize(("name", "reason"), [("simplex", "unknown solver simplex"), ("", "unknown solver")])
def test_other_names_are_refused(name, reason):
    with pytest.raises(UsageError, match=reason) as caught:
        run(PROBLEM, name, SolveOptions())
    assert "cpsat, enumerate, axis_sort, descent" in str(caught.value)
