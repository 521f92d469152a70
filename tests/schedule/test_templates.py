"""Which templates a graph gets, what they are called and which variables they have."""

from __future__ import annotations

import pytest

from att.expr.core import integer
from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.roles import varying_axes
from schedule.generate import schedule_graph


def names(graph, chip):
    return [t.name for t in schedule_graph(graph, chip).templates]


def variables(template):
    return [v.name for phase in template.phases for v in phase.variables]


def test_contiguous_elementwise_axes_become_one(chip):
    g = GraphBuilder("abs", {"m": 200, "n": 200})
    g.store("y", g.op("Abs", g.load("x", ("m", "n"))))
    candidates = schedule_graph(g.build(), chip)
    assert [t.name for t in candidates.templates] == ["general.z0z1"]
    (template,) = candidates.templates
    assert variables(template) == ["z0z1t_size", "z0z1Tb_size"]
    abs_node = template.phases[0].node_of["abs"]
    assert abs_node.axes == ("z0z1TB", "z0z1Tb", "z0z1t")
    assert abs_node.loop_axis == "z0z1Tb"
    assert abs_node.output.vectorized_axes == ("z0z1t",)


def test_a_broadcast_axis_keeps_both_axes_and_gives_one_template_per_cut(chip):
    g = GraphBuilder("add", {"m": 48, "n": 3000})
    g.store("y", g.op("Add", g.load("x", ("m", "n")), g.load("row", ("n",))))
    first, second, inline, *_ = schedule_graph(g.build(), chip).templates
    assert inline.name == "general.z0.inline"
    assert (first.name, variables(first)) == ("general.z0", ["z0t_size", "z0Tb_size"])
    assert (second.name, variables(second)) == ("general.z1", ["z1t_size", "z0z1Tb_size"])
    assert first.phases[0].node_of["add"].output.vectorized_axes == ("z0t", "z1")
    assert second.phases[0].node_of["add"].output.vectorized_axes == ("z1t",)


def test_one_reduce_gets_general_and_full_load(chip):
    g = GraphBuilder("sum", {"m": 64, "n": 1000})
    g.store("y", g.reduce("Sum", g.load("x", ("m", "n")), "n"))
    candidates = schedule_graph(g.build(), chip)
    assert [t.name for t in candidates.templates] == ["general.z0.z1", "full_load.z0"]
    general = candidates.templates[0].phases[0]
    assert general.node_of["load"].loop_axis == "z1T"
    assert general.node_of["sum"].axes == ("z0TB", "z0Tb", "z1T", "z0t", "z1t")
    assert general.node_of["store"].loop_axis == "z0Tb"


@pytest.mark.parametrize("reduced", ["m", "k", "n"])
def test_every_position_of_the_reduced_axis(chip, reduced):
    g = GraphBuilder("max", {"m": 16, "k": 33, "n": 7})
    g.store("y", g.reduce("Max", g.load("x", ("m", "k", "n")), reduced))
    kinds = {name.split(".")[0] for name in names(g.build(), chip)}
    assert kinds - {"r_split"} == {"general", "full_load"}


def test_a_node_that_varies_again_after_the_reduce_leaves_full_load_only(chip):
    g = GraphBuilder("softmax_like", {"m": 64, "n": 1000})
    x = g.load("x", ("m", "n"))
    g.store("y", g.op("Exp", g.op("Sub", x, g.reduce("Max", x, "n"))))
    candidates = schedule_graph(g.build(), chip)
    assert [t.name for t in candidates.templates] == ["full_load.z0"]
    assert "varies over the reduced axis again" in candidates.dropped[0].reason


def test_two_reduces_leave_full_load_only(chip):
    g = GraphBuilder("two", {"m": 64, "n": 1000})
    x = g.load("x", ("m", "n"))
    g.store("a", g.reduce("Max", x, "n"))
    g.store("b", g.reduce("Sum", x, "n"))
    candidates = schedule_graph(g.build(), chip)
    assert [t.name for t in candidates.templates] == ["full_load.z0"]
    assert "2 reduces" in candidates.dropped[0].reason


def test_everything_reduced_runs_on_one_core_without_a_block_variable(chip):
    g = GraphBuilder("total", {"m": 64, "n": 128})
    g.store("y", g.reduce("Sum", g.load("x", ("m", "n")), "m", "n"))
    general, full, split = schedule_graph(g.build(), chip).templates
    assert (general.name, variables(general)) == ("general.z0z1", ["z0z1t_size"])
    assert (full.name, variables(full)) == ("full_load", [])
    assert (split.name, variables(split)) == ("r_split.z0z1", ["z0z1t_size", "z0z1Tt_size"])


