"""The library: plain data in and out, AttError only, the same from any thread."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

import att
from att.errors import AttError, InfeasibleError, SolverTimeout, UsageError
from att.ir.graph import HintGraph, Template
from att.solve.no_tiling import no_tiling
from att.solve.plan import Plan, Timing

TOY: Any = {"chip": "toy", "ub_bytes": 131328}
NO_TIME = Timing(schedule_ms=0, model_ms=0, solve_ms=0)


@pytest.fixture(scope="module")
def graph() -> HintGraph:
    loaded = att.load("sample:softmax")
    assert isinstance(loaded, HintGraph)
    return loaded


@pytest.fixture(scope="module")
def plan(graph: HintGraph) -> Plan:
    return att.solve(graph, **TOY, shape={"ks0": 64})


def test_a_plan_reads_back(plan: Plan) -> None:
    assert plan.status == "OPTIMAL"
    assert Plan.from_json(plan.to_json()) == plan


def test_a_template_is_solved_as_it_is(graph: HintGraph, plan: Plan) -> None:
    templates = att.schedule(graph, **TOY).templates
    assert all(isinstance(t, Template) for t in templates)
    chosen = next(t for t in templates if t.name == plan.template)
    alone = att.solve(chosen, **TOY, shape={"ks0": 64})
    assert (alone.variables, alone.makespan_ticks, alone.template_hash) == (plan.variables, plan.makespan_ticks, plan.template_hash)


def test_nothing_that_fits_is_an_infeasible_error_with_a_reason_per_template(graph: HintGraph) -> None:
    with pytest.raises(InfeasibleError) as caught:
        att.solve(graph, chip="toy", ub_bytes=600, shape={"ks0": 64})
    assert caught.value.exit_code == 1
    assert caught.value.reasons
    assert all(reason in str(caught.value) for reason in caught.value.reasons)


def test_nothing_found_within_the_limit_is_an_error_of_its_own(plan: Plan) -> None:
    row = replace(plan.templates[0], status="TIMEOUT", reason="the limit came first")
    error = no_tiling(replace(plan, status="TIMEOUT", template=None, variables=None, templates=(row,)))
    assert isinstance(error, SolverTimeout)
    assert error.exit_code == 3
    assert f"{row.template}: the limit came first" in str(error)
    assert "raise --limit" in str(error)


def test_the_empty_plan_needs_no_range(graph: HintGraph) -> None:
    plan = att.solve(graph, shape={"ks0": 0})
    assert (plan.template, plan.block_dim, plan.makespan_ticks, plan.status) == (None, 1, 0, "OPTIMAL")


def test_a_narrower_range_gives_the_same_optimum(graph: HintGraph, plan: Plan) -> None:
    narrow = att.solve(graph, **TOY, shape={"ks0": 64}, ranges={"ks0": (16, 4096, 16)})
    assert narrow.makespan_ticks == plan.makespan_ticks


def test_tilings_are_judged_without_a_solver(graph: HintGraph, plan: Plan) -> None:
    given = att.evaluate_tiling(graph, dict(plan.variables or {}), template=plan.template, **TOY, shape={"ks0": 64})
    assert (given.status, given.makespan_ticks, given.solver) == ("FEASIBLE", plan.makespan_ticks, "given")
    assert att.check_plan(graph, plan, **TOY).violations == ()
    wrong = replace(plan, makespan_ticks=1)
    assert [v.subject for v in att.check_plan(graph, wrong, **TOY).violations] == ["makespan_ticks"]
    with pytest.raises(UsageError, match="the plan is for the chip toy"):
        att.check_plan(graph, plan)


def test_compare_reaches_pandas(graph: HintGraph) -> None:
    table = att.compare([graph], shapes=[{"ks0": 1}, {"ks0": 64}], solvers=["cpsat", "axis_sort"], **TOY).to_pandas()
    assert set(table["solver"]) == {"cpsat", "axis_sort"}
    assert (table.loc[table["status"] == "OPTIMAL", "gap_to_best"] == 0).all()


@pytest.mark.parametrize(
    "arguments",
    [
        {"solver": "simplex"},
        {"cost": "calibrated"},
        {"objective": "fastest"},
        {"align": "some"},
        {"align": 0},
        {"limit": -1.0},
        {"watchdog": float("nan")},
        {"chip": "none"},
        {"shape": {}},
        {"shape": {"ks0": -1}},
        {"ranges": {"ks0": (0, 5, 1)}},
        {"fix": {"nothing": 1}},
        {"fix": {"z0t_size": 1.5}},
        {"shape": {"ks0": 64.0}},
        {"shape": {"ks0": "64"}},
        {"shape": {"ks0": True}},
        {"ranges": {"ks0": (1, 5)}},
        {"exclude": "none"},
        {"template": "none"},
    ],
)
def test_bad_arguments_are_att_errors(graph: HintGraph, arguments: dict[str, object]) -> None:
    with pytest.raises(AttError) as caught:
        att.solve(graph, **{"shape": {"ks0": 64}, **arguments})  # pyright: ignore[reportArgumentType]
    assert caught.value.exit_code == 2


def test_any_integer_type_is_a_size(graph: HintGraph, plan: Plan) -> None:
    given = att.solve(graph, **TOY, shape={"ks0": np.int64(64)})
    assert replace(given, timing=plan.timing) == plan


@pytest.mark.parametrize("thing", ["softmax.json", None, 3])
def test_what_is_no_graph_is_a_usage_error(thing: Any) -> None:
    for function in (att.solve, att.schedule, lambda g: att.compare([g]), lambda g: att.evaluate_tiling(g, {})):
        with pytest.raises(UsageError, match="where a graph is expected"):
            function(thing)


def test_threads_get_what_one_thread_gets(graph: HintGraph) -> None:
    shapes = [{"ks0": n} for n in (1, 7, 64, 100)]

    def solved(shape: dict[str, int]) -> Plan:
        return replace(att.solve(graph, **TOY, shape=shape), timing=NO_TIME)

    alone = [solved(shape) for shape in shapes]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(solved, shapes * 2)) == alone * 2
