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
from att.model.transfers import is_transfer
from att.ops.joins import is_join, joined_axis, own_axis, part_lengths
from schedule.apart import only_stores
from schedule.cases import Kind, TilingCase, loops_of
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

    def place(axis: str) -> None:
        """An axis, then those of the parts along it, each with those of its own parts."""
        if axis not in order:
            order[axis] = None
            for own in beside.get(axis, ()):
                place(own)

    for axis in sorted((a.name for a in graph.axes if a.name in used), key=lambda name: name in placed):
        place(axis)
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


def why_not_in_tile(graph: Graph, case: TilingCase) -> str:
    """The sentence that says why the tiles of a case cannot be joined in UB; `""` where they can.

    Parts off a block's border are transposed row by row. Rows of a tile lie at whole blocks, also where a part has one element a row,
    unless those are the rows of a single axis, which then lies dense.
    """
    if case.kind is not Kind.CONCAT:
        return ""
    loops = loops_of(graph, case)
    for node in joins(graph):
        if in_blocks(graph, node):
            continue
        kept = varying_axes(node.output)
        if not set(kept[: kept.index(joined_axis(graph, node))]) - loops:
            return f"a tile of {node.op} {node.name} has one row, and parts that are no whole 32-byte blocks are joined by transposing rows"
        for name in node.inputs:
            inside = [a for a in varying_axes(graph.node_of[name].output) if a not in loops]
            if own_axis(graph, node, name) is None and len(inside) > 1:
                return (
                    f"part {name} of {node.op} {node.name} has one element a row, and a tile has ({', '.join(inside)}) of them, so they do "
                    "not lie dense and cannot be transposed"
                )
    return ""


def in_blocks(graph: Graph, node: Node) -> bool:
    """Whether every part of a row is whole blocks of 32 bytes: by its length, or because axes behind it are padded."""
    if varying_axes(node.output)[-1] != joined_axis(graph, node):
        return True
    return all(mul(n, node.output.dtype.bytes).multiple % BLOCK_BYTES == 0 for n in part_lengths(graph, node))


def axes_of_columns(graph: Graph) -> frozenset[str]:
    """What parts of one element a row vary over, where parts are transposed: they lie dense if their rows are those of one axis."""
    columns = (name for n in joins(graph) if not in_blocks(graph, n) for name in n.inputs if own_axis(graph, n, name) is None)
    return frozenset(axis for name in columns for axis in varying_axes(graph.node_of[name].output))


def why_not_stored(graph: Graph) -> str:
    """The sentence that says why the parts cannot be stored one by one; `""` where they can."""
    while found := joins(graph):
        join = found[-1]
        axis, whole = joined_axis(graph, join), _whole(graph, join)
        reduce = next((n for n in graph.nodes if whole & set(n.inputs) and axis in reduced_axes(graph, n) and not is_join(n)), None)
        if reduce is not None:
            return f"{reduce.op} {reduce.name} reduces the axis that {join.op} {join.name} joins, so it needs all parts together"
        rival = next((n for n in found[:-1] if n.name in whole and joined_axis(graph, n) == axis), None)
        if rival is not None:
            return f"{rival.name} and {join.name} join along the same axis, and parts of the one may begin within parts of the other"
        graph = _in_parts(graph, join, parts_of_join(graph, join))
    return ""


@dataclass(frozen=True, slots=True)
class StoreParts:
    """No Concat: what varied over a joined axis is there once for each part, and each is stored to its place.

    Before: `y[m, n] = Exp(Concat(a[m, p], b[m, q])); Store(y)`.
    After: `y.part0[m, p] = Exp(a); y.part1[m, q] = Exp(b); Store(y.part0); Store(y.part1)` at offset p.
    """

    def apply(self, graph: Graph) -> Graph:
        """The graph without its Concats, the last one gone first. Raises ScheduleError if there are none."""
        if not joins(graph):
            raise ScheduleError("there are 0 joins", where=graph.name, hint="parts are stored one by one where there is a Concat")
        while found := joins(graph):
            graph = _in_parts(graph, found[-1], parts_of_join(graph, found[-1]))
        return graph


@dataclass(frozen=True, slots=True)
class StorePart:
    """What the stores of one part need; what is stored besides goes with the first part.

    Before: `y[m, n] = Concat(a[m, p], b[m, q]); Store(y)`.  After, with index 1: `Store(b[m, q])` at offset p.
    """

    index: int

    def apply(self, graph: Graph) -> Graph:
        """The graph of one part. Raises ScheduleError if there is no such part, or there is not just one Concat."""
        join = the_join(graph)
        parts = parts_of_join(graph, join)
        if not 0 <= self.index < len(parts):
            raise ScheduleError(f"there is no part {self.index}, there are {len(parts)}", where=graph.name, hint="count parts from 0")
        whole = _whole(graph, join)
        own = (n.name for n in graph.nodes if n.op == "Store" and (n.name in whole or self.index == 0))
        stored = _in_parts(graph, join, (parts[self.index],))
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


def the_join(graph: Graph) -> Node:
    """The one Concat of a graph. Raises ScheduleError if there are none or several."""
    found = joins(graph)
    if len(found) != 1:
        raise ScheduleError(f"there are {len(found)} joins", where=graph.name, hint="parts are stored one by one where there is one Concat")
    return found[0]


def parts_of_join(graph: Graph, join: Node) -> tuple[Part, ...]:
    """The parts of a Concat."""
    lengths = part_lengths(graph, join)
    return tuple(
        Part(index=i, source=name, own=own_axis(graph, join, name), start=add(0, *lengths[:i]), length=lengths[i])
        for i, name in enumerate(join.inputs)
    )


def _whole(graph: Graph, join: Node) -> set[str]:
    """What varies over the joined axis and reads or is read by what does, beginning with the join."""
    axis = joined_axis(graph, join)
    found, grown = {join.name}, True
    varying = [node for node in graph.nodes if axis in varying_axes(node.output)]
    while grown:
        near = {n.name for n in varying if n.name not in found and _touches(n, found, graph)}
        found |= near
        grown = bool(near)
    return found


def _touches(node: Node, found: set[str], graph: Graph) -> bool:
    return bool(found & set(node.inputs)) or any(node.name in graph.node_of[name].inputs for name in found)


def _in_parts(graph: Graph, join: Node, parts: Sequence[Part]) -> Graph:
    """The graph with what varies over the joined axis once for each of some parts."""
    whole, axis = _whole(graph, join), joined_axis(graph, join)
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
    attrs = beginning_at(node, axis, part.start) if is_transfer(node) else node.attrs
    return replace(node, name=part.of(node.name), inputs=inputs, attrs=attrs, output=_slice_of(node.output, axis, part))


def _slice_of(view: TensorView, axis: str, part: Part) -> TensorView:
    columns = {a: (r, s) for a, r, s in zip(view.axes, view.repeats, view.strides, strict=True)}
    stride = columns[axis][1]
    columns[axis] = (ONE, ZERO)
    if part.own is not None:
        columns[part.own] = (part.length, stride)
    return replace(view, repeats=tuple(r for r, _ in columns.values()), strides=tuple(s for _, s in columns.values()))
