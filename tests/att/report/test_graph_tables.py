"""What `att show` prints of a loop nest."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from att.chips import load_chip
from att.report.graph import graph_tables
from benchmarks.make_graphs import dynamic_graph
from schedule.generate import schedule_graph


def nest_of(operator, template):
    found = next(t for t in schedule_graph(dynamic_graph(operator), load_chip("ascend910b1")).templates if t.name == template)
    out = StringIO()
    Console(file=out, width=200).print(graph_tables(found))
    section = out.getvalue().split("Loop nest")[1].split("\n\n")[0]
    return [line.strip().partition(" in ")[0].partition(" = ")[0] for line in section.splitlines() if line.strip()]


def test_every_walk_is_a_loop_of_its_own():
    assert nest_of("log_softmax", "chunked.z0.z1") == [
        "for z0TB", "for z0Tb",
        "for z1T", "load", "max",
        "for z1T", "load_walk2", "broadcast", "sub", "exp", "sum",
        "ln",
        "for z1T", "load_walk3", "broadcast_walk3", "sub_walk3", "broadcast1", "sub1", "store",
    ]  # fmt: skip


def test_one_walk_is_one_loop():
    assert nest_of("amax_keep", "general.z0.z1") == ["for z0TB", "for z0Tb", "for z1T", "load", "max", "store"]