def test_a_reduce_of_few_long_rows_is_shared_in_two_phases(chip):
    g = GraphBuilder("sum", {"m": 6, "n": 1001})
    e = g.op("Exp", g.load("x", ("m", "n")))
    g.store("e", e)
    g.store("y", g.op("Abs", g.reduce("Sum", e, "n")))
    split = next(t for t in schedule_graph(g.build(), chip).templates if t.name == "r_split.z0.z1")
    first, second = split.phases
    assert [n.name for n in first.nodes if n.op in ("Store", "Workspace")] == ["store", "sum_store", "sum_partials"]
    assert [n.name for n in first.nodes if n.loop_axis == "z1Tt"] == ["load", "exp", "store", "sum"]
    assert varying_axes(first.node_of["sum_store"].output) == ("z0T", "z0t", "z1TT")
    assert [v.name for v in first.variables] == ["z1t_size", "z1Tt_size", "z0t_size"]
    assert [n.op for n in second.nodes if n.axes] == ["Load", "Sum", "Abs", "Store"]
    assert [v.name for v in second.variables] == ["z0p1t_size", "z0p1Tb_size"]
    assert second.axis_of["z1Pp1"].size == first.axis_of["z1TT"].size


def test_the_place_of_the_largest_element_of_a_long_row_is_found_tile_by_tile(chip):
    g = GraphBuilder("g", {"m": 3, "n": 151_936})
    g.store("y", g.reduce("ArgMax", g.load("x", ("m", "n")), "n"))
    found = schedule_graph(g.build(), chip)
    assert [t.name for t in found.templates] == ["general.z0.z1"]
    reasons = {d.name: d.reason for d in found.dropped}
    assert reasons["r_split"] == "a second phase would need the largest elements beside their places, and ArgMax argmax yields places only"
    assert reasons["full_load.z0"].startswith("UB: needs at least")
    assert "its parts merge by the element that each is the place of" in found.whys[0].trigger


def test_loops_of_a_shared_reduce_over_two_axes_stay_in_a_core(chip):
    g = GraphBuilder("sum", {"a": 500, "m": 6, "n": 1001})
    g.store("y", g.reduce("Sum", g.load("x", ("a", "m", "n")), "a", "n"))
    split = next(t for t in schedule_graph(g.build(), chip).templates if t.name == "r_split.z1.z2")
    first = split.phases[0]
    assert first.axis_of["z2Ttz0"].parents == ("z2Tt", "z0")
    assert first.axis_of["z2TTz1T"].parents == ("z2TT", "z1T")
    assert first.axis_of["z2TTz1Tb"].size == integer(1)


def test_many_rows_are_not_shared(chip):
    g = GraphBuilder("sum", {"m": 48, "n": 1000})
    g.store("y", g.reduce("Sum", g.load("x", ("m", "n")), "n"))
    (dropped,) = schedule_graph(g.build(), chip).dropped
    assert dropped.name == "r_split.z0.z1"
    assert "at least 48 rows, which keep 48 cores busy" in dropped.reason


def test_a_handful_of_reduced_elements_is_not_shared(chip):
    g = GraphBuilder("sum", {"m": 4, "n": 1000})
    g.store("y", g.reduce("Sum", g.load("x", ("m", "n")), "m"))
    (dropped,) = schedule_graph(g.build(), chip).dropped
    assert dropped.name == "r_split.z1.z0"
    assert "at most 4 elements to reduce" in dropped.reason


def test_unit_axes_are_dropped(chip):
    g = GraphBuilder("abs", {"a": 1, "m": 64, "b": 1, "n": 100})
    g.store("y", g.op("Abs", g.load("x", ("a", "m", "b", "n"))))
    assert names(g.build(), chip) == ["general.z1z3"]


def test_dynamic_axes_merge_where_they_are_known_contiguous(chip):
    ks0, ks1 = Size(name="ks0"), Size(name="ks1")
    g = GraphBuilder("abs", {"m": ks0.symbol, "n": ks1.symbol}, (ks0, ks1))
    g.store("y", g.op("Abs", g.load("x", ("m", "n"))))
    assert names(g.build(), chip) == ["general.z0z1"]


def test_a_gap_between_rows_keeps_the_axes_apart(chip):
    g = GraphBuilder("abs", {"m": 64, "n": 100})
    g.store("y", g.op("Abs", g.load("x", ("m", "n"), strides=(128, 1))))
    assert names(g.build(), chip) == ["general.z0", "general.z1"]


def test_same_type_casts_and_broadcast_chains_disappear(chip):
    g = GraphBuilder("clean", {"m": 8, "k": 16, "n": 32})
    x = g.cast(g.load("x", ("n",)), g.load("w", ("m", "k", "n")).dtype)
    wide = g.broadcast(g.broadcast(x, ("k", "n")), ("m", "k", "n"))
    g.store("y", g.op("Abs", wide))
    template = schedule_graph(g.build(), chip).templates[0].phases[0]
    assert [n.op for n in template.nodes if n.op in ("Cast", "Broadcast")] == ["Broadcast"]


def test_a_broadcast_over_a_loop_is_no_copy_in_ub(chip):
    g = GraphBuilder("add", {"m": 48, "n": 3000})
    g.store("y", g.op("Add", g.load("x", ("m", "n")), g.load("row", ("n",))))
    rows, columns, *_ = (t.phases[0] for t in schedule_graph(g.build(), chip).templates)
    assert "broadcast" in rows.node_of
    assert "broadcast" not in columns.node_of
    assert columns.node_of["add"].inputs == ("load", "load1")
