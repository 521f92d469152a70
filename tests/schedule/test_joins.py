"""What becomes of a Concat: joined in UB, stored part by part, in one nest or in one for each."""

from __future__ import annotations

import pytest

from att.errors import GraphError, ScheduleError
from att.formats.builder import GraphBuilder
from att.formats.dump import to_text
from att.formats.graph_json import dumps, loads
from att.formats.load import load
from att.formats.script_write import to_script
from att.ir.dtype import DType
from att.ir.verify import verify_template
from schedule.axes import DropIdleAxes, NumberAxes
from schedule.generate import schedule_graph
from schedule.joins import OverAllAxes, StorePart, StoreParts
from tests.moves import joined, transposed


def names(candidates):
    return [t.name for t in candidates.templates]


def test_a_concat_of_rows_has_three_ways(chip):
    candidates = schedule_graph(joined((3, 5), rows=(16,)), chip)
    assert names(candidates) == ["concat.z0", "concat_store.z0", "concat_parts.z0", "concat_parts.z2"]
    assert not candidates.dropped


def test_joined_in_ub_every_part_is_whole(chip):
    graph = schedule_graph(joined((3, 5), rows=(16,)), chip).templates[0].phases[0]
    assert [v.name for v in graph.variables] == ["z0t_size", "z0Tb_size"]
    assert graph.node_of["concat"].output.vectorized_axes == ("z0t", "z1", "z2", "z3")
    assert [s.lo for s in graph.node_of["concat"].output.vectorized_strides] == [16, 1, 0, 0]
    assert [s.lo for s in graph.node_of["load1"].output.vectorized_strides] == [16, 0, 0, 1]


def test_stored_part_by_part_each_begins_where_the_last_ended(chip):
    graph = schedule_graph(joined((3, 5), rows=(16,), behind=True), chip).templates[1].phases[0]
    assert not [n for n in graph.nodes if n.op == "Concat"]
    stores = [n for n in graph.nodes if n.op == "Store"]
    assert [n.attrs["offset"].lo for n in stores] == [0, 3]
    rows = [n for n in graph.nodes if n.name.startswith("load2.part")]
    assert [n.attrs["offset"].lo for n in rows] == [0, 3]
    assert [n.op for n in graph.nodes].count("Exp") == 2


def test_every_part_has_loops_of_its_own(chip):
    template = schedule_graph(joined(("P", "Q"), rows=("M",)), chip).templates[3]
    assert template.name == "concat_parts.z2"
    assert len(template.phases) == 2
    assert [v.name for v in template.phases[1].variables] == ["z3p1t_size", "z0p1z3p1Tb_size"]
    assert template.axis_names["z3p1"] == "p1"
    verify_template(template)


def test_along_the_first_axis_nothing_is_joined_in_ub(chip):
    candidates = schedule_graph(joined((3, 5), rows=(), tail=(7,)), chip)
    assert names(candidates) == ["concat_store", "concat_parts.z1z3"]
    assert "nothing lies before the axis" in candidates.dropped[0].reason


def test_bytes_are_joined_in_whole_blocks_only(chip):
    assert "concat.z0" in names(schedule_graph(joined((32, 64), dtype=DType.INT8), chip))
    candidates = schedule_graph(joined((32, 65), dtype=DType.INT8), chip)
    assert "concat.z0" not in names(candidates)
    assert "elements of int8 cannot be transposed" in candidates.dropped[0].reason


def test_a_column_is_joined_where_its_rows_are_those_of_one_axis(chip):
    g = GraphBuilder("columns", {"a": 6, "b": 9, "both": 4, "one": 1, "three": 3})
    x = g.load("x", ("a", "b", "one"), strides=(20, 2, 1))
    y = g.load("y", ("a", "b", "three"))
    g.store("z", g.concat("both", (x, "one"), (y, "three")))
    assert [n for n in names(schedule_graph(g.build(), chip)) if n.startswith("concat.")] == ["concat.z1", "concat.z1.packed"]


def test_a_reduce_of_the_joined_axis_needs_all_parts(chip):
    g = GraphBuilder("sum", {"m": 16, "both": 8, "p": 3, "q": 5})
    y = g.concat("both", (g.load("a", ("m", "p")), "p"), (g.load("b", ("m", "q")), "q"))
    g.store("y", g.reduce("Sum", y, "both"))
    candidates = schedule_graph(g.build(), chip)
    assert names(candidates) == ["concat.z0"]
    assert "Sum sum reduces the axis that Concat concat joins" in candidates.dropped[0].reason


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"both": 9}, r"the parts of Concat have 3 \+ 5 elements along both, the result has 9"),
        ({"p": 4}, r"the parts of Concat have 4 \+ 5 elements along both, the result has 8"),
    ],
)
def test_parts_that_do_not_fill_the_result_are_refused(change, message):
    g = GraphBuilder("wrong", {"m": 16, "both": 8, "p": 3, "q": 5, **change})
    g.store("y", g.concat("both", (g.load("a", ("m", "p")), "p"), (g.load("b", ("m", "q")), "q")))
    with pytest.raises(GraphError, match=message):
        g.build()


