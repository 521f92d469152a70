"""Graphs in element types that the vector unit does not compute in: their kernels cast, and equal numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from att.formats.builder import GraphBuilder, Value
from att.ir.axis import Size
from att.ir.dtype import DType

SHAPES = [{"m": 5, "n": 20}, {"m": 3, "n": 141}]
Load = Callable[[str, DType], Value]


def bf16_chain(g: GraphBuilder, load: Load) -> Value:
    x = load("x", DType.BFLOAT16)
    return g.op("TrueDiv", g.op("Exp", x), g.op("Add", g.op("Abs", x), 0.1))


def bf16_sum(g: GraphBuilder, load: Load) -> Value:
    return g.reduce("Sum", load("x", DType.BFLOAT16), "col")


def truth(g: GraphBuilder, load: Load) -> Value:
    mask = g.cast(load("x", DType.FLOAT32), DType.BOOL)
    return g.op("LogicalAnd", mask, load("mask", DType.BOOL), dtype=DType.BOOL)


def bytes_chosen(g: GraphBuilder, load: Load) -> Value:
    a, b = load("a", DType.INT8), load("b", DType.INT8)
    return g.op("Where", g.op("Gt", a, b), g.op("Maximum", a, 3), b)


def float_to_bytes(g: GraphBuilder, load: Load) -> Value:
    return g.cast(g.op("Mul", load("x", DType.FLOAT32), 100.0), DType.INT8)


@pytest.mark.parametrize("body", [bf16_chain, bf16_sum, truth, bytes_chosen, float_to_bytes])
def test_a_kernel_with_casts_equals_numpy(bench: Any, body: Callable[[GraphBuilder, Load], Value]) -> None:
    sizes = (Size(name="m", maximum=10_000), Size(name="n", maximum=10_000))
    g = GraphBuilder(f"legal_{body.__name__}", {"row": sizes[0].symbol, "col": sizes[1].symbol}, sizes)
    g.store("y", body(g, lambda name, dtype: g.load(name, ("row", "col"), dtype)))
    graph = g.build()
    for shape in SHAPES:
        assert bench.demand(graph, shape, tilings=2) >= 1
