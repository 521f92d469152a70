"""Kernels whose reduces over a short axis are written out, on the CPU model: single elements, tails, gaps, several loads of one input."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph
from att.ops.spec import Costs
from benchmarks.tilings import random_tilings
from codegen.driver import build, check_run
from hwmodels.model import Chip
from schedule.generate import schedule_graph

T, H = Size(name="T", maximum=4096), Size(name="H", maximum=4096)
SHAPES = ({"T": 1, "H": 1}, {"T": 3, "H": 101}, {"T": 50, "H": 7})
F16, F32, BF16 = DType.FLOAT16, DType.FLOAT32, DType.BFLOAT16


def streams(name: str, dtype: DType) -> HintGraph:
    """hc_post in one type: weights per token and pair of streams, and what is added for each."""
    g = GraphBuilder(name, {"t": T.symbol, "s": 4, "c": 4, "h": H.symbol}, (T, H))

    def load(operand: str, *axes: str) -> Any:
        value = g.load(operand, axes, dtype)
        return value if dtype is F32 else g.cast(value, F32)

    mixed = g.reduce("Sum", g.op("Mul", load("comb", "t", "s", "c"), load("residual", "t", "s", "h")), "s")
    y = g.op("Add", mixed, g.op("Mul", load("post", "t", "c"), load("x", "t", "h")))
    g.store("y", y if dtype is F32 else g.cast(y, dtype))
    return g.build()


def streams_f32() -> HintGraph:
    return streams("streams_f32", F32)


def streams_bf16() -> HintGraph:
    return streams("streams_bf16", BF16)


def single_weights() -> HintGraph:
    """One number for each of 8 elements, which every row uses; rows lie apart, and begin behind some elements."""
    g = GraphBuilder("single_weights", {"s": 8, "t": T.symbol, "h": H.symbol}, (T, H))
    x = g.load("x", ("t", "s", "h"), strides=((H.symbol + 3) * 8, H.symbol + 3, 1), offset=5)
    g.store("y", g.reduce("Prod", g.op("Mul", g.op("Exp", x), g.load("w", ("s",))), "s"))
    return g.build()


def windows() -> HintGraph:
    """Maxima of float16 over windows of 2 by 3, joined in two steps."""
    g = GraphBuilder("windows", {"t": T.symbol, "k": 2, "l": 3, "h": H.symbol}, (T, H))
    row = H.symbol + 2
    x = g.load("x", ("t", "k", "l", "h"), F16, strides=(row * 6, row * 3, row, 1))
    g.store("y", g.reduce("Max", x, "k", "l"))
    return g.build()


def two_reduces() -> HintGraph:
    """The deviations of 3 elements from their maximum, added up, then all of a row."""
    g = GraphBuilder("two_reduces", {"t": T.symbol, "s": 3, "h": H.symbol}, (T, H))
    x = g.load("x", ("t", "s", "h"))
    deviations = g.reduce("Sum", g.op("Sub", x, g.reduce("Max", x, "s")), "s")
    g.store("y", g.op("TrueDiv", deviations, g.reduce("Sum", g.op("Abs", deviations), "h")))
    return g.build()


def integers() -> HintGraph:
    """Sums of int32 over the first axis."""
    g = GraphBuilder("integers", {"s": 5, "t": T.symbol, "h": H.symbol}, (T, H))
    g.store("y", g.reduce("Sum", g.load("x", ("s", "t", "h"), DType.INT32), "s"))
    return g.build()


MAKERS = (streams_f32, streams_bf16, single_weights, windows, two_reduces, integers)


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_kernels_are_right(bench: Any, make: Callable[[], HintGraph], chip: Chip, costs: Costs, kernel_cache: Path) -> None:
    graph = make()
    templates = tuple(t for t in schedule_graph(graph, chip).templates if ".unrolled" in t.name)
    built = build(graph.name, templates, costs, kernel_cache)
    ran = 0
    for shape in SHAPES:
        for template in templates:
            for tiling in random_tilings(bench.problem(template, shape), 3, random.Random(template.name)):
                done = check_run(built, bench.case(graph, shape), template, tiling)
                assert done.ok, f"{template.name} {shape} {dict(tiling)}: {done.complaints()}"
                ran += 1
    assert ran >= 5
