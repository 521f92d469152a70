"""What becomes of transposes: folded into loads, done in UB, and why."""

from __future__ import annotations

import pytest

from att.formats.graph_json import dumps, loads
from att.ir.dtype import DType
from att.ir.loops import loop_nest
from att.ir.roles import varying_axes
from schedule.generate import schedule_graph
from tests.moves import builder, transposed


def names(candidates):
    return [t.name for t in candidates.templates]


def template(candidates, name):
    return next(t for t in candidates.templates if t.name == name).phases[0]


def test_a_transposed_matrix_is_cut_on_both_sides(chip):
    candidates = schedule_graph(transposed("ba", ("M", "N")), chip)
    assert names(candidates) == ["general.z0", "general.z1", "transpose.z1.z0", "transpose.z0.z1"]
    graph = template(candidates, "transpose.z1.z0")
    assert [v.name for v in graph.variables] == ["z1t_size", "z0t_size", "z1Tb_size"]
    assert loop_nest(graph).inner == ("z0T",)
    before, after = graph.node_of["load"].output, graph.node_of["transpose"].output
    assert before.vectorized_axes == ("z1t", "z0t")
    assert after.vectorized_axes == ("z0t", "z1t")
    assert before.vectorized_strides[1].lo == after.vectorized_strides[1].lo == 1


def test_rows_of_a_transposed_tile_start_where_the_instruction_puts_them(chip):
    graph = template(schedule_graph(transposed("ba", (40, 50)), chip), "transpose.z1.z0")
    for name in ("load", "transpose"):
        assert graph.node_of[name].output.vectorized_strides[0].multiple % 16 == 0


def test_a_folded_transpose_leaves_strides_in_the_load(chip):
    graph = template(schedule_graph(transposed("ba", (40, 50)), chip), "general.z0")
    assert not [n for n in graph.nodes if n.op == "Transpose"]
    load = graph.node_of["load"].output
    assert varying_axes(load) == ("z0T", "z0t", "z1")
    assert load.stride_of("z0t").lo == 1
    assert load.stride_of("z1").lo == 40


def test_outer_axes_are_swapped_by_the_load_alone(chip):
    candidates = schedule_graph(transposed("bac", (3, 40, 50)), chip)
    assert names(candidates) == ["general.z0", "general.z1", "general.z2"]
    (dropped,) = candidates.dropped
    assert dropped.name == "transpose"
    assert "leaves the innermost axis where it is" in dropped.reason


def test_an_axis_outside_both_tails_can_be_cut_with_both_whole(chip):
    candidates = schedule_graph(transposed("acb", (30, 4, 5)), chip)
    assert names(candidates)[3:] == ["transpose.z2.z1", "transpose.z1.z2", "transpose.z0", "transpose.z0.packed"]
    graph = template(candidates, "transpose.z0")
    assert graph.node_of["load"].output.vectorized_axes == ("z0t", "z2", "z1")


def test_axes_that_stay_together_are_one(chip):
    assert "transpose.z2.z0z1" in names(schedule_graph(transposed("cab", (3, 40, 50)), chip))


def test_a_transpose_beside_a_reduce_is_folded(chip):
    g = builder("reduced", (30, 40))
    g.store("y", g.reduce("Sum", g.op("Transpose", g.load("x", ("b", "a"), in_place=True)), "b"))
    candidates = schedule_graph(g.build(), chip)
    assert names(candidates) == ["general.z0.z1", "full_load.z0", "r_split.z0.z1"]
    assert "because Sum sum reduces in the same nest" in candidates.dropped[0].reason


def test_transposes_of_different_axes_are_folded(chip):
    g = builder("two", (3, 40, 50))
    first = g.op("Transpose", g.load("x", ("a", "c", "b"), in_place=True))
    second = g.op("Transpose", g.load("z", ("c", "b", "a"), in_place=True))
    g.store("y", g.op("Add", first, second))
    candidates = schedule_graph(g.build(), chip)
    assert all(name.startswith("general.") for name in names(candidates))
    assert "transpose, transpose1 swap different axes" in candidates.dropped[0].reason


def test_transposes_of_the_same_axes_share_a_nest(chip):
    g = builder("same", (40, 50))
    first, second = (g.op("Transpose", g.load(x, ("b", "a"), in_place=True)) for x in ("x", "z"))
    g.store("y", g.op("Add", first, second))
    assert "transpose.z1.z0" in names(schedule_graph(g.build(), chip))


def test_a_value_of_another_order_that_no_transpose_brings_back_is_folded(chip):
    g = builder("stray", (40, 50))
    t = g.op("Transpose", g.load("x", ("b", "a"), in_place=True))
    g.store("y", g.op("Add", t, g.load("z", ("b", "a"), in_place=True)))
    candidates = schedule_graph(g.build(), chip)
    assert names(candidates) == ["general.z0", "general.z1"]
    assert "Add add joins values of different axis orders" in candidates.dropped[0].reason


def test_a_transpose_that_moves_nothing_is_gone(chip):
    g = builder("still", (40, 50))
    g.store("y", g.op("Abs", g.op("Transpose", g.load("x", ("a", "b")))))
    assert names(schedule_graph(g.build(), chip)) == ["general.z0z1"]


def test_work_before_the_transpose_keeps_the_order_of_its_input(chip):
    graph = template(schedule_graph(transposed("ba", (40, 50), DType.FLOAT16, cast_to=DType.FLOAT32), chip), "transpose.z1.z0")
    assert graph.node_of["cast"].output.vectorized_axes == ("z1t", "z0t")


@pytest.mark.parametrize("order", ["ba", "acb"])
def test_templates_of_transposes_survive_their_file(chip, order):
    for t in schedule_graph(transposed(order, (20, 30, 40)[: len(order)]), chip).templates:
        assert loads(dumps(t)) == t
