"""`att explain` as a person and a script see it: tables, JSON, exit codes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[..., Any]
GRAPHS = Path(__file__).resolve().parents[3] / "benchmarks" / "graphs"


def test_a_plan_is_explained(run_att: Run, sample: Path) -> None:
    result = run_att("explain", sample, "--shape", "ks0=1000")
    assert (result.code, result.err) == (0, "")
    for text in (
        "more UB than there is",
        "decides",
        "axis_sort",
        "Rules (* binding)",
        "Next values",
        "UB of the plan",
        "The best plan as the chip varies",
        "modelled",
    ):
        assert text in result.out
    assert max(map(len, result.out.splitlines())) <= 120


def test_a_graph_without_a_plan_is_explained(run_att: Run) -> None:
    result = run_att("explain", GRAPHS / "softmax.dynamic.json", "--shape", "ks0=64,ks1=8192", "--template", "full_load.z0")
    assert result.code == 1
    for text in ("INFEASIBLE", "need 229,", "ascend910b1 has 196,352 B", "Why no tiling is legal", "What helps; each was tried"):
        assert text in result.out
    assert "no tiling is legal" in result.err


def test_the_document(run_att: Run, sample: Path, tmp_path: Path) -> None:
    result = run_att("explain", sample, "--shape", "ks0=64", "--json", "-o", tmp_path / "e.json")
    assert (result.code, result.err) == (0, "")
    assert (result.document["format"], result.document["version"]) == ("explanation", 1)
    assert (tmp_path / "e.json").read_text() == result.out


def test_a_limit_is_exit_3(run_att: Run, sample: Path) -> None:
    result = run_att("explain", sample, "--shape", "ks0=100003", "--limit", "1e-9", "--json")
    assert result.code == 3
    assert "raise --limit" in result.err


def test_bad_input_is_exit_2(run_att: Run, sample: Path) -> None:
    for argv in (("explain", sample), ("explain", sample, "--shape", "ks0=64", "--fix", "z9t_size=1"), ("explain", "nothing.json")):
        result = run_att(*argv)
        assert (result.code, result.out) == (2, "")
