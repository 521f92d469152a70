"""Kernels of two phases whose cores share a row in both: odd tails, other types and layouts, rows that begin with nothing."""

from __future__ import annotations

from typing import Any

import pytest

from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph

M, N = Size(name="m_size", maximum=100), Size(name="n_size")


def _clipped(dtype: DType) -> HintGraph:
    """Rows over their norms, computed in float32, with a weight for each column."""
    g = GraphBuilder(f"clipped_{dtype}", {"m": M.symbol, "n": N.symbol}, (M, N))
    x = g.cast(g.load("x", ("m", "n"), dtype), DType.FLOAT32)
    scaled = g.op("Mul", x, g.op("Rsqrt", g.op("Add", g.reduce("Sum", g.op("Mul", x, x), "n"), 1e-06)))
    g.store("y", g.cast(g.op("Mul", scaled, g.load("w", ("n",))), dtype))
    return g.build()


def _along_columns() -> HintGraph:
    """The reduced axis outside the kept one, two reduces, and a store that waits for neither."""
    g = GraphBuilder("columns", {"m": N.symbol, "n": M.symbol}, (N, M))
    x = g.load("x", ("m", "n"))
    low, high = g.reduce("Min", x, "m"), g.reduce("Max", x, "m")
    g.store("early", g.op("Abs", x))
    g.store("y", g.op("Sub", g.op("Mul", x, high), low))
    return g.build()


def _softmax() -> HintGraph:
    g = GraphBuilder("shared_softmax", {"m": M.symbol, "n": N.symbol}, (M, N))
    x = g.load("x", ("m", "n"))
    e = g.op("Exp", g.op("Sub", x, g.reduce("Max", x, "n")))
    g.store("y", g.op("TrueDiv", e, g.reduce("Sum", e, "n")))
    return g.build()


def _of_two_phases(bench: Any, graph: HintGraph) -> list[str]:
    return [t.name for t in bench.build(graph)[0].templates if t.name.startswith("r_split")]


@pytest.mark.parametrize("dtype", [DType.FLOAT32, DType.BFLOAT16])
def test_rows_over_their_norms(bench: Any, dtype: DType) -> None:
    graph = _clipped(dtype)
    assert _of_two_phases(bench, graph)
    for shape in ({"m_size": 3, "n_size": 4999}, {"m_size": 1, "n_size": 333}):
        assert bench.demand(graph, shape, tilings=2) >= 2


def test_columns_that_are_shared(bench: Any) -> None:
    graph = _along_columns()
    assert _of_two_phases(bench, graph)
    assert bench.demand(graph, {"m_size": 13, "n_size": 611}, tilings=2) >= 2


def test_sums_that_follow_the_maximum_of_their_chunk(bench: Any) -> None:
    graph = _softmax()
    assert _of_two_phases(bench, graph) == ["r_split_online.z0.z1"]
    for shape in ({"m_size": 3, "n_size": 4999}, {"m_size": 1, "n_size": 1009}):
        assert bench.demand(graph, shape, tilings=2) >= 2
