"""What becomes of a Split: every piece is made of a slice of what is loaded, so there is nothing to split in UB.

    a[m, p], b[m, q] = Split(Exp(x[m, n]))    ->    a = Exp(x[m, 0..p]);  b = Exp(x[m, p..n])

Slices do not overlap, so nothing is done twice unless the whole value is read as well. What does not vary over the split axis, such as a
sum over it, stays one. Source: the reference converts a Split of its first axis to Loads in the same way (schedule_codegen_facts §3.13).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from att.errors import ScheduleError
from att.expr.core import Expr, integer
from att.ir.graph import Graph
from att.ir.node import Node
from att.ir.roles import varying_axes
from att.ir.tensor import TensorView
from att.ops.joins import is_join, joined_axis
from att.ops.pieces import is_split, piece_axis, piece_length, piece_start, split_axis
from att.ops.registry import spec_of
from att.ops.spec import ComputeType
from schedule.views import beginning_at, widened

ZERO = integer(0)


def splits(graph: Graph) -> tuple[Node, ...]:
    """The pieces of Splits in a graph."""
    return tuple(n for n in graph.nodes if is_split(n))


@dataclass(frozen=True, slots=True)
class TakeSlices:
    """Pieces of a Split are made of slices of what is loaded; every node runs over all axes, the pieces' own in place of the split one.

    Before: `e[m, n] = Exp(Load(x)); a[m, p] = Split(e) index 0; b[m, q] = Split(e) index 1`.
    After: `a[m, p, 1] = Exp(Load(x))`; `b[m, 1, q] = Exp(Load(x at offset p))`.
    """

    def apply(self, graph: Graph) -> Graph:
        """The graph without Splits. Raises ScheduleError where a piece is a part of what a Concat joins along the same axis."""
        sliced = _Sliced(graph).graph()
        order = _order(graph, sliced)
        nodes = tuple(replace(n, axes=order, output=widened(n.output, order)) if n.axes else n for n in sliced.nodes)
        return replace(sliced, nodes=nodes)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """One piece: the axis that is split, the axis it has in place of it, where it starts, how long it is."""

    axis: str
    own: str | None
    start: Expr
    length: Expr


class _Sliced:
    """The nodes while they are rewritten, in order."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._nodes: dict[str, Node] = {}
        self._instead: dict[str, str] = {}
        self._slices: dict[tuple[str, _Piece], str] = {}
        self._taken = {node.name for node in graph.nodes}

    def graph(self) -> Graph:
        """The rewritten graph."""
        for node in self._graph.nodes:
            here = replace(node, inputs=tuple(self._instead.get(name, name) for name in node.inputs))
            if is_split(node):
                self._instead[node.name] = self._slice(here.inputs[0], self._piece(node))
            else:
                self._nodes[node.name] = here
        return replace(self._graph, nodes=tuple(self._nodes.values()))

    def _piece(self, node: Node) -> _Piece:
        graph = self._graph
        return _Piece(
            axis=split_axis(graph, node),
            own=piece_axis(graph, node),
            start=piece_start(graph, node),
            length=piece_length(graph, node),
        )

    def _slice(self, name: str, piece: _Piece) -> str:
        """The slice of a value, made once however many read it."""
        node = self._nodes[name]
        if piece.axis not in varying_axes(node.output):
            return name
        if (name, piece) not in self._slices:
            self._refuse_joined(node, piece)
            inputs = tuple(self._slice(source, piece) if self._nodes[source].axes else source for source in node.inputs)
            loads = spec_of(node.op).compute is ComputeType.LOAD
            attrs = beginning_at(node, piece.axis, piece.start) if loads else node.attrs
            new = replace(node, name=self._fresh(name), inputs=inputs, attrs=attrs, output=_slice_of(node.output, piece))
            self._nodes[new.name] = new
            self._slices[name, piece] = new.name
        return self._slices[name, piece]

    def _refuse_joined(self, node: Node, piece: _Piece) -> None:
        if is_join(node) and joined_axis(replace(self._graph, nodes=tuple(self._nodes.values())), node) == piece.axis:
            raise ScheduleError(
                f"a Split takes apart along {piece.axis} what {node.op} {node.name} joins there",
                where=self._graph.name,
                hint="read the parts before they are joined, or split them one by one",
            )

    def _fresh(self, name: str) -> str:
        serial = 0
        while f"{name}.slice{serial}" in self._taken:
            serial += 1
        self._taken.add(f"{name}.slice{serial}")
        return f"{name}.slice{serial}"


def _slice_of(view: TensorView, piece: _Piece) -> TensorView:
    """The view with the piece's own axis in the place of the split one, whose place one of one element takes if there was one."""
    at = view.axes.index(piece.axis)
    axes = tuple(piece.axis if axis == piece.own else axis for axis in view.axes)
    here = (piece.own or piece.axis, piece.length, view.strides[at] if piece.own else ZERO)
    columns = [*zip(axes, view.repeats, view.strides, strict=True)]
    columns[at] = here
    names, repeats, strides = zip(*columns, strict=True)
    return replace(view, axes=names, repeats=repeats, strides=strides)


def _order(graph: Graph, sliced: Graph) -> tuple[str, ...]:
    """All axes that something varies over, the pieces' own behind the one that is split."""
    beside: dict[str, list[str]] = {}
    for node in splits(graph):
        own = piece_axis(graph, node)
        if own:
            beside.setdefault(split_axis(graph, node), []).append(own)
    placed = {own for owns in beside.values() for own in owns}
    varied = {axis for node in sliced.nodes for axis in varying_axes(node.output)}
    order: dict[str, None] = {}

    def place(axis: str) -> None:
        order[axis] = None
        for own in beside.get(axis, ()):
            if own not in order:
                place(own)

    for axis in graph.axes:
        if axis.name not in placed:
            place(axis.name)
    return tuple(axis for axis in order if axis in varied) or tuple(order)[:1]
