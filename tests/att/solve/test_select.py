"""Choice among templates: one total order, whatever the order of the input; what cannot win is not solved to the end."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from att.model.bind import bind
from att.solve.base import SolveOptions, SolveStatus
from att.solve.bounds import lower_bound
from att.solve.run import run
from att.solve.select import select
from benchmarks import waist_models as waist

SHAPE = {"Z": 262_144}


def named(model, name, shape=None):
    return bind(replace(model, template=name), SHAPE if shape is None else shape)


FAST = named(waist.elementwise(), "fast")
TWIN = named(waist.elementwise(), "a_twin")
SLOW = named(waist.elementwise(vec_ops=60), "slow")
FEW_CORES = named(waist.elementwise(cores=1), "few_cores")
NONE = named(waist.impossible(), "none")


@pytest.mark.parametrize("solver", ["cpsat", "enumerate", "axis_sort"])
def test_the_best_does_not_depend_on_the_order(solver):
    problems = [SLOW, NONE, FAST, TWIN]
    seen = {
        (selection.best.problem.template, tuple(sorted(selection.best.result.tiling.items())), selection.status)
        for order in permutations(problems)
        if (selection := select(order, solver, SolveOptions()))
    }
    assert len(seen) == 1
    (name, _, status) = next(iter(seen))
    assert name == "a_twin"
    assert status is (SolveStatus.FEASIBLE if solver == "axis_sort" else SolveStatus.OPTIMAL)


@settings(max_examples=30)
@given(st.permutations(range(6)), st.lists(st.integers(0, 2), min_size=6, max_size=6), st.lists(st.integers(0, 2), min_size=6, max_size=6))
def test_the_order_of_the_templates_is_total(order, launches, buffers):
    """Time, then UB, then cores, then name, whatever the order of the candidates."""
    problems = [_variant(i, launch, buffer) for i, (launch, buffer) in enumerate(zip(launches, buffers, strict=True))]
    usual = select(problems, "axis_sort", SolveOptions()).best
    shuffled = select([problems[i] for i in order], "axis_sort", SolveOptions()).best
    assert shuffled.problem.template == usual.problem.template == min(zip(launches, buffers, "abcdef", strict=True))[2]


def _variant(place, launch, buffer):
    model = waist.elementwise(cores=1)
    phases = tuple(replace(p, launch=p.launch + launch, ub_bytes=p.ub_bytes + 32 * buffer) for p in model.phases)
    return named(replace(model, phases=phases), "abcdef"[place], {"Z": 500})


def test_rows_keep_the_order_of_the_input_and_say_what_became_of_each():
    selection = select([SLOW, NONE, FAST, FEW_CORES], "enumerate", SolveOptions())
    assert [r.problem.template for r in selection.rows] == ["slow", "none", "fast", "few_cores"]
    slow, none, fast, few = selection.rows
    assert (fast.result.status, fast.pruned) == (SolveStatus.OPTIMAL, False)
    assert (none.result.status, none.cost) == (SolveStatus.INFEASIBLE, None)
    assert "unified buffer" in none.reason
    best = fast.result.objective_ticks
    for row in (slow, few):
        assert row.pruned
        assert row.result.status is SolveStatus.FEASIBLE
        assert row.cost.objective_ticks >= row.result.bound_ticks > best
        assert row.ceiling_ticks >= best
    assert selection.bound_ticks == best


def _late(model):
    return replace(model, phases=tuple(replace(p, launch=p.launch + 2**64) for p in model.phases))


HUGE = named(_late(waist.elementwise()), "huge")
"""Its time is beyond what CP-SAT holds."""


def test_what_a_solver_cannot_read_is_said_and_the_heuristic_s_tiling_kept():
    (row,) = (selection := select([HUGE], "cpsat", SolveOptions())).rows
    assert row.result.status is SolveStatus.UNSUPPORTED
    assert "2^62" in row.reason
    assert selection.best is row
    assert selection.status is SolveStatus.FEASIBLE
    assert 2**64 < selection.bound_ticks <= row.cost.objective_ticks
    assert row.cost.objective_ticks == run(HUGE, "axis_sort", SolveOptions()).objective_ticks
    assert select([HUGE, FAST], "cpsat", SolveOptions()).status is SolveStatus.OPTIMAL
    (row,) = select([HUGE], "enumerate", SolveOptions()).rows
    assert row.result.status is SolveStatus.UNSUPPORTED
    assert "2^61" in row.reason


def test_without_a_tiling_the_status_says_what_is_missing(monkeypatch):
    monkeypatch.setattr("att.solve.select.starting_point", lambda _: None)
    assert select([HUGE], "cpsat", SolveOptions()).status is SolveStatus.UNSUPPORTED
    assert select([HUGE, NONE], "cpsat", SolveOptions()).status is SolveStatus.UNSUPPORTED
    assert select([HUGE, SLOW], "cpsat", SolveOptions(work_limit=0.0)).status is SolveStatus.TIMEOUT
    assert select([NONE], "cpsat", SolveOptions()).status is SolveStatus.INFEASIBLE


def test_a_bound_beyond_the_best_time_costs_no_search():
    selection = select([FAST, FEW_CORES], "cpsat", SolveOptions())
    fast, few = selection.rows
    assert lower_bound(FEW_CORES) > fast.result.objective_ticks
    assert few.result.bound_ticks == fast.result.objective_ticks + 1
    assert (few.result.effort["branches"], few.result.effort["conflicts"]) == (0, 0)


def test_pruning_changes_no_answer():
    problems = [SLOW, FAST, FEW_CORES]
    alone = {p.template: run(p, "enumerate", SolveOptions()) for p in problems}
    best = min(alone.values(), key=lambda r: r.objective_ticks)
    selection = select(problems, "enumerate", SolveOptions())
    assert selection.best.result.tiling == best.tiling
    for row in selection.rows:
        assert row.result.bound_ticks <= alone[row.problem.template].objective_ticks


def test_equal_times_are_decided_by_ub_then_cores_then_name():
    small, large = waist.two_phases(), waist.two_phases()
    smaller_ub = replace(small, phases=tuple(replace(p, ub_bytes=p.ub_bytes - 32) for p in small.phases))
    problems = [named(large, "a", {"R": 1000}), named(smaller_ub, "b", {"R": 1000})]
    assert select(problems, "cpsat", SolveOptions()).best.problem.template == "b"


def test_nothing_legal_is_infeasible_and_no_limit_is_hidden():
    assert select([NONE, named(waist.impossible(), "other")], "cpsat", SolveOptions()).status is SolveStatus.INFEASIBLE
    stopped = select([named(waist.reduce_rows(), "r", {"A": 4097, "R": 511})], "enumerate", SolveOptions(work_limit=0.0))
    assert stopped.status is SolveStatus.FEASIBLE
    assert stopped.bound_ticks < stopped.best.result.objective_ticks


def test_no_templates_at_all():
    selection = select([], "cpsat", SolveOptions())
    assert (selection.best, selection.bound_ticks, selection.rows) == (None, None, ())
