"""A template carries the steps that made it: applied again they give the same bytes, and each keeps what the graph computes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from att.chips import load_chip
from att.errors import ScheduleError
from att.formats import graph_json
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


@pytest.mark.parametrize("name", OPERATORS)
def test_every_step_keeps_the_meaning(name):
    """With tiles of half an axis and one turn per core, the views over the cut axes mean what the whole did."""
    graph = OPERATORS[name]((), 8, 16)
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
