"""The comparison of solvers: rows, summary, JSON, CSV, pandas, and what answers say of each other."""

from __future__ import annotations

import csv
import io
import json

import msgspec
import pytest

from att.report.comparison import Comparison, quantile
from att.report.comparison_tables import comparison_tables
from att.report.console import to_text
from att.verify.rows import ComparisonRow, gap_to, proven_optimum

ROW_FIELDS = [
    "graph",
    "template",
    "chip",
    "shape",
    "solver",
    "status",
    "makespan_ticks",
    "bound_ticks",
    "gap_to_best",
    "block_dim",
    "ub_bytes",
    "variables",
    "wall_ms",
    "reason",
]
SUMMARY_FIELDS = ["count", "optimal", "median_gap", "p95_gap", "max_gap", "median_wall_ms", "p95_wall_ms"]


def _row(solver: str, status: str, ticks: int | None, gap: float | None = None, **changes: object) -> ComparisonRow:
    row = ComparisonRow(
        graph="g",
        template="general.z0",
        chip="toy",
        shape={"ks0": 64},
        solver=solver,
        status=status,
        makespan_ticks=ticks,
        bound_ticks=ticks if status == "OPTIMAL" else None,
        gap_to_best=gap,
        block_dim=None if ticks is None else 8,
        ub_bytes=None if ticks is None else 4096,
        variables=None if ticks is None else {"z0t_size": 8},
        wall_ms=1.5,
    )
    return msgspec.structs.replace(row, **changes)


EXACT = _row("cpsat", "OPTIMAL", 100, 0.0)
HEURISTIC = _row("axis_sort", "FEASIBLE", 125, 0.25)
NOTHING = _row("axis_sort", "TIMEOUT", None, template="general.z1")


def test_json_has_the_contracts_fields() -> None:
    document = json.loads(Comparison(problems=((EXACT, HEURISTIC), (NOTHING,))).to_json())
    assert list(document) == ["format", "version", "rows", "summary"]
    assert (document["format"], document["version"]) == ("comparison", 1)
    assert [list(row) for row in document["rows"]] == [ROW_FIELDS] * 3
    assert {solver: list(entry) for solver, entry in document["summary"].items()} == {"cpsat": SUMMARY_FIELDS, "axis_sort": SUMMARY_FIELDS}
    assert document["summary"]["axis_sort"] == {
        "count": 2, "optimal": 0, "median_gap": 0.25, "p95_gap": 0.25, "max_gap": 0.25, "median_wall_ms": 1.5, "p95_wall_ms": 1.5
    }  # fmt: skip


def test_the_graphs_where_a_heuristic_loses_most() -> None:
    def lost(graph: str, gap: float | None, template: str = "general.z0") -> tuple[ComparisonRow, ...]:
        ticks = None if gap is None else round(100 + 100 * gap)
        other = _row(
            "axis_sort", "TIMEOUT" if gap is None else "FEASIBLE", ticks, gap, graph=graph, template=template, reason=f"why {graph}"
        )
        return (_row("cpsat", "OPTIMAL", 100, 0.0, graph=graph, template=template), other)

    least, most, twice, none = lost("a", 0.01), lost("b", 0.3), (*lost("c", 0.02), *lost("c", 0.05, "general.z1")), lost("d", None)
    found = Comparison(problems=(least, most, twice, none, (EXACT,))).worst("axis_sort")
    assert [(row.graph, row.gap_to_best, row.template) for row in found] == [
        ("d", None, "general.z0"), ("b", 0.3, "general.z0"), ("c", 0.05, "general.z1")
    ]  # fmt: skip
    told = to_text(comparison_tables(Comparison(problems=(least, most)), 1000), terminal=False, width=120)
    assert "Where axis_sort loses most\n1. b on toy, shape ks0=64, general.z0: 30.00 % slower, why b\n2. a on toy" in told
    assert "loses most" not in to_text(comparison_tables(Comparison(problems=((EXACT,),)), 1000), terminal=False, width=120)


def test_pandas_keeps_missing_numbers_missing() -> None:
    table = Comparison(problems=((EXACT, HEURISTIC), (NOTHING,))).to_pandas()
    assert list(table.columns) == ROW_FIELDS
    assert table["makespan_ticks"].dtype == "Int64"
    assert table["makespan_ticks"].isna().tolist() == [False, False, True]
    assert table["gap_to_best"].tolist()[:2] == [0.0, 0.25]
    assert len(Comparison(problems=()).to_pandas()) == 0


def test_csv_reads_back() -> None:
    rows = list(csv.DictReader(io.StringIO(Comparison(problems=((EXACT,), (NOTHING,))).to_csv())))
    assert list(rows[0]) == ROW_FIELDS
    assert json.loads(rows[0]["shape"]) == {"ks0": 64}
    assert rows[1]["makespan_ticks"] == ""


def test_the_optimum_comes_from_a_proof_only() -> None:
    assert proven_optimum([HEURISTIC, EXACT]) == 100
    assert proven_optimum([HEURISTIC, _row("cpsat", "FEASIBLE", 100)]) is None
    assert gap_to(100, 125) == 0.25
    assert gap_to(None, 125) is None
    assert gap_to(100, None) is None


@pytest.mark.parametrize(
    ("one", "other", "says"),
    [
        (EXACT, _row("enumerate", "OPTIMAL", 100, variables={"z0t_size": 16}), "cpsat proves {'z0t_size': 8} at 100 ticks optimal"),
        (EXACT, _row("enumerate", "OPTIMAL", 99), "no tiling is below 100 ticks, enumerate has"),
        (EXACT, _row("axis_sort", "FEASIBLE", 99), "no tiling is below 100 ticks, axis_sort has"),
        (_row("enumerate", "INFEASIBLE", None), EXACT, "enumerate says INFEASIBLE, cpsat has a tiling of 100 ticks"),
        (_row("axis_sort", "FEASIBLE", 99), EXACT, "no tiling is below 100 ticks, axis_sort has"),
    ],
)
def test_answers_that_cannot_both_be_right_are_reported(one: ComparisonRow, other: ComparisonRow, says: str) -> None:
    (sentence,) = Comparison(problems=((one, other),)).disagreements
    assert says in sentence
    assert sentence.startswith("g, template general.z0, shape {'ks0': 64}: ")


def test_answers_that_agree_or_concern_other_problems_are_not() -> None:
    agreeing = _row("enumerate", "OPTIMAL", 100)
    elsewhere = _row("enumerate", "OPTIMAL", 7, shape={"ks0": 1})
    assert Comparison(problems=((EXACT, agreeing, HEURISTIC), (elsewhere,))).disagreements == ()


def test_the_table_reads_without_a_terminal() -> None:
    text = to_text(comparison_tables(Comparison(problems=((EXACT, HEURISTIC),)), 1000), terminal=False, width=120)
    assert "\x1b" not in text
    assert "25.00 %" in text
    assert "modelled" in text
    assert max(map(len, text.splitlines())) <= 120


@pytest.mark.parametrize(
    ("values", "percent", "value"), [([], 50, None), ([1.0], 95, 1.0), ([1.0, 2.0], 50, 1.0), (list(range(100)), 95, 94)]
)
def test_quantiles_are_nearest_rank(values: list[float], percent: int, value: float | None) -> None:
    assert quantile(values, percent) == value
