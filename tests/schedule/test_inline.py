"""Rows that binary instructions repeat themselves: which Broadcasts go, and which stay."""

from __future__ import annotations

import pytest

from att.formats.builder import GraphBuilder
from schedule.generate import schedule_graph


def templates(graph, chip):
    return {t.name: t.phases[0] for t in schedule_graph(graph, chip).templates}


def ops(phase):
    return [n.op for n in phase.nodes if n.axes]


def test_a_row_that_is_added_is_not_written_out(chip):
    g = GraphBuilder("add", {"m": 48, "n": 300})
    g.store("y", g.op("Add", g.load("x", ("m", "n")), g.broadcast(g.load("row", ("n",)), ("m", "n"))))
    found = templates(g.build(), chip)
    assert [name for name in found if not name.startswith("unaligned")] == [
        "general.z0",
        "general.z1",
        "general.z0.inline",
        "general.z1.z0.reuse",
        "general.z1.z0.reuse.inline",
    ]
    assert "Broadcast" in ops(found["general.z0"])
    assert ops(found["general.z0.inline"]) == ["Load", "Load", "Add", "Store"]
    assert "InlineBroadcasts()" in found["general.z0.inline"].trace


def test_a_column_stays_a_broadcast(chip):
    g = GraphBuilder("add", {"m": 48, "n": 300})
    g.store("y", g.op("Add", g.load("x", ("m", "n")), g.broadcast(g.load("column", ("m",)), ("m", "n"))))
    assert not any(name.endswith("inline") for name in templates(g.build(), chip))


@pytest.mark.parametrize("use", ["unary", "twice", "stored", "both"])
def test_a_row_that_something_else_needs_whole_stays_a_broadcast(chip, use):
    g = GraphBuilder(use, {"m": 48, "n": 300})
    x, row = g.load("x", ("m", "n")), g.broadcast(g.load("row", ("n",)), ("m", "n"))
    y = g.op("Add", x, row)
    if use == "unary":
        y = g.op("Mul", y, g.op("Exp", row))
    elif use == "twice":
        y = g.op("Mul", y, g.op("Add", row, row))
    elif use == "stored":
        g.store("copy", row)
    else:
        y = g.op("Mul", y, g.op("Sub", row, g.broadcast(g.load("other", ("n",)), ("m", "n"))))
    g.store("y", y)
    assert not any(name.endswith("inline") for name in templates(g.build(), chip))


def test_arch_3510_has_no_such_form():
    from att.chips import load_chip

    g = GraphBuilder("add", {"m": 48, "n": 300})
    g.store("y", g.op("Add", g.load("x", ("m", "n")), g.broadcast(g.load("row", ("n",)), ("m", "n"))))
    assert not any(name.endswith("inline") for name in templates(g.build(), load_chip("ascend950pr")))
