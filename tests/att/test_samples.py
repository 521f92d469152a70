"""Graphs that come with the package are what the graph JSON writer makes of these constructions."""

from __future__ import annotations

from pathlib import Path

import att
from att.expr.core import Expr, integer
from att.formats import graph_json
from att.ir.axis import Axis, Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph
from att.ir.node import Node
from att.ir.tensor import TensorView

SAMPLES = Path(att.__file__).with_name("samples")
BATCH = Size(name="ks0")
WIDTH = 1024


def _softmax() -> HintGraph:
    rows, columns, one, zero = BATCH.symbol, integer(WIDTH), integer(1), integer(0)
    names = ("batch", "feature")

    def view(repeats: tuple[Expr, Expr], strides: tuple[Expr, Expr]) -> TensorView:
        return TensorView(dtype=DType.FLOAT32, axes=names, repeats=repeats, strides=strides)

    whole = view((rows, columns), (columns, one))
    per_row = view((rows, one), (one, zero))
    outside = TensorView(dtype=DType.FLOAT32)

    def step(name: str, op: str, *inputs: str, output: TensorView = whole) -> Node:
        return Node(name=name, op=op, inputs=inputs, axes=names, output=output, attrs={"offset": zero} if op in ("Load", "Store") else {})

    return HintGraph(
        name="softmax",
        sizes=(BATCH,),
        axes=(Axis(name="batch", size=rows), Axis(name="feature", size=columns)),
        nodes=(
            Node(name="x", op="Data", attrs={"index": 0}, output=outside),
            step("load", "Load", "x"),
            step("peak", "Max", "load", output=per_row),
            step("peak_rows", "Broadcast", "peak"),
            step("shifted", "Sub", "load", "peak_rows"),
            step("powers", "Exp", "shifted"),
            step("total", "Sum", "powers", output=per_row),
            step("total_rows", "Broadcast", "total"),
            step("shares", "TrueDiv", "powers", "total_rows"),
            step("store", "Store", "shares"),
            Node(name="y", op="Output", inputs=("store",), attrs={"index": 0}, output=outside),
        ),
    )


def test_softmax_is_what_the_writer_makes() -> None:
    assert (SAMPLES / "softmax.json").read_text(encoding="utf-8") == graph_json.dumps(_softmax())


def test_samples_load_by_their_short_name() -> None:
    assert att.load("sample:softmax") == att.load("sample:softmax.json") == graph_json.loads((SAMPLES / "softmax.json").read_text())
