"""A small builder for graphs written by hand: names and axes in, a HintGraph out.

    g = GraphBuilder("softmax", axes={"row": ks0, "col": 1024}, sizes=(Size(name="ks0"),))
    x = g.load("x", ("row", "col"))
    e = g.op("Exp", g.op("Sub", x, g.reduce("Max", x, "col")))
    g.store("y", g.op("TrueDiv", e, g.reduce("Sum", e, "col")))
    graph = g.build()

Operands of an op are broadcast to their common axes; a Python number is a Scalar.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from att.errors import GraphError
from att.expr.core import Expr, add, integer, mul
from att.ir.axis import Axis, Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph
from att.ir.node import AttrValue, Node
from att.ir.tensor import TensorView
from att.ops.infer import infer_dtype
from att.ops.registry import spec_of
from att.ops.verify import verify_graph


@dataclass(frozen=True, slots=True)
class Value:
    """The result of a node: its name, the axes it varies over, its type."""

    name: str
    axes: tuple[str, ...]
    dtype: DType


class GraphBuilder:
    """Collects nodes over declared axes. Raises GraphError where a name or axis is wrong, or in `build` where the graph is."""

    def __init__(self, name: str, axes: Mapping[str, Expr | int], sizes: Sequence[Size] = ()) -> None:
        self._name = name
        self._axes = {axis: add(size) for axis, size in axes.items()}
        self._sizes = tuple(sizes)
        self._nodes: list[Node] = []
        self._counts: dict[str, int] = {}
        self._inputs = 0
        self._outputs = 0

    def load(
        self,
        name: str,
        axes: Sequence[str],
        dtype: DType = DType.FLOAT32,
        *,
        strides: Sequence[Expr | int] | None = None,
        offset: Expr | int = 0,
        in_place: bool = False,
    ) -> Value:
        """A new kernel input read over `axes`, dense unless strides (elements, one per axis) say otherwise.

        `in_place`: its value keeps the order of `axes`, which a Transpose turns into that of the graph; else the load brings it there.
        """
        data = Node(name=name, op="Data", attrs={"index": self._inputs}, output=TensorView(dtype=dtype))
        self._inputs += 1
        self._nodes.append(data)
        view = self._view(tuple(axes), dtype, self._strides(axes, strides))
        if in_place:
            view = _in_order(view, (*(a for a in view.axes if a not in axes), *axes))
        return self._append("Load", (name,), {"offset": add(offset)}, view, tuple(axes))

    def store(self, name: str, value: Value, *, strides: Sequence[Expr | int] | None = None, offset: Expr | int = 0) -> None:
        """A new kernel output, dense over the value's axes unless strides say otherwise."""
        view = self._view(value.axes, value.dtype, self._strides(value.axes, strides))
        stored = self._append("Store", (value.name,), {"offset": add(offset)}, view, value.axes)
        output = Node(name=name, op="Output", inputs=(stored.name,), attrs={"index": self._outputs}, output=TensorView(dtype=value.dtype))
        self._outputs += 1
        self._nodes.append(output)

    def op(self, op: str, *operands: Value | float, dtype: DType | None = None, **attrs: AttrValue) -> Value:
        """An elementwise op; the operands are broadcast to their common axes first."""
        values = [o for o in operands if isinstance(o, Value)]
        if not values:
            raise GraphError(f"{op} needs at least one operand that is not a number", where=self._name)
        axes = self._ordered(axis for value in values for axis in value.axes)
        scalar_dtype = self._scalar_dtype(op, operands)
        inputs = [self.broadcast(o, axes) if isinstance(o, Value) else self._scalar(o, scalar_dtype) for o in operands]
        result = dtype or infer_dtype(op, tuple(v.dtype for v in inputs))
        return self._append(op, tuple(v.name for v in inputs), attrs, self._view(axes, result, self._strides(axes, None)), axes)

    def in_order(self, op: str, value: Value, order: Sequence[str], *, dtype: DType | None = None) -> Value:
        """An op of one operand whose value keeps this axis order: between an `in_place` load and its Transpose."""
        view = self._view(value.axes, dtype or infer_dtype(op, (value.dtype,)), self._strides(order, None))
        view = _in_order(view, (*(a for a in view.axes if a not in order), *order))
        return self._append(op, (value.name,), {}, view, value.axes)

    def cast(self, value: Value, dtype: DType) -> Value:
        """The value in another type."""
        return self.op("Cast", value, dtype=dtype)

    def broadcast(self, value: Value, axes: Sequence[str]) -> Value:
        """The value repeated over all of `axes`; itself if it varies over them already."""
        wanted = self._ordered(axes)
        if set(wanted) <= set(value.axes):
            return value
        return self._append("Broadcast", (value.name,), {}, self._view(wanted, value.dtype, self._strides(wanted, None)), wanted)

    def concat(self, axis: str, *parts: tuple[Value, str]) -> Value:
        """The parts one behind the other along `axis`; each comes with its own axis, which `axis` replaces."""
        shared = {name for value, own in parts for name in value.axes if name != own}
        values = [self.broadcast(value, (*shared, own)) for value, own in parts]
        wanted = self._ordered((*shared, axis))
        view = self._view(wanted, values[0].dtype, self._strides(wanted, None))
        return self._append("Concat", tuple(v.name for v in values), {}, view, wanted)

    def split(self, value: Value, axis: str, *pieces: str, gid: int = 0) -> tuple[Value, ...]:
        """The value cut along `axis` into pieces, one behind the other; each has the axis of that name in its place."""
        made: list[Value] = []
        for index, own in enumerate(pieces):
            wanted = self._ordered((*(a for a in value.axes if a != axis), own))
            view = self._view(wanted, value.dtype, self._strides(wanted, None))
            made.append(self._append("Split", (value.name,), {"index": index, "gid": gid}, view, wanted))
        return tuple(made)

    def gather(self, table: Value, axis: str, indices: Value) -> Value:
        """Elements of the table picked along `axis` by indices: their axes take its place."""
        wanted = self._ordered((*(a for a in table.axes if a != axis), *indices.axes))
        view = self._view(wanted, table.dtype, self._strides(wanted, None))
        place = self._ordered(table.axes).index(axis)
        return self._append("Gather", (table.name, indices.name), {"axis": place}, view, wanted)

    def reduce(self, op: str, value: Value, *axes: str) -> Value:
        """The value reduced over `axes`."""
        missing = [axis for axis in axes if axis not in value.axes]
        if missing:
            raise GraphError(f"{op} reduces {', '.join(missing)}, over which {value.name} does not vary", where=self._name)
        kept = tuple(axis for axis in value.axes if axis not in axes)
        dtype = infer_dtype(op, (value.dtype,))
        return self._append(op, (value.name,), {}, self._view(kept, dtype, self._strides(kept, None)), kept)

    def build(self) -> HintGraph:
        """The graph, verified."""
        axes = tuple(Axis(name=name, size=size) for name, size in self._axes.items())
        graph = HintGraph(name=self._name, sizes=self._sizes, axes=axes, nodes=tuple(self._nodes))
        verify_graph(graph)
        return graph

    @staticmethod
    def _scalar_dtype(op: str, operands: Sequence[Value | float]) -> DType:
        """Numbers take the type of the other operands, a float one first; a mask does not count."""
        mask = spec_of(op).mask_operand
        found = [o.dtype for i, o in enumerate(operands) if isinstance(o, Value) and i != mask] or [DType.FLOAT32]
        return next((dtype for dtype in found if dtype.is_float), found[0])

    def _scalar(self, number: float, dtype: DType) -> Value:
        return self._append("Scalar", (), {"value": repr(number)}, TensorView(dtype=dtype), ())

    def _append(self, op: str, inputs: tuple[str, ...], attrs: Mapping[str, AttrValue], view: TensorView, axes: tuple[str, ...]) -> Value:
        serial = self._counts.get(op, 0)
        self._counts[op] = serial + 1
        name = f"{op.lower()}{serial or ''}"
        nest = () if op == "Scalar" else tuple(self._axes)
        self._nodes.append(Node(name=name, op=op, inputs=inputs, attrs=attrs, axes=nest, output=view))
        return Value(name, axes, view.dtype)

    def _ordered(self, axes: Iterable[str]) -> tuple[str, ...]:
        wanted = set(axes)
        return tuple(axis for axis in self._axes if axis in wanted)

    def _strides(self, axes: Sequence[str], strides: Sequence[Expr | int] | None) -> dict[str, Expr]:
        """Stride by axis: as given, else dense in the order of `axes`."""
        if strides is not None:
            return {axis: add(stride) for axis, stride in zip(axes, strides, strict=True)}
        dense: dict[str, Expr] = {}
        running: Expr = integer(1)
        for axis in reversed(tuple(axes)):
            dense[axis] = running
            running = mul(running, self._axes[axis])
        return dense

    def _view(self, axes: tuple[str, ...], dtype: DType, strides: Mapping[str, Expr]) -> TensorView:
        unknown = [axis for axis in axes if axis not in self._axes]
        if unknown:
            raise GraphError(f"axis {unknown[0]} is not declared; declared: {', '.join(self._axes)}", where=self._name)
        return TensorView(
            dtype=dtype,
            axes=tuple(self._axes),
            repeats=tuple(size if axis in axes else integer(1) for axis, size in self._axes.items()),
            strides=tuple(strides.get(axis, integer(0)) for axis in self._axes),
        )


def _in_order(view: TensorView, order: Sequence[str]) -> TensorView:
    return replace(
        view,
        axes=tuple(order),
        repeats=tuple(view.repeat_of(axis) for axis in order),
        strides=tuple(view.stride_of(axis) for axis in order),
    )
