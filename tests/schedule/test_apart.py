"""Stores over different axes: one nest for all where there is one, and a nest for each group."""

from __future__ import annotations

from dataclasses import replace

import pytest

from att.errors import ScheduleError
from att.formats.builder import GraphBuilder
from schedule.apart import KeepStores, store_groups
from schedule.generate import schedule_graph


def _stored(*axes):
    """A store of |x| over each choice of axes."""
    g = GraphBuilder("stored", {"m": 8, "p": 16, "q": 24})
    for i, mine in enumerate(axes):
        g.store(f"y{i}", g.op("Abs", g.load(f"x{i}", tuple(mine))))
    return g.build()


@pytest.mark.parametrize(
    ("axes", "groups"),
    [
        (["mp"], [("store",)]),
        (["mp", "m", "p", "mp"], [("store", "store1", "store2", "store3")]),
        (["m", "mq", "mp"], [("store", "store1"), ("store2",)]),
        (["p", "q", "mpq"], [("store", "store1", "store2")]),
        (["p", "q"], [("store",), ("store1",)]),
    ],
)
def test_stores_are_together_where_one_has_all_axes_of_the_other(axes, groups):
    assert list(store_groups(_stored(*axes))) == groups


def _reduced(*folded, kept=""):
    """A Sum of the same x[m, p, q] over each choice of axes; `kept`: what |x| is stored over beside."""
    g = GraphBuilder("reduced", {"m": 8, "p": 16, "q": 24})
    x = g.load("x", ("m", "p", "q"))
    for i, axes in enumerate(folded):
        g.store(f"y{i}", g.reduce("Sum", x, *axes))
    if kept:
        g.store("z", g.op("Abs", x))
    return g.build()


@pytest.mark.parametrize(
    ("graph", "groups"),
    [
        (_reduced("q", "q"), [("store", "store1")]),
        (_reduced("q", "pq"), [("store",), ("store1",)]),
        (_reduced("mpq", "q", "pq", "mpq"), [("store", "store3"), ("store1",), ("store2",)]),
        (_reduced("q", kept="mpq"), [("store", "store1")]),
        (_reduced("q", "pq", kept="mpq"), [("store", "store2"), ("store1",)]),
    ],
    ids=["alike", "nested", "three walks", "one walk", "two walks beside"],
)
def test_stores_are_apart_where_their_reduces_fold_different_axes(graph, groups):
    assert sorted(store_groups(graph)) == sorted(groups)


def test_reduces_in_the_way_of_each_other_have_a_nest_each(chip):
    """Where everything stays whole in UB one nest is legal too; where it does not fit, only these are left."""
    candidates = schedule_graph(_reduced("q", "pq"), chip)
    assert [t.name for t in candidates.templates] == ["full_load.z0", "apart.z0z1.z2", "apart.z0z1"]
    why = candidates.whys[1]
    assert why.trigger == "Store store varies over z0 and z1; Store store1 varies over z0: their reduces fold different axes"


def test_a_group_keeps_what_its_stores_need():
    graph = KeepStores(1).apply(_stored("mp", "mq"))
    assert [n.name for n in graph.nodes if n.axes] == ["load1", "abs1", "store1"]
    with pytest.raises(ScheduleError, match="there is no group 2, there are 2"):
        KeepStores(2).apply(_stored("mp", "mq"))


def test_one_group_has_no_template_of_its_own(chip):
    assert not [t for t in schedule_graph(_stored("mp", "m"), chip).templates if t.name.startswith("apart")]


def test_chains_that_share_no_loop_have_a_nest_each(chip):
    """The nodes of either chain run over its own axes only, so there is no nest for both."""
    graph = _stored("mp", "q")
    own = {"load": ("m", "p"), "abs": ("m", "p"), "store": ("m", "p"), "load1": ("q",), "abs1": ("q",), "store1": ("q",)}
    graph = replace(graph, nodes=tuple(_over(n, own[n.name]) if n.name in own else n for n in graph.nodes))
    candidates = schedule_graph(graph, chip)
    assert [t.name for t in candidates.templates] == ["apart.z0z1"]
    assert [[n.op for n in phase.nodes if n.axes] for phase in candidates.templates[0].phases] == [["Load", "Abs", "Store"]] * 2
    (dropped,) = candidates.dropped
    assert dropped.reason.startswith("Load load and Load load1 cannot share a loop nest: one runs over (")


def _over(node, axes):
    view = node.output
    kept = [i for i, axis in enumerate(view.axes) if axis in axes]
    picked = {part: tuple(getattr(view, part)[i] for i in kept) for part in ("axes", "repeats", "strides")}
    return replace(node, axes=axes, output=replace(view, **picked))
