"""A template carries the steps that made it: applied again they give the same bytes, and each keeps what the graph computes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from att.chips import load_chip
from att.errors import ScheduleError
from att.formats import graph_json
from att.formats.builder import GraphBuilder
from att.formats.load import load
from att.ir.graph import HintGraph
from att.ops.gm import input_elements
from att.ops.reference import run_reference
from att.ops.spec import numpy_dtype
from benchmarks.library import OPERATORS
from benchmarks.make_graphs import dynamic_graph
from schedule.generate import schedule_graph
from schedule.trace import KINDS, replay
from schedule.transform import from_text
from tests.moves import cut, joined, picked, rows_picked, transposed

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


def mean_of_16():
    """Divided by a power of two, a mean is the same number before and after its sum is rounded."""
    g = GraphBuilder("mean_of_16", {"m": 8, "n": 16})
    g.store("y", g.reduce("Mean", g.load("x", ("m", "n")), "n"))
    return g.build()


MOVES = {
    "mean": mean_of_16(),
    "kept": long_rows_of_a_sum(),
    "transposed": transposed("acb", (4, 8, 16), added=True),
    "joined": joined((8, 16), rows=(4, 16), behind=True),
    "joined columns": joined((1, 7), rows=(8,), tail=(16,)),
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


@pytest.mark.parametrize("name", [*OPERATORS, *MOVES])
def test_every_step_keeps_the_meaning(name):
    """With tiles of half an axis and one turn per core, the views over the cut axes mean what the whole did."""
    graph = MOVES[name] if name in MOVES else OPERATORS[name]((), 8, 16)
    rng = np.random.default_rng(5)
    sizes = zip(graph.data_nodes, input_elements(graph, {}), strict=True)
    inputs = [rng.uniform(0.5, 2, n).astype(numpy_dtype(node.output.dtype)) for node, n in sizes]
    expected = run_reference(graph, inputs, {})
    for template in (t for t in schedule_graph(graph, CHIP).templates if len(t.phases) == 1):
        (phase,) = template.phases
        tiling = {v.name: max(1, v.maximum // 2) for v in phase.variables}
        current = graph
        for text in phase.trace:
            current = from_text(text, KINDS).apply(current)
            got = run_reference(current, inputs, tiling)
            for a, b in zip(got, expected, strict=True):
                np.testing.assert_array_equal(a, b, err_msg=f"{template.name} after {text}")


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
