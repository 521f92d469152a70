"""What becomes of a Concat: its parts are joined in UB, or each is stored to its place.

    y[m, n] = Store(Exp(Concat(a[m, p], b[m, q])))    ->    y[m, 0..p] = Store(Exp(a));  y[m, p..n] = Store(Exp(b))

In the second form everything behind the Concat is done once for each part: loads read their slice, stores write theirs. It needs no room
and no work in UB, but its stores are shorter rows. Source: schedule_codegen_facts §3.12.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from att.expr.core import Expr, add, integer, mul
from att.ir.graph import Graph, HintGraph
from att.ir.layout import BLOCK_BYTES
from att.ir.node import Node
from att.ir.roles import ONE, reduced_axes, varying_axes
from att.ir.tensor import TensorView
from att.ops.joins import is_join, joined_axis, own_axis, part_lengths
from att.ops.registry import spec_of
from att.ops.spec import ComputeType

ZERO = integer(0)
_NUMBER: Final = re.compile(r"p\d+")


def joins(graph: Graph) -> tuple[Node, ...]:
    """The Concat nodes of a graph."""
    return tuple(n for n in graph.nodes if is_join(n))


def over_all_axes(graph: HintGraph) -> HintGraph:
    """The graph with every node over all axes, parts' own axes beside the joined one: one order of loops for all."""
    order = _order(graph)
    nodes = tuple(replace(node, axes=order, output=_widened(node.output, order)) if node.axes else node for node in graph.nodes)
    return replace(graph, nodes=nodes)


def _order(graph: HintGraph) -> tuple[str, ...]:
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


def _widened(view: TensorView, order: tuple[str, ...]) -> TensorView:
    """The view over all axes, one element and stride 0 along those it did not have."""
    if not view.axes:
        return view
    known = {axis: (repeat, stride) for axis, repeat, stride in zip(view.axes, view.repeats, view.strides, strict=True)}
    columns = [known.get(axis, (ONE, ZERO)) for axis in order]
    return replace(view, axes=order, repeats=tuple(r for r, _ in columns), strides=tuple(s for _, s in columns))


def why_not_joined(graph: HintGraph) -> str:
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


def has_columns(graph: HintGraph) -> bool:
    """Whether some part that must be transposed has one element a row: it lies dense, so its rows must be those of one axis."""
    return any(own_axis(graph, n, name) is None and not in_blocks(graph, n) for n in joins(graph) for name in n.inputs)


def why_not_stored(graph: HintGraph) -> str:
    """The sentence that says why the parts cannot be stored one by one; `""` where they can."""
    join, *others = joins(graph)
    if others:
        return f"{', '.join(n.name for n in (join, *others))} are {len(others) + 1} joins; parts of one can be stored one by one"
    axis = joined_axis(graph, join)
    reduce = next((n for n in graph.nodes if not is_join(n) and axis in reduced_axes(graph, n)), None)
    if reduce is not None:
        return f"{reduce.op} {reduce.name} reduces the axis that {join.op} {join.name} joins, so it needs all parts together"
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """One part of the Concat: the axis it has in place of the joined one, where it starts, how long it is."""

    index: int
    source: str
    own: str | None
    start: Expr
    length: Expr


def store_parts(graph: HintGraph) -> HintGraph:
    """The graph without its Concat; what varied over the joined axis is there once for each part."""
    (join,) = joins(graph)
    axis, lengths = joined_axis(graph, join), part_lengths(graph, join)
    parts = [
        _Part(index=i, source=name, own=own_axis(graph, join, name), start=add(0, *lengths[:i]), length=lengths[i])
        for i, name in enumerate(join.inputs)
    ]
    whole = {node.name for node in graph.nodes if axis in varying_axes(node.output)}
    nodes: list[Node] = []
    for node in graph.nodes:
        if node.name == join.name:
            continue
        if node.name in whole:
            nodes.extend(_sliced(node, part, whole, join.name, axis) for part in parts)
        else:
            ends = tuple(name for source in node.inputs for name in (_all_parts(source, parts) if source in whole else (source,)))
            nodes.append(replace(node, inputs=ends))
    return replace(graph, nodes=tuple(nodes))


