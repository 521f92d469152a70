"""The graphs behind the recorded rows: builder scripts for the small ones, and the whole operators written with the graph builder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from att.formats.builder import GraphBuilder, Value
from att.formats.load import load
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph
from benchmarks.recorded import DATA

BF16, F32 = DType.BFLOAT16, DType.FLOAT32
ROWS, COLUMNS = Size(name="s0"), Size(name="s1")
ROW_ELEMS: Final = 4096
"""A constant scalar; its value does not enter the tiling."""
STREAMS: Final = 4


def recorded_graph(name: str, folder: Path = DATA) -> HintGraph:
    """The graph of a recorded row, its sizes s0, s1 … free."""
    if name in OPERATORS:
        return OPERATORS[name]()
    graph = load(folder / "reference_graphs" / f"{name}.py")
    assert isinstance(graph, HintGraph)
    return graph


def _builder(name: str) -> GraphBuilder:
    return GraphBuilder(name, {"a0": ROWS.symbol, "a1": COLUMNS.symbol}, (ROWS, COLUMNS))


def _sum(g: GraphBuilder, x: Value) -> Value:
    return g.broadcast(g.reduce("Sum", x, "a1"), ("a0", "a1"))


def softmax() -> HintGraph:
    g = _builder("softmax")
    x = g.load("x", ("a0", "a1"))
    e = g.op("Exp", g.op("Sub", x, g.reduce("Max", x, "a1")))
    g.store("y", g.op("TrueDiv", e, g.reduce("Sum", e, "a1")))
    return g.build()


def rms_norm() -> HintGraph:
    """The sum of squares is spread before it is divided, as the client writes it."""
    g = _builder("rms_norm")
    x = g.load("x", ("a0", "a1"))
    mean = g.op("TrueDiv", _sum(g, g.op("Mul", x, x)), ROW_ELEMS)
    scale = g.op("Rsqrt", g.op("Add", mean, 1e-6))
    g.store("y", g.op("Mul", g.op("Mul", x, scale), g.load("w", ("a1",))))
    return g.build()


def layer_norm() -> HintGraph:
    """Two passes; the second sum is spread before it is divided."""
    g = _builder("layer_norm")
    x = g.load("x", ("a0", "a1"))
    centred = g.op("Sub", x, g.op("TrueDiv", g.reduce("Sum", x, "a1"), ROW_ELEMS))
    variance = g.op("TrueDiv", _sum(g, g.op("Mul", centred, centred)), ROW_ELEMS)
    scale = g.op("Rsqrt", g.op("Add", variance, 1e-5))
    scaled = g.op("Mul", g.op("Mul", centred, scale), g.load("w", ("a1",)))
    g.store("y", g.op("Add", scaled, g.load("b", ("a1",))))
    return g.build()


def gelu() -> HintGraph:
    g = _builder("gelu")
    x = g.load("x", ("a0", "a1"))
    erf = g.op("Erf", g.op("Mul", x, 0.7071067811865476))
    g.store("y", g.op("Mul", g.op("Mul", x, 0.5), g.op("Add", erf, 1.0)))
    return g.build()


def swiglu() -> HintGraph:
    g = _builder("swiglu")
    gate, up = g.load("gate", ("a0", "a1")), g.load("up", ("a0", "a1"))
    silu = g.op("TrueDiv", gate, g.op("Add", g.op("Exp", g.op("Neg", gate)), 1.0))
    g.store("y", g.op("Mul", silu, up))
    return g.build()


def hc_post(dtype: DType = F32) -> HintGraph:
    """Sum over streams of comb * residual, plus post * x."""
    name = "hc_post" if dtype is F32 else "hc_post_bf16"
    axes = {"t": ROWS.symbol, "s": STREAMS, "c": STREAMS, "h": COLUMNS.symbol}
    g = GraphBuilder(name, axes, (ROWS, COLUMNS))

    def wide(value: Value) -> Value:
        return value if dtype is F32 else g.cast(value, F32)

    comb, residual = g.load("comb", ("t", "s", "c")), wide(g.load("residual", ("t", "s", "h"), dtype))
    mixed = g.reduce("Sum", g.op("Mul", comb, residual), "s")
    x = wide(g.load("x", ("t", "h"), dtype))
    y = g.op("Add", mixed, g.op("Mul", g.load("post", ("t", "c")), x))
    g.store("y", y if dtype is F32 else g.cast(y, dtype))
    return g.build()


def hc_post_kernels(dtype: DType = F32) -> tuple[HintGraph, HintGraph]:
    """The two kernels that the reference cuts hc_post into: the weighted sum into a float32 workspace, and the rest."""
    axes = {"t": ROWS.symbol, "s": STREAMS, "c": STREAMS, "h": COLUMNS.symbol}
    first = GraphBuilder("hc_post.sum", axes, (ROWS, COLUMNS))
    residual = first.load("residual", ("t", "s", "h"), dtype)
    weighted = first.op("Mul", first.load("comb", ("t", "s", "c")), residual if dtype is F32 else first.cast(residual, F32))
    first.store("mixed", first.reduce("Sum", weighted, "s"))
    second = GraphBuilder("hc_post.add", {name: size for name, size in axes.items() if name != "s"}, (ROWS, COLUMNS))
    mixed, post, x = second.load("mixed", ("t", "c", "h")), second.load("post", ("t", "c")), second.load("x", ("t", "h"), dtype)
    y = second.op("Add", mixed, second.op("Mul", post, x if dtype is F32 else second.cast(x, F32)))
    second.store("y", y if dtype is F32 else second.cast(y, dtype))
    return first.build(), second.build()


OPERATORS: Final[Mapping[str, Callable[[], HintGraph]]] = {
    "softmax": softmax,
    "rms_norm": rms_norm,
    "layer_norm": layer_norm,
    "gelu": gelu,
    "swiglu": swiglu,
    "hc_post": hc_post,
    "hc_post_bf16": lambda: hc_post(BF16),
}
"""Whole operators, as `reference_real_graphs.json` describes them."""
