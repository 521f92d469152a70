"""`att solve` on the sample graph and the toy chip: tables, plan JSON, exit codes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import benchmarks
from att.solve.plan import Plan

Run = Callable[..., Any]
TOY = ("--chip", "toy", "--ub-bytes", "131328")
AT_64 = ("--shape", "ks0=64", *TOY)


def test_solve_at_a_glance(run_att: Run, sample: Path) -> None:
    result = run_att("solve", sample, *AT_64)
    assert (result.code, result.err) == (0, "")
    for text in (
        "OPTIMAL: proven",
        "template",
        "purpose     tiles of z0 are shared among cores",
        "trigger     Max peak, Sum total over z1",
        "next best   ",
        "variables",
        "cores",
        "of 131,072 B",
        "µs modelled",
        "bottleneck",
        "MTE2 µs",
        "Templates",
        "(head)",
    ):
        assert text in result.out
    assert "\x1b" not in result.out
    assert max(map(len, result.out.splitlines())) <= 120


def test_solve_json_is_one_strict_document(run_att: Run, sample: Path, tmp_path: Path) -> None:
    result = run_att("solve", sample, *AT_64, "--json", "-o", tmp_path / "p.json")
    assert (result.code, result.err) == (0, "")
    plan = Plan.from_json(result.out)
    assert plan.status == "OPTIMAL"
    assert plan.graph == "softmax"
    assert plan.shape == {"ks0": 64}
    assert plan.gap == 0.0
    assert plan.bound_ticks == plan.makespan_ticks
    assert plan.ub_bytes is not None
    assert plan.ub_bytes <= plan.ub_capacity_bytes
    for phase in plan.phases:
        assert phase.makespan_ticks == phase.launch_ticks + phase.pipes.largest
    assert (tmp_path / "p.json").read_text() == result.out


def test_every_template_has_a_row(run_att: Run, sample: Path) -> None:
    scheduled = run_att("schedule", sample, *TOY, "--json").document
    rows = run_att("solve", sample, *AT_64, "--json").document["templates"]
    names = [t["template"] for t in (*scheduled["templates"], *scheduled["dropped"])]
    assert sorted(row["template"] for row in rows) == sorted(names)
    for row in rows:
        assert ("reason" in row) == (row["status"] in ("DROPPED", "PRUNED", "INFEASIBLE"))


def test_a_shape_that_is_too_large_does_not_cost_the_others_their_plan(run_att: Run, sample: Path) -> None:
    result = run_att("solve", sample, "--shapes", f"ks0={2**26 + 1}:64", *TOY, "--json")
    assert result.code == 2
    assert [plan["shape"]["ks0"] for plan in result.document] == [64]
    assert f"shape ks0={2**26 + 1}: softmax: tensor load has 68,719,477,760 elements at this shape" in result.err


def _refusing(monkeypatch: pytest.MonkeyPatch, *, heuristic: bool) -> None:
    from att.solve import select
    from att.solve.base import SolveStatus
    from att.solve.outcome import outcome

    refusal = outcome("cpsat", SolveStatus.UNSUPPORTED, note="its numbers are too large")
    monkeypatch.setattr(select, "run_until_proven", lambda *_: refusal)
    if not heuristic:
        monkeypatch.setattr(select, "starting_point", lambda _: None)


def test_a_solver_that_cannot_read_a_model_says_so(run_att: Run, sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _refusing(monkeypatch, heuristic=False)
    for command in ("solve", "explain"):
        result = run_att(command, sample, *AT_64, "--json")
        assert result.code == 2
        assert result.document["status"] == "UNSUPPORTED"
        assert "cpsat cannot read the models; " in result.err
        assert "full_load.z0: its numbers are too large" in result.err
        assert "--limit" not in result.err
        assert "take --solver enumerate" in result.err


def test_a_plan_that_a_solver_cannot_prove_is_no_matter_of_the_limit(run_att: Run, sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heuristic = run_att("solve", sample, *AT_64, "--solver", "axis_sort", "--json").document
    _refusing(monkeypatch, heuristic=True)
    result = run_att("solve", sample, *AT_64, "--json")
    assert (result.code, result.document["status"]) == (3, "FEASIBLE")
    assert (result.document["template"], result.document["variables"]) == (heuristic["template"], heuristic["variables"])
    assert "the plan is not proven optimal, cpsat cannot read every model; full_load.z0: its numbers are too large" in result.err
    assert "--limit" not in result.err


def test_several_shapes_and_graphs_make_a_list(run_att: Run, sample: Path) -> None:
    plans = run_att("solve", sample, "sample:softmax", "--shapes", "ks0=1:64", *TOY, "--json").document
    assert [(p["format"], p["shape"]["ks0"]) for p in plans] == [("plan", 1), ("plan", 64)] * 2
    alone = run_att("solve", sample, *AT_64, "--json").document
    assert {k: v for k, v in plans[1].items() if k != "timing"} == {k: v for k, v in alone.items() if k != "timing"}


def test_a_size_of_0_is_the_empty_plan(run_att: Run, sample: Path) -> None:
    result = run_att("solve", sample, "--shape", "ks0=0", "--json")
    assert result.code == 0
    plan = result.document
    expected = {"status": "OPTIMAL", "template": None, "block_dim": 1, "makespan_ticks": 0, "launch_ticks": 0, "gap": 0.0, "templates": []}
    assert {name: plan[name] for name in expected} == expected
    assert plan["pipes"] == {"MTE2": 0, "VEC": 0, "MTE3": 0}


def test_a_heuristic_plan_is_feasible_without_a_proof(run_att: Run, sample: Path) -> None:
    result = run_att("solve", sample, *AT_64, "--solver", "axis_sort", "--json")
    assert result.code == 0
    plan = result.document
    assert (plan["status"], plan["bound_ticks"], plan["gap"]) == ("FEASIBLE", None, None)


def test_exact_solvers_give_the_same_plan(run_att: Run, sample: Path) -> None:
    plans = [run_att("solve", sample, *AT_64, "--solver", solver, "--json").document for solver in ("cpsat", "enumerate")]
    for field in ("status", "template", "variables", "makespan_ticks", "bound_ticks", "pipes"):
        assert plans[0][field] == plans[1][field]


def test_fixing_a_variable_holds_it(run_att: Run, sample: Path) -> None:
    free = run_att("solve", sample, *AT_64, "--json").document
    name = next(name for name in free["variables"] if name.endswith("t_size"))
    fixed = run_att("solve", sample, *AT_64, "--fix", f"{name}=1", "--json").document
    assert fixed["variables"][name] == 1
    assert fixed["makespan_ticks"] >= free["makespan_ticks"]


def test_template_and_exclude_choose(run_att: Run, sample: Path) -> None:
    best = run_att("solve", sample, *AT_64, "--json").document["template"]
    only = run_att("solve", sample, *AT_64, "--template", best, "--json").document
    assert only["template"] == best
    others = [row for row in only["templates"] if row["template"] != best and row["status"] != "DROPPED"]
    assert all(f"left out by --template {best}" in row["reason"] for row in others)
    without = run_att("solve", sample, *AT_64, "--exclude", best, "--json")
    if without.code == 0:
        assert without.document["template"] != best
    else:
        assert "no template is left" in without.err


def test_a_limit_stops_with_exit_3(run_att: Run, sample: Path) -> None:
    result = run_att("solve", sample, "--shape", "ks0=100003", "--solver", "enumerate", "--limit", "1e-9", "--json")
    assert result.code == 3
    assert result.document["status"] in ("FEASIBLE", "TIMEOUT")
    assert "raise --limit" in result.err


def test_why_a_template_was_given_up_is_in_the_units_of_its_row(run_att: Run) -> None:
    graph = Path(benchmarks.__file__).with_name("graphs") / "add_col.dynamic.json"
    plan = run_att("solve", graph, "--shape", "ks0=512,ks1=333", "--json").document
    reasons = [row["reason"] for row in plan["templates"] if row["status"] == "PRUNED"]
    assert reasons
    for reason in reasons:
        assert "ticks" not in reason
        told_us = float(reason.removesuffix(" µs modelled").rsplit(" ", 1)[1])
        assert told_us >= round(plan["makespan_us"], 3)
