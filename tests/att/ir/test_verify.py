"""Each structural fault of a HintGraph is named: where it is, what was found, what is allowed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from att.errors import GraphError
from att.expr.core import integer, mul, symbol
from att.ir.axis import Axis, AxisKind, Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph
from att.ir.node import Node
from att.ir.tensor import Alloc, Memory, Position, TensorView
from att.ir.verify import verify_structure

Change = Callable[[HintGraph], HintGraph]


def with_node(graph: HintGraph, name: str, **fields: Any) -> HintGraph:
    return replace(graph, nodes=tuple(replace(n, **fields) if n.name == name else n for n in graph.nodes))


def with_view(graph: HintGraph, name: str, **fields: Any) -> HintGraph:
    return with_node(graph, name, output=replace(graph.node_of[name].output, **fields))


def with_axis(graph: HintGraph, name: str, **fields: Any) -> HintGraph:
    return replace(graph, axes=tuple(replace(a, **fields) if a.name == name else a for a in graph.axes))


def without(graph: HintGraph, name: str) -> HintGraph:
    return replace(graph, nodes=tuple(n for n in graph.nodes if n.name != name))


def output(name: str, source: str, index: object) -> Node:
    return Node(name=name, op="Output", inputs=(source,), attrs={"index": index}, output=TensorView(dtype=DType.FLOAT32))  # type: ignore[dict-item]


KS1 = symbol("ks1", 1, 8)
NARROW = symbol("ks0", 1, 16)
LONE = Memory(tensor_id=0, alloc=Alloc.GLOBAL, position=Position.GM)

FAULTS: dict[str, tuple[Change, str]] = {
    "graph-name": (lambda g: replace(g, name="two\nlines"), "graph two\nlines: the name of a graph is one printable line"),
    "no-nodes": (lambda g: replace(g, nodes=()), "graph magnitude: it has no nodes"),
    "size-twice": (lambda g: replace(g, sizes=g.sizes * 2), "graph magnitude: 2 declarations of size ks0"),
    "size-name": (lambda g: replace(g, sizes=(*g.sizes, Size(name="a-b"))), "size name 'a-b' is not a word of letters, digits and _"),
    "size-range": (lambda g: replace(g, sizes=(*g.sizes, Size(name="n", minimum=9, maximum=3))), "size n: no multiple of 1 lies in 9..3"),
    "size-steps": (
        lambda g: replace(g, sizes=(*g.sizes, Size(name="n", minimum=17, maximum=31, multiple_of=16))),
        "size n: no multiple of 16 lies in 17..31",
    ),
    "size-step-zero": (lambda g: replace(g, sizes=(*g.sizes, Size(name="n", multiple_of=0))), "size n: multiple_of is 0"),
    "size-negative": (lambda g: replace(g, sizes=(*g.sizes, Size(name="n", minimum=-1))), "size n: its minimum -1 is negative"),
    "size-limit": (
        lambda g: replace(g, sizes=(*g.sizes, Size(name="n", maximum=2**31))),
        "size n: its maximum 2147483648 is above the limit of 2147483647",
    ),
    "axis-twice": (lambda g: replace(g, axes=(*g.axes, g.axes[0])), "2 declarations of axis a0"),
    "axis-name": (lambda g: replace(g, axes=(*g.axes, Axis(name="1a", size=integer(1)))), "axis name '1a' is not a word"),
    "axis-negative": (lambda g: with_axis(g, "a1", size=integer(-4)), "axis a1: its size is negative (-4)"),
    "axis-limit": (lambda g: with_axis(g, "a1", size=integer(2**31)), "axis a1: its size is 2147483648, above the limit of 2147483647"),
    "axis-symbol": (lambda g: with_axis(g, "a1", size=KS1), "axis a1: its size uses the size ks1, which is not declared"),
    "axis-symbol-range": (
        lambda g: with_axis(g, "a0", size=NARROW),
        "axis a0: its size uses ks0 with the range 1..16, but it is declared with 1..8192",
    ),
    "axis-align": (lambda g: with_axis(g, "a1", align=0), "axis a1: align is 0 elements"),
    "axis-split": (lambda g: with_axis(g, "a1", kind=AxisKind.TILE_IN), "axis a1: a HintGraph has no TILE_IN axes"),
    "axis-parent": (lambda g: with_axis(g, "a1", parents=("a0",)), "axis a1: ORIGINAL comes from no parent, got 1"),
    "merged-alone": (
        lambda g: with_axis(g, "a1", kind=AxisKind.MERGED, parents=("a0",)),
        "axis a1: MERGED comes from two or more parents, got 1",
    ),
    "merged-unknown": (
        lambda g: with_axis(g, "a1", kind=AxisKind.MERGED, parents=("a0", "b")),
        "axis a1: its parent b is not declared; declared axes: a0, a1",
    ),
    "merged-early": (
        lambda g: with_axis(g, "a0", kind=AxisKind.MERGED, parents=("a1", "a0")),
        "axis a0: its parent a1 is declared after it; declare parents first",
    ),
    "merged-size": (
        lambda g: replace(g, axes=(*g.axes, Axis(name="m", size=integer(64), kind=AxisKind.MERGED, parents=("a0", "a1")))),
        "axis m: its size is not the product of a0, a1",
    ),
    "node-twice": (lambda g: replace(g, nodes=(*g.nodes, g.nodes[1])), "2 declarations of node load"),
    "node-name": (
        lambda g: replace(g, nodes=(*g.nodes[:4], replace(g.nodes[4], name="y z"))),
        "node name 'y z' is not letters, digits and _./$@+-",
    ),
    "input-unknown": (
        lambda g: with_node(g, "abs", inputs=("loda",)),
        "node abs: its input loda is no node of the graph; did you mean load?",
    ),
    "input-late": (
        lambda g: replace(g, nodes=(g.nodes[0], g.nodes[2], g.nodes[1], *g.nodes[3:])),
        "node abs: its input load is defined after it; put load before abs",
    ),
    "cycle": (lambda g: with_node(g, "load", inputs=("abs",)), "node load: its input abs depends on load itself: a cycle"),
    "self": (lambda g: with_node(g, "abs", inputs=("abs",)), "node abs: its input abs depends on abs itself: a cycle"),
    "no-load": (lambda g: without(with_node(g, "abs", inputs=("x",)), "load"), "node abs: it reads x (Data) without a Load"),
    "load-of-value": (
        lambda g: with_node(g, "abs", op="Load", attrs={"offset": integer(0)}),
        "node abs: Load reads a Data or Workspace, got load (Load)",
    ),
    "load-alone": (lambda g: with_node(g, "load", inputs=()), "node load: Load has no input"),
    "no-output": (lambda g: without(g, "y"), "node store: no Output takes what it stores"),
    "no-store": (
        lambda g: without(with_node(g, "y", inputs=("abs",)), "store"),
        "node y: Output takes the result of a Store, got abs (Abs)",
    ),
    "reads-stored": (
        lambda g: replace(g, nodes=(*g.nodes, replace(g.nodes[2], name="again", inputs=("store",)))),
        "node again: it reads store (Store), which leaves the kernel",
    ),
    "nothing-leaves": (lambda g: without(without(g, "y"), "store"), "graph magnitude: it has no Output"),
    "index-missing": (lambda g: with_node(g, "x", attrs={}), "node x: Data has no index"),
    "index-text": (lambda g: with_node(g, "x", attrs={"index": "0"}), "node x: index is '0'; it is an integer from 0"),
    "index-bool": (lambda g: with_node(g, "x", attrs={"index": False}), "node x: index is False"),
    "index-negative": (lambda g: with_node(g, "y", attrs={"index": -1}), "node y: index is -1"),
    "index-twice": (
        lambda g: replace(g, nodes=(*g.nodes, output("z", "store", 0))),
        "node z: index 0 is also that of y; number Output nodes from 0 without gaps",
    ),
    "index-gap": (
        lambda g: replace(g, nodes=(*g.nodes, output("z", "store", 2))),
        "graph magnitude: 2 Output nodes have the indices 0, 2, 1 is missing",
    ),
    "nest-unknown": (lambda g: with_node(g, "abs", axes=("a0", "a7")), "node abs: the loop nest uses axis a7, which is not declared"),
    "nest-twice": (lambda g: with_node(g, "abs", axes=("a0", "a0")), "node abs: the loop nest has an axis twice: a0, a0"),
    "view-unknown": (lambda g: with_view(g, "abs", axes=("a0", "a7")), "node abs: the output uses axis a7, which is not declared"),
    "view-twice": (lambda g: with_view(g, "abs", axes=("a1", "a1")), "node abs: the output has an axis twice: a1, a1"),
    "view-outside": (lambda g: with_node(g, "abs", axes=("a0",)), "node abs: the output has axis a1, which is not in the loop nest (a0)"),
    "nest-missing": (lambda g: with_node(g, "abs", axes=()), "node abs: the output has axis a0, which is not in the loop nest (none)"),
    "store-overlap": (
        lambda g: with_view(g, "store", strides=(integer(0), integer(1))),
        "node store: all elements along a0 are stored to one place (stride 0)",
    ),
    "repeats-short": (lambda g: with_view(g, "abs", repeats=(integer(1),)), "node abs: 2 axes, 1 repeats and 2 strides"),
    "strides-long": (lambda g: with_view(g, "abs", strides=(integer(1),) * 3), "node abs: 2 axes, 2 repeats and 3 strides"),
    "repeat-other": (
        lambda g: with_view(g, "abs", repeats=(g.sizes[0].symbol, integer(32))),
        "node abs: the repeat along a1 is neither 1 nor the size of a1 (32 against 64)",
    ),
    "repeat-symbolic": (
        lambda g: with_view(replace(g, sizes=(*g.sizes, Size(name="ks1"))), "abs", repeats=(Size(name="ks1").symbol, integer(64))),
        "node abs: the repeat along a0 is neither 1 nor the size of a0",
    ),
    "repeat-negative": (
        lambda g: with_view(g, "abs", repeats=(integer(-1), integer(64))),
        "node abs: the repeat along a0 is negative (-1)",
    ),
    "repeat-limit": (
        lambda g: with_view(g, "abs", repeats=(integer(2**31), integer(64))),
        "node abs: the repeat along a0 is 2147483648, above the limit of 2147483647 elements",
    ),
    "repeat-symbol": (
        lambda g: with_view(g, "abs", repeats=(KS1, integer(64))),
        "node abs: the repeat along a0 uses the size ks1, which is not declared; declare it, or use one of: ks0",
    ),
    "stride-negative": (
        lambda g: with_view(g, "load", strides=(integer(64), integer(-1))),
        "node load: the stride along a1 is negative (-1 elements)",
    ),
    "stride-symbol": (lambda g: with_view(g, "load", strides=(KS1, integer(1))), "node load: the stride along a0 uses the size ks1"),
    "offset-symbol": (lambda g: with_node(g, "load", attrs={"offset": KS1}), "node load: attribute offset uses the size ks1"),
    "attribute-infinite": (
        lambda g: with_node(g, "abs", attrs={"alpha": float("inf")}),
        "node abs: attribute alpha is inf; it must be finite",
    ),
    "scheduled-loop": (lambda g: with_node(g, "abs", loop_axis="a0"), "node abs: it is scheduled, but this is a HintGraph"),
    "scheduled-memory": (lambda g: with_view(g, "store", memory=LONE), "node store: it is scheduled, but this is a HintGraph"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named(hint: HintGraph, fault: str) -> None:
    change, says = FAULTS[fault]
    with pytest.raises(GraphError, match=re.escape(says)):
        verify_structure(change(hint))


def test_a_sound_graph_passes(hint: HintGraph) -> None:
    verify_structure(hint)


def test_a_tensor_above_the_limit(hint: HintGraph) -> None:
    big = integer(2**20)
    graph = with_axis(with_axis(hint, "a0", size=big), "a1", size=big)
    for node in ("load", "abs", "store"):
        graph = with_view(graph, node, repeats=(big, big), strides=(big, integer(1)))
    with pytest.raises(GraphError, match=f"node load: its output has {2**40} elements, the limit is {2**36}"):
        verify_structure(graph)


def test_dynamic_sizes_that_only_may_be_too_large_pass(hint: HintGraph) -> None:
    """The product of two sizes up to 2^31 - 1 is refused for the shape that is too large, not for the graph."""
    wide = Size(name="ks1")
    size = mul(hint.sizes[0].symbol, wide.symbol)
    graph = with_axis(replace(hint, sizes=(*hint.sizes, wide)), "a0", size=size)
    for node in ("load", "abs", "store"):
        graph = with_view(graph, node, repeats=(size, integer(64)))
    verify_structure(graph)


def test_an_axis_of_size_zero_passes(hint: HintGraph) -> None:
    graph = with_axis(hint, "a1", size=integer(0))
    for node in ("load", "abs", "store"):
        graph = with_view(graph, node, repeats=(hint.sizes[0].symbol, integer(0)))
    verify_structure(graph)


def test_operands_of_a_concat_cover_a_part_of_its_axis(hint: HintGraph) -> None:
    half = replace(hint.node_of["load"].output, repeats=(hint.sizes[0].symbol, integer(32)))
    loads = (replace(hint.node_of["load"], output=half), replace(hint.node_of["load"], name="load1", output=half))
    joined = replace(hint.node_of["abs"], op="Concat", inputs=("load", "load1"))
    verify_structure(replace(hint, nodes=(hint.nodes[0], *loads, joined, *hint.nodes[3:])))


def test_what_reduces_or_broadcasts_varies_over_one_element(hint: HintGraph) -> None:
    view = replace(hint.node_of["abs"].output, repeats=(hint.sizes[0].symbol, integer(1)), strides=(integer(1), integer(0)))
    graph = with_view(with_node(hint, "abs", op="Sum"), "abs", repeats=view.repeats, strides=view.strides)
    verify_structure(with_view(graph, "store", repeats=view.repeats, strides=view.strides))


def test_a_long_chain_is_checked_in_linear_time(hint: HintGraph) -> None:
    """Thousands of nodes are a matter of a moment."""
    step = hint.node_of["abs"]
    chain = [replace(step, name=f"abs{i}", inputs=(f"abs{i - 1}" if i else "load",)) for i in range(3000)]
    store = replace(hint.node_of["store"], inputs=("abs2999",))
    verify_structure(replace(hint, nodes=(*hint.nodes[:2], *chain, store, hint.nodes[4])))
