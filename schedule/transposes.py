"""What becomes of a Transpose: it is folded into the loads, or done in UB.

    x[b, a] GM, t = Transpose(x) over [a, b], y = Add(t, z)

    folded    every view is written in the order of the loops, so the load reads x with strides (1, B) and there is no Transpose left
    in UB     x is loaded row by row as it lies, and the vector unit transposes the tile: the innermost axis of x and that of t are both cut

Values know their axes by name, so folding changes no meaning. Where the innermost axis stays, folding costs nothing: rows are moved whole,
in another order. Where it moves, a folded load moves single elements, each as a block of 32 bytes; there the UB form exists as well.
Source: S1 §3.1.3; schedule_codegen_facts §3.5, §3.13.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from att.ir.graph import Graph
from att.ir.node import Node
from att.ir.roles import varying_axes
from att.ir.tensor import TensorView
from att.ops.registry import spec_of
from att.ops.spec import ComputeType
from schedule.reduces import reduce_nodes

WIDTHS: Final = frozenset({2, 4})
"""Bytes of the elements that TransDataTo5HD transposes for us (ascendc_api_facts §11)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tails:
    """The innermost axes of a Transpose that moves the last axis."""

    of_input: str
    of_output: str


def transposes(graph: Graph) -> tuple[Node, ...]:
    """The Transpose nodes of a graph."""
    return tuple(n for n in graph.nodes if spec_of(n.op).compute is ComputeType.TRANSPOSE)


@dataclass(frozen=True, slots=True)
class FoldTransposes:
    """Loads read in the order of the loops, and nothing is transposed in UB.

    Before: `x[z1, z0] = Load; t[z0, z1] = Transpose(x); y = Abs(t)`.  After: `x[z0, z1] = Load` with strides (1, B); `y = Abs(x)`.
    """

    def apply(self, graph: Graph) -> Graph:
        """The graph whose views have their axes in the order of the loops; who read a Transpose reads its input."""
        source = {node.name: node.inputs[0] for node in transposes(graph)}

        def origin(name: str) -> str:
            while name in source:
                name = source[name]
            return name

        nodes = tuple(
            replace(node, inputs=tuple(origin(name) for name in node.inputs), output=_reordered(node.output, node.axes))
            for node in graph.nodes
            if node.name not in source
        )
        return replace(graph, nodes=nodes)


def _reordered(view: TensorView, order: tuple[str, ...]) -> TensorView:
    if not view.axes or not order:
        return view
    at = sorted(range(len(view.axes)), key=lambda i: order.index(view.axes[i]))
    return replace(
        view,
        axes=tuple(view.axes[i] for i in at),
        repeats=tuple(view.repeats[i] for i in at),
        strides=tuple(view.strides[i] for i in at),
    )


def tails_of(graph: Graph) -> Tails:
    """The tails of the Transposes of a graph that `why_folded` has nothing against."""
    node = transposes(graph)[0]
    before, after = _orders(graph, node)
    return Tails(of_input=before[-1], of_output=after[-1])


def why_folded(graph: Graph) -> str:
    """The sentence that says why no Transpose of the graph is done in UB; `""` where it can be."""
    found = transposes(graph)
    names = ", ".join(node.name for node in found)
    reduces = reduce_nodes(graph)
    if reduces:
        return f"{names} is folded into its loads, because {reduces[0].op} {reduces[0].name} reduces in the same nest"
    orders = {_orders(graph, node) for node in found}
    if len(orders) > 1:
        return f"{names} swap different axes, and one loop nest cuts one pair of them; they are folded into their loads"
    wide = next((n for n in found if n.output.dtype.bytes not in WIDTHS), None)
    if wide is not None:
        return f"elements of {wide.output.dtype} are not transposed on the vector unit, so {names} is folded into its loads"
    before, after = next(iter(orders))
    if before[-1:] == after[-1:]:
        return f"{names} leaves the innermost axis where it is, so rows are moved whole in another order and UB has nothing to transpose"
    stray = next((n for n in graph.nodes if not _fits(graph, n, before, after)), None)
    if stray is not None:
        return f"{stray.op} {stray.name} joins values of different axis orders without a Transpose, so {names} is folded into its loads"
    return ""


def _orders(graph: Graph, node: Node) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The axes that a Transpose's value varies over, in the order of its input and of its output."""
    kept = varying_axes(node.output)
    return tuple(a for a in graph.node_of[node.inputs[0]].output.axes if a in kept), kept


def _fits(graph: Graph, node: Node, before: tuple[str, ...], after: tuple[str, ...]) -> bool:
    """Whether a node keeps the order of its operands, and that is one of the two; Transposes and ends are free."""
    compute = spec_of(node.op).compute
    if compute in (ComputeType.TRANSPOSE, ComputeType.STRUCTURAL):
        return True
    views = (node.output, *(graph.node_of[name].output for name in node.inputs if graph.node_of[name].output.axes))
    return any(all(_is_part(varying_axes(view), order) for view in views) for order in (before, after))


def _is_part(axes: tuple[str, ...], order: tuple[str, ...]) -> bool:
    """Whether axes that a Transpose moves come in this order; others do not count."""
    mine = tuple(a for a in axes if a in order)
    return mine == tuple(a for a in order if a in mine)
