"""What becomes of a Gather."""

from __future__ import annotations

from dataclasses import replace

import pytest

from att.errors import GraphError, ScheduleError
from att.expr.core import integer
from att.formats.builder import GraphBuilder
from att.formats.dump import to_text
from att.formats.graph_json import dumps, loads
from att.formats.load import load
from att.formats.script_write import to_script
from att.ir.dtype import DType
from att.model.calls import Calls
from att.ops.dma import transfer_of
from att.ops.verify import verify_graph
from schedule.generate import schedule_graph
from tests.moves import picked, picked_from_each, rows_picked


def test_the_gathered_axis_is_whole_and_every_other_one_can_be_cut(chip):
    candidates = schedule_graph(picked(("M", "V"), ("N",)), chip)
    assert [t.name for t in candidates.templates] == ["gather.z0", "gather.z2", "gather_rows.z0", "gather_rows.z2"]
    graph = candidates.templates[1].phases[0]
    assert [v.name for v in graph.variables] == ["z2t_size", "z0z2Tb_size"]
    assert graph.node_of["load"].output.vectorized_axes == ("z1", "z2t")
    assert graph.node_of["gather"].output.repeat_of("z1").lo == 1


def test_axes_of_indices_are_one_where_they_lie_close(chip):
    assert "gather.z2z3" in [t.name for t in schedule_graph(picked(("M", "V"), ("N", "K")), chip).templates]


@pytest.mark.parametrize(
    ("axes", "dtype", "message"),
    [
        (("n",), DType.FLOAT32, "indices of Gather are float32, allowed are int32, int64"),
        (("n",), DType.INT16, "indices of Gather are int16"),
    ],
)
def test_indices_are_integers(axes, dtype, message):
    g = GraphBuilder("wrong", {"m": 8, "v": 30, "n": 5})
    g.store("y", g.gather(g.load("x", ("m", "v")), "v", g.load("i", axes, dtype)))
    with pytest.raises(GraphError, match=message):
        g.build()


def test_the_axis_attribute_names_the_axis_that_is_gone():
    graph = picked((8, 30), (5,))
    wrong = dumps(graph).replace('"axis": 1', '"axis": 4')
    assert wrong != dumps(graph)
    with pytest.raises(GraphError, match="axis is 4, but v is axis 1 of the table"):
        loads(wrong)


def test_one_index_for_each_row_is_a_gather_too():
    g = GraphBuilder("rows", {"m": 8, "v": 30, "n": 5})
    g.store("y", g.gather(g.load("x", ("m", "v")), "v", g.load("i", ("m", "n"), DType.INT32)))
    assert g.build().node_of["gather"].output.repeat_of("v").lo == 1


def test_a_result_with_the_gathered_axis_is_refused():
    graph = picked((8, 30), (5,))
    node = graph.node_of["gather"]
    kept = replace(node, output=replace(node.output, repeats=graph.node_of["load"].output.repeats))
    with pytest.raises(GraphError, match="gives all of these axes but one of the table"):
        verify_graph(replace(graph, nodes=tuple(kept if n is node else n for n in graph.nodes)))


@pytest.mark.parametrize(
    ("indices", "reason"),
    [("one", "is no axis of its indices"), ("m", "picks each element of its innermost axis from a row of its own")],
)
def test_what_no_instruction_picks_from_a_table_made_here_is_refused_in_words(chip, indices, reason):
    g = GraphBuilder("rows", {"m": 8, "v": 30, "one": 1})
    g.store("y", g.gather(g.op("Abs", g.load("x", ("m", "v"))), "v", g.load("i", (indices,), DType.INT32)))
    with pytest.raises(ScheduleError, match=f"{reason}.*Abs abs makes what Gather gather reads"):
        schedule_graph(g.build(), chip)


def test_a_row_too_long_for_ub_is_never_there_as_a_whole(chip):
    candidates = schedule_graph(picked((4, 60000), (20,)), chip)
    assert [t.name for t in candidates.templates] == ["gather_rows.z0", "gather_rows.z2"]
    assert [d.name for d in candidates.dropped] == ["gather.z0", "gather.z2"]
    assert "needs at least 480" in candidates.dropped[0].reason


