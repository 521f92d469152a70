"""Graphs that use every field of the formats, and where their texts are kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from att.expr.choice import maximum
from att.expr.core import Expr, add, ceil_div, floor_div, integer, mul
from att.ir.axis import Axis, AxisKind, Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph, ImplGraph, Template, TileVar
from att.ir.node import Node
from att.ir.tensor import Alloc, Memory, Position, Queue, TensorView

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "formats"


@pytest.fixture(scope="session")
def golden() -> Path:
    """Folder of the expected texts."""
    return GOLDEN


@pytest.fixture(scope="session")
def hint() -> HintGraph:
    """y[r] = sum over c of 2 * x[r, first half of c], in bfloat16: symbols with ranges, an offset, a Scalar, knobs on an axis."""
    rows, columns = Size(name="ks0"), Size(name="ks1", minimum=16, maximum=8192, multiple_of=16)
    half = floor_div(add(columns.symbol, 1), 2)
    axes = ("rows", "columns")
    dense = maximum(1, half)

    def view(dtype: DType, repeats: tuple[Expr | int, Expr | int], strides: tuple[Expr | int, Expr | int]) -> TensorView:
        return TensorView(dtype=dtype, axes=axes, repeats=tuple(map(add, repeats)), strides=tuple(map(add, strides)))

    def node(name: str, op: str, *inputs: str, output: TensorView, **attrs: Expr | int | str) -> Node:
        nest = axes if output.axes else ()
        return Node(name=f"scaled/{name}", op=op, inputs=tuple(f"scaled/{i}" for i in inputs), attrs=attrs, axes=nest, output=output)

    wide = view(DType.FLOAT32, (rows.symbol, half), (dense, 1))
    return HintGraph(
        name="scaled sum",
        sizes=(rows, columns),
        axes=(
            Axis(name="rows", size=rows.symbol, align=8, allow_unaligned_tail=False),
            Axis(name="columns", size=half, allow_oversize=True),
        ),
        nodes=(
            node("x", "Data", output=TensorView(dtype=DType.BFLOAT16), index=0),
            node("load", "Load", "x", output=view(DType.BFLOAT16, (rows.symbol, half), (columns.symbol, 1)), offset=mul(3, columns.symbol)),
            node("cast", "Cast", "load", output=wide),
            node("two", "Scalar", output=TensorView(dtype=DType.FLOAT32), value="2.0"),
            node("mul", "Mul", "cast", "two", output=wide),
            node("sum", "Sum", "mul", output=view(DType.FLOAT32, (rows.symbol, 1), (1, 0))),
            node("store", "Store", "sum", output=view(DType.FLOAT32, (rows.symbol, 1), (1, 0)), offset=integer(0)),
            node("y", "Output", "store", output=TensorView(dtype=DType.FLOAT32), index=0),
        ),
    )


@pytest.fixture(scope="session")
def template() -> Template:
    """Two phases over ks0 elements: |x| tiled through a queue and a buffer, then its square root with the first phase's tile size."""
    size = Size(name="ks0", maximum=2**20)
    tile = TileVar(name="z0t_size", axis="z0t", maximum=2**20)
    block = TileVar(name="z0Tb_size", axis="z0Tb", maximum=2**20)
    first = _phase("kernel.first", "Abs", size, (tile, block), index=0)
    second = _phase("kernel.second", "Sqrt", size, (tile, block), index=1)
    return Template(
        name="two.z0", tiling_key=4, graph_name="kernel", phases=(first, replace(second, variables=())), axis_names={"z0": "rows"}
    )


def _phase(name: str, op: str, size: Size, variables: tuple[TileVar, TileVar], index: int) -> ImplGraph:
    tile, block = variables
    tiles = ceil_div(size.symbol, tile.symbol)
    names = ("z0TB", "z0Tb", "z0t")
    view = TensorView(
        dtype=DType.FLOAT32,
        axes=names,
        repeats=(ceil_div(tiles, block.symbol), block.symbol, tile.symbol),
        strides=(mul(block.symbol, tile.symbol), tile.symbol, integer(1)),
        vectorized_axes=("z0t",),
        vectorized_strides=(integer(1),),
    )
    memories = (
        Memory(
            tensor_id=0, alloc=Alloc.QUEUE, position=Position.VECIN, queue=Queue(id=0, depth=2, buf_num=2, reuse_id=0, single_legal=True)
        ),
        Memory(tensor_id=1, alloc=Alloc.BUFFER, position=Position.VECCALC, buffer_id=0),
        Memory(tensor_id=2, alloc=Alloc.QUEUE, position=Position.VECOUT, queue=Queue(id=1, depth=2, buf_num=1, reuse_id=1)),
        Memory(tensor_id=3, alloc=Alloc.GLOBAL, position=Position.GM),
    )
    outside = TensorView(dtype=DType.FLOAT32)
    steps = tuple(
        Node(name=n, op=o, inputs=(i,), axes=names, loop_axis="z0Tb", output=replace(view, memory=m))
        for (n, o, i), m in zip(
            (("load", "Load", "x"), ("one", op, "load"), ("two", "Neg", "one"), ("store", "Store", "two")), memories, strict=True
        )
    )
    return ImplGraph(
        name=name,
        sizes=(size,),
        axes=(
            Axis(name="z0", size=size.symbol),
            Axis(name="z0T", size=tiles, kind=AxisKind.TILE_OUT, parents=("z0",)),
            Axis(name="z0t", size=tile.symbol, kind=AxisKind.TILE_IN, parents=("z0",)),
            Axis(name="z0TB", size=ceil_div(tiles, block.symbol), kind=AxisKind.BLOCK_OUT, parents=("z0T",)),
            Axis(name="z0Tb", size=block.symbol, kind=AxisKind.BLOCK_IN, parents=("z0T",)),
        ),
        nodes=(
            Node(name="x", op="Data", attrs={"index": index}, output=outside),
            *steps,
            Node(name="y", op="Output", inputs=("store",), attrs={"index": index}, output=outside),
        ),
        variables=variables,
    )
