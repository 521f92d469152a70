"""`att compare`: rows, a broken graph among good ones, solvers that disagree."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
TOY = ("--chip", "toy", "--ub-bytes", "131328")
AT_64 = ("--shape", "ks0=64", *TOY)


def test_compare_json(run_att: Run, sample: Path) -> None:
    result = run_att("compare", sample, "--shapes", "ks0=1:64", *TOY, "--solvers", "cpsat,enumerate,axis_sort", "--json")
    assert (result.code, result.err) == (0, "")
    document = result.document
    assert (document["format"], document["version"]) == ("comparison", 1)
    assert set(document["summary"]) == {"cpsat", "enumerate", "axis_sort"}
    for row in document["rows"]:
        if row["status"] == "OPTIMAL":
            assert row["gap_to_best"] == 0.0
        if row["makespan_ticks"] is not None:
            assert row["gap_to_best"] is None or row["gap_to_best"] >= 0
    assert len(document["rows"]) % 6 == 0


def test_compare_says_why_a_heuristic_is_slower(run_att: Run, sample: Path) -> None:
    compared = ("compare", sample, "--shapes", "ks0=17:1000", *TOY, "--solvers", "cpsat,axis_sort", "--ub-threshold", "0.9")
    rows = run_att(*compared, "--json").document["rows"]
    slower = [row for row in rows if row["gap_to_best"]]
    assert slower
    assert all((row["reason"] is not None) == bool(row["gap_to_best"]) for row in rows)
    worst = max(slower, key=lambda row: row["gap_to_best"])
    table = run_att(*compared).out
    assert "Where axis_sort loses most" in table
    assert worst["reason"] in " ".join(table.split())


def test_compare_as_table_and_csv(run_att: Run, sample: Path, tmp_path: Path) -> None:
    table = run_att("compare", sample, *AT_64)
    assert table.code == 0
    assert "Summary" in table.out
    assert "modelled" in table.out
    text = run_att("compare", sample, *AT_64, "--csv", "-o", tmp_path / "rows.csv")
    rows = list(csv.DictReader(io.StringIO(text.out)))
    assert {row["solver"] for row in rows} == {"cpsat", "axis_sort"}
    assert (tmp_path / "rows.csv").read_text() == text.out
    assert run_att("compare", sample, *AT_64, "--csv", "--json").code == 2


def test_compare_reports_a_broken_graph_and_finishes_the_others(run_att: Run, sample: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    result = run_att("compare", sample, broken, "sample:softmax", *AT_64, "--json")
    assert result.code == 2
    assert "broken.json" in result.err
    assert {row["graph"] for row in result.document["rows"]} == {"softmax (softmax)", "softmax (sample:softmax)"}
    single = run_att("compare", sample, *AT_64, "--json").document
    assert len(result.document["rows"]) == 2 * len(single["rows"])


def test_compare_reports_a_shape_that_is_too_large_and_finishes_the_others(run_att: Run, sample: Path) -> None:
    result = run_att("compare", sample, "--shapes", f"ks0=64:{2**26 + 1}:1", *TOY, "--json")
    assert result.code == 2
    assert f"ks0={2**26 + 1}" in result.err
    assert "68,719,477,760 elements" in result.err
    assert {row["shape"]["ks0"] for row in result.document["rows"]} == {1, 64}
    alone = run_att("compare", sample, "--shapes", "ks0=64:1", *TOY, "--json")
    assert len(result.document["rows"]) == len(alone.document["rows"])


def test_what_is_wrong_at_every_shape_is_said_once(run_att: Run, sample: Path) -> None:
    result = run_att("compare", sample, "--shapes", "ks0=1:64", *TOY, "--exclude", "none.such")
    assert (result.code, result.out) == (2, "")
    assert result.err.count("none.such") == 1


def test_a_solver_that_fails_keeps_the_rows_of_the_others(run_att: Run, sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from att.verify import crosscheck

    honest = crosscheck.run

    def failing(problem: Any, solver: str, limits: Any) -> Any:
        if solver == "cpsat" and problem.shape["ks0"] == 64:
            raise TypeError("incompatible arguments")
        return honest(problem, solver, limits)

    monkeypatch.setattr(crosscheck, "run", failing)
    result = run_att("compare", sample, "--shapes", "ks0=1:64", *TOY, "--json")
    assert result.code == 4
    assert "a bug of att: softmax, template" in result.err
    rows = result.document["rows"]
    failed = [row for row in rows if row["status"] == "BUG"]
    assert {(row["solver"], row["shape"]["ks0"], row["reason"]) for row in failed} == {("cpsat", 64, "TypeError: incompatible arguments")}
    assert all(row["status"] in ("OPTIMAL", "FEASIBLE") for row in rows if row not in failed)
    assert len(rows) == 4 * len(failed)
    assert "BUG" in run_att("compare", sample, "--shapes", "ks0=64", *TOY).out


def test_graphs_of_one_name_are_told_apart(run_att: Run, sample: Path, edited: Any) -> None:
    other = edited(lambda document: document["axes"][1].update(size="512") or _halve(document))
    result = run_att("compare", sample, other, *AT_64, "--json")
    assert (result.code, result.err) == (0, "")
    assert {row["graph"] for row in result.document["rows"]} == {"softmax (softmax)", "softmax (edited)"}


def _halve(document: Any) -> None:
    """Makes every row of the sample 512 elements long."""
    for node in document["nodes"]:
        view = node["output"]
        for field in ("repeats", "strides"):
            if field in view:
                view[field] = ["512" if entry == "1024" else entry for entry in view[field]]


def test_exact_solvers_that_disagree_are_exit_4(run_att: Run, sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from msgspec.structs import replace

    from att.verify import crosscheck

    honest = crosscheck._row

    def lying(*args: Any) -> Any:
        row = honest(*args)
        return replace(row, makespan_ticks=row.makespan_ticks - 1) if row.solver == "enumerate" and row.makespan_ticks else row

    monkeypatch.setattr(crosscheck, "_row", lying)
    result = run_att("compare", sample, *AT_64, "--solvers", "cpsat,enumerate", "--json")
    assert result.code == 4
    assert "exact solvers disagree" in result.err
    assert result.document["rows"]
