"""Concats on the CPU model: whole blocks and odd rows, columns, axes behind and before, in one nest and in several."""

from __future__ import annotations

from typing import Any

import pytest

from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType
from tests.moves import joined

F32, F16, I8 = DType.FLOAT32, DType.FLOAT16, DType.INT8

CASES: dict[str, tuple[dict[str, Any], dict[str, int]]] = {
    "three and five": ({"lengths": (3, 5), "rows": (16,)}, {}),
    "whole blocks": ({"lengths": (8, 16)}, {"M": 16}),
    "unknown lengths": ({"lengths": ("P", "Q"), "behind": True}, {"M": 37, "P": 9, "Q": 20}),
    "one element at run time": ({"lengths": ("P", "Q"), "behind": True}, {"M": 7, "P": 1, "Q": 1}),
    "half": ({"lengths": ("P", "Q"), "dtype": F16, "behind": True}, {"M": 7, "P": 4, "Q": 33}),
    "a column": ({"lengths": (1, 3), "dtype": F16}, {"M": 17}),
    "three parts": ({"lengths": (1, 3, 12)}, {"M": 33}),
    "more rows than axes": ({"lengths": ("P", "Q"), "rows": ("K", "M")}, {"K": 5, "M": 7, "P": 4, "Q": 3}),
    "an axis behind": ({"lengths": ("P", "Q"), "tail": ("T",), "behind": True}, {"M": 7, "P": 4, "Q": 3, "T": 11}),
    "the first axis": ({"lengths": ("P", "Q"), "rows": (), "tail": ("T",)}, {"P": 4, "Q": 30, "T": 9}),
    "bytes": ({"lengths": ("P", "Q"), "dtype": I8}, {"M": 5, "P": 4, "Q": 30}),
}


@pytest.mark.parametrize("name", CASES)
def test_parts_come_out_side_by_side(bench: Any, name: str) -> None:
    arguments, shape = CASES[name]
    graph = joined(**arguments)
    candidates, _ = bench.build(graph)
    assert bench.demand(graph, shape, tilings=2) >= len(candidates.templates)


@pytest.mark.parametrize("dtype", [F32, F16, I8])
def test_slices_are_loads_with_an_offset(bench: Any, dtype: DType) -> None:
    """The pieces of a row, as a split makes them: each is read where it lies and stored dense."""
    m = Size(name="M", maximum=500)
    g = GraphBuilder(f"pieces_{dtype}", {"m": m.symbol, "p": 3, "q": 13, "r": 32}, (m,))
    begin = 0
    for axis, length in (("p", 3), ("q", 13), ("r", 32)):
        g.store(f"y_{axis}", g.load(f"x_{axis}", ("m", axis), dtype, strides=(48, 1), offset=begin))
        begin += length
    assert bench.demand(g.build(), {"M": 21}, tilings=2) >= 2


def test_a_slice_with_a_step_is_read_element_by_element(bench: Any) -> None:
    g = GraphBuilder("every_third", {"m": 9, "n": 14})
    g.store("y", g.op("Abs", g.load("x", ("m", "n"), strides=(45, 3), offset=2)))
    assert bench.demand(g.build(), {}, tilings=2) >= 2


def test_a_piece_is_stored_into_its_slice(bench: Any) -> None:
    g = GraphBuilder("into", {"m": 9, "n": 14})
    g.store("y", g.op("Abs", g.load("x", ("m", "n"))), strides=(40, 1), offset=7)
    assert bench.demand(g.build(), {}, tilings=2) >= 2


def test_parts_that_are_reduced_before_are_cut_as_each_of_them_can_be(bench: Any) -> None:
    """Two reduces of a part leave it whole, walk it once for each, or once less; the other part has its last way where it has fewer."""
    m, p = Size(name="M", maximum=500), Size(name="P", maximum=100_000)
    g = GraphBuilder("softmax_beside", {"m": m.symbol, "both": p.symbol + 5, "p": p.symbol, "q": 5}, (m, p))
    x = g.load("x", ("m", "p"))
    e = g.op("Exp", g.op("Sub", x, g.reduce("Max", x, "p")))
    y = g.op("TrueDiv", e, g.reduce("Sum", e, "p"))
    g.store("y", g.concat("both", (y, "p"), (g.load("w", ("m", "q")), "q")))
    graph = g.build()
    names = [t.name for t in bench.build(graph)[0].templates]
    assert names == ["concat.z0", "concat_store.z0", "concat_parts.z0", "concat_parts.z0.z2", "concat_parts.z0.z2.online"]
    assert bench.demand(graph, {"M": 21, "P": 40}, tilings=2) >= len(names)
