"""Thresholds of the heuristic and `--compat`, from the command line and the library."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import att

Run = Callable[..., Any]
AT_64 = ("--shape", "ks0=64", "--solver", "axis_sort", "--json")


def test_thresholds_decide_the_cores(run_att: Run, sample: Path) -> None:
    few, many = (run_att("solve", sample, *AT_64, "--corenum-threshold", share).document for share in ("0.1", "1"))
    assert few["block_dim"] < many["block_dim"]
    assert few["status"] == many["status"] == "FEASIBLE"


def test_compat_is_the_references_walk(run_att: Run, sample: Path) -> None:
    usual = run_att("solve", sample, *AT_64, "--align", "none").document
    compat = run_att("solve", sample, *AT_64, "--align", "none", "--compat").document
    assert compat["makespan_ticks"] >= usual["makespan_ticks"]
    assert compat["variables"] != usual["variables"]


@pytest.mark.parametrize("option", [("--ub-threshold", "0"), ("--ub-threshold", "1.5"), ("--corenum-threshold", "some")])
def test_shares_are_checked(run_att: Run, sample: Path, option: tuple[str, str]) -> None:
    result = run_att("solve", sample, *AT_64, *option)
    assert result.code == 2
    assert option[0] in result.err


@pytest.mark.parametrize("option", [("--compat",), ("--ub-threshold", "0.3")])
def test_settings_without_their_solver_are_refused(run_att: Run, sample: Path, option: tuple[str, ...]) -> None:
    for command in (("solve", sample, "--shape", "ks0=64"), ("compare", sample, "--shape", "ks0=64", "--solvers", "cpsat")):
        result = run_att(*command, *option)
        assert result.code == 2
        assert "axis_sort" in result.err


def test_compare_shows_the_heuristic_with_its_settings(run_att: Run, sample: Path) -> None:
    rows = run_att("compare", sample, "--shape", "ks0=64", "--align", "none", "--compat", "--json").document["rows"]
    assert {row["solver"] for row in rows} == {"cpsat", "axis_sort"}


def test_the_library_takes_the_same_settings() -> None:
    graph = att.load("sample:softmax")
    shape = {"ks0": 64}
    few, many = (att.solve(graph, shape=shape, solver="axis_sort", corenum_threshold=share) for share in (0.1, 1.0))
    assert (few.block_dim or 0) < (many.block_dim or 0)
    with pytest.raises(att.AttError, match="ub_threshold 0"):
        att.solve(graph, shape=shape, solver="axis_sort", ub_threshold=0)
    with pytest.raises(att.AttError, match="axis_sort"):
        att.solve(graph, shape=shape, compat=True)
