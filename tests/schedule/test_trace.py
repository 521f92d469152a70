"""A template carries the steps that made it: applied again they give the same bytes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from att.chips import load_chip
from att.errors import ScheduleError
from att.formats import graph_json
from att.formats.builder import GraphBuilder
from att.formats.load import load
from att.ir.graph import HintGraph
from benchmarks.library import OPERATORS
from benchmarks.make_graphs import dynamic_graph
from schedule.generate import schedule_graph
from schedule.trace import KINDS, replay
from tests.moves import cut, joined, joined_reduces, mean_of_16, picked, rows_picked, transposed

CHIP = load_chip("ascend910b1")
HINTS = Path(__file__).resolve().parents[3] / "shared" / "data" / "hint_graphs"


def again(graph, template):
    """The template with its phases made anew from their traces."""
    return replace(template, phases=tuple(replay(graph, phase.trace, phase.name) for phase in template.phases))


@pytest.mark.parametrize("name", OPERATORS)
def test_a_trace_gives_the_same_bytes(name):
    graph = dynamic_graph(name)
    for template in schedule_graph(graph, CHIP).templates:
        assert graph_json.dumps(again(graph, template)) == graph_json.dumps(template)


def test_traces_of_real_graphs():
    if not HINTS.exists():
        pytest.skip("no public data beside the repository")
    graphs = [graph for path in sorted(HINTS.glob("*.py"))[::5] if isinstance(graph := load(path), HintGraph)]
    assert graphs
    for graph in graphs:
        try:
            templates = schedule_graph(graph, CHIP).templates
        except ScheduleError:
            continue
        for template in templates:
            assert again(graph, template) == template


def long_rows_of_a_sum():
    """Rows of two operands that do not fit in UB; their sum is kept between walks."""
    g = GraphBuilder("long_rows_of_a_sum", {"m": 2, "n": 60_000})
    x = g.op("Add", g.load("x", ("m", "n")), g.load("w", ("m", "n")))
    g.store("y", g.op("Sub", x, g.reduce("Max", x, "n")))
    return g.build()


MOVES = {
    "mean": mean_of_16(),
    "kept": long_rows_of_a_sum(),
    "transposed": transposed("acb", (4, 8, 16), added=True),
    "joined": joined((8, 16), rows=(4, 16), behind=True),
    "joined columns": joined((1, 7), rows=(8,), tail=(16,)),
    "joined rows reduced": joined_reduces((40_000, 20_000), rows=2, normed=True),
    "cut": cut((4, 1, 16), rows=(8,), tail=(16,), scaled=True),
    "picked": picked((8, 32), (4, 16), scaled=True),
    "rows picked": rows_picked(32, (8,), (2, 16), outer=(4,), scaled=True),
}


@pytest.mark.parametrize("graph", [*MOVES.values(), joined(("P", "Q"), rows=("M",), behind=True)], ids=lambda graph: graph.name)
def test_traces_of_graphs_that_move_values(graph):
    for template in schedule_graph(graph, CHIP).templates:
        assert graph_json.dumps(again(graph, template)) == graph_json.dumps(template)


def test_every_kind_of_step_is_in_some_trace():
    graphs = [*map(dynamic_graph, OPERATORS), *MOVES.values()]
    traces = (phase.trace for graph in graphs for template in schedule_graph(graph, CHIP).templates for phase in template.phases)
    assert {text.partition("(")[0] for trace in traces for text in trace} == set(KINDS)


def test_the_trace_survives_every_format():
    from att.formats import dump

    template = schedule_graph(dynamic_graph("softmax"), CHIP).templates[0]
    assert template.phases[0].trace
    assert graph_json.loads(graph_json.dumps(template)) == template
    assert dump.from_text(dump.to_text(template)) == template


@pytest.mark.parametrize("name", OPERATORS)
def test_every_template_is_read_back_from_its_file(name, tmp_path):
    for template in schedule_graph(dynamic_graph(name), CHIP).templates:
        path = tmp_path / f"{template.name}.json"
        path.write_text(graph_json.dumps(template))
        assert load(path) == template
