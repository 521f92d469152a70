"""What becomes of a Split: loads of slices, in one nest or in one for each group of stores."""

from __future__ import annotations

from dataclasses import replace

import pytest

import att
from att.errors import GraphError, ScheduleError
from att.expr.core import integer
from att.formats.builder import GraphBuilder
from att.formats.dump import to_text
from att.formats.graph_json import dumps, loads
from att.formats.load import load
from att.formats.script_write import to_script
from att.ir.verify import verify_template
from att.ops.verify import verify_graph
from schedule.generate import schedule_graph
from schedule.splits import TakeSlices
from tests.moves import cut


def names(candidates):
    return [t.name for t in candidates.templates]


def test_each_piece_is_loaded_from_where_it_starts(chip):
    graph = schedule_graph(cut((3, 5), rows=(16,), scaled=True), chip).templates[0].phases[0]
    loads_ = [n for n in graph.nodes if n.op == "Load"]
    assert [(n.name, n.attrs["offset"].lo) for n in loads_] == [("load.slice0", 0), ("load.slice1", 3)]
    assert [next(s.lo for s in n.output.strides if s != integer(0)) for n in loads_] == [8, 8]
    assert [n.op for n in graph.nodes if n.op == "Split"] == []


def test_pieces_with_stores_of_their_own_may_have_a_nest_each(chip):
    candidates = schedule_graph(cut((3, 5), rows=(16,)), chip)
    assert names(candidates) == ["general.z0", "general.z2", "general.z3", "apart.z0", "apart.z2", "general.z3.z2.reuse"]
    apart = next(t for t in candidates.templates if t.name == "apart.z0")
    assert [[n.name for n in phase.nodes if n.op == "Load"] for phase in apart.phases] == [["load.slice0"], ["load.slice1"]]
    assert apart.axis_names["z3p1"] == "p1"
    for template in candidates.templates:
        verify_template(template)


def test_behind_the_first_axis_each_piece_is_dense(chip):
    candidates = schedule_graph(cut((30, 50), rows=(), tail=(7,)), chip)
    apart = next(t for t in candidates.templates if t.name.startswith("apart"))
    assert apart.name == "apart.z1z3"
    assert att.solve(cut((300, 500), rows=(), tail=(700,))).template == "apart.z1z3"


def test_pieces_of_one_axis_share_a_nest(chip):
    g = GraphBuilder("halves", {"m": 64, "n": 512, "p": 256})
    a, b = g.split(g.load("x", ("m", "n")), "n", "p", "p")
    g.store("y", g.op("Mul", a, b))
    assert names(schedule_graph(g.build(), chip)) == ["general.z0", "general.z2"]


def test_what_is_read_by_several_pieces_is_made_once_for_each(chip):
    """Both users of a piece read one slice."""
    g = GraphBuilder("twice", {"m": 64, "n": 24, "p": 8, "q": 16})
    a, _ = g.split(g.op("Exp", g.load("x", ("m", "n"))), "n", "p", "q")
    g.store("y", g.op("Add", g.op("Abs", a), a))
    graph = schedule_graph(g.build(), chip).templates[0].phases[0]
    assert [n.op for n in graph.nodes if n.axes] == ["Load", "Exp", "Abs", "Add", "Store"]


@pytest.mark.parametrize("graph", [cut((3, 5)), cut((1, "Q"), rows=(), tail=("T",), scaled=True)], ids=lambda graph: graph.name)
def test_every_format_keeps_a_split(graph, tmp_path):
    assert loads(dumps(graph)) == graph
    for name, text in (("graph.txt", to_text(graph)), ("graph.py", to_script(graph))):
        path = tmp_path / name
        path.write_text(text)
        assert load(path) == graph


def _wrong(**changes):
    """A Split of 8 elements in 3 and 5, with something wrong."""
    sizes = {"m": 4, "n": 8, "p": 3, "q": changes.get("q", 5)}
    g = GraphBuilder("wrong", sizes)
    x = g.load("x", ("m", "n"))
    pieces = g.split(x, "n", "p", "q")
    if changes.get("again"):
        g.split(x, "n", "p", "q")
    for i, piece in enumerate(pieces):
        g.store(f"y{i}", piece)
    return g


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"q": 6}, r"the pieces of load have 3 \+ 6 elements along n, it has 8"),
        ({"again": True}, r"the pieces of load have the indices 0, 0, 1, 1, not 0 to 3 once each"),
    ],
)
def test_pieces_that_do_not_make_up_the_whole_are_refused(changes, message):
    with pytest.raises(GraphError, match=message) as caught:
        _wrong(**changes).build()
    assert caught.value.hint


@pytest.mark.parametrize(
    ("like", "message"),
    [
        ("load", r"leaves out 0 of its axes \(m, n\); a Split leaves out the one it splits"),
        ("row", r"Split split1 varies over \(q\), allowed are \(m\) and one axis of its own in place of n"),
    ],
)
def test_pieces_over_other_axes_are_refused(like, message):
    """The second piece has the view of another node."""
    g = _wrong()
    g.store("z", g.op("Abs", g.load("row", ("q",))))
    graph = g.build()
    view = graph.node_of["load" if like == "load" else "load1"].output
    nodes = tuple(replace(n, output=view) if n.name == "split1" else n for n in graph.nodes)
    with pytest.raises(GraphError, match=message) as caught:
        verify_graph(replace(graph, nodes=nodes))
    assert caught.value.hint


def test_a_split_of_what_is_joined_along_the_same_axis_is_refused(chip):
    g = GraphBuilder("undone", {"m": 4, "n": 8, "p": 3, "q": 5, "h": 4})
    joined = g.concat("n", (g.load("a", ("m", "p")), "p"), (g.load("b", ("m", "q")), "q"))
    for i, piece in enumerate(g.split(joined, "n", "h", "h")):
        g.store(f"y{i}", piece)
    with pytest.raises(ScheduleError, match="a Split takes apart along n what Concat concat joins there"):
        schedule_graph(g.build(), chip)


def test_the_step_is_there_only_where_something_is_split(chip):
    g = GraphBuilder("abs", {"n": 8})
    g.store("y", g.op("Abs", g.load("x", ("n",))))
    graph = g.build()
    assert TakeSlices().apply(graph).nodes == graph.nodes
    assert not any("TakeSlices" in text for t in schedule_graph(graph, chip).templates for text in t.phases[0].trace)
