"""Inline broadcasts on the CPU model: both forms, every op, tails, and the row on either side."""

from __future__ import annotations

from typing import Any

import pytest

from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType


@pytest.mark.parametrize("dtype", [DType.FLOAT32, DType.FLOAT16], ids=str)
def test_rows_meet_every_row(bench: Any, dtype: DType) -> None:
    m, n = Size(name="m", maximum=4096), Size(name="n", maximum=4096)
    g = GraphBuilder(f"by_row_{dtype}", {"a": m.symbol, "b": n.symbol}, (m, n))
    x = g.load("x", ("a", "b"), dtype)
    rows = [g.broadcast(g.load(f"r{i}", ("b",), dtype), ("a", "b")) for i in range(3)]
    y = g.op("Sub", rows[0], g.op("Mul", x, rows[1]))
    y = g.op("Maximum", g.op("Minimum", g.op("Add", y, rows[2]), rows[0]), rows[1])
    if dtype is DType.FLOAT32:
        y = g.op("Div", y, rows[2])
    g.store("y", y)
    graph = g.build()
    names = [t.name for t in bench.build(graph)[0].templates]
    assert "general.z0.inline" in names
    for shape in ({"m": 5, "n": 20}, {"m": 300, "n": 33}, {"m": 3, "n": 700}, {"m": 40, "n": 2100}):
        bench.demand(graph, shape, tilings=3)
