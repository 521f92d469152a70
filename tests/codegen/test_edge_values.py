"""Kernels on numbers that random inputs never hold: integers of all sizes, infinities, NaN; and that short temporaries are noticed."""

from __future__ import annotations

from typing import Any

import pytest

from att.formats.builder import GraphBuilder, Value
from att.ir.dtype import DType
from att.ir.graph import HintGraph
from att.ops import tmp_library

F16, F32, I32, I64 = DType.FLOAT16, DType.FLOAT32, DType.INT32, DType.INT64
SIZE = {"n": 1237}


def _graph(name: str) -> GraphBuilder:
    return GraphBuilder(name, {"col": SIZE["n"]})


def _demand(bench: Any, graph: HintGraph) -> None:
    assert bench.demand(graph, {}, tilings=2) >= 2


@pytest.mark.parametrize("scale", [2.0**31, 2.0**55])
def test_wide_integers_are_compared_in_both_halves(bench: Any, scale: float) -> None:
    g = _graph(f"wide_{int(scale).bit_length()}")
    a, b = (g.cast(g.op("Mul", g.load(name, ("col",)), scale), I64) for name in "ab")
    same = g.op("Where", g.load("mask", ("col",), DType.UINT8), a, b)
    pairs = {"ab": (a, b), "same": (a, same), "number": (a, 2**33 - 1)}
    for label, (x, y) in pairs.items():
        for op in ("Eq", "Ne", "Gt", "Ge", "Le"):
            g.store(f"{op}_{label}", g.op(op, x, y))
    _demand(bench, g.build())


def test_remainders_of_large_integers(bench: Any) -> None:
    g = _graph("remainders")

    def scaled(name: str, scale: float) -> Value:
        return g.cast(g.op("Mul", g.load(name, ("col",)), scale), I32)

    dividend = scaled("a", 1.5e9)
    for label, divisor in (("large", scaled("b", 9e8)), ("medium", scaled("c", 3e4)), ("small", g.load("d", ("col",), I32))):
        g.store(label, g.op("Remainder", dividend, divisor))
    _demand(bench, g.build())


@pytest.mark.parametrize("axis", ["row", "col"])
def test_sums_of_large_integers_wrap(bench: Any, axis: str) -> None:
    g = GraphBuilder(f"large_sums_{axis}", {"row": 37, "col": 141})
    x = g.cast(g.op("Mul", g.load("x", ("row", "col")), 1.5e9), I32)
    g.store("y", g.reduce("Sum", x, axis))
    _demand(bench, g.build())


@pytest.mark.parametrize("dtype", [F32, F16])
def test_what_is_no_number_or_infinite(bench: Any, dtype: DType) -> None:
    g = _graph(f"kinds_{dtype}")
    x = g.load("x", ("col",), dtype)
    for label, value in (("nan", g.op("Ln", x)), ("inf", g.op("Reciprocal", g.op("Relu", x))), ("ninf", g.op("Ln", g.op("Relu", x)))):
        for op in ("IsFinite", "IsInf", "Isnan"):
            g.store(f"{op}_{label}", g.op(op, value))
    _demand(bench, g.build())


@pytest.mark.usefixtures("exact_tmp")
def test_a_temporary_that_another_node_would_hide_is_noticed(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    short = {**tmp_library.LIBRARY_TMP_BYTES, "Sigmoid": {F32: 224}}
    monkeypatch.setattr(tmp_library, "LIBRARY_TMP_BYTES", short)
    g = _graph("short_tmp")
    x = g.load("x", ("col",))
    g.store("y", g.op("Sigmoid", g.op("Erf", x)))
    with pytest.raises(AssertionError, match=r"Sigmoid at .*expected a tensor of at least 256 B, got 224 B"):
        bench.demand(g.build(), {}, tilings=1)