def test_an_element_of_each_row_is_loaded_by_index(chip):
    graph = schedule_graph(picked_from_each(70, 50257), chip).templates[0].phases[0]
    (node,) = (n for n in graph.nodes if n.op == "GatherRows")
    assert [s.lo for s in node.output.strides if s.lo] == [50257, 50257]
    assert node.attrs["row_stride"].lo == 1
    found = transfer_of(Calls(graph, {}, integer(1)).of(node).output, chip)
    assert (found.block_len_bytes.lo, found.block_count.lo, found.singles) == (4, 1, True)
    assert found.instructions == graph.axis_of["z0t"].size


def test_a_graph_with_a_gather_survives_every_format(tmp_path):
    graph = picked(("M", "V"), ("N",), index=DType.INT64, scaled=True)
    assert loads(dumps(graph)) == graph
    for suffix, text in ((".txt", to_text(graph)), (".py", to_script(graph))):
        path = tmp_path / f"g{suffix}"
        path.write_text(text, encoding="utf-8")
        assert load(path) == graph


def test_templates_survive_their_file(chip):
    for t in schedule_graph(picked(("M", "V"), ("N",)), chip).templates:
        assert loads(dumps(t)) == t


def test_rows_behind_the_gathered_axis_are_loaded_by_index(chip):
    candidates = schedule_graph(rows_picked("V", ("N",), ("D",)), chip)
    assert [t.name for t in candidates.templates] == ["gather_rows.z0", "gather_rows.z2"]
    assert "picks whole rows" in candidates.dropped[0].reason
    graph = candidates.templates[0].phases[0]
    assert [n.op for n in graph.nodes if n.op != "Data"] == ["Load", "GatherRows", "Store", "Output"]
    rows = graph.node_of["gather"]
    assert [s.lo for s in rows.output.strides] == [0, 0, 1]
    assert rows.attrs["row_stride"] == graph.axis_of["z2"].size


def test_a_table_that_is_made_here_is_not_loaded_by_index(chip):
    g = GraphBuilder("made", {"n": 5, "v": 30, "d": 16})
    g.store("y", g.gather(g.op("Abs", g.load("x", ("v", "d"))), "v", g.load("i", ("n",), DType.INT32)))
    with pytest.raises(ScheduleError, match="Abs abs makes what Gather gather reads"):
        schedule_graph(g.build(), chip)


def test_only_the_scheduler_makes_loads_by_index(chip):
    graph = schedule_graph(rows_picked(30, (5,), (16,)), chip).templates[0].phases[0]
    hint = rows_picked(30, (5,), (16,))
    node = replace(hint.node_of["gather"], op="GatherRows", inputs=("x", "load1"), attrs=graph.node_of["gather"].attrs)
    with pytest.raises(GraphError, match="GatherRows is made by the scheduler"):
        verify_graph(replace(hint, nodes=tuple(node if n.name == "gather" else n for n in hint.nodes)))


def test_templates_of_rows_survive_their_file(chip):
    for t in schedule_graph(rows_picked("V", ("N",), ("D",)), chip).templates:
        assert loads(dumps(t)) == t


def reduced_rows(length, *, normed):
    """Rows of a table of 30, four of them picked, summed or normed."""
    g = GraphBuilder("normed" if normed else "summed", {"m": 4, "v": 30, "k": length})
    y = g.gather(g.load("x", ("v", "k")), "v", g.load("i", ("m",), DType.INT32))
    g.store("y", g.op("Sub", y, g.reduce("Max", y, "k")) if normed else g.reduce("Sum", y, "k"))
    return g.build()


def test_rows_by_index_too_long_for_ub_are_reduced_piece_by_piece(chip):
    candidates = schedule_graph(reduced_rows(20000, normed=False), chip)
    assert [t.name for t in candidates.templates] == ["general.z0.z2", "r_split.z0.z2"]
    assert "for each index a row of the table is loaded" in candidates.whys[0].purpose
    candidates = schedule_graph(reduced_rows(60000, normed=True), chip)
    assert [t.name for t in candidates.templates] == ["chunked.z0.z2", "r_split_again.z0.z2"]
    assert "a node after Max max varies over the reduced axis again" in {d.name: d.reason for d in candidates.dropped}["general"]


def test_rows_by_index_that_fit_are_normed_whole(chip):
    candidates = schedule_graph(reduced_rows(512, normed=True), chip)
    assert [t.name for t in candidates.templates] == ["gather_rows.z0"]
    assert "every row of the declared range fits in UB (gather_rows.z0" in {d.name: d.reason for d in candidates.dropped}["chunked.z0.z2"]
