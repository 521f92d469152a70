"""Axes over which nothing varies: the graph is scheduled as if it did not have them."""

from __future__ import annotations

import pytest

import att
from att.formats.builder import GraphBuilder
from att.ir.axis import Size

K = Size(name="K", minimum=1, maximum=500)
IDLE = [1, 100, K.symbol]


def builder(name, idle, **axes):
    """A graph with the axis k between the first axis and the others; `idle` None: without it."""
    (first, *others) = axes.items()
    between = {} if idle is None else {"k": idle}
    return GraphBuilder(name, {first[0]: first[1], **between, **dict(others)}, (K,))


def elementwise(idle):
    g = builder("elementwise", idle, m=64, n=1000)
    g.store("y", g.op("Abs", g.load("x", ("m", "n"))))
    return g.build()


def summed(idle):
    g = builder("summed", idle, m=4, n=100_000)
    g.store("y", g.reduce("Sum", g.load("x", ("m", "n")), "n"))
    return g.build()


def joined(idle):
    g = builder("joined", idle, m=64, p=20, q=13, n=33)
    parts = [(g.op("Abs", g.load(name, ("m", name))), name) for name in "pq"]
    g.store("y", g.concat("n", *parts))
    return g.build()


def kinds(templates):
    return {t.name.split(".")[0] for t in templates}


@pytest.mark.parametrize("idle", IDLE, ids=str)
@pytest.mark.parametrize("graph", [elementwise, summed, joined], ids=lambda make: make.__name__)
def test_it_changes_neither_the_templates_nor_the_time(graph, idle):
    without, with_it = att.schedule(graph(None)), att.schedule(graph(idle))
    assert len(with_it.templates) == len(without.templates)
    assert kinds(with_it.templates) == kinds(without.templates)
    shape = {"K": 7}
    plans = [att.solve(graph(axis), shape=shape, solver="enumerate", cache=False) for axis in (None, idle)]
    assert plans[0].status == plans[1].status == "OPTIMAL"
    assert plans[0].makespan_ticks == plans[1].makespan_ticks


def test_neighbours_of_an_idle_axis_merge():
    assert [t.name for t in att.schedule(elementwise(100)).templates] == ["general.z0z2"]


def test_rows_are_counted_without_it():
    """Beside an idle axis of 100 there are 4 rows, not 400: cores may share them."""
    assert "r_split" in kinds(att.schedule(summed(100)).templates)


@pytest.mark.parametrize("idle", IDLE, ids=str)
def test_one_axis_stays_where_nothing_varies_at_all(idle):
    g = GraphBuilder("one_number", {"k": idle}, (K,))
    g.store("y", g.op("Abs", g.load("x", ())))
    (template,) = att.schedule(g.build()).templates
    assert template.name == "general.z0"
    assert att.solve(g.build(), shape={"K": 7}, cache=False).block_dim == 1
