"""Values to store that take turns in one queue: only where UB is too small otherwise, and only those never alive together."""

from __future__ import annotations

import pytest

from att.formats.builder import GraphBuilder
from att.ir.dtype import DType
from att.ir.layout import blocks
from schedule.generate import schedule_graph
from schedule.trace import replay


def residual_norm(n, *, late=False):
    """h = x + r; y = h / max h; both stored in float16, h before y is made or (`late`) after."""
    g = GraphBuilder("residual_norm", {"m": 5, "n": n})
    h = g.op("Add", g.cast(g.load("x", ("m", "n"), DType.FLOAT16), DType.FLOAT32), g.load("r", ("m", "n")))
    kept = g.cast(h, DType.FLOAT16)
    if not late:
        g.store("h", kept)
    y = g.cast(g.op("TrueDiv", h, g.reduce("Max", h, "n")), DType.FLOAT16)
    g.store("y", y)
    if late:
        g.store("h", kept)
    return g.build()


def full_load(graph, chip):
    (phase,) = next(t for t in schedule_graph(graph, chip).templates if t.name == "full_load.z0").phases
    return phase


def outputs(phase):
    return [b.tensors for b in blocks(phase) if b.position == "VECOUT"]


def test_long_rows_share_a_queue_and_so_fit(chip):
    phase = full_load(residual_norm(6_144), chip)
    assert phase.trace[-1] == "ShareQueues()"
    (stored,) = outputs(phase)
    assert {"cast1", "cast2"} <= set(stored)
    reuse = [phase.node_of[name].output.memory.queue.reuse_id for name in ("cast1", "cast2")]
    assert reuse[0] != reuse[1]


def test_rows_that_fit_keep_a_queue_each(chip):
    phase = full_load(residual_norm(4_096), chip)
    assert phase.trace[-1].startswith("Place(")
    assert len(outputs(phase)) == 2


def test_values_that_wait_together_keep_a_queue_each(chip):
    dropped = {d.name: d.reason for d in schedule_graph(residual_norm(6_144, late=True), chip).dropped}
    assert dropped["full_load.z0"].startswith("UB: needs at least")


def test_queues_are_numbered_without_gaps(chip):
    phase = full_load(residual_norm(6_144), chip)
    queues = sorted({n.output.memory.queue.id for n in phase.nodes if n.output.memory and n.output.memory.queue})
    assert queues == list(range(len(queues)))


@pytest.mark.parametrize("n", [4_096, 6_144])
def test_its_trace_makes_it_again(chip, n):
    graph = residual_norm(n)
    phase = full_load(graph, chip)
    assert replay(graph, phase.trace, phase.name) == phase
