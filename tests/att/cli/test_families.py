"""Switches of optional constraint families: every command that has a model takes them, and refuses what has no switch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import att
from att.formats import graph_json
from att.formats.builder import GraphBuilder

Run = Callable[..., Any]


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """abs over 8,192 rows of 96 float32, with room between rows: they cannot be merged."""
    g = GraphBuilder("abs", {"a": 8192, "b": 96}, ())
    g.store("y", g.op("Abs", g.load("x", ("a", "b"), strides=(100, 1))), strides=(100, 1))
    path = tmp_path / "abs.json"
    path.write_text(graph_json.dumps(g.build()))
    return path


ACROSS = ("--template", "general.z1")


def test_a_switched_family_decides_the_plan_and_its_check(run_att: Run, rows: Path, tmp_path: Path) -> None:
    usual = run_att("solve", rows, *ACROSS, "--fix", "z1t_size=64", "--json", "-o", tmp_path / "plan.json").document
    assert usual["variables"]["z1t_size"] == 64
    with_lines = run_att("check", rows, tmp_path / "plan.json", "--with", "cache_line", "--json")
    assert (with_lines.code, [v["family"] for v in with_lines.document["violations"]]) == (1, ["cache_line"])
    assert run_att("check", rows, tmp_path / "plan.json").code == 0
    solved = run_att("solve", rows, *ACROSS, "--with", "cache_line", "--json").document
    assert solved["variables"]["z1t_size"] == 96


def test_evaluate_and_prove_know_them(run_att: Run, rows: Path, tmp_path: Path) -> None:
    found = run_att("evaluate", rows, *ACROSS, "--tiling", "z1t_size=64,z0z1Tb_size=400", "--min-tile", "80", "--json").document
    assert "min_tile" in [v["family"] for v in found["violations"]]
    plan = tmp_path / "plan.json"
    assert run_att("solve", rows, "--min-tile", "96", "-o", plan).code == 0
    assert run_att("prove", rows, plan, "--min-tile", "96").code == 0


def test_what_contradicts_a_family_is_explained_with_a_lever_that_works(run_att: Run, rows: Path) -> None:
    for options, family, dropped in (
        (("--with", "cache_line"), "cache_line", {"--with": ""}),
        (("--min-tile", "80"), "min_tile", {"--min-tile": ""}),
    ):
        found = run_att("explain", rows, *ACROSS, "--fix", "z1t_size=64", *options, "--json")
        assert found.code == 1
        assert {r["family"] for c in found.document["conflicts"] for r in c["reasons"]} == {family, "fixed"}
        assert dropped in [lever["options"] for lever in found.document["levers"] if lever["kind"] == "family"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--without", "ub_capacity"), "ub_capacity states what the chip or the graph demands"),
        (("--without", "core_count"), "families with a switch are alignment, cache_line, few_rows, min_tile"),
        (("--with", "cash_line"), "no constraint family 'cash_line'"),
        (("--with", "min_tile"), "write --min-tile 64"),
        (("--with", "cache_line", "--without", "cache_line"), "cache_line is switched on and off"),
        (("--min-tile", "8", "--without", "min_tile"), "min_tile is switched on and off"),
        (("--with", "alignment", "--align", "none"), "leave out --align none"),
        (("--min-tile", "0"), "0 is below 1"),
    ],
)
def test_what_has_no_switch_is_refused(run_att: Run, rows: Path, options: tuple[str, ...], said: str) -> None:
    result = run_att("solve", rows, *options)
    assert result.code == 2
    assert said in result.err


def test_alignment_has_the_same_switch(run_att: Run, rows: Path) -> None:
    held = ("--fix", "z1t_size=95", *ACROSS)
    assert run_att("solve", rows, *held).code == 1
    assert run_att("solve", rows, *held, "--without", "alignment").code == 0


def test_the_library_takes_the_same_switches() -> None:
    graph = att.load("sample:softmax")
    for families in ({"ub_capacity": False}, {"min_tile": 0}, {"min_tile": True}, {"cache_line": 3}):
        with pytest.raises(att.AttError, match=next(iter(families))):
            att.solve(graph, shape={"ks0": 64}, families=families)
    plan = att.solve(graph, shape={"ks0": 64}, families={"few_rows": False, "cache_line": True, "min_tile": 2, "alignment": False})
    assert plan.status == "OPTIMAL"
