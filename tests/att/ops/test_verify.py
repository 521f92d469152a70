"""What ops demand of their operands: each fault is refused with the node and a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from att.errors import GraphError, ScheduleError
from att.expr.core import Expr, ceil_div, integer, symbol
from att.ir.axis import Axis, Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph
from att.ir.node import AttrValue, Node
from att.ir.tensor import TensorView
from att.ops.verify import check_dtypes, scalar_value, verify_graph

F16, F32, U8, I32, I64 = DType.FLOAT16, DType.FLOAT32, DType.UINT8, DType.INT32, DType.INT64
ROWS, COLS = integer(6), integer(10)


def _view(rows: Expr = ROWS, cols: Expr = COLS, dtype: DType = F32) -> TensorView:
    strides = tuple(integer(0) if size == integer(1) else stride for size, stride in ((rows, cols), (cols, integer(1))))
    return TensorView(dtype=dtype, axes=("a", "b"), repeats=(rows, cols), strides=strides)


def _node(name: str, op: str, *inputs: str, view: TensorView | None = None, attrs: Mapping[str, AttrValue] | None = None) -> Node:
    nest = () if op in {"Data", "Output", "Scalar"} else ("a", "b")
    return Node(name=name, op=op, inputs=inputs, attrs=attrs or {}, axes=nest, output=view or _view())


def _graph(*middle: Node, last: str) -> HintGraph:
    """x and w loaded, some nodes, one of them stored."""
    stored = next(n for n in middle if n.name == last).output
    nodes = (
        _node("x", "Data", view=TensorView(dtype=F32), attrs={"index": 0}),
        _node("w", "Data", view=TensorView(dtype=F32), attrs={"index": 1}),
        _node("lx", "Load", "x", attrs={"offset": integer(0)}),
        _node("lw", "Load", "w", view=_view(rows=integer(1))),
        *middle,
        _node("s", "Store", last, view=stored),
        _node("y", "Output", "s", view=TensorView(dtype=stored.dtype), attrs={"index": 0}),
    )
    return HintGraph(name="g", axes=(Axis(name="a", size=ROWS), Axis(name="b", size=COLS)), nodes=nodes)


def _refused(graph: HintGraph, node: str, message: str) -> None:
    with pytest.raises(GraphError, match=message) as caught:
        verify_graph(graph)
    assert caught.value.where == f"graph g, node {node}"
    assert "\n" not in str(caught.value)


def test_a_sound_graph_passes() -> None:
    graph = _graph(
        _node("two", "Scalar", view=TensorView(dtype=F32), attrs={"value": "2.5"}),
        _node("b", "Broadcast", "lw"),
        _node("add", "Add", "lx", "b"),
        _node("mul", "Mul", "add", "two"),
        _node("m", "Max", "mul", view=_view(cols=integer(1))),
        _node("mb", "Broadcast", "m"),
        _node("gt", "Gt", "mul", "mb", view=_view(dtype=U8)),
        _node("wh", "Where", "gt", "mul", "two"),
        last="wh",
    )
    verify_graph(graph)


def test_unknown_op() -> None:
    _refused(_graph(_node("f", "Expp", "lx"), last="f"), "f", "op Expp is not known; did you mean Exp")


def test_operand_count() -> None:
    _refused(_graph(_node("f", "Add", "lx"), last="f"), "f", r"Add takes 2 operands \(x1, x2\), got 1")
    _refused(_graph(_node("f", "Exp", "lx", "lx"), last="f"), "f", r"Exp takes 1 operands \(x\), got 2")


def test_elementwise_operands_vary_over_the_same_axes() -> None:
    _refused(_graph(_node("f", "Add", "lx", "lw"), last="f"), "f", "axis a of Add has 1 elements in lw and 6 .*add a Broadcast")


def test_broadcast_grows_axes_of_one_element_only() -> None:
    shrunk = _node("f", "Broadcast", "lx", view=_view(cols=integer(1)))
    message = "axis b of Broadcast has 10 elements in lx and 1 in the result; it may only grow from one element"
    _refused(_graph(shrunk, last="f"), "f", message)


def test_reduce_shrinks_axes_to_one_element_only() -> None:
    grown = _node("f", "Sum", "lw")
    _refused(_graph(grown, last="f"), "f", "axis a of Sum has 1 elements in lw and 6 in the result; it may only shrink to one element")


def test_equal_sizes_may_be_written_differently() -> None:
    n = symbol("n", 1, 100)
    twice, double = ceil_div(ceil_div(n, 2), 3), ceil_div(n, 6)
    assert twice != double
    graph = HintGraph(
        name="g",
        sizes=(Size(name="n", maximum=100),),
        axes=(Axis(name="a", size=twice),),
        nodes=(
            Node(name="x", op="Data", attrs={"index": 0}, output=TensorView(dtype=F32)),
            *(
                Node(name=name, op=op, inputs=(source,), axes=("a",), output=_line(size))
                for name, op, source, size in (("l", "Load", "x", twice), ("e", "Exp", "l", double), ("s", "Store", "e", twice))
            ),
            Node(name="y", op="Output", inputs=("s",), attrs={"index": 0}, output=TensorView(dtype=F32)),
        ),
    )
    verify_graph(graph)


def _line(size: Expr) -> TensorView:
    return TensorView(dtype=F32, axes=("a",), repeats=(size,), strides=(integer(1),))


def test_dtypes_of_operands() -> None:
    half = _node("h", "Cast", "lx", view=_view(dtype=F16))
    _refused(_graph(half, _node("f", "Add", "lx", "h"), last="f"), "f", "Add joins float32 and float16")
    _refused(_graph(_node("f", "Exp", "lx", view=_view(dtype=F16)), last="f"), "f", "Exp gives float32, its output is float16")
    _refused(_graph(_node("f", "Where", "lx", "lx", "lx"), last="f"), "f", "operand x1 of Where is float32, not uint8")
    _refused(_graph(_node("f", "Gt", "lx", "lx"), last="f"), "f", "Gt gives uint8, its output is float32")


def test_scalars_stand_where_ops_take_numbers() -> None:
    two = _node("two", "Scalar", view=TensorView(dtype=F32), attrs={"value": "2"})
    _refused(_graph(two, _node("f", "Exp", "two"), last="f"), "f", "operand x of Exp is the Scalar two")
    _refused(_graph(two, _node("f", "Gt", "two", "lx", view=_view(dtype=U8)), last="f"), "f", "operand x1 of Gt is the Scalar two.*x2")
    _refused(_graph(two, _node("f", "Add", "two", "two"), last="f"), "f", "all operands of Add are Scalars")


@pytest.mark.parametrize(
    ("dtype", "text", "value"),
    [(F32, "2.5", 2.5), (F32, "-1e-06", -1e-06), (F32, "inf", float("inf")), (I32, "7", 7), (I32, "7.0", 7), (F16, " 3 ", 3.0)],
)
def test_scalar_values(dtype: DType, text: str, value: float) -> None:
    node = _node("k", "Scalar", view=TensorView(dtype=dtype), attrs={"value": text})
    assert scalar_value(node) == value
    assert isinstance(scalar_value(node), int) is not dtype.is_float


@pytest.mark.parametrize(("dtype", "text"), [(F32, "two"), (F32, ""), (I32, "2.5"), (I32, "inf"), (I32, "nan")])
def test_scalar_texts_that_are_no_numbers(dtype: DType, text: str) -> None:
    node = _node("k", "Scalar", view=TensorView(dtype=dtype), attrs={"value": text})
    with pytest.raises(GraphError, match=r"value '.*' is not"):
        scalar_value(node)


def test_attributes_are_present_and_typed() -> None:
    sound = _graph(_node("f", "Exp", "lx"), last="f")

    def changed(name: str, attrs: Mapping[str, AttrValue]) -> HintGraph:
        return replace(sound, nodes=tuple(replace(n, attrs=attrs) if n.name == name else n for n in sound.nodes))

    _refused(changed("f", {"alpha": 1.0}), "f", "Exp has no attribute alpha")
    _refused(changed("lx", {"offset": "4"}), "lx", "offset is '4', expected Expr or int")
    _refused(changed("lx", {"offset": integer(-4)}), "lx", "offset can be -4 elements")
    scalar = _node("k", "Scalar", view=TensorView(dtype=F32))
    _refused(_graph(scalar, _node("f", "Add", "lx", "k"), last="f"), "k", "Scalar has no value")


def test_structure_is_checked_too() -> None:
    with pytest.raises(GraphError, match="no node of the graph"):
        verify_graph(_graph(_node("f", "Exp", "nowhere"), last="f"))


def test_dtypes_of_a_chip(v1: Any, v2: Any) -> None:
    graph = _graph(_node("f", "Exp", "lx"), last="f")
    check_dtypes(graph, v1)
    brain = DType.BFLOAT16
    nodes = tuple(replace(n, output=replace(n.output, dtype=brain)) for n in graph.nodes)
    with pytest.raises(ScheduleError, match="Exp takes float16, float32 on ascend910b1, got bfloat16") as caught:
        check_dtypes(replace(graph, nodes=nodes), v1)
    assert caught.value.where == "graph g, node f"
    check_dtypes(replace(graph, nodes=nodes), v2)


def test_conversions_of_a_chip(v1: Any, v2: Any) -> None:
    wide = _graph(_node("i", "Cast", "lx", view=_view(dtype=DType.INT8)), last="i")
    with pytest.raises(ScheduleError, match=r"Cast from float32 gives .* on ascend910b1, got int8; cast in two steps"):
        check_dtypes(wide, v1)
    check_dtypes(wide, v2)


def test_ops_that_a_chip_lacks(v2: Any) -> None:
    index = _node("i", "ArgMax", "lx", view=_view(cols=integer(1), dtype=I64))
    with pytest.raises(ScheduleError, match="ArgMax is not available on ascend950pr"):
        check_dtypes(_graph(index, last="i"), v2)


def test_backend_graphs_pass(shared_data: Path, v1: Any) -> None:
    from att.formats.load import load

    paths = sorted((shared_data / "hint_graphs").glob("*.py"))
    assert len(paths) > 80
    for path in paths:
        graph = load(path)
        assert isinstance(graph, HintGraph)
        verify_graph(graph)
        check_dtypes(graph, v1)
