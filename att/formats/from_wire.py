"""The wire form back to graphs: expressions are parsed, ops looked up. Every error names the JSON path.

A plain `/` that is not known to be exact rounds up in sizes and repeats of split axes and down elsewhere, as in graph text (design §7).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from att.errors import AttError, ParseError
from att.expr.core import Expr, Sym, integer
from att.expr.text import parse
from att.formats.attrs import find_op, is_expression, op_hint
from att.formats.wire import (
    AttrWire,
    AxisWire,
    ExprAttrWire,
    HintFile,
    ImplGraphWire,
    MemoryWire,
    NodeWire,
    SizeWire,
    TemplateFile,
    VariableWire,
    ViewWire,
)
from att.ir.axis import Axis, Size
from att.ir.graph import HintGraph, ImplGraph, Template, TileVar
from att.ir.node import AttrValue, Node
from att.ir.tensor import Memory, Queue, TensorView
from att.ir.verify_axes import SPLIT_KINDS


def hint_from_wire(file: HintFile, where: str) -> HintGraph:
    """The HintGraph of a file. Raises ParseError with the JSON path."""
    sizes = _sizes(file.sizes, where, "$")
    reader = _Reader.of(file, sizes, (), where)
    return HintGraph(name=file.name, sizes=sizes, axes=reader.axes(file, "$"), nodes=reader.nodes(file, "$"))


def template_from_wire(file: TemplateFile, where: str) -> Template:
    """The template of a file. Raises ParseError with the JSON path."""
    phases: list[ImplGraph] = []
    variables: list[TileVar] = []
    for i, wire in enumerate(file.phases):
        path = f"$.phases[{i}]"
        sizes, own = _sizes(wire.sizes, where, path), _variables(wire.variables, where, path)
        variables.extend(own)
        reader = _Reader.of(wire, sizes, variables, where)
        axes, nodes = reader.axes(wire, path), reader.nodes(wire, path)
        phases.append(ImplGraph(name=wire.name, sizes=sizes, axes=axes, nodes=nodes, variables=own, trace=wire.trace))
    return Template(
        name=file.name,
        tiling_key=file.tiling_key,
        graph_name=file.graph_name,
        phases=tuple(phases),
        axis_names=file.axis_names,
    )


def _sizes(wires: Sequence[SizeWire], where: str, path: str) -> tuple[Size, ...]:
    sizes = tuple(Size(name=w.name, minimum=w.min, maximum=w.max, multiple_of=w.multiple_of) for w in wires)
    _require_symbols(sizes, f"{where} at {path}.sizes")
    return sizes


def _variables(wires: Sequence[VariableWire], where: str, path: str) -> tuple[TileVar, ...]:
    variables = tuple(TileVar(name=w.name, axis=w.axis, maximum=w.max) for w in wires)
    _require_symbols(variables, f"{where} at {path}.variables")
    return variables


def _require_symbols(declared: Sequence[Size | TileVar], where: str) -> None:
    for i, item in enumerate(declared):
        try:
            _ = item.symbol
        except AttError as error:
            raise ParseError(error.message, where=f"{where}[{i}]", hint=error.hint) from None


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the parts of one graph whose symbols are known."""

    symbols: Mapping[str, Sym]
    split_axes: frozenset[str]
    where: str
    parsed: dict[tuple[str, bool], Expr] = field(default_factory=dict[tuple[str, bool], Expr])
    """Texts read so far: the same few sizes occur on every node."""

    @classmethod
    def of(cls, graph: HintFile | ImplGraphWire, sizes: Iterable[Size], variables: Iterable[TileVar], where: str) -> _Reader:
        symbols = {**{s.name: s.symbol for s in sizes}, **{v.name: v.symbol for v in variables}}
        split_axes = frozenset(axis.name for axis in graph.axes if axis.kind in SPLIT_KINDS)
        return cls(MappingProxyType(symbols), split_axes, where)

    def axes(self, graph: HintFile | ImplGraphWire, path: str) -> tuple[Axis, ...]:
        return tuple(self._axis(wire, f"{path}.axes[{i}]") for i, wire in enumerate(graph.axes))

    def nodes(self, graph: HintFile | ImplGraphWire, path: str) -> tuple[Node, ...]:
        return tuple(self._node(wire, f"{path}.nodes[{i}]") for i, wire in enumerate(graph.nodes))

    def _axis(self, wire: AxisWire, path: str) -> Axis:
        return Axis(
            name=wire.name,
            size=self._expr(wire.size, f"{path}.size", up=wire.name in self.split_axes),
            kind=wire.kind,
            parents=wire.parents,
            align=wire.align,
            allow_oversize=wire.allow_oversize,
            allow_unaligned_tail=wire.allow_unaligned_tail,
        )

    def _node(self, wire: NodeWire, path: str) -> Node:
        spec = find_op(wire.op)
        if spec is None:
            raise ParseError(f"unknown op {wire.op!r}", where=f"{self.where} at {path}.op", hint=op_hint(wire.op))
        attrs = {name: self._attr(wire.op, name, value, f"{path}.attrs.{name}") for name, value in wire.attrs.items()}
        return Node(
            name=wire.name,
            op=spec.name,
            inputs=wire.inputs,
            attrs=MappingProxyType(attrs),
            axes=wire.axes,
            loop_axis=wire.loop_axis,
            output=self._view(wire.output, f"{path}.output"),
        )

    def _attr(self, op: str, name: str, value: AttrWire, path: str) -> AttrValue:
        if isinstance(value, ExprAttrWire):
            return self._expr(value.expr, f"{path}.expr")
        if is_expression(op, name):
            if isinstance(value, bool | float):
                raise ParseError(f"expected an expression, got {value!r}", where=f"{self.where} at {path}")
            return self._expr(value, path)
        return value

    def _view(self, wire: ViewWire, path: str) -> TensorView:
        return TensorView(
            dtype=wire.dtype,
            axes=wire.axes,
            repeats=self._exprs(wire.repeats, f"{path}.repeats", wire.axes),
            strides=self._exprs(wire.strides, f"{path}.strides"),
            vectorized_axes=wire.vectorized_axes,
            vectorized_strides=self._exprs(wire.vectorized_strides, f"{path}.vectorized_strides"),
            memory=None if wire.memory is None else _memory(wire.memory),
        )

    def _exprs(self, values: Sequence[str | int], path: str, axes: Sequence[str] = ()) -> tuple[Expr, ...]:
        """`axes`: those that the values run along, where that decides how they are rounded."""
        up = [axis in self.split_axes for axis in axes]
        return tuple(self._expr(value, f"{path}[{i}]", up=i < len(up) and up[i]) for i, value in enumerate(values))

    def _expr(self, value: str | int, path: str, *, up: bool = False) -> Expr:
        if isinstance(value, int):
            return integer(value)
        known = self.parsed.get((value, up))
        if known is None:
            known = self.parsed[value, up] = self._parsed(value, up, f"{self.where} at {path}")
        return known

    def _parsed(self, value: str, up: bool, where: str) -> Expr:
        try:
            return parse(value, self.symbols, slash="ceil" if up else "floor")
        except ParseError as error:
            raise ParseError(error.message, text=error.text, span=error.span, where=where, hint=error.hint) from None
        except AttError as error:
            raise ParseError(error.message, text=value, span=(0, len(value)), where=where, hint=error.hint) from None


def _memory(wire: MemoryWire) -> Memory:
    q = wire.queue
    return Memory(
        tensor_id=wire.tensor_id,
        alloc=wire.alloc,
        position=wire.position,
        queue=None if q is None else Queue(id=q.id, depth=q.depth, buf_num=q.buf_num, reuse_id=q.reuse_id, single_legal=q.single_legal),
        buffer_id=wire.buffer_id,
    )
