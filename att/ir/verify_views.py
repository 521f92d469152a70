"""What nodes produce: loop nest, view, tensor size, UB layout and storage."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite, prod
from typing import Final

from att.errors import GraphError
from att.expr.core import Expr, integer
from att.ir.graph import Graph, HintGraph
from att.ir.node import Node
from att.ir.same import may_be_equal
from att.ir.scope import MAX_TENSOR_ELEMS, Scope, at
from att.ir.tensor import Alloc, Memory, Position, Queue, TensorView
from att.ir.verify_flow import STRUCTURAL

_ONE: Final = integer(1)
_ZERO: Final = integer(0)

_PLACES: Final = {
    Alloc.GLOBAL: (Position.GM,),
    Alloc.QUEUE: (Position.VECIN, Position.VECOUT),
    Alloc.BUFFER: (Position.VECCALC,),
}


def verify_view(graph: Graph, node: Node, scope: Scope, *, partial: bool) -> None:
    """Raises GraphError if the loop nest, the attributes or the output of a node are inconsistent.

    `partial`: the value may cover a part of an axis.
    """
    where = at(graph, f"node {node.name}")
    _verify_nest(graph, node, where)
    for name, value in node.attrs.items():
        if isinstance(value, Expr):
            scope.require_known(value, where, f"attribute {name}")
        elif isinstance(value, float) and not isfinite(value):
            raise GraphError(f"attribute {name} is {value}", where=where, hint="it must be finite")
    view = node.output
    _require_axes(graph, view.axes, where, "the output")
    _require_equal_lengths(view, where)
    _verify_extents(node, scope, where)
    if isinstance(graph, HintGraph) and node.op not in STRUCTURAL:
        _require_within(view.axes, node.axes, where, "the output has axis {}, which is not in the loop nest ({})")
    if not partial:
        _verify_repeats(graph, view, where)
    _verify_layout(node, where)
    if view.memory is not None:
        _verify_memory(view.memory, where)
    if isinstance(graph, HintGraph) and (node.loop_axis is not None or view.vectorized_axes or view.memory is not None):
        raise GraphError("it is scheduled, but this is a HintGraph", where=where, hint="drop loop_axis, vectorized axes and memory")


def _verify_nest(graph: Graph, node: Node, where: str) -> None:
    _require_axes(graph, node.axes, where, "the loop nest")
    if node.loop_axis is not None and node.loop_axis not in node.axes:
        raise GraphError(
            f"loop_axis {node.loop_axis} is not in its loop nest {_listed(node.axes)}", where=where, hint="name one of its axes"
        )


def _require_axes(graph: Graph, axes: tuple[str, ...], where: str, what: str) -> None:
    for axis in axes:
        if axis not in graph.axis_of:
            raise GraphError(f"{what} uses axis {axis}, which is not declared", where=where, hint=f"declared: {_listed(graph.axis_of)}")
    if len(set(axes)) < len(axes):
        raise GraphError(f"{what} has an axis twice: {_listed(axes)}", where=where, hint="name each axis once")


def _require_equal_lengths(view: TensorView, where: str) -> None:
    if not len(view.axes) == len(view.repeats) == len(view.strides):
        raise GraphError(
            f"{len(view.axes)} axes, {len(view.repeats)} repeats and {len(view.strides)} strides",
            where=where,
            hint="the output needs one repeat and one stride for each axis",
        )
    if len(view.vectorized_axes) != len(view.vectorized_strides):
        raise GraphError(
            f"{len(view.vectorized_axes)} vectorized axes and {len(view.vectorized_strides)} vectorized strides",
            where=where,
            hint="the output needs one vectorized stride for each vectorized axis",
        )


def _verify_extents(node: Node, scope: Scope, where: str) -> None:
    view = node.output
    for axis, repeat in zip(view.axes, view.repeats, strict=True):
        scope.require_extent(repeat, where, f"the repeat along {axis}")
    strides = (*zip(view.axes, view.strides, strict=True), *zip(view.vectorized_axes, view.vectorized_strides, strict=True))
    for axis, stride in strides:
        scope.require_known(stride, where, f"the stride along {axis}")
        if stride.hi < 0:
            raise GraphError(f"the stride along {axis} is negative ({stride.hi} elements)", where=where, hint="strides are 0 or more")
    if node.op == "Store":
        _verify_written(view, where)
    elems = prod(r.lo for r in view.repeats)
    if elems > MAX_TENSOR_ELEMS:
        raise GraphError(f"its output has {elems} elements, the limit is {MAX_TENSOR_ELEMS}", where=where, hint="split the tensor")


def _verify_written(view: TensorView, where: str) -> None:
    for axis, repeat, stride in zip(view.axes, view.repeats, view.strides, strict=True):
        if stride == _ZERO and repeat != _ONE:
            raise GraphError(
                f"all elements along {axis} are stored to one place (stride 0)", where=where, hint="give the stride, or repeat 1"
            )


def _verify_repeats(graph: Graph, view: TensorView, where: str) -> None:
    for axis, repeat in zip(view.axes, view.repeats, strict=True):
        size = graph.axis_of[axis].size
        if repeat not in (_ONE, size) and not may_be_equal(repeat, size, _ONE):
            raise GraphError(
                f"the repeat along {axis} is neither 1 nor the size of {axis} ({_value(repeat)} against {_value(size)})",
                where=where,
                hint="a value varies over a whole axis or not at all",
            )


def _value(expr: Expr) -> str:
    return str(expr.lo) if expr.lo == expr.hi else "symbolic"


def _verify_layout(node: Node, where: str) -> None:
    view = node.output
    if len(set(view.vectorized_axes)) < len(view.vectorized_axes):
        raise GraphError(f"a vectorized axis occurs twice: {_listed(view.vectorized_axes)}", where=where, hint="name each axis once")
    _require_within(view.vectorized_axes, view.axes, where, "vectorized axis {} is not an axis of the output ({})")
    looped = [axis for axis in view.vectorized_axes if axis in node.loops]
    if looped:
        raise GraphError(
            f"axis {looped[0]} is vectorized and also a loop (loop_axis {node.loop_axis})",
            where=where,
            hint="vectorized axes lie inside loop_axis",
        )


def _require_within(axes: Iterable[str], allowed: tuple[str, ...], where: str, message: str) -> None:
    for axis in axes:
        if axis not in allowed:
            raise GraphError(message.format(axis, _listed(allowed)), where=where, hint="use the same axes in both")


def _verify_memory(memory: Memory, where: str) -> None:
    if memory.position not in _PLACES[memory.alloc]:
        allowed = " or ".join(p.value for p in _PLACES[memory.alloc])
        raise GraphError(f"alloc {memory.alloc.value} at position {memory.position.value}", where=where, hint=f"it lies at {allowed}")
    if (memory.queue is not None) != (memory.alloc is Alloc.QUEUE):
        raise GraphError(f"alloc {memory.alloc.value} {_with(memory.queue)} queue", where=where, hint="Queue, and only Queue, has one")
    if (memory.buffer_id is not None) != (memory.alloc is Alloc.BUFFER):
        raise GraphError(
            f"alloc {memory.alloc.value} {_with(memory.buffer_id)} buffer_id", where=where, hint="Buffer, and only Buffer, has one"
        )
    if memory.buffer_id is not None and memory.buffer_id < 0:
        raise GraphError(f"buffer_id is {memory.buffer_id}", where=where, hint="number buffers from 0")
    if memory.queue is not None:
        _verify_queue(memory.queue, where)


def _with(part: object) -> str:
    return "without a" if part is None else "with a"


def _verify_queue(queue: Queue, where: str) -> None:
    if queue.id < 0:
        raise GraphError(f"queue id is {queue.id}", where=where, hint="number queues from 0")
    if queue.depth < 1 or queue.buf_num < 1:
        raise GraphError(f"queue {queue.id} has depth {queue.depth} and {queue.buf_num} buffers", where=where, hint="both are at least 1")
    if queue.single_legal and queue.buf_num == 1:
        raise GraphError(f"queue {queue.id} has one buffer and says that one is legal too", where=where, hint="leave single_legal out")


def verify_queues(graph: Graph) -> None:
    """Raises GraphError if two tensors of one queue lie at different positions, or two tensors in UB share a tensor_id."""
    position: dict[int, tuple[Position, str]] = {}
    holder: dict[int, str] = {}
    for node in graph.nodes:
        memory = node.output.memory
        if memory is None or memory.alloc is Alloc.GLOBAL:
            continue
        where = at(graph, f"node {node.name}")
        if memory.tensor_id in holder:
            raise GraphError(
                f"tensor_id {memory.tensor_id} is also that of {holder[memory.tensor_id]}", where=where, hint="they must differ"
            )
        holder[memory.tensor_id] = node.name
        if memory.queue is not None:
            first = position.setdefault(memory.queue.id, (memory.position, node.name))
            if first[0] is not memory.position:
                raise GraphError(
                    f"queue {memory.queue.id} is at {memory.position.value}, but for {first[1]} at {first[0].value}",
                    where=where,
                    hint="a queue has one position",
                )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"
