"""`att check` and `att evaluate`: one tiling judged without a solver."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
TOY = ("--chip", "toy", "--ub-bytes", "131328")
AT_64 = ("--shape", "ks0=64", *TOY)


@pytest.fixture
def plan_file(run_att: Run, sample: Path, tmp_path: Path) -> Path:
    """A proven plan of the sample."""
    path = tmp_path / "plan.json"
    assert run_att("solve", sample, *AT_64, "-o", path).code == 0
    return path


def test_check_accepts_its_own_plan(run_att: Run, sample: Path, plan_file: Path) -> None:
    result = run_att("check", sample, plan_file, *TOY, "--json")
    assert (result.code, result.err) == (0, "")
    solved, checked = json.loads(plan_file.read_text()), result.document
    assert (checked["status"], checked["violations"]) == ("FEASIBLE", [])
    for field in ("variables", "makespan_ticks", "pipes", "phases", "ub_bytes", "template_hash"):
        assert checked[field] == solved[field]


@pytest.mark.parametrize(
    ("field", "value", "subject"),
    [
        ("makespan_ticks", 1, "makespan_ticks"),
        ("ub_bytes", 1, "ub_bytes"),
        ("block_dim", 77, "block_dim"),
        ("bound_ticks", 10**15, "bound_ticks"),
        ("bound_ticks", 1, "status"),
        ("status", "INFEASIBLE", "status"),
    ],
)
def test_check_finds_a_wrong_number(run_att: Run, sample: Path, plan_file: Path, field: str, value: object, subject: str) -> None:
    document = json.loads(plan_file.read_text())
    document[field] = value
    plan_file.write_text(json.dumps(document))
    result = run_att("check", sample, plan_file, *TOY, "--json")
    assert result.code == 1
    assert result.document["status"] == "INFEASIBLE"
    assert subject in {v["subject"] for v in result.document["violations"]}


def test_check_finds_a_broken_constraint(run_att: Run, sample: Path, plan_file: Path) -> None:
    document = json.loads(plan_file.read_text())
    tile = next(name for name in document["variables"] if name.endswith("t_size"))
    document["variables"][tile] = 64
    plan_file.write_text(json.dumps(document))
    result = run_att("check", sample, plan_file, *TOY, "--json")
    assert result.code == 1
    assert "ub_capacity" in {v["family"] for v in result.document["violations"]}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"graph": "other"}, "the plan is for the graph other"),
        ({"chip": "ascend910b1"}, "the plan is for the chip ascend910b1"),
        ({"template": "general.z9"}, "the plan is for the template general.z9"),
        ({"template_hash": "0" * 64}, "another template"),
        ({"variables": {"nonsense": 1}}, "the plan has the variables nonsense"),
        ({"template": None, "variables": None, "status": "TIMEOUT"}, "no tiling to check"),
        ({"shape": {}}, "no value for size ks0"),
        ({"cost": "calibrated"}, "calibrated"),
        ({"format": "graph"}, "not a plan"),
    ],
)
def test_check_refuses_a_plan_of_something_else(run_att: Run, sample: Path, plan_file: Path, change: dict[str, object], says: str) -> None:
    plan_file.write_text(json.dumps({**json.loads(plan_file.read_text()), **change}))
    result = run_att("check", sample, plan_file, *TOY)
    assert (result.code, result.out) == (2, "")
    assert says in result.err


def test_check_accepts_the_empty_plan(run_att: Run, sample: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.json"
    assert run_att("solve", sample, "--shape", "ks0=0", *TOY, "-o", empty).code == 0
    result = run_att("check", sample, empty, *TOY, "--json")
    assert (result.code, result.document["violations"]) == (0, [])
    empty.write_text(empty.read_text().replace('"makespan_ticks": 0', '"makespan_ticks": 5'))
    assert run_att("check", sample, empty, *TOY).code == 1


def test_check_refuses_what_is_no_file(run_att: Run, sample: Path, tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\0")
    for path in (tmp_path, tmp_path / "none", tmp_path / "binary"):
        result = run_att("check", sample, path)
        assert (result.code, result.out) == (2, "")


def test_evaluate_agrees_with_solve(run_att: Run, sample: Path, plan_file: Path) -> None:
    plan = json.loads(plan_file.read_text())
    tiling = ",".join(f"{name}={value}" for name, value in plan["variables"].items())
    result = run_att("evaluate", sample, *AT_64, "--template", plan["template"], "--tiling", tiling, "--json")
    assert result.code == 0
    assert result.document["status"] == "FEASIBLE"
    assert result.document["makespan_ticks"] == plan["makespan_ticks"]


def test_evaluate_prices_what_is_illegal(run_att: Run, sample: Path, plan_file: Path) -> None:
    plan = json.loads(plan_file.read_text())
    tiling = ",".join(f"{name}=64" for name in plan["variables"])
    result = run_att("evaluate", sample, *AT_64, "--template", plan["template"], "--tiling", tiling, "--json")
    assert result.code == 1
    assert result.document["status"] == "INFEASIBLE"
    assert result.document["ub_bytes"] > result.document["ub_capacity_bytes"]
    assert result.document["makespan_ticks"] > 0
    assert "ub_capacity" in {v["family"] for v in result.document["violations"]}


def test_evaluate_outside_a_domain_has_no_cost(run_att: Run, sample: Path, plan_file: Path) -> None:
    plan = json.loads(plan_file.read_text())
    tiling = ",".join(f"{name}=0" for name in plan["variables"])
    result = run_att("evaluate", sample, *AT_64, "--template", plan["template"], "--tiling", tiling, "--json")
    assert result.code == 1
    assert {v["family"] for v in result.document["violations"]} == {"domain"}
    assert result.document["makespan_ticks"] is None


def test_evaluate_needs_every_variable(run_att: Run, sample: Path) -> None:
    result = run_att("evaluate", sample, *AT_64, "--tiling", "nonsense=1")
    assert (result.code, result.out) == (2, "")
    assert "no template has exactly the variables nonsense" in result.err
