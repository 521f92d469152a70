"""`--objective pipeline` from the command line: plans whose parts add up, judged, proven, explained, and never mixed up with others."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import att

Run = Callable[..., Any]
PIPELINE = ("--objective", "pipeline")
AT_64 = ("--shape", "ks0=64")
PIPELINE_ONLY = {"fill_ticks", "drain_ticks"}


@pytest.fixture
def plan_file(run_att: Run, sample: Path, tmp_path: Path) -> Path:
    """A proven plan of the sample."""
    path = tmp_path / "plan.json"
    assert run_att("solve", sample, *AT_64, *PIPELINE, "-o", path).code == 0
    return path


def parts(phase: Any) -> int:
    return (
        phase["launch_ticks"] + phase["fill_ticks"] + sum(phase["pipes"][p] for p in phase["bottleneck"].split("+")) + phase["drain_ticks"]
    )


@pytest.mark.parametrize("fixed", ["z0t_size=8", "mte2_vec_buf_num=1", "vec_mte3_buf_num=1"])
def test_the_parts_of_a_plan_add_up(run_att: Run, sample: Path, fixed: str) -> None:
    plan = run_att("solve", sample, *AT_64, *PIPELINE, "--fix", fixed, "--json").document
    (phase,) = plan["phases"]
    assert (plan["objective"], plan["status"]) == ("pipeline", "OPTIMAL")
    assert phase["makespan_ticks"] == parts(phase) == plan["makespan_ticks"]
    assert [plan[key] for key in (*PIPELINE_ONLY, "bottleneck")] == [phase[key] for key in (*PIPELINE_ONLY, "bottleneck")]
    if "buf_num" in fixed:
        assert phase["bottleneck"].count("+") == 1


def test_phases_add_up_to_a_plan_of_several(run_att: Run, root: Path) -> None:
    graph = root / "benchmarks" / "graphs" / "reduce_all.dynamic.json"
    plan = run_att("solve", graph, "--shape", "ks0=1009,ks1=1013", *PIPELINE, "--solver", "descent", "--json").document
    assert len(plan["phases"]) == 2
    assert all(phase["makespan_ticks"] == parts(phase) for phase in plan["phases"])
    for key in ("makespan_ticks", "launch_ticks", *PIPELINE_ONLY):
        assert plan[key] == sum(phase[key] for phase in plan["phases"])


@pytest.fixture
def root() -> Path:
    """The folder of the repository."""
    return Path(__file__).resolve().parents[3]


def test_a_bottleneck_plan_has_no_field_of_the_pipeline(run_att: Run, sample: Path) -> None:
    plan = run_att("solve", sample, *AT_64, "--json").document
    assert plan["objective"] == "bottleneck"
    assert not PIPELINE_ONLY & set(plan)
    assert not any((PIPELINE_ONLY | {"bottleneck"}) & set(phase) for phase in plan["phases"])
    assert not any(name.endswith("buf_num") for name in plan["variables"])


def test_the_table_shows_fill_and_drain(run_att: Run, sample: Path) -> None:
    out = run_att("solve", sample, *AT_64, *PIPELINE).out
    assert "fill µs" in out
    assert "drain µs" in out
    assert "fill µs" not in run_att("solve", sample, *AT_64).out


def test_a_plan_is_judged_by_its_own_objective(run_att: Run, sample: Path, plan_file: Path) -> None:
    assert run_att("check", sample, plan_file).code == 0
    told = plan_file.read_text().replace('"fill_ticks": ', '"fill_ticks": 1', 1)
    plan_file.write_text(told)
    result = run_att("check", sample, plan_file)
    assert result.code == 1
    assert "fill_ticks" in result.out


def test_a_plan_is_certified(run_att: Run, sample: Path, plan_file: Path) -> None:
    proof = run_att("prove", sample, plan_file, "--json")
    assert (proof.code, proof.document["status"], proof.document["objective"]) == (0, "PROVED", "pipeline")


def test_a_slower_number_of_buffers_is_refuted(run_att: Run, sample: Path, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    assert run_att("solve", sample, *AT_64, *PIPELINE, "--fix", "mte2_vec_buf_num=1", "-o", path).code == 0
    result = run_att("prove", sample, path, "--claims", "optimal", "--json")
    assert result.code == 1
    assert result.document["claims"][-1]["variables"]["mte2_vec_buf_num"] == 2


def test_explain_prices_another_number_of_buffers(run_att: Run, sample: Path) -> None:
    found = run_att("explain", sample, *AT_64, *PIPELINE, "--json").document
    steps = {step["variable"]: step for step in found["steps"]}
    assert steps["mte2_vec_buf_num"]["next"] == 1
    assert "before and after it" in run_att("explain", sample, *AT_64, *PIPELINE).out


def test_the_model_names_its_chains(run_att: Run, sample: Path) -> None:
    text = run_att("model", sample, *PIPELINE).out
    assert "mte2_vec_buf_num in 1 … 2: buffers of each of q0" in text
    assert "chain MTE2 + VEC = fill + MTE2 + VEC + drain, if mte2_vec_buf_num is 1" in text
    assert r"C_{1,\mathrm{VEC+MTE3}}" in run_att("model", sample, *PIPELINE, "--format", "latex").out
    (model,) = run_att("model", sample, *PIPELINE, "--format", "json").document["models"]
    assert [chain["pipes"] for chain in model["phases"][0]["chains"]] == [["MTE2"], ["VEC"], ["MTE3"], ["MTE2", "VEC"], ["VEC", "MTE3"]]


def test_cached_plans_keep_objectives_apart(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATT_PLAN_CACHE", str(tmp_path))
    graph = att.load(sample)
    plans = [att.solve(graph, shape={"ks0": 64}, objective=objective) for objective in ("pipeline", "bottleneck", "pipeline")]
    assert [plan.objective for plan in plans] == ["pipeline", "bottleneck", "pipeline"]
    assert plans[0].makespan_ticks == plans[2].makespan_ticks > plans[1].makespan_ticks
    assert plans[2].timing.schedule_ms == 0


def test_the_example_of_the_docs_is_what_the_command_prints(run_att: Run, sample: Path, root: Path) -> None:
    plan = run_att("solve", sample, *AT_64, *PIPELINE, "--json").document
    table = dict(re.findall(r"^\| `([\w.]+)` \| ([\d,]+) \|$", (root / "docs" / "objectives.md").read_text(encoding="utf-8"), re.MULTILINE))
    known = {**plan, **{f"pipes.{pipe}": ticks for pipe, ticks in plan["pipes"].items()}}
    assert len(table) == 5
    assert table == {name: f"{known[name]:,}" for name in table}
