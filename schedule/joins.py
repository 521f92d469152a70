"""What becomes of a Concat: its parts are joined in UB, or each is stored to its place.

    y[m, n] = Store(Exp(Concat(a[m, p], b[m, q])))    ->    y[m, 0..p] = Store(Exp(a));  y[m, p..n] = Store(Exp(b))

In the second form everything behind the Concat is done once for each part: loads read their slice, stores write theirs. It needs no room
and no work in UB, but its stores are shorter rows. Source: schedule_codegen_facts §3.12.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from att.errors import ScheduleError
from att.expr.core import Expr, add, integer, mul
from att.ir.graph import Graph
from att.ir.layout import BLOCK_BYTES
from att.ir.node import Node
from att.ir.roles import ONE, reduced_axes, varying_axes
from att.ir.tensor import TensorView
from att.ops.joins import is_join, joined_axis, own_axis, part_lengths
from att.ops.registry import spec_of
from att.ops.spec import ComputeType
from schedule.apart import only_stores
from schedule.views import beginning_at, widened

ZERO = integer(0)


def joins(graph: Graph) -> tuple[Node, ...]:
    """The Concat nodes of a graph."""
    return tuple(n for n in graph.nodes if is_join(n))


@dataclass(frozen=True, slots=True)
class OverAllAxes:
    """Every node runs over all axes, the parts' own beside the joined one, so that one order of loops fits all.

    Before: `a[m, p]; b[m, q]; y[m, n] = Concat(a, b)`.  After: `a[m, 1, p, 1]; b[m, 1, 1, q]; y[m, n, 1, 1] = Concat(a, b)`.
    """

    def apply(self, graph: Graph) -> Graph:
        """The graph whose views have one element and stride 0 along the axes that they lacked."""
        order = _order(graph)
        nodes = tuple(replace(node, axes=order, output=widened(node.output, order)) if node.axes else node for node in graph.nodes)
        return replace(graph, nodes=nodes)


def _order(graph: Graph) -> tuple[str, ...]:
    beside: dict[str, list[str]] = {}
    for node in joins(graph):
        owns = (own_axis(graph, node, name) for name in node.inputs)
        beside.setdefault(joined_axis(graph, node), []).extend(own for own in owns if own)
    placed = {own for owns in beside.values() for own in owns}
    used = {axis for node in graph.nodes for axis in node.axes}
    order: dict[str, None] = {}
    for axis in graph.axes:
        if axis.name in used and axis.name not in placed:
            order.update(dict.fromkeys((axis.name, *beside.get(axis.name, ()))))
    return tuple(order)


def why_not_joined(graph: Graph) -> str:
    """The sentence that says why the parts cannot be joined in UB; `""` where they can."""
    for node in joins(graph):
        kept = varying_axes(node.output)
        if node.output.dtype.bytes not in (2, 4) and not in_blocks(graph, node):
            return (
                f"elements of {node.output.dtype} cannot be transposed on arch 2201, and not every part of {node.op} {node.name} is known "
                "to be whole 32-byte blocks; its parts are stored one by one"
            )
        if kept[0] == joined_axis(graph, node):
            return f"nothing lies before the axis that {node.op} {node.name} joins, so a tile would be everything; its parts are stored"
    return ""


def in_blocks(graph: Graph, node: Node) -> bool:
    """Whether every part of a row is whole blocks of 32 bytes: by its length, or because axes behind it are padded."""
    if varying_axes(node.output)[-1] != joined_axis(graph, node):
        return True
    return all(mul(n, node.output.dtype.bytes).multiple % BLOCK_BYTES == 0 for n in part_lengths(graph, node))


def has_columns(graph: Graph) -> bool:
    """Whether some part that must be transposed has one element a row: it lies dense, so its rows must be those of one axis."""
    return any(own_axis(graph, n, name) is None and not in_blocks(graph, n) for n in joins(graph) for name in n.inputs)


def why_not_stored(graph: Graph) -> str:
    """The sentence that says why the parts cannot be stored one by one; `""` where they can."""
    join, *others = joins(graph)
    if others:
        return f"{', '.join(n.name for n in (join, *others))} are {len(others) + 1} joins; parts of one can be stored one by one"
    axis = joined_axis(graph, join)
    reduce = next((n for n in graph.nodes if not is_join(n) and axis in reduced_axes(graph, n)), None)
    if reduce is not None:
        return f"{reduce.op} {reduce.name} reduces the axis that {join.op} {join.name} joins, so it needs all parts together"
    return ""


@dataclass(frozen=True, slots=True)
class StoreParts:
    """No Concat: what varied over the joined axis is there once for each part, and each is stored to its place.

    Before: `y[m, n] = Exp(Concat(a[m, p], b[m, q])); Store(y)`.
    After: `y.part0[m, p] = Exp(a); y.part1[m, q] = Exp(b); Store(y.part0); Store(y.part1)` at offset p.
    """

    def apply(self, graph: Graph) -> Graph:
        """The graph without its one Concat. Raises ScheduleError if there are none or several."""
        return _in_parts(graph, parts_of_join(graph))


@dataclass(frozen=True, slots=True)
class StorePart:
    """What the stores of one part need; what is stored besides goes with the first part.

    Before: `y[m, n] = Concat(a[m, p], b[m, q]); Store(y)`.  After, with index 1: `Store(b[m, q])` at offset p.
    """

    index: int

    def apply(self, graph: Graph) -> Graph:
        """The graph of one part. Raises ScheduleError if there is no such part, or there is not just one Concat."""
        parts = parts_of_join(graph)
        if not 0 <= self.index < len(parts):
            raise ScheduleError(f"there is no part {self.index}, there are {len(parts)}", where=graph.name, hint="count parts from 0")
        whole = varying_with_join(graph)
        own = (n.name for n in graph.nodes if n.op == "Store" and (n.name in whole or self.index == 0))
        stored = _in_parts(graph, (parts[self.index],))
        return only_stores(stored, {parts[self.index].of(name) if name in whole else name for name in own})


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of the Concat: the axis it has in place of the joined one, where it starts, how long it is."""

    index: int
    source: str
    own: str | None
    start: Expr
    length: Expr

    def of(self, name: str) -> str:
        """The name of what belongs to this part of a value over the joined axis."""
        return f"{name}.part{self.index}"