def test_a_part_that_has_the_joined_axis_is_refused():
    g = GraphBuilder("same", {"m": 16, "both": 8, "p": 8})
    a, b = g.load("a", ("m", "both")), g.load("b", ("m", "p"))
    g.store("y", g.concat("both", (b, "p"), (a, "both")))
    with pytest.raises(GraphError, match="part load of Concat varies over"):
        g.build()


def test_a_graph_with_a_concat_survives_every_format(tmp_path):
    graph = joined(("P", "Q"), behind=True)
    assert loads(dumps(graph)) == graph
    for suffix, text in ((".txt", to_text(graph)), (".py", to_script(graph))):
        path = tmp_path / f"g{suffix}"
        path.write_text(text, encoding="utf-8")
        assert load(path) == graph


def test_templates_survive_their_file(chip):
    for t in schedule_graph(joined(("P", "Q")), chip).templates:
        assert loads(dumps(t)) == t


@pytest.mark.parametrize(
    ("step", "message"),
    [(StoreParts(), "there are 0 joins"), (StorePart(0), "there are 0 joins")],
    ids=str,
)
def test_only_the_parts_of_a_concat_are_stored_one_by_one(step, message):
    with pytest.raises(ScheduleError, match=message):
        step.apply(transposed("ba", (4, 8)))


def test_a_part_that_is_not_there_is_refused():
    with pytest.raises(ScheduleError, match="there is no part 2, there are 2"):
        StorePart(2).apply(joined((3, 5)))


def test_what_is_stored_besides_goes_with_the_first_part():
    g = GraphBuilder("besides", {"m": 16, "both": 8, "p": 3, "q": 5})
    a = g.load("a", ("m", "p"))
    g.store("y", g.concat("both", (a, "p"), (g.load("b", ("m", "q")), "q")))
    g.store("z", g.op("Abs", a))
    graph = OverAllAxes().apply(g.build())
    stores = [[n.name for n in StorePart(i).apply(graph).nodes if n.op == "Store"] for i in range(2)]
    assert stores == [["store.part0", "store1"], ["store.part1"]]
    second = DropIdleAxes().apply(StorePart(1).apply(graph))
    assert [a.name for a in second.axes] == ["m", "q"]
    assert [a.name for a in NumberAxes(1).apply(second).axes] == ["mp1", "qp1"]


def _sum_of_joins(*lengths):
    """Two Concats along the same axis, added; `lengths` of the first parts."""
    g = GraphBuilder(
        "rivals", {"m": 16, "n": 8, **{f"{k}{i}": n for i, first in enumerate(lengths) for k, n in (("p", first), ("q", 8 - first))}}
    )
    ys = [
        g.concat("n", (g.load(f"a{i}", ("m", f"p{i}")), f"p{i}"), (g.load(f"b{i}", ("m", f"q{i}")), f"q{i}")) for i in range(len(lengths))
    ]
    return g, ys


def test_parts_that_begin_within_others_are_not_stored_one_by_one(chip):
    g, ys = _sum_of_joins(3, 4)
    g.store("y", g.op("Add", *ys))
    candidates = schedule_graph(g.build(), chip)
    assert names(candidates) == ["concat.z0"]
    assert "concat and concat1 join along the same axis" in candidates.dropped[0].reason


def test_joins_that_never_meet_are_stored_each_for_itself(chip):
    g, ys = _sum_of_joins(3, 4)
    for i, y in enumerate(ys):
        g.store(f"y{i}", y)
    graph = schedule_graph(g.build(), chip).templates[1].phases[0]
    stores = {n.name: n.attrs["offset"].lo for n in graph.nodes if n.op == "Store"}
    assert stores == {"store.part0": 0, "store.part1": 3, "store1.part0": 0, "store1.part1": 4}


def test_parts_of_parts_begin_where_those_before_them_end():
    g = GraphBuilder("nested", {"m": 16, "n": 15, "k": 8, "p": 3, "q": 5, "r": 7})
    inner = g.concat("k", (g.load("a", ("m", "p")), "p"), (g.load("b", ("m", "q")), "q"))
    g.store("y", g.concat("n", (g.load("c", ("m", "r")), "r"), (inner, "k")))
    graph = StoreParts().apply(OverAllAxes().apply(g.build()))
    stores = {n.name: n.attrs["offset"].lo for n in graph.nodes if n.op == "Store"}
    assert stores == {"store.part0": 0, "store.part1.part0": 7, "store.part1.part1": 10}
