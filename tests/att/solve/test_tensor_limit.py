"""Tensors above 2^36 elements are refused when a shape is given, whatever is asked about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import att
from att.errors import UsageError
from att.expr.core import symbol
from att.formats.builder import GraphBuilder
from att.ir.axis import MAX_SIZE, Size
from att.ir.graph import HintGraph
from att.ir.scope import MAX_TENSOR_ELEMS
from att.solve.shapes import complete_shape

ROWS = Size(name="ks0")
COLUMNS = Size(name="ks1")


def _graph(build: Callable[[GraphBuilder], object]) -> HintGraph:
    n, m = (symbol(s.name, 1, MAX_SIZE) for s in (ROWS, COLUMNS))
    g = GraphBuilder("g", {"n": n, "m": m}, (ROWS, COLUMNS))
    build(g)
    return g.build()


ABS = _graph(lambda g: g.store("y", g.op("Abs", g.load("x", ("n", "m")))))
OUTER = _graph(lambda g: g.store("y", g.reduce("Sum", g.op("Add", g.load("a", ("n",)), g.load("b", ("m",))), "m")))
"""Its inputs and its output have one axis; their sums, which are nowhere in memory, have two."""


@pytest.mark.parametrize("graph", [ABS, OUTER])
@pytest.mark.parametrize("shape", [(2**18, 2**18), (2**30, 2**6), (1, MAX_SIZE), (0, MAX_SIZE)])
def test_up_to_the_limit_a_shape_is_taken(graph: HintGraph, shape: tuple[int, int]) -> None:
    assert complete_shape(graph, dict(zip(("ks0", "ks1"), shape, strict=True))) == {"ks0": shape[0], "ks1": shape[1]}


@pytest.mark.parametrize("graph", [ABS, OUTER])
@pytest.mark.parametrize("shape", [(2**18, 2**18 + 1), (MAX_SIZE, 33), (MAX_SIZE, MAX_SIZE)])
def test_above_the_limit_it_is_refused(graph: HintGraph, shape: tuple[int, int]) -> None:
    with pytest.raises(UsageError) as caught:
        complete_shape(graph, dict(zip(("ks0", "ks1"), shape, strict=True)))
    assert f"{shape[0] * shape[1]:,} elements" in str(caught.value)
    assert f"allowed are {MAX_TENSOR_ELEMS:,}" in str(caught.value)
    assert caught.value.exit_code == 2


def test_the_tensor_is_named() -> None:
    with pytest.raises(UsageError, match="g: tensor load has 137,438,953,472 elements"):
        complete_shape(ABS, {"ks0": 2**20, "ks1": 2**17})


def test_a_template_counts_its_split_axes_whole() -> None:
    for template in att.schedule(ABS).templates:
        assert complete_shape(template, {"ks0": 2**18, "ks1": 2**18})
        with pytest.raises(UsageError, match=f"{2**36 + 2**18:,} elements"):
            complete_shape(template, {"ks0": 2**18, "ks1": 2**18 + 1})


@pytest.mark.parametrize(
    "ask",
    [
        lambda shape: att.solve(ABS, shape=shape, cache=False),
        lambda shape: att.evaluate_tiling(ABS, {}, shape=shape),
        lambda shape: att.compare([ABS], shapes=[shape]),
        lambda shape: att.run(ABS, shape=shape),
    ],
    ids=["solve", "evaluate", "compare", "run"],
)
def test_whatever_is_asked(ask: Callable[[dict[str, int]], Any]) -> None:
    with pytest.raises(UsageError, match="elements at this shape"):
        ask({"ks0": 2**20, "ks1": 2**17})
