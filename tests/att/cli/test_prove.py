"""`att prove` on the sample graph and the toy chip: tables, proof JSON, exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import att

Run = Callable[..., Any]
TOY = ("--chip", "toy", "--ub-bytes", "131328")
AT_64 = ("--shape", "ks0=64", *TOY)


@pytest.fixture
def plan_file(run_att: Run, sample: Path, tmp_path: Path) -> Path:
    """A proven plan of the sample."""
    path = tmp_path / "plan.json"
    assert run_att("solve", sample, *AT_64, "-o", path).code == 0
    return path


def _claims(document: Any) -> dict[str, str]:
    """What became of every claim; of one made of several templates, REFUTED if it is of any."""
    found: dict[str, str] = {}
    for claim in document["claims"]:
        if found.get(claim["claim"]) != "REFUTED":
            found[claim["claim"]] = claim["status"]
    return found


def test_a_proven_plan_is_certified(run_att: Run, sample: Path, plan_file: Path, tmp_path: Path) -> None:
    result = run_att("prove", sample, plan_file, *TOY, "--json", "-o", tmp_path / "proof.json")
    assert (result.code, result.err) == (0, "")
    proof = result.document
    assert (tmp_path / "proof.json").read_text() == result.out
    assert (proof["format"], proof["version"], proof["status"]) == ("proof", 1, "PROVED")
    assert _claims(proof) == dict.fromkeys(("plan_holds", "no_faster_tiling", "fits_every_shape"), "PROVED")
    assert "z3" in proof["trusted"]


def test_a_proof_at_a_glance(run_att: Run, sample: Path, plan_file: Path) -> None:
    result = run_att("prove", sample, plan_file, *TOY)
    assert result.code == 0
    for text in ("no_faster_tiling: PROVED", "takes less than", "Trusted: z3", "modelled"):
        assert text in result.out
    assert max(map(len, result.out.splitlines())) <= 120


def test_a_heuristic_plan_is_refuted_by_a_better_tiling(run_att: Run, sample: Path, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    assert run_att("solve", sample, *AT_64, "--fix", "z0t_size=1,z0Tb_size=64", "-o", path).code == 0
    result = run_att("prove", sample, path, *TOY, "--claims", "optimal", "--json")
    assert result.code == 1
    claim = result.document["claims"][-1]
    assert claim["status"] == "REFUTED"
    assert claim["makespan_ticks"] < result.document["makespan_ticks"]
    tiling = ",".join(f"{name}={value}" for name, value in claim["variables"].items())
    judged = run_att("evaluate", sample, *AT_64, "--tiling", tiling, "--template", claim["template"], "--json")
    assert (judged.code, judged.document["makespan_ticks"]) == (0, claim["makespan_ticks"])
    held = run_att("prove", sample, path, *TOY, "--claims", "optimal", "--fix", "z0t_size=1,z0Tb_size=64")
    assert held.code == 0


def test_a_limit_is_exit_3_with_the_open_cases(run_att: Run, sample: Path, plan_file: Path) -> None:
    result = run_att("prove", sample, plan_file, *TOY, "--limit", "1e-9", "--json")
    assert result.code == 3
    claim = next(c for c in result.document["claims"] if c["claim"] == "no_faster_tiling")
    assert claim["status"] == "UNKNOWN"
    assert claim["open_cases"]
    assert "no_faster_tiling is UNKNOWN" in result.err


def test_a_template_that_does_not_fit_everywhere_counts_where_asked(run_att: Run, tmp_path: Path) -> None:
    graph = Path(__file__).resolve().parents[3] / "benchmarks" / "graphs" / "softmax.dynamic.json"
    path = tmp_path / "plan.json"
    assert run_att("solve", graph, "--shape", "ks0=64,ks1=1024", "-o", path).code == 0
    usual = run_att("prove", graph, path, "--json")
    assert (usual.code, usual.document["status"], usual.err) == (0, "PROVED", "")
    assert _claims(usual.document)["fits_every_shape"] == "REFUTED"
    asked = run_att("prove", graph, path, "--claims", "fits", "--json")
    assert (asked.code, asked.document["status"]) == (1, "REFUTED")
    assert asked.document["claims"][-1]["shape"] == {"ks0": 1, "ks1": 7009}
    assert "no legal tiling at ks0=1, ks1=7009" in asked.err


def test_a_wrong_plan_is_refuted_before_z3_is_asked(run_att: Run, sample: Path, plan_file: Path) -> None:
    document = json.loads(plan_file.read_text())
    document["makespan_ticks"] -= 1
    plan_file.write_text(json.dumps(document))
    result = run_att("prove", sample, plan_file, *TOY, "--json")
    assert result.code == 1
    assert _claims(result.document) == {"plan_holds": "REFUTED"}


def test_every_template_can_be_asked_about(run_att: Run, sample: Path, plan_file: Path) -> None:
    result = run_att("prove", sample, plan_file, *TOY, "--claims", "optimal", "--all-templates", "--json")
    assert result.code == 0
    asked = {c["template"] for c in result.document["claims"] if c["claim"] == "no_faster_tiling"}
    assert asked == {t["template"] for t in run_att("schedule", sample, *TOY, "--json").document["templates"]}


@pytest.mark.parametrize(
    ("options", "says"),
    [(("--chip", "ascend910b1"), "the plan is for the chip"), ((*TOY, "--claims", "beauty"), "no claim 'beauty'")],
)
def test_what_it_refuses(run_att: Run, sample: Path, plan_file: Path, options: tuple[str, ...], says: str) -> None:
    result = run_att("prove", sample, plan_file, *options)
    assert (result.code, result.out) == (2, "")
    assert says in result.err


def test_the_library_proves_too(sample: Path) -> None:
    graph = att.load(sample)
    plan = att.solve(graph, chip="toy", ub_bytes=131328, shape={"ks0": 64})
    proof = att.prove(graph, plan, chip="toy", ub_bytes=131328)
    assert proof.status == "PROVED"


def test_that_nothing_is_legal_is_certified_too(run_att: Run, tmp_path: Path) -> None:
    graph = Path(__file__).resolve().parents[3] / "benchmarks" / "graphs" / "softmax.dynamic.json"
    path = tmp_path / "plan.json"
    assert run_att("solve", graph, "--shape", "ks0=64,ks1=8192", "--ub-bytes", "760", "-o", path).code == 1
    result = run_att("prove", graph, path, "--ub-bytes", "760", "--json")
    assert (result.code, _claims(result.document)) == (0, {"no_legal_tiling": "PROVED"})
    more = run_att("prove", graph, path, "--ub-bytes", "262144", "--json")
    assert (more.code, _claims(more.document)) == (1, {"no_legal_tiling": "REFUTED"})
    assert run_att("prove", "sample:softmax", path, "--chip", "toy").code == 2
