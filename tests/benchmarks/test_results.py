"""docs/results.md: what it says of one graph is measured again; how the page is made of measurements."""

from __future__ import annotations

from dataclasses import replace

import pytest

from att.chips import load_chip
from att.model.options import ModelOptions
from att.solve.base import SolveOptions
from benchmarks.cases import CHIPS, graph_cases
from benchmarks.measure import measure
from benchmarks.results import PAGE, graph_line, page, worst
from benchmarks.summary import faults, summarise
from schedule.generate import schedule_graph

SHELL = {"att_solve_s": 0.6, "att_help_s": 0.06, "import_att_s": 0.003}


@pytest.fixture(scope="module")
def rows():
    templates = (
        (case, template, chip)
        for chip in map(load_chip, CHIPS)
        for case in graph_cases("reduce_all")
        for template in schedule_graph(case.graph, chip).templates
    )
    return [measure(c.label, template, c.shape, chip, ModelOptions(), SolveOptions()) for c, template, chip in templates]


def test_the_page_says_what_is_measured(rows):
    line = f"| {' | '.join(map(str, graph_line('reduce_all', rows)))} |"
    assert line in PAGE.read_text(encoding="utf-8").splitlines(), "run python -m benchmarks.run --write"


def test_nothing_is_left_open(rows):
    assert not [fault for row in rows for fault in faults(row)]
    text = page(rows, summarise(rows, [50.0, 80.0], SHELL))
    assert "proven optimal, and both exact solvers return one tiling everywhere." in text
    assert f"| all | {len(rows)} |" in text
    assert "median 65 ms" in text


def test_faults_are_named(rows):
    solved = next(row for row in rows if row.optimum_ticks is not None)
    assert list(faults(replace(solved, status="FEASIBLE", same_tiling=False))) == ["cpsat says FEASIBLE", "cpsat and enumerate differ"]
    broken = replace(solved, enumerate_status="TIMEOUT", same_tiling=None, heuristic_ticks=None)
    assert list(faults(broken)) == ["enumerate says TIMEOUT", "axis_sort finds nothing"]
    text = page([broken], summarise([broken], [50.0], SHELL))
    assert f"- {broken.chip}, {broken.case}, {broken.template}: enumerate says TIMEOUT" in text


def test_the_worst_of_each_graph_comes_once_and_in_order(rows):
    solved = next(row for row in rows if row.optimum_ticks is not None)

    def slower(graph, percent):
        ticks = None if percent is None else 100 + percent
        return replace(solved, case=f"{graph}[static]", optimum_ticks=100, heuristic_ticks=ticks, reason=f"{graph} {percent}")

    some = [slower("a", 1), slower("b", 5), slower("a", 9), slower("c", 2), slower("d", None), replace(slower("e", 0), reason=None)]
    assert [row.reason for row in worst(some)] == ["d None", "a 9", "b 5"]
    assert "1. d[static] on" in (text := page(some, summarise(some, [1.0], SHELL)))
    assert f"2. a[static] on {solved.chip}, {solved.template}: 9.00 % slower, a 9" in text