def _the_join(graph: Graph) -> Node:
    found = joins(graph)
    if len(found) != 1:
        raise ScheduleError(f"there are {len(found)} joins", where=graph.name, hint="parts are stored one by one where there is one Concat")
    return found[0]


def parts_of_join(graph: Graph) -> tuple[Part, ...]:
    """The parts of the one Concat of a graph. Raises ScheduleError if there are none or several."""
    join = _the_join(graph)
    lengths = part_lengths(graph, join)
    return tuple(
        Part(index=i, source=name, own=own_axis(graph, join, name), start=add(0, *lengths[:i]), length=lengths[i])
        for i, name in enumerate(join.inputs)
    )


def varying_with_join(graph: Graph) -> set[str]:
    """What varies over the joined axis."""
    axis = joined_axis(graph, _the_join(graph))
    return {node.name for node in graph.nodes if axis in varying_axes(node.output)}


def _in_parts(graph: Graph, parts: Sequence[Part]) -> Graph:
    """The graph with what varies over the joined axis once for each of some parts."""
    join, whole = _the_join(graph), varying_with_join(graph)
    axis = joined_axis(graph, join)
    nodes: list[Node] = []
    for node in graph.nodes:
        if node.name == join.name:
            continue
        if node.name in whole:
            nodes.extend(sliced(node, part, whole, join.name, axis) for part in parts)
        else:
            ends = tuple(n for source in node.inputs for n in ([p.of(source) for p in parts] if source in whole else [source]))
            nodes.append(replace(node, inputs=ends))
    return replace(graph, nodes=tuple(nodes))


def sliced(node: Node, part: Part, whole: set[str], join: str, axis: str) -> Node:
    """The node over one part; a Load or Store begins where the part does."""
    inputs = tuple(part.source if name == join else part.of(name) if name in whole else name for name in node.inputs)
    moves = spec_of(node.op).compute in (ComputeType.LOAD, ComputeType.STORE)
    attrs = beginning_at(node, axis, part.start) if moves else node.attrs
    return replace(node, name=part.of(node.name), inputs=inputs, attrs=attrs, output=_slice_of(node.output, axis, part))


def _slice_of(view: TensorView, axis: str, part: Part) -> TensorView:
    columns = {a: (r, s) for a, r, s in zip(view.axes, view.repeats, view.strides, strict=True)}
    stride = columns[axis][1]
    columns[axis] = (ONE, ZERO)
    if part.own is not None:
        columns[part.own] = (part.length, stride)
    return replace(view, repeats=tuple(r for r, _ in columns.values()), strides=tuple(s for _, s in columns.values()))
