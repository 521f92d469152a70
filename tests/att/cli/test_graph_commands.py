"""`att schedule`, `model`, `convert`, `show`, and that output does not depend on the hash seed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
TOY = ("--chip", "toy", "--ub-bytes", "131328")
AT_64 = ("--shape", "ks0=64", *TOY)


def test_schedule_writes_templates_that_solve_like_the_graph(run_att: Run, sample: Path, tmp_path: Path) -> None:
    folder = tmp_path / "templates"
    assert run_att("schedule", sample, *TOY, "-o", folder).code == 0
    best = run_att("solve", sample, *AT_64, "--json").document
    files = {path.stem: path for path in folder.iterdir()}
    alone = run_att("solve", files[best["template"]], *AT_64, "--json").document
    for field in ("graph", "template", "template_hash", "tiling_key", "variables", "makespan_ticks"):
        assert alone[field] == best[field]


def test_schedule_shows_axes_groups_and_what_was_dropped(run_att: Run, sample: Path) -> None:
    result = run_att("schedule", sample, *TOY)
    assert result.code == 0
    assert "batch" in result.out
    templates = run_att("schedule", sample, *TOY, "--json").document["templates"]
    assert {a["group"] for t in templates for a in t["phases"][0]["axes"]} == {"Y", "N"}


@pytest.mark.parametrize("form", ["text", "latex", "json", "cpsat-proto"])
def test_model_formats(run_att: Run, sample: Path, tmp_path: Path, form: str) -> None:
    result = run_att("model", sample, *AT_64, "--format", form, "-o", tmp_path / "model")
    assert (result.code, result.out) == (0, "")
    written = (tmp_path / "model").read_text()
    assert {"text": "Constraints", "latex": r"\begin{align*}", "json": '"constraints"', "cpsat-proto": "variables"}[form] in written


def test_model_json_names_origins(run_att: Run, sample: Path) -> None:
    for model in run_att("model", sample, *TOY, "--json").document["models"]:
        assert model["shape"] is None
        assert "ub_capacity" in {c["origin"]["family"] for c in model["constraints"]}
        assert all(c["origin"]["text"] for c in model["constraints"])


@pytest.mark.parametrize("suffix", ["json", "txt", "py"])
def test_convert_there_and_back(run_att: Run, sample: Path, tmp_path: Path, suffix: str) -> None:
    there, back = tmp_path / f"softmax.{suffix}", tmp_path / "back.json"
    assert run_att("convert", sample, "-o", there).code == 0
    assert run_att("convert", there, "-o", back).code == 0
    original, returned = (run_att("solve", path, *AT_64, "--json").document for path in (sample, back))
    assert returned["makespan_ticks"] == original["makespan_ticks"]
    assert returned["variables"] == original["variables"]


def test_convert_refuses_an_unknown_suffix(run_att: Run, sample: Path, tmp_path: Path) -> None:
    result = run_att("convert", sample, "-o", tmp_path / "graph.pdf")
    assert (result.code, result.out) == (2, "")
    assert not (tmp_path / "graph.pdf").exists()


@pytest.mark.parametrize("options", [(), ("--memory",), ("--format", "text"), ("--json",)])
def test_show(run_att: Run, sample: Path, options: tuple[str, ...]) -> None:
    result = run_att("show", sample, *options)
    assert (result.code, result.err) == (0, "")
    assert "powers" in result.out


@pytest.mark.parametrize("options", [("--shape", "ks0=64"), ("--shape", "ks0=64", "--tiling", "z0t_size=2,z0Tb_size=1")])
def test_show_memory_gives_addresses(run_att: Run, sample: Path, options: tuple[str, ...]) -> None:
    result = run_att("show", sample, "--memory", *options)
    assert (result.code, result.err) == (0, "")
    assert "peak_rows+shifted+powers" in result.out
    assert "UB addresses of full_load.z0" in result.out
    if "--tiling" in options:
        assert "peak 53280 B of 196352 B; the kernel places its blocks one after another and takes 53280 B" in result.out


def test_show_memory_without_a_plan_says_why(run_att: Run, sample: Path) -> None:
    result = run_att("show", sample, "--memory", "--shape", "ks0=64", "--ub-bytes", "600")
    assert result.code == 1
    assert "needs at least" in result.err


def test_show_memory_of_an_empty_shape_says_that_nothing_is_kept(run_att: Run, sample: Path) -> None:
    result = run_att("show", sample, "--memory", "--shape", "ks0=0")
    assert result.code == 2
    assert "a size is 0" in result.err


def test_show_reads_stdin(sample: Path) -> None:
    command = [sys.executable, "-m", "att.cli.main", "show", "-"]
    done = subprocess.run(command, input=sample.read_text(), capture_output=True, text=True, check=True)
    assert "HintGraph softmax" in done.stdout


@pytest.mark.parametrize("command", [("solve",), ("compare", "--solvers", "axis_sort,cpsat")])
def test_output_is_the_same_for_every_hash_seed(sample: Path, command: tuple[str, ...]) -> None:
    documents: list[Any] = []
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-m", "att.cli.main", command[0], str(sample), *AT_64, *command[1:], "--json"],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        documents.append(_without_time(json.loads(done.stdout)))
    assert json.dumps(documents[0]) == json.dumps(documents[1])


def _without_time(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_time(v) for k, v in value.items() if k != "timing" and not k.endswith("wall_ms")}
    return [_without_time(v) for v in value] if isinstance(value, list) else value
