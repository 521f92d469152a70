"""Switches of optional constraint families: every command that has a model takes them, and refuses what has no switch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import att
from att.formats import graph_json
from att.formats.builder import GraphBuilder
from att.ir.axis import Size

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


def test_few_rows_can_be_left_out(run_att: Run, tmp_path: Path) -> None:
    """64 rows for 48 cores at every shape: the scheduler makes no template that shares a row unless asked."""
    g = GraphBuilder("total", {"a": 64, "b": 100_000}, ())
    g.store("y", g.reduce("Sum", g.load("x", ("a", "b")), "b"))
    path = tmp_path / "total.json"
    path.write_text(graph_json.dumps(g.build()))
    usual, free = (run_att("solve", path, "--json", *options).document for options in ((), ("--without", "few_rows")))
    assert [row["status"] for row in usual["templates"] if row["template"].startswith("r_split")] == ["DROPPED"]
    (row,) = [row for row in free["templates"] if row["template"].startswith("r_split")]
    assert row["status"] in ("OPTIMAL", "FEASIBLE")
    shared = ("--template", row["template"], "--json")
    assert run_att("solve", path, *shared).code == 2
    assert run_att("solve", path, *shared, "--without", "few_rows").document["status"] == "OPTIMAL"


def test_few_rows_is_a_reason_and_leaving_it_out_a_lever(run_att: Run, tmp_path: Path) -> None:
    """The same rows as a size: the template is there for fewer of them."""
    n = Size(name="n", maximum=64)
    g = GraphBuilder("total", {"a": n.symbol, "b": 4096}, (n,))
    g.store("y", g.reduce("Sum", g.load("x", ("a", "b")), "b"))
    path = tmp_path / "total.json"
    path.write_text(graph_json.dumps(g.build()))
    names = [row["template"] for row in run_att("solve", path, "--shape", "n=8", "--json").document["templates"]]
    shared = next(name for name in names if name.startswith("r_split"))
    at_64 = ("--template", shared, "--shape", "n=64", "--json")
    found = run_att("explain", path, *at_64).document
    (conflict,) = [conflict for conflict in found["conflicts"] if conflict["template"] == shared]
    assert [reason["family"] for reason in conflict["reasons"]] == ["few_rows"]
    assert {"--without": "few_rows"} in [lever["options"] for lever in found["levers"] if lever["kind"] == "family"]
    assert run_att("solve", path, *at_64, "--without", "few_rows").document["status"] == "OPTIMAL"


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


def test_templates_that_a_switch_brings_are_scheduled_and_emitted_with_it(run_att: Run, tmp_path: Path) -> None:
    """There is a row for every core, so that rows are shared only where `few_rows` is off."""
    g = GraphBuilder("long_rows", {"a": 64, "b": 65536}, ())
    g.store("y", g.reduce("Max", g.load("x", ("a", "b")), "b"))
    graph, path = g.build(), tmp_path / "long_rows.json"
    path.write_text(graph_json.dumps(graph))
    shared, switch = "r_split.z0.z1", ("--without", "few_rows")
    for options, there in (((), False), (switch, True)):
        emitted = run_att("emit", path, "-o", tmp_path / f"out{there}", *options, "--json").document["files"]
        (manifest,) = (Path(name).read_text() for name in emitted if name.endswith("manifest.json"))
        assert (shared in manifest) is there
        scheduled = run_att("schedule", path, *options, "--json").document["templates"]
        assert (shared in [t["template"] for t in scheduled]) is there
        families = {"few_rows": False} if there else {}
        assert (shared in [t.name for t in att.schedule(graph, families=families).templates]) is there
        assert (shared in att.emit(graph, families=families).files["manifest.json"]) is there
    assert run_att("solve", path, *switch, "--template", shared).code == 0


def test_every_model_option_of_solve_is_one_of_emit_and_schedule(run_att: Run, rows: Path, tmp_path: Path) -> None:
    options = ("--align", "none", "--min-tile", "64", "--with", "cache_line", "--without", "few_rows", "--objective", "pipeline")
    assert run_att("schedule", rows, *options, "--cost", "published").code == 0
    assert run_att("emit", rows, "-o", tmp_path / "out", *options, "--cost", "published").code == 0
