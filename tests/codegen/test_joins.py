"""Concats on the CPU model: whole blocks and odd rows, columns, axes behind and before, in one nest and in several."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph
from tests.moves import joined, joined_reduces

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
    parts = ["concat_parts.z0", "concat_parts.z0.z2", "concat_parts.z0.z2.online"]
    assert names == ["concat.z0", "concat_store.z0", *parts, "concat.z0.packed"]
    assert bench.demand(graph, {"M": 21, "P": 40}, tilings=2) >= len(names)


@pytest.mark.parametrize(
    ("graph", "shape"),
    [
        (joined_reduces((20_000, 10_000), "Sum"), {}),
        (joined_reduces(("P", "Q"), "Sum", "Max", rows="M"), {"M": 5, "P": 33, "Q": 60}),
        (joined_reduces(("P", 1, "Q"), "Min", rows="M"), {"M": 9, "P": 9, "Q": 1}),
        (joined_reduces(("P", "Q"), normed=True, rows=2), {"P": 20_000, "Q": 33}),
    ],
    ids=["static", "two reduces", "one element", "softmax"],
)
def test_joined_rows_of_any_length_are_reduced(bench: Any, graph: HintGraph, shape: dict[str, int]) -> None:
    candidates, _ = bench.build(graph)
    assert "concat_reduce.z0.z2" in {t.name for t in candidates.templates}
    assert bench.demand(graph, shape, tilings=2) >= 2


def _joins(name: str, sizes: dict[str, int]) -> GraphBuilder:
    m = Size(name="M", maximum=500)
    return GraphBuilder(name, {"m": m.symbol, **sizes}, (m,))


def _column_inside() -> HintGraph:
    """Rows of [p, n] joined along n, one part a column, and then along the axis of p."""
    g = _joins("column_inside", {"u": 5, "p": 2, "q": 3, "n": 8, "one": 1, "s": 7})
    up = g.concat("n", (g.load("a", ("m", "p", "one")), "one"), (g.load("b", ("m", "p", "s")), "s"))
    g.store("y", g.concat("u", (up, "p"), (g.load("c", ("m", "q", "n")), "q")))
    return g.build()


def _columns_in_both() -> HintGraph:
    g = _joins("columns_in_both", {"u": 5, "p": 2, "q": 3, "n": 8, "one": 1, "s": 7})
    up = g.concat("n", (g.load("a", ("m", "p", "one")), "one"), (g.load("b", ("m", "p", "s")), "s"))
    down = g.concat("n", (g.load("c", ("m", "q", "s")), "s"), (g.load("d", ("m", "q", "one")), "one"))
    g.store("y", g.concat("u", (up, "p"), (down, "q")))
    return g.build()


def _a_join_within_a_part() -> HintGraph:
    """Both join along the same dimension, an Exp between them and a row added behind; the inner one is stored too."""
    g = _joins("join_within_a_part", {"n": 15, "k": 8, "p": 3, "q": 5, "r": 7})
    inner = g.concat("k", (g.load("a", ("m", "p")), "p"), (g.load("b", ("m", "q")), "q"))
    g.store("z", inner)
    y = g.concat("n", (g.load("c", ("m", "r")), "r"), (g.op("Exp", inner), "k"))
    g.store("y", g.op("Add", y, g.load("row", ("n",))))
    return g.build()


def _column_over_a_reduced_axis() -> HintGraph:
    """What lies whole in UB before the joined axis is there because it is reduced."""
    g = _joins("column_over_a_reduced_axis", {"r": 5, "n": 8, "one": 1, "q": 7})
    y = g.concat("n", (g.load("a", ("m", "r", "one")), "one"), (g.load("b", ("m", "r", "q")), "q"))
    g.store("y", g.reduce("Sum", y, "r"))
    return g.build()


def _rows_of_an_outer_axis(*lengths: int) -> HintGraph:
    """Tiles may be cut along an axis over which the Concat does not vary: then each has one row of it."""
    g = _joins(f"rows_of_an_outer_axis_{'_'.join(map(str, lengths))}", {"b": 9, "n": sum(lengths), "p": lengths[0], "q": lengths[1]})
    c = g.concat("n", (g.load("x", ("m", "p")), "p"), (g.load("w", ("m", "q")), "q"))
    g.store("y", g.op("Add", g.load("z", ("m", "b", "n")), g.broadcast(c, ("m", "b", "n"))))
    return g.build()


def _names(bench: Any, graph: HintGraph) -> list[str]:
    return [t.name for t in bench.build(graph)[0].templates]


@pytest.mark.parametrize("make", [_column_inside, _columns_in_both, _a_join_within_a_part, _column_over_a_reduced_axis])
def test_joins_within_joins(bench: Any, make: Callable[[], HintGraph]) -> None:
    graph = make()
    names = _names(bench, graph)
    assert {name.partition(".")[0] for name in names} >= {"concat_store", "concat_parts"}
    for m in (1, 7):
        assert bench.demand(graph, {"M": m}, tilings=2) >= len(names)


def test_columns_of_several_axes_are_not_transposed(bench: Any) -> None:
    for graph in (_column_inside(), _columns_in_both(), _column_over_a_reduced_axis()):
        assert not [name for name in _names(bench, graph) if name.startswith("concat.")]
        reasons = [d.reason for d in bench.build(graph)[0].dropped if d.name.startswith("concat.")]
        assert reasons
        assert all("has one element a row, and a tile has (" in reason for reason in reasons)


@pytest.mark.parametrize(("lengths", "joined"), [((8, 16), ["z0", "z1", "z1"]), ((3, 5), ["z0"]), ((1, 7), ["z0"])], ids=str)
def test_a_tile_of_one_row_is_joined_in_whole_blocks_only(bench: Any, lengths: tuple[int, ...], joined: list[str]) -> None:
    graph = _rows_of_an_outer_axis(*lengths)
    names = _names(bench, graph)
    assert [name.split(".")[1] for name in names if name.startswith("concat.")] == joined
    assert bench.demand(graph, {"M": 7}, tilings=2) >= len(names)
