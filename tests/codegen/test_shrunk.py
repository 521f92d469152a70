"""Graphs to which the fuzz test shrank what it found."""

from __future__ import annotations

import re
from typing import Any

import pytest

from att.errors import UsageError
from att.expr.core import integer
from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph
from codegen import bounds
from codegen.driver import make_case

N = Size(name="n", maximum=4096)


def _also_stores_the_small_operand(small: tuple[str, ...]) -> HintGraph:
    """y = x + w and v = |w|, where w varies over some of the axes that x has."""
    g = GraphBuilder(f"small_{'_'.join(small)}", {"a": integer(7), "b": N.symbol}, (N,))
    x, w = g.load("x", ("a", "b")), g.load("w", small)
    g.store("y", g.op("Add", x, w))
    g.store("v", g.op("Abs", w))
    return g.build()


@pytest.mark.parametrize(("small", "guards"), [(("b",), {"z0T", "z0"}), (("a",), {"z1T"})])
def test_a_store_that_does_not_vary_over_a_loop_is_made_once(bench: Any, small: tuple[str, ...], guards: set[str]) -> None:
    graph = _also_stores_the_small_operand(small)
    _, built = bench.build(graph)
    assert set(re.findall(r"if \((\w+) == 0\)", built.kernel.text)) == guards
    for n in (5, 33):
        assert bench.demand(graph, {"n": n}, tilings=4) >= 4


def test_a_loop_of_one_turn_needs_no_guard(bench: Any) -> None:
    g = GraphBuilder("one_row", {"a": integer(1), "b": N.symbol}, (N,))
    g.store("y", g.op("Abs", g.load("x", ("a", "b"))))
    graph = g.build()
    _, built = bench.build(graph)
    assert " == 0) {" not in built.kernel.text.split("extern", maxsplit=1)[0]
    assert bench.demand(graph, {"n": 33}, tilings=3) >= 3


@pytest.mark.parametrize("source", [(1,), (3,)], ids=["from_dense", "from_apart"])
@pytest.mark.parametrize("target", [(1,), (2,)], ids=["to_dense", "to_apart"])
def test_a_copy_between_elements_that_lie_apart(bench: Any, source: tuple[int], target: tuple[int]) -> None:
    """The vector unit gathers or spreads them, so it must be waited for, although the graph computes nothing."""
    g = GraphBuilder(f"copy_{source[0]}_{target[0]}", {"a": N.symbol}, (N,))
    g.store("y", g.load("x", ("a",), DType.FLOAT32, strides=source), strides=target)
    graph = g.build()
    _, built = bench.build(graph)
    assert ("TQueBind" in built.kernel.text) == (source == target == (1,))
    for n in (3, 70):
        assert bench.demand(graph, {"n": n}, tilings=3) >= 2


def test_a_reference_that_does_not_fit_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(bounds, "BoundedRun", refuse)
    with pytest.raises(UsageError, match="does not fit in memory") as caught:
        make_case(_also_stores_the_small_operand(("a",)), {"n": 3}, 1)
    assert "--shape" in (caught.value.hint or "")


@pytest.mark.parametrize("op", ["Any", "All"])
def test_the_truth_of_a_single_element(bench: Any, op: str) -> None:
    """A reduce over one element is mostly that element; its truth is another number."""
    g = GraphBuilder(f"truth_{op}", {"a": N.symbol, "b": integer(1)}, (N,))
    g.store("y", g.reduce(op, g.load("x", ("a", "b")), "b"))
    for n in (1, 33):
        assert bench.demand(g.build(), {"n": n}, tilings=2) >= 2


@pytest.mark.parametrize("number_of", [lambda g, x: g.op("LogicalOr", x, 0), lambda g, x: g.cast(x, DType.INT32)], ids=["truth", "integer"])
def test_what_nan_is_as_a_number_is_not_asked(number_of: Any) -> None:
    """Roots of negative inputs are no numbers, so the inputs are positive ones."""
    g = GraphBuilder("of_nan", {"a": integer(64)})
    g.store("y", number_of(g, g.op("Sqrt", g.load("x", ("a",)))))
    case = make_case(g.build(), {}, 1)
    assert case.inputs[0].min() > 0


def test_what_an_op_keeps_beside_its_buffers_belongs_to_its_phase(bench: Any) -> None:
    """Eq keeps 8 KiB; where the reduce has a phase of its own, that phase may have the larger buffers and not the 8 KiB."""
    g = GraphBuilder("kept_beside", {"a": N.symbol, "b": integer(70), "c": integer(16)}, (N,))
    small = g.reduce("Min", g.load("x", ("a", "b", "c"), DType.FLOAT16), "b")
    g.store("y", g.op("Eq", g.op("Sign", small), small))
    assert bench.demand(g.build(), {"n": 5}, tilings=6) >= 6


def test_parts_joined_beside_an_axis_over_which_nothing_varies(bench: Any) -> None:
    g = GraphBuilder("idle_cat", {"m": N.symbol, "k": integer(5), "p": integer(20), "q": integer(13), "s": integer(33)}, (N,))
    parts = [(g.op("Abs", g.load(name, ("m", name))), name) for name in "pq"]
    g.store("y", g.concat("s", *parts))
    assert bench.demand(g.build(), {"n": 9}, tilings=2) >= 3
