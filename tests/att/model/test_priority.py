"""Which tile gets UB first."""

from __future__ import annotations

import pytest

from att.chips import load_chip
from att.expr.core import integer, symbol
from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType
from att.model.bind import bind
from att.model.build import build_model
from att.model.options import ModelOptions
from att.model.policy import Trade, policy_of
from att.model.priority import preferences, rows_are_short, solving_order
from schedule.generate import schedule_graph

CHIP = load_chip("ascend910b1")


def order(graph, template):
    (found,) = [t for t in schedule_graph(graph, CHIP).templates if t.name == template]
    return solving_order(found.phases[0])


def test_the_block_variable_comes_last():
    g = GraphBuilder("abs", {"n": 1000})
    g.store("y", g.op("Abs", g.load("x", ("n",))))
    assert order(g.build(), "general.z0") == ("z0t_size", "z0Tb_size")


@pytest.mark.parametrize("axis", ["m", "n"])
def test_a_reduced_axis_comes_before_a_kept_one(axis):
    g = GraphBuilder("sum", {"m": 100, "n": 1000})
    g.store("y", g.reduce("Sum", g.load("x", ("m", "n")), axis))
    y, r = ("z1", "z0") if axis == "m" else ("z0", "z1")
    assert order(g.build(), f"general.{y}.{r}")[0] == f"{r}t_size"


def test_the_order_is_total_where_rules_disagree():
    g = GraphBuilder("both", {"m": 100, "n": 1000})
    g.store("y", g.reduce("Max", g.op("Mul", g.load("x", ("m", "n")), g.load("w", ("m",))), "m"))
    assert sorted(order(g.build(), "general.z1.z0")) == ["z0t_size", "z1Tb_size", "z1t_size"]


def sum_of_columns(m, n, dtype=DType.FLOAT32):
    g = GraphBuilder("sum", {"m": m, "n": n})
    g.store("y", g.reduce("Sum", g.load("x", ("m", "n"), dtype), "m"))
    return template_of(g.build(), "general.z1.z0")


def template_of(graph, name):
    (found,) = [t for t in schedule_graph(graph, CHIP).templates if t.name == name]
    return found.phases[0]


@pytest.mark.parametrize(
    ("m", "n", "short"),
    [(65, 127, True), (64, 127, False), (65, 128, False), (1000, 7, True)],
)
def test_rows_below_a_cache_line_come_first_where_more_than_a_vector_is_reduced(m, n, short):
    """Cache line 512 B, vector 256 B: rows of 127 floats are short, 65 floats are more than a vector."""
    graph = sum_of_columns(m, n)
    assert rows_are_short(graph, CHIP) == integer(int(short))
    assert solving_order(graph, short_rows=True) == ("z1t_size", "z0t_size", "z1Tb_size")
    assert solving_order(graph) == ("z0t_size", "z1t_size", "z1Tb_size")


def test_a_reduced_row_is_never_short_against_itself():
    g = GraphBuilder("sum", {"m": 100, "n": 70})
    g.store("y", g.reduce("Sum", g.load("x", ("m", "n")), "n"))
    assert rows_are_short(template_of(g.build(), "general.z0.z1"), CHIP) == integer(0)


@pytest.mark.parametrize(("dtype", "elems"), [(DType.FLOAT32, 8), (DType.FLOAT16, 16), (DType.UINT8, 32)])
def test_rows_of_a_transfer_like_whole_blocks(dtype, elems):
    graph = _relu_of(dtype)
    assert preferences(graph, CHIP)["z0t_size"].soft_align == elems


def _relu_of(dtype):
    g = GraphBuilder("copy", {"n": 1000})
    g.store("y", g.load("x", ("n",), dtype))
    return template_of(g.build(), "general.z0")


def test_a_tile_of_rows_does_not():
    g = GraphBuilder("add", {"m": 100, "n": 1000})
    g.store("y", g.op("Add", g.load("x", ("m", "n")), g.load("c", ("m",))))
    found = preferences(template_of(g.build(), "general.z0"), CHIP)["z0t_size"]
    assert found.soft_align == 1
    assert found.cache_line_elems == integer(128)


def test_a_problem_knows_whether_its_rows_are_short():
    n = symbol("n", 1, 100_000)
    g = GraphBuilder("sum", {"m": 1000, "n": n}, (Size(name="n", maximum=100_000),))
    g.store("y", g.reduce("Sum", g.load("x", ("m", "n")), "m"))
    (template,) = [t for t in schedule_graph(g.build(), CHIP).templates if t.name == "general.z1.z0"]
    model = build_model(template, CHIP, ModelOptions())
    assert [bind(model, {"n": size}).short_rows for size in (127, 128)] == [integer(1), integer(0)]


def test_heavy_ops_trade_ub_for_cores():
    light, heavy = policy_of((_relu_of(DType.FLOAT32),), CHIP), policy_of((sum_of_columns(100, 100),), CHIP)
    assert (light.trade, light.shares_by_time) == (None, True)
    assert (heavy.trade, heavy.shares_by_time) == (Trade(ub_ppm=100_000, cores_ppm=400_000), False)
    assert light.ub_effect_ppm == 190_000
    assert light.time_effect_ticks == 5000 * 10**6
    assert policy_of((_relu_of(DType.FLOAT32),), load_chip("ascend950pr")).cache_line
