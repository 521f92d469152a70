"""Graphs to their wire form."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from att.expr.core import Expr
from att.expr.text import to_text
from att.formats.attrs import is_expression
from att.formats.wire import (
    FORMAT,
    VERSION,
    AttrWire,
    AxisWire,
    ExprAttrWire,
    HintFile,
    ImplGraphWire,
    MemoryWire,
    NodeWire,
    QueueWire,
    SizeWire,
    TemplateFile,
    VariableWire,
    ViewWire,
)
from att.ir.axis import Axis, Size
from att.ir.graph import HintGraph, ImplGraph, Template
from att.ir.node import AttrValue, Node
from att.ir.tensor import Memory, Queue, TensorView


def to_wire(graph: HintGraph | Template) -> HintFile | TemplateFile:
    """The wire form of a graph or template."""
    if isinstance(graph, HintGraph):
        return HintFile(
            format=FORMAT,
            version=VERSION,
            kind="hint",
            name=graph.name,
            sizes=tuple(_size(s) for s in graph.sizes),
            axes=tuple(_axis(a) for a in graph.axes),
            nodes=tuple(_node(n) for n in graph.nodes),
        )
    return TemplateFile(
        format=FORMAT,
        version=VERSION,
        kind="template",
        name=graph.name,
        tiling_key=graph.tiling_key,
        graph_name=graph.graph_name,
        axis_names=dict(graph.axis_names),
        phases=tuple(_impl(phase) for phase in graph.phases),
    )


def _impl(graph: ImplGraph) -> ImplGraphWire:
    return ImplGraphWire(
        name=graph.name,
        sizes=tuple(_size(s) for s in graph.sizes),
        variables=tuple(VariableWire(name=v.name, axis=v.axis, max=v.maximum) for v in graph.variables),
        axes=tuple(_axis(a) for a in graph.axes),
        nodes=tuple(_node(n) for n in graph.nodes),
        trace=graph.trace,
    )


def _size(size: Size) -> SizeWire:
    return SizeWire(name=size.name, min=size.minimum, max=size.maximum, multiple_of=size.multiple_of)


def _axis(axis: Axis) -> AxisWire:
    return AxisWire(
        name=axis.name,
        size=to_text(axis.size),
        kind=axis.kind,
        parents=axis.parents,
        align=axis.align,
        allow_oversize=axis.allow_oversize,
        allow_unaligned_tail=axis.allow_unaligned_tail,
    )


def _node(node: Node) -> NodeWire:
    return NodeWire(
        name=node.name,
        op=node.op,
        inputs=node.inputs,
        attrs={name: _attr(node.op, name, value) for name, value in node.attrs.items()},
        axes=node.axes,
        loop_axis=node.loop_axis,
        output=_view(node.output),
    )


def _attr(op: str, name: str, value: AttrValue) -> AttrWire:
    match value:
        case Expr():
            text = to_text(value)
            return text if is_expression(op, name) else ExprAttrWire(expr=text)
        case bool() | int() | float() | str():
            return value
        case _:
            assert_never(value)


def _view(view: TensorView) -> ViewWire:
    return ViewWire(
        dtype=view.dtype,
        axes=view.axes,
        repeats=_texts(view.repeats),
        strides=_texts(view.strides),
        vectorized_axes=view.vectorized_axes,
        vectorized_strides=_texts(view.vectorized_strides),
        memory=None if view.memory is None else _memory(view.memory),
    )


def _texts(exprs: Iterable[Expr]) -> tuple[str, ...]:
    return tuple(to_text(e) for e in exprs)


def _memory(memory: Memory) -> MemoryWire:
    queue = memory.queue
    return MemoryWire(
        tensor_id=memory.tensor_id,
        alloc=memory.alloc,
        position=memory.position,
        queue=None if queue is None else _queue(queue),
        buffer_id=memory.buffer_id,
    )


def _queue(queue: Queue) -> QueueWire:
    return QueueWire(id=queue.id, depth=queue.depth, buf_num=queue.buf_num, reuse_id=queue.reuse_id, single_legal=queue.single_legal)
