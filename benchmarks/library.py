"""The operators of the benchmark, each as a function of its axis sizes (numbers or shape symbols).

hc_post and the tail of hc_pre are the hyper-connection operators of DeepSeek-V4: `hc` streams of width `hidden` per token.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from att.expr.core import Expr
from att.formats.builder import GraphBuilder, Value
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph

Dim = Expr | int
BF16, F32 = DType.BFLOAT16, DType.FLOAT32


def elementwise_abs(sizes: Sequence[Size], m: Dim, n: Dim) -> HintGraph:
    g = GraphBuilder("abs", {"m": m, "n": n}, sizes)
    g.store("y", g.op("Abs", g.load("x", ("m", "n"))))
    return g.build()


def add_row(sizes: Sequence[Size], m: Dim, n: Dim) -> HintGraph:
    """One row is added to every row."""
    g = GraphBuilder("add_row", {"m": m, "n": n}, sizes)
    g.store("y", g.op("Add", g.load("x", ("m", "n")), g.load("row", ("n",))))
    return g.build()


def add_col(sizes: Sequence[Size], m: Dim, n: Dim) -> HintGraph:
    """One number per row is added to the row."""
    g = GraphBuilder("add_col", {"m": m, "n": n}, sizes)
    g.store("y", g.op("Add", g.load("x", ("m", "n")), g.load("col", ("m",))))
    return g.build()


def gelu(sizes: Sequence[Size], m: Dim, n: Dim) -> HintGraph:
    """0.5 x (1 + erf(x / sqrt 2))."""
    g = GraphBuilder("gelu", {"m": m, "n": n}, sizes)
    x = g.load("x", ("m", "n"))
    erf = g.op("Erf", g.op("Mul", x, 0.7071067811865476))
    g.store("y", g.op("Mul", g.op("Mul", x, 0.5), g.op("Add", erf, 1.0)))
    return g.build()


def swiglu(sizes: Sequence[Size], m: Dim, n: Dim) -> HintGraph:
    """silu(gate) * up over the two halves of one bf16 row of 2n."""
    g = GraphBuilder("swiglu", {"m": m, "n": n}, sizes)
    row = g_row(n)
    gate = g.cast(g.load("gate", ("m", "n"), BF16, strides=(row, 1)), F32)
    up = g.cast(g.load("up", ("m", "n"), BF16, strides=(row, 1), offset=n), F32)
    silu = g.op("TrueDiv", gate, g.op("Add", g.op("Exp", g.op("Neg", gate)), 1.0))
    g.store("y", g.cast(g.op("Mul", silu, up), BF16))
    return g.build()


def g_row(n: Dim) -> Dim:
    """Elements of a row that holds gate and up side by side."""
    return n * 2


def _shifted(g: GraphBuilder, x: Value) -> Value:
    return g.op("Sub", x, g.reduce("Max", x, "n"))


def softmax(sizes: Sequence[Size], m: Dim, n: Dim) -> HintGraph:
    g = GraphBuilder("softmax", {"m": m, "n": n}, sizes)
    e = g.op("Exp", _shifted(g, g.load("x", ("m", "n"))))
    g.store("y", g.op("TrueDiv", e, g.reduce("Sum", e, "n")))
    return g.build()


def log_softmax(sizes: Sequence[Size], m: Dim, n: Dim) -> HintGraph:
    g = GraphBuilder("log_softmax", {"m": m, "n": n}, sizes)
    shifted = _shifted(g, g.load("x", ("m", "n")))
    g.store("y", g.op("Sub", shifted, g.op("Ln", g.reduce("Sum", g.op("Exp", shifted), "n"))))
    return g.build()


def layer_norm(sizes: Sequence[Size], m: Dim, n: Dim) -> HintGraph:
    """Mean and variance in two passes over the resident row; the row length enters as a constant when it is known, else as 1/4096."""
    g = GraphBuilder("layer_norm", {"m": m, "n": n}, sizes)
    x, inverse = g.load("x", ("m", "n")), _inverse(n)
    centred = g.op("Sub", x, g.op("Mul", g.reduce("Sum", x, "n"), inverse))
    variance = g.op("Mul", g.reduce("Sum", g.op("Mul", centred, centred), "n"), inverse)
    scale = g.op("Rsqrt", g.op("Add", variance, 1e-05))
    normal = g.op("Mul", centred, scale)
    g.store("y", g.op("Add", g.op("Mul", normal, g.load("gamma", ("n",))), g.load("beta", ("n",))))
    return g.build()


def rms_norm(sizes: Sequence[Size], m: Dim, n: Dim) -> HintGraph:
    """bf16 in and out, float32 inside."""
    g = GraphBuilder("rms_norm", {"m": m, "n": n}, sizes)
    x = g.cast(g.load("x", ("m", "n"), BF16), F32)
    mean = g.op("Mul", g.reduce("Sum", g.op("Mul", x, x), "n"), _inverse(n))
    scale = g.op("Rsqrt", g.op("Add", mean, 1e-06))
    weight = g.cast(g.load("gamma", ("n",), BF16), F32)
    g.store("y", g.cast(g.op("Mul", g.op("Mul", x, scale), weight), BF16))
    return g.build()


def _inverse(n: Dim) -> float:
    return 1.0 / n if isinstance(n, int) else 1.0 / 4096


def reduce_all(sizes: Sequence[Size], m: Dim, n: Dim) -> HintGraph:
    g = GraphBuilder("reduce_all", {"m": m, "n": n}, sizes)
    g.store("y", g.reduce("Sum", g.load("x", ("m", "n")), "m", "n"))
    return g.build()


def amax_keep(sizes: Sequence[Size], m: Dim, n: Dim) -> HintGraph:
    g = GraphBuilder("amax_keep", {"m": m, "n": n}, sizes)
    g.store("y", g.reduce("Max", g.load("x", ("m", "n")), "n"))
    return g.build()


def hc_post(sizes: Sequence[Size], tokens: Dim, hidden: Dim, hc: int = 4) -> HintGraph:
    """Post * x + sum over streams of comb * residual, bf16 with float32 weights."""
    g = GraphBuilder("hc_post", {"t": tokens, "s": hc, "c": hc, "h": hidden}, sizes)
    comb = g.load("comb", ("t", "s", "c"))
    residual = g.cast(g.load("residual", ("t", "s", "h"), BF16), F32)
    mixed = g.reduce("Sum", g.op("Mul", comb, residual), "s")
    x = g.cast(g.load("x", ("t", "h"), BF16), F32)
    g.store("y", g.cast(g.op("Add", g.op("Mul", g.load("post", ("t", "c")), x), mixed), BF16))
    return g.build()


def hc_pre_tail(sizes: Sequence[Size], tokens: Dim, hidden: Dim, hc: int = 4) -> HintGraph:
    """Weighted sum of the streams of a token."""
    g = GraphBuilder("hc_pre_tail", {"t": tokens, "s": hc, "h": hidden}, sizes)
    streams = g.cast(g.load("x", ("t", "s", "h"), BF16), F32)
    g.store("y", g.cast(g.reduce("Sum", g.op("Mul", g.load("pre", ("t", "s")), streams), "s"), BF16))
    return g.build()


OPERATORS: dict[str, Callable[[Sequence[Size], Dim, Dim], HintGraph]] = {
    "abs": elementwise_abs,
    "add_row": add_row,
    "add_col": add_col,
    "gelu": gelu,
    "swiglu": swiglu,
    "softmax": softmax,
    "log_softmax": log_softmax,
    "layer_norm": layer_norm,
    "rms_norm": rms_norm,
    "reduce_all": reduce_all,
    "amax_keep": amax_keep,
    "hc_post": hc_post,
    "hc_pre_tail": hc_pre_tail,
}
