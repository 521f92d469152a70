"""Names the axes z0, z1 … , drops those of size 1, and merges neighbours that every view walks as one.

    z0 in M: z1 in N: x[z0*N + z1]      ->      z0z1 in M*N: x[z0z1]

Adjacent axes merge where every view is known to be contiguous over them (stride[i] == stride[i+1] * repeat[i+1]) or does not vary over
either (S1 §3.1.4). What is only true for some shapes does not count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from att.expr.compare import known_eq
from att.expr.core import Expr, integer, mul
from att.ir.axis import Axis, AxisKind
from att.ir.graph import HintGraph
from att.ir.node import Node
from att.ir.roles import ONE
from att.ir.tensor import TensorView


def rename_axes(graph: HintGraph) -> tuple[HintGraph, Mapping[str, str]]:
    """The graph over axes z0, z1 … in declaration order, and their original names by the new ones."""
    new = {axis.name: f"z{i}" for i, axis in enumerate(graph.axes)}
    nodes = tuple(
        replace(
            node,
            axes=tuple(new[a] for a in node.axes),
            output=replace(node.output, axes=tuple(new[a] for a in node.output.axes)),
        )
        for node in graph.nodes
    )
    axes = tuple(replace(axis, name=new[axis.name]) for axis in graph.axes)
    return replace(graph, axes=axes, nodes=nodes), {z: original for original, z in new.items()}


def drop_unit_axes(graph: HintGraph) -> HintGraph:
    """The graph without axes known to have one element; one axis is kept if all have."""
    units = [axis.name for axis in graph.axes if axis.size == ONE]
    dropped = set(units if len(units) < len(graph.axes) else units[1:])
    if not dropped:
        return graph
    nodes = tuple(
        replace(node, axes=tuple(a for a in node.axes if a not in dropped), output=_without(node.output, dropped)) for node in graph.nodes
    )
    return replace(graph, axes=tuple(a for a in graph.axes if a.name not in dropped), nodes=nodes)


def _without(view: TensorView, dropped: set[str]) -> TensorView:
    kept = [i for i, axis in enumerate(view.axes) if axis not in dropped]
    return replace(
        view,
        axes=tuple(view.axes[i] for i in kept),
        repeats=tuple(view.repeats[i] for i in kept),
        strides=tuple(view.strides[i] for i in kept),
    )


def merge_axes(graph: HintGraph) -> HintGraph:
    """The graph with every chain of mergeable axes replaced by one MERGED axis; the originals stay declared."""
    chains = _chains(graph)
    merged = {names: _merged_axis(graph, names) for names in chains if len(names) > 1}
    if not merged:
        return graph
    nodes = tuple(_merge_in_node(node, merged) for node in graph.nodes)
    return replace(graph, axes=(*graph.axes, *merged.values()), nodes=nodes)


def _chains(graph: HintGraph) -> list[tuple[str, ...]]:
    chains: list[tuple[str, ...]] = []
    for axis in graph.axes:
        if chains and all(_contiguous(node.output, chains[-1][-1], axis.name) for node in graph.nodes):
            chains[-1] = (*chains[-1], axis.name)
        else:
            chains.append((axis.name,))
    return chains


def _contiguous(view: TensorView, outer: str, inner: str) -> bool:
    if not view.axes:
        return True
    if outer not in view.axes or inner not in view.axes or view.axes.index(outer) + 1 != view.axes.index(inner):
        return False
    outer_varies, inner_varies = view.repeat_of(outer) != ONE, view.repeat_of(inner) != ONE
    if not outer_varies and not inner_varies:
        return True
    contiguous = known_eq(view.stride_of(outer), mul(view.stride_of(inner), view.repeat_of(inner)))
    return outer_varies and inner_varies and contiguous


def _merged_axis(graph: HintGraph, names: tuple[str, ...]) -> Axis:
    size = mul(*(graph.axis_of[name].size for name in names))
    return Axis(name="".join(names), size=size, kind=AxisKind.MERGED, parents=names)


def _merge_in_node(node: Node, merged: Mapping[tuple[str, ...], Axis]) -> Node:
    axes, view = node.axes, node.output
    for names, axis in merged.items():
        axes = _spliced(axes, names, (axis.name,))
        if view.axes:
            at = view.axes.index(names[0])
            view = replace(
                view,
                axes=_spliced(view.axes, names, (axis.name,)),
                repeats=(*view.repeats[:at], mul(*view.repeats[at : at + len(names)]), *view.repeats[at + len(names) :]),
                strides=(*view.strides[:at], _last_varying(view, names), *view.strides[at + len(names) :]),
            )
    return replace(node, axes=axes, output=view)


def _last_varying(view: TensorView, names: tuple[str, ...]) -> Expr:
    """Stride of the merged axis: that of its innermost part, 0 where the value does not vary."""
    return view.stride_of(names[-1]) if view.repeat_of(names[-1]) != ONE else integer(0)


def _spliced(names: tuple[str, ...], old: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    if not names:
        return names
    at = names.index(old[0])
    return (*names[:at], *new, *names[at + len(old) :])
