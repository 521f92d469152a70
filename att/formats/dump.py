"""Graph text: the readable dump that the documents show (S2: Sizes, Axis, Nodes), written here, read by `att.formats.dump_read`.

A HintGraph or a template of one phase is one `Graph:` section, several phases are several. What a plain section does not say of a
template (name, key, original axis names) stands before it under `Template:`, where it differs from what the section implies.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import assert_never

from att.expr.core import Expr
from att.expr.text import to_text as expr_text
from att.formats.attrs import is_expression
from att.formats.dump_api import api_of
from att.formats.dump_names import FIXED_KEYS, is_scheduled, plain_template
from att.formats.dump_read import from_text
from att.ir.axis import MAX_SIZE, Axis, Size
from att.ir.graph import Graph, HintGraph, ImplGraph, Template, TileVar
from att.ir.node import AttrValue, Node
from att.ir.tensor import Alloc, Memory, TensorView
from att.ir.verify_axes import INNER_KINDS
from att.ops.registry import spec_of

__all__ = ["from_text", "to_text"]


def to_text(graph: HintGraph | ImplGraph | Template) -> str:
    """The dump of a graph or template; `from_text` reads it back to an equal graph (a lone ImplGraph comes back as a template)."""
    if isinstance(graph, HintGraph):
        return _join(_graph(graph))
    template = plain_template((graph,)) if isinstance(graph, ImplGraph) else graph
    return _join((*_head(template), *(line for phase in template.phases for line in _graph(phase))))


def _join(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _head(template: Template) -> Iterator[str]:
    if template == plain_template(template.phases) and all(is_scheduled(phase) for phase in template.phases):
        return
    yield f"Template: {template.name}"
    yield f"  tiling_key: {template.tiling_key}"
    yield f"  graph: {template.graph_name}"
    if template.axis_names:
        yield f"  axis_names: {_listed(f'{new}: {old}' for new, old in template.axis_names.items())}"


def _graph(graph: Graph) -> Iterator[str]:
    yield f"Graph: {graph.name}"
    yield "Sizes:"
    yield from (_size(size) for size in graph.sizes)
    if isinstance(graph, ImplGraph):
        yield from (_variable(graph, variable) for variable in graph.variables)
    yield "Axis:"
    yield from (_axis(i, axis) for i, axis in enumerate(graph.axes))
    yield "Nodes:"
    for i, node in enumerate(graph.nodes):
        yield f"  {node.name}: {node.op} ({i})"
        yield from (f"    {line}" for line in _node(node))
    if isinstance(graph, ImplGraph) and graph.trace:
        yield "Trace:"
        yield from (f"  {step}" for step in graph.trace)


def _size(size: Size) -> str:
    bounds = {"min": (size.minimum, 1), "max": (size.maximum, MAX_SIZE), "multiple_of": (size.multiple_of, 1)}
    return f"  {size.name}: VAR" + "".join(f", {key}: {value}" for key, (value, usual) in bounds.items() if value != usual)


def _variable(graph: Graph, variable: TileVar) -> str:
    """The axis is named only where the first one of that size is another."""
    first = next((a.name for a in graph.axes if a.kind in INNER_KINDS and a.size == variable.symbol), None)
    return f"  {variable.name}: VAR, max: {variable.maximum}" + (f", axis: {variable.axis}" if first != variable.axis else "")


def _axis(index: int, axis: Axis) -> str:
    origin = f", from: {_listed(axis.parents)}" if axis.parents else ""
    return (
        f"  {axis.name}({index}) : {expr_text(axis.size)}, {axis.kind.value}{origin}, align: {axis.align}, "
        f"allow_oversize_axis: {int(axis.allow_oversize)}, allow_unaligned_tail: {int(axis.allow_unaligned_tail)}"
    )


def _node(node: Node) -> Iterator[str]:
    spec = spec_of(node.op)
    for name, value in node.attrs.items():
        prefix = ".ir_attr." if name in FIXED_KEYS or name in spec.inputs else "."
        yield f"{prefix}{name} = {_attr(node.op, name, value)}"
    if node.axes:
        yield f".axis = {_listed(node.axes)}"
    if node.loop_axis is not None:
        yield f".loop_axis = {node.loop_axis}"
    api = api_of(spec)
    if api is not None:
        yield from (".api:", f"  .compute_type = {api.compute_type}", "  .type = Compute", f"  .unit = {api.units[0]}")
    yield from _inputs(node, spec.inputs)
    yield from _view(node.output)


def _attr(op: str, name: str, value: AttrValue) -> str:
    match value:
        case Expr():
            text = expr_text(value)
            return text if is_expression(op, name) else f"expr({text})"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str():
            return json.dumps(value)
        case _:
            assert_never(value)


def _inputs(node: Node, names: tuple[str, ...]) -> Iterator[str]:
    if len(names) == len(node.inputs):
        yield from (f".{name} = {source}.y" for name, source in zip(names, node.inputs, strict=True))
    elif node.inputs:
        yield f".{names[0] if names else 'x'} = {_listed(f'{source}.y' for source in node.inputs)}"


def _view(view: TensorView) -> Iterator[str]:
    yield f".y.dtype = {view.dtype.value}"
    if view.axes:
        yield f".y.axis = {_listed(view.axes)}"
        yield f".y.repeats = {_listed(map(expr_text, view.repeats))}"
        yield f".y.strides = {_listed(map(expr_text, view.strides))}"
    if view.vectorized_axes:
        yield f".y.vectorized_axis = {_listed(view.vectorized_axes)}"
        yield f".y.vectorized_strides = {_listed(map(expr_text, view.vectorized_strides))}"
    if view.memory is not None:
        yield from _memory(view.memory)


def _memory(memory: Memory) -> Iterator[str]:
    yield ".y.mem:"
    yield f"  .tensor_id = {memory.tensor_id}"
    yield f"  .alloc_type = {memory.alloc.value}"
    yield f"  .hardware = {'GM' if memory.alloc is Alloc.GLOBAL else 'UB'}"
    yield f"  .position = TPosition::{memory.position.value}"
    if memory.queue is not None:
        queue = memory.queue
        fields = {"id": queue.id, "depth": queue.depth, "buf_num": queue.buf_num, "reuse_id": queue.reuse_id}
        yield ".y.que:"
        yield from (f"  .{key} = {value}" for key, value in fields.items())
        if queue.single_legal:
            yield "  .single_legal = true"
    if memory.buffer_id is not None:
        yield ".y.buf:"
        yield f"  .id = {memory.buffer_id}"


def _listed(items: Iterable[str]) -> str:
    return "{" + "".join(f"{item}, " for item in items) + "}"
