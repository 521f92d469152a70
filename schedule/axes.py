"""Names the axes z0, z1 … , drops those over which nothing varies, and merges neighbours that every view walks as one.

    z0 in M: z1 in N: x[z0*N + z1]      ->      z0z1 in M*N: x[z0z1]

Adjacent axes merge where every view is known to be contiguous over them (stride[i] == stride[i+1] * repeat[i+1]) or does not vary over
either (S1 §3.1.4). What is only true for some shapes does not count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from att.errors import ScheduleError
from att.expr.compare import known_eq
from att.expr.core import Expr, integer, mul
from att.ir.axis import Axis, AxisKind
from att.ir.graph import Graph
from att.ir.node import Node
from att.ir.roles import ONE, varying_axes
from att.ir.tensor import TensorView


@dataclass(frozen=True, slots=True)
class RenameAxes:
    """Axes are called z0, z1 … in declaration order.

    Before: `batch in 8: d0 in N: x[batch, d0]`.  After: `z0 in 8: z1 in N: x[z0, z1]`.
    """

    def apply(self, graph: Graph) -> Graph:
        """The graph over the new names."""
        return _renamed(graph, {original: z for z, original in new_names(graph).items()})


def _renamed(graph: Graph, new: Mapping[str, str]) -> Graph:
    axes = (replace(a, name=new[a.name], parents=tuple(new.get(p, p) for p in a.parents)) for a in graph.axes)
    nodes = tuple(
        replace(node, axes=tuple(new[a] for a in node.axes), output=replace(node.output, axes=tuple(new[a] for a in node.output.axes)))
        for node in graph.nodes
    )
    return replace(graph, axes=tuple(axes), nodes=nodes)


def new_names(graph: Graph) -> Mapping[str, str]:
    """The names that `RenameAxes` gives, each with the original one."""
    return {f"z{i}": axis.name for i, axis in enumerate(graph.axes)}


@dataclass(frozen=True, slots=True)
class NumberAxes:
    """Axes bear the number of the phase, because unknowns are named after them and those of one template differ.

    Before: `z0 in M: x[z0]`.  After, with number 1: `z0p1 in M: x[z0p1]`.
    """

    number: int

    def apply(self, graph: Graph) -> Graph:
        """The graph over the new names."""
        return _renamed(graph, {axis.name: numbered(axis.name, self.number) for axis in graph.axes})


def numbered(axis: str, number: int) -> str:
    """The name of an axis in the phase of a number; in the first it stays as it is."""
    return f"{axis}p{number}" if number else axis


@dataclass(frozen=True, slots=True)
class DropIdleAxes:
    """Axes over which nothing varies are no axes.

    Before: `z0 in M: z1 in N: x[z0]` with one element along z1, whatever its size.  After: `z0 in M: x[z0]`.
    """

    def apply(self, graph: Graph) -> Graph:
        """The graph without such axes; if nothing varies at all, one axis is kept and has one element."""
        varying = {axis for node in graph.nodes for axis in varying_axes(node.output)}
        kept = varying or set(loop_order(graph)[:1])
        axes = tuple(a if a.name in varying else replace(a, size=ONE) for a in graph.axes)
        return _without(replace(graph, axes=axes), {a.name for a in graph.axes if a.name not in kept})


def _without(graph: Graph, dropped: set[str]) -> Graph:
    if not dropped:
        return graph
    nodes = tuple(
        replace(node, axes=tuple(a for a in node.axes if a not in dropped), output=_view_without(node.output, dropped))
        for node in graph.nodes
    )
    return replace(graph, axes=tuple(a for a in graph.axes if a.name not in dropped), nodes=nodes)


def _view_without(view: TensorView, dropped: set[str]) -> TensorView:
    kept = [i for i, axis in enumerate(view.axes) if axis not in dropped]
    return replace(
        view,
        axes=tuple(view.axes[i] for i in kept),
        repeats=tuple(view.repeats[i] for i in kept),
        strides=tuple(view.strides[i] for i in kept),
    )


@dataclass(frozen=True, slots=True)
class MergeAxes:
    """Neighbours that every view walks as one become one MERGED axis; the originals stay declared.

    Before: `z0 in M: z1 in N: x[z0*N + z1]`.  After: `z0z1 in M*N: x[z0z1]`.
    """

    axes: tuple[str, ...]
    """Adjacent axes, outermost first."""

    def apply(self, graph: Graph) -> Graph:
        """The graph over the merged axis. Raises ScheduleError where some view is not known to be contiguous over the axes."""
        for outer, inner in zip(self.axes, self.axes[1:], strict=False):
            apart = next((n for n in graph.nodes if not _contiguous(n.output, outer, inner)), None)
            if apart is not None:
                raise ScheduleError(f"{apart.op} {apart.name} is not known to be contiguous over {outer} and {inner}", where=graph.name)
        size = mul(*(graph.axis_of[name].size for name in self.axes))
        merged = Axis(name="".join(self.axes), size=size, kind=AxisKind.MERGED, parents=self.axes)
        return replace(graph, axes=(*graph.axes, merged), nodes=tuple(_merge_in_node(node, merged) for node in graph.nodes))


def mergeable(graph: Graph) -> tuple[MergeAxes, ...]:
    """A step for every longest chain of axes that can be merged, outermost first."""
    chains: list[tuple[str, ...]] = []
    for axis in loop_order(graph):
        if chains and all(_contiguous(node.output, chains[-1][-1], axis) for node in graph.nodes):
            chains[-1] = (*chains[-1], axis)
        else:
            chains.append((axis,))
    return tuple(MergeAxes(chain) for chain in chains if len(chain) > 1)


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


def _merge_in_node(node: Node, axis: Axis) -> Node:
    names, view = axis.parents, node.output
    if view.axes:
        at = view.axes.index(names[0])
        view = replace(
            view,
            axes=spliced(view.axes, names, (axis.name,)),
            repeats=(*view.repeats[:at], mul(*view.repeats[at : at + len(names)]), *view.repeats[at + len(names) :]),
            strides=(*view.strides[:at], _last_varying(view, names), *view.strides[at + len(names) :]),
        )
    return replace(node, axes=spliced(node.axes, names, (axis.name,)), output=view)


def _last_varying(view: TensorView, names: tuple[str, ...]) -> Expr:
    """Stride of the merged axis: that of its innermost part, 0 where the value does not vary."""
    return view.stride_of(names[-1]) if view.repeat_of(names[-1]) != ONE else integer(0)


def loop_order(graph: Graph) -> tuple[str, ...]:
    """All axes that nodes run over, outermost first."""
    return max((node.axes for node in graph.nodes), key=len)


def spliced(names: tuple[str, ...], old: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    """The names with `new` in place of the adjacent `old`; () stays."""
    if not names:
        return names
    at = names.index(old[0])
    return (*names[:at], *new, *names[at + len(old) :])
