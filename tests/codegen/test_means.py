"""Kernels of means: rows cut, shared among cores, walked twice; lengths that only the shape says."""

from __future__ import annotations

from typing import Any

import pytest

from att.formats.builder import GraphBuilder, Value
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph

M, N = (Size(name=name, maximum=60_000) for name in "MN")


def builder(name: str) -> GraphBuilder:
    return GraphBuilder(name, {"m": M.symbol, "n": N.symbol}, (M, N))


def rows(g: GraphBuilder, dtype: DType = DType.FLOAT32) -> Value:
    return g.load("x", ("m", "n"), dtype)


def mean(dtype: DType, *over: str) -> HintGraph:
    g = builder(f"mean_{dtype}_{'_'.join(over)}")
    g.store("y", g.reduce("Mean", rows(g, dtype), *over))
    return g.build()


def normalised() -> HintGraph:
    """Two means, one after the other, and what varies over the rows again."""
    g = builder("normalised_by_means")
    x = rows(g)
    centred = g.op("Sub", x, g.reduce("Mean", x, "n"))
    variance = g.reduce("Mean", g.op("Mul", centred, centred), "n")
    g.store("y", g.op("Mul", centred, g.op("Rsqrt", g.op("Add", variance, 1e-5))))
    g.store("variance", variance)
    return g.build()


@pytest.mark.parametrize(
    ("graph", "kinds"),
    [
        (mean(DType.FLOAT32, "n"), {"general", "full_load", "r_split"}),
        (mean(DType.FLOAT32, "m"), {"general", "full_load", "r_split"}),
        (mean(DType.BFLOAT16, "m", "n"), {"general", "full_load", "r_split"}),
        (normalised(), {"full_load", "chunked"}),
    ],
    ids=lambda x: x.name if isinstance(x, HintGraph) else "",
)
def test_every_template_of_a_mean_is_right(bench: Any, graph: HintGraph, kinds: set[str]) -> None:
    candidates, built = bench.build(graph)
    assert {t.name.split(".")[0] for t in candidates.templates} == kinds
    assert "static_cast<float>(" in built.kernel.text
    for shape in ({"M": 5, "N": 33}, {"M": 1, "N": 700}):
        assert bench.demand(graph, shape, tilings=2) >= len(candidates.templates)


def test_a_known_length_is_a_literal(bench: Any) -> None:
    g = GraphBuilder("mean_of_40", {"m": M.symbol, "n": 40}, (M,))
    g.store("y", g.reduce("Mean", g.load("x", ("m", "n")), "n"))
    _, built = bench.build(g.build())
    assert "0.025f" in built.kernel.text
    assert bench.demand(g.build(), {"M": 7}, tilings=2) >= 2
