"""A small operator y = |x| over ks0 x 64, as given and cut into tiles, for tests that break one thing in it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from att.expr.core import Expr, ceil_div, integer, mul
from att.ir.axis import Axis, AxisKind, Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph, ImplGraph, Template, TileVar
from att.ir.node import Node
from att.ir.tensor import Alloc, Memory, Position, Queue, TensorView

ROWS = Size(name="ks0", maximum=8192)
OUTSIDE = TensorView(dtype=DType.FLOAT32)
AXES = ("a0", "a1")


def _view(repeats: tuple[Expr, ...], strides: tuple[Expr, ...], axes: tuple[str, ...] = AXES) -> TensorView:
    return TensorView(dtype=DType.FLOAT32, axes=axes, repeats=repeats, strides=strides)


@pytest.fixture
def hint() -> HintGraph:
    """x -> load -> abs -> store -> y."""
    whole = _view((ROWS.symbol, integer(64)), (integer(64), integer(1)))

    def step(name: str, op: str, source: str) -> Node:
        attrs = {"offset": integer(0)} if op in ("Load", "Store") else {}
        return Node(name=name, op=op, inputs=(source,), attrs=attrs, axes=AXES, output=whole)

    return HintGraph(
        name="magnitude",
        sizes=(ROWS,),
        axes=(Axis(name="a0", size=ROWS.symbol), Axis(name="a1", size=integer(64))),
        nodes=(
            Node(name="x", op="Data", attrs={"index": 0}, output=OUTSIDE),
            step("load", "Load", "x"),
            step("abs", "Abs", "load"),
            step("store", "Store", "abs"),
            Node(name="y", op="Output", inputs=("store",), attrs={"index": 0}, output=OUTSIDE),
        ),
    )


@pytest.fixture
def impl(hint: HintGraph) -> ImplGraph:
    """The same with a0 cut into UB tiles, and the tiles shared among cores."""
    tile = TileVar(name="a0t_size", axis="a0t", maximum=8192)
    block = TileVar(name="a0Tb_size", axis="a0Tb", maximum=8192)
    tiles = ceil_div(ROWS.symbol, tile.symbol)
    axes = (
        *hint.axes,
        Axis(name="a0T", size=tiles, kind=AxisKind.TILE_OUT, parents=("a0",)),
        Axis(name="a0t", size=tile.symbol, kind=AxisKind.TILE_IN, parents=("a0",)),
        Axis(name="a0TB", size=ceil_div(tiles, block.symbol), kind=AxisKind.BLOCK_OUT, parents=("a0T",)),
        Axis(name="a0Tb", size=block.symbol, kind=AxisKind.BLOCK_IN, parents=("a0T",)),
    )
    names = ("a0TB", "a0Tb", "a0t", "a1")
    row = mul(64, tile.symbol)
    whole = replace(
        _view(
            (ceil_div(tiles, block.symbol), block.symbol, tile.symbol, integer(64)),
            (mul(row, block.symbol), row, integer(64), integer(1)),
            names,
        ),
        vectorized_axes=("a0t", "a1"),
        vectorized_strides=(integer(64), integer(1)),
    )
    memories = {
        "load": Memory(tensor_id=0, alloc=Alloc.QUEUE, position=Position.VECIN, queue=Queue(id=0, depth=2, buf_num=2, reuse_id=0)),
        "abs": Memory(tensor_id=1, alloc=Alloc.QUEUE, position=Position.VECOUT, queue=Queue(id=1, depth=2, buf_num=2, reuse_id=1)),
        "store": Memory(tensor_id=2, alloc=Alloc.GLOBAL, position=Position.GM),
    }
    nodes = tuple(
        replace(node, axes=names, loop_axis="a0Tb", output=replace(whole, memory=memories[node.name])) if node.name in memories else node
        for node in hint.nodes
    )
    return ImplGraph(name="magnitude.general.z0", sizes=hint.sizes, axes=axes, nodes=nodes, variables=(tile, block))


@pytest.fixture
def template(impl: ImplGraph) -> Template:
    """A template of that one phase."""
    return Template(name="general.z0", tiling_key=3, graph_name="magnitude", phases=(impl,), axis_names={"z0": "a0", "z1": "a1"})
