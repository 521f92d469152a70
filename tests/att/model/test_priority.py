"""Which tile gets UB first."""

from __future__ import annotations

import pytest

from att.chips import load_chip
from att.formats.builder import GraphBuilder
from att.model.priority import solving_order
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