def _all_parts(name: str, parts: list[_Part]) -> tuple[str, ...]:
    return tuple(_named(name, part) for part in parts)


def _named(name: str, part: _Part) -> str:
    return f"{name}.part{part.index}"


def _sliced(node: Node, part: _Part, whole: set[str], join: str, axis: str) -> Node:
    """The node over one part; a Load or Store begins where the part does."""
    inputs = tuple(part.source if name == join else _named(name, part) if name in whole else name for name in node.inputs)
    attrs = node.attrs
    if spec_of(node.op).compute in (ComputeType.LOAD, ComputeType.STORE):
        attrs = {**attrs, "offset": _moved(attrs, mul(part.start, node.output.stride_of(axis)))}
    return replace(node, name=_named(node.name, part), inputs=inputs, attrs=attrs, output=_slice_of(node.output, axis, part))


def _moved(attrs: Mapping[str, object], by: Expr) -> Expr:
    offset = attrs.get("offset", 0)
    assert isinstance(offset, (int, Expr)), offset
    return add(offset, by)


def _slice_of(view: TensorView, axis: str, part: _Part) -> TensorView:
    columns = {a: (r, s) for a, r, s in zip(view.axes, view.repeats, view.strides, strict=True)}
    stride = columns[axis][1]
    columns[axis] = (ONE, ZERO)
    if part.own is not None:
        columns[part.own] = (part.length, stride)
    return replace(view, repeats=tuple(r for r, _ in columns.values()), strides=tuple(s for _, s in columns.values()))


def part_graphs(graph: HintGraph) -> tuple[HintGraph, ...]:
    """The graph of `store_parts` cut into one graph for each part, whose axes bear the number of the part.

    Each has its own loops, so parts run one after another. What is stored besides goes with the first.
    """
    (join,) = joins(graph)
    stored = store_parts(graph)
    owner = {node.name: _part_of(node.name, len(join.inputs)) for node in stored.nodes if node.op == "Store"}
    return tuple(_numbered(_only(stored, {name for name, k in owner.items() if k == index}), index) for index in range(len(join.inputs)))


def _part_of(name: str, count: int) -> int:
    return next((k for k in range(count) if name.endswith(f".part{k}")), 0)


def _only(graph: HintGraph, stores: set[str]) -> HintGraph:
    """What some Stores need, over the axes that it varies over."""
    needed = set(stores)
    for node in reversed(graph.nodes):
        if node.name in needed:
            needed.update(node.inputs)
    kept = [
        replace(node, inputs=tuple(name for name in node.inputs if name in needed))
        for node in graph.nodes
        if node.name in needed or (node.op == "Output" and stores & set(node.inputs))
    ]
    order = next(node.axes for node in kept if node.axes)
    varying = {axis for node in kept for axis in varying_axes(node.output)}
    used = tuple(axis for axis in order if axis in varying) or order[:1]
    nodes = tuple(replace(node, axes=used, output=_widened(node.output, used)) if node.axes else node for node in kept)
    axes = (axis if axis.name in varying else replace(axis, size=ONE) for axis in graph.axes if axis.name in used)
    return replace(graph, axes=tuple(axes), nodes=nodes)


def unnumbered(axis: str) -> str:
    """The name of an axis without the number of its part."""
    return _NUMBER.sub("", axis)


def _numbered(graph: HintGraph, index: int) -> HintGraph:
    """Variables are named after axes, and those of one kernel differ."""
    if not index:
        return graph
    new = {axis.name: f"{axis.name}p{index}" for axis in graph.axes}
    nodes = tuple(
        replace(node, axes=tuple(new[a] for a in node.axes), output=replace(node.output, axes=tuple(new[a] for a in node.output.axes)))
        for node in graph.nodes
    )
    axes = tuple(replace(a, name=new[a.name], parents=tuple(new.get(p, p) for p in a.parents)) for a in graph.axes)
    return replace(graph, axes=axes, nodes=nodes)
