"""Kernels of graphs with a Split: pieces are loaded from their slices, and equal numpy."""

from __future__ import annotations

from typing import Any

import pytest

from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType

F32, BF16 = DType.FLOAT32, DType.BFLOAT16
N = Size(name="n", maximum=4096)


def test_two_halves_are_multiplied(bench: Any) -> None:
    """Swiglu's chunk: both pieces have one axis."""
    g = GraphBuilder("halves", {"m": 37, "both": N.symbol * 2, "n": N.symbol}, (N,))
    gate, up = g.split(g.cast(g.load("x", ("m", "both"), BF16), F32), "both", "n", "n")
    g.store("y", g.op("Mul", g.op("Sigmoid", gate), up))
    graph = g.build()
    for n in (1, 33, 128):
        assert bench.demand(graph, {"n": n}, tilings=2) >= 2


@pytest.mark.parametrize("sizes", [(8, 24), (5, 12), (1, 30)])
def test_pieces_of_different_lengths_are_stored(bench: Any, sizes: tuple[int, int]) -> None:
    p, q = sizes
    g = GraphBuilder(f"unequal_{p}_{q}", {"m": 41, "n": p + q, "p": p, "q": q})
    a, b = g.split(g.op("Exp", g.load("x", ("m", "n"))), "n", "p", "q")
    g.store("a", a)
    g.store("b", g.op("Abs", b))
    assert bench.demand(g.build(), {}, tilings=2) >= 2


def test_a_split_of_the_first_axis(bench: Any) -> None:
    g = GraphBuilder("first", {"n": 20, "p": 12, "q": 8, "k": 30})
    a, b = g.split(g.load("x", ("n", "k")), "n", "p", "q")
    g.store("a", g.op("Abs", a))
    g.store("b", b)
    assert bench.demand(g.build(), {}, tilings=2) >= 2


def test_a_split_of_a_middle_axis(bench: Any) -> None:
    g = GraphBuilder("middle", {"m": 6, "n": 9, "p": 4, "q": 5, "k": 40})
    a, b = g.split(g.load("x", ("m", "n", "k")), "n", "p", "q")
    g.store("a", a)
    g.store("b", g.reduce("Sum", b, "q"))
    assert bench.demand(g.build(), {}, tilings=2) >= 2


def test_what_is_split_is_read_whole_as_well(bench: Any) -> None:
    """A softmax row, of which two thirds are kept."""
    g = GraphBuilder("softmax_kept", {"m": 50, "n": 48, "p": 32, "q": 16})
    e = g.op("Exp", g.load("x", ("m", "n")))
    kept, _ = g.split(g.op("TrueDiv", e, g.reduce("Sum", e, "n")), "n", "p", "q")
    g.store("y", kept)
    assert bench.demand(g.build(), {}, tilings=2) >= 1


def test_a_piece_is_split_again_and_both_are_joined(bench: Any) -> None:
    g = GraphBuilder("again", {"m": 30, "n": 24, "half": 12, "p": 6, "joined": 12})
    a, _ = g.split(g.load("x", ("m", "n")), "n", "half", "half")
    left, right = g.split(a, "half", "p", "p")
    g.store("y", g.concat("joined", (g.op("Neg", right), "p"), (left, "p")))
    assert bench.demand(g.build(), {}, tilings=2) >= 1
