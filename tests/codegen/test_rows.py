"""Kernels whose rows are packed before they are stored, or shared among cores by several reduces."""

from __future__ import annotations

from typing import Any

import pytest

from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType

N = Size(name="n", maximum=4096)


@pytest.mark.parametrize("dtype", [DType.FLOAT32, DType.FLOAT16])
def test_rows_packed_behind_a_reduce(bench: Any, dtype: DType) -> None:
    g = GraphBuilder("scaled_rows", {"a": 7, "b": N.symbol}, (N,))
    x = g.load("x", ("a", "b"), dtype)
    g.store("y", g.op("Sub", x, g.reduce("Max", x, "b")))
    graph = g.build()
    _, built = bench.build(graph)
    assert "GatherMask" in built.kernel.text
    for n in (3, 21, 70):
        assert bench.demand(graph, {"n": n}, tilings=3) >= 3


def test_sums_over_shared_rows(bench: Any) -> None:
    g = GraphBuilder("two_sums", {"a": 3, "b": N.symbol}, (N,))
    x, w = g.load("x", ("a", "b")), g.load("w", ("a", "b"))
    g.store("dw", g.reduce("Sum", g.op("Mul", x, w), "b"))
    g.store("db", g.reduce("Max", w, "b"))
    graph = g.build()
    for n in (5, 77, 300):
        assert bench.demand(graph, {"n": n}, tilings=4) >= 4


def test_two_outputs_in_turn_in_one_queue(bench: Any) -> None:
    g = GraphBuilder("residual_norm", {"a": 5, "b": 6144})
    h = g.op("Add", g.cast(g.load("x", ("a", "b"), DType.FLOAT16), DType.FLOAT32), g.load("r", ("a", "b")))
    g.store("h", g.cast(h, DType.FLOAT16))
    g.store("y", g.cast(g.op("TrueDiv", h, g.reduce("Max", h, "b")), DType.FLOAT16))
    graph = g.build()
    candidates, _ = bench.build(graph)
    assert any("ShareQueues()" in phase.trace for t in candidates.templates for phase in t.phases)
    assert bench.demand(graph, {}, tilings=2) >= 2
