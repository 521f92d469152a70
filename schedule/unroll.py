"""Writes out a reduce over a short axis: what it reduces is made element by element, and the results are joined one after another.

    y[t, h] = Sum(Mul(w[t, s], x[t, s, h])) over s of 3
    ->   y = Add(Add(Mul(w0[t], x0[t, h]), Mul(w1, x1)), Mul(w2, x2))      w1 = Load(w) at offset 1 · stride of s, …

A reduce over rows costs several times what additions of whole tiles do, and needs all of its rows in UB; written out, one slice lies there
beside the result so far. It moves the same bytes, in shorter pieces where a Load had the axis inside a row. The prices decide.

Elements are joined in order, and each join rounds to float32 (integers are exact): fewer than 8 additions, within the tolerance that a
reduce has for the order of its additions. Results of 16 bits would round in each join, where a reduce rounds once; these stay reduces.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from att.errors import ScheduleError
from att.expr.core import Int, integer
from att.ir.graph import Graph
from att.ir.node import Node
from att.ir.roles import ONE, reduced_axes, varying_axes
from att.ir.tensor import TensorView
from att.ops.registry import spec_of
from att.ops.spec import ComputeType
from schedule.cleanup import NOT_THE_ELEMENT
from schedule.dense import dense
from schedule.names import free_name
from schedule.views import beginning_at

MOST_ELEMENTS: Final = 8
"""Longest axis that is written out. Source: PyTorch writes out reduces of fewer elements than `unroll_reductions_threshold`, which is 8
(torch/_inductor/config.py); 8 itself is a usual number of streams and heads, and is allowed here."""
MOST_NODES: Final = 96
"""Largest graph that may come of it: building and solving a model takes time in proportion to its nodes."""


@dataclass(frozen=True, slots=True)
class UnrollReduce:
    """Reduces over a short axis are chains of the op that joins their partial results.

    Before: `x[t, s, h] = Load; y[t, h] = Sum(x)`, s in 2.  After: `x.at0[t, h] = Load; x.at1 = Load at offset H; y = Add(x.at0, x.at1)`.
    """

    axis: str

    def apply(self, graph: Graph) -> Graph:
        """The graph in which nothing varies over the axis. Raises ScheduleError where `why_not_unrolled` has something against it."""
        reason = why_not_unrolled(graph, self.axis)
        if reason:
            raise ScheduleError(reason, where=graph.name, hint="keep the reduce")
        return replace(graph, nodes=tuple(_written_out(graph, self.axis)))


def short_axes(graph: Graph) -> tuple[str, ...]:
    """Axes of few elements, known before any shape is, that some node reduces; in graph order."""
    reduced = {axis for node in graph.nodes for axis in _reduced(graph, node)}
    return tuple(axis.name for axis in graph.axes if axis.name in reduced and isinstance(axis.size, Int) and axis.size.hi <= MOST_ELEMENTS)


def why_not_unrolled(graph: Graph, axis: str) -> str:
    """The sentence that says why the reduces over an axis cannot be written out; `""` where they can."""
    if axis not in short_axes(graph):
        return f"{axis} is no reduced axis of at most {MOST_ELEMENTS} elements"
    for node in graph.nodes:
        reason = _why_kept(graph, node, axis)
        if reason:
            return reason
    copied = _differing(graph, axis)
    nodes = len(graph.nodes) + (graph.axis_of[axis].size.hi - 1) * len(copied)
    if nodes > MOST_NODES:
        return f"a copy of {len(copied)} nodes for each element of {axis} would make {nodes} nodes, more than {MOST_NODES}"
    return ""


def _why_kept(graph: Graph, node: Node, axis: str) -> str:
    """What a node has against an axis that is no more."""
    compute = spec_of(node.op).compute
    if axis in _reduced(graph, node):
        return _why_not_chained(graph, node, axis)
    if axis not in varying_axes(node.output):
        return ""
    if compute is ComputeType.STORE:
        return f"{node.op} {node.name} stores what varies over {axis}"
    if compute is ComputeType.LOAD and not _in_rows(node.output, axis):
        return f"{axis} is innermost in {node.op} {node.name}, so its elements lie side by side and would be moved one by one"
    return ""


def _why_not_chained(graph: Graph, node: Node, axis: str) -> str:
    spec, dtype = spec_of(node.op), node.output.dtype
    named = f"{node.op} {node.name}"
    if varying_axes(graph.node_of[node.inputs[0]].output) == (axis,):
        return f"{named} reduces one row, whose elements would be moved one by one"
    merge = spec.reduction.merge if spec.reduction and node.op not in NOT_THE_ELEMENT else ""
    if not merge:
        return f"no op joins two elements as {named} does"
    if spec.tolerance.accumulates and dtype.is_float and dtype.bytes < 4:
        return f"{named} has a result of {dtype}, which every join would round to; the reduce rounds once"
    joined = spec_of(merge).dtypes
    if any(dtype in allowed and dtype not in joined.get(table, frozenset()) for table, allowed in spec.dtypes.items()):
        return f"{merge} does not take {dtype} wherever {named} does"
    return ""


def _in_rows(view: TensorView, axis: str) -> bool:
    """Whether a Load without the axis moves whole rows still, or one element, which any Load moves as a block."""
    others = [other for other in varying_axes(view) if other != axis]
    return not others or any(view.stride_of(other) == ONE for other in others)


def _reduced(graph: Graph, node: Node) -> tuple[str, ...]:
    return reduced_axes(graph, node) if spec_of(node.op).compute is ComputeType.REDUCE else ()


def _differing(graph: Graph, axis: str) -> frozenset[str]:
    """Nodes whose value is another for each element of the axis; a Broadcast along it has the same for all."""
    found: set[str] = set()
    for node in graph.nodes:
        loaded = spec_of(node.op).compute is ComputeType.LOAD
        if axis in varying_axes(node.output) and (loaded or found & set(node.inputs)):
            found.add(node.name)
    return frozenset(found)


def _written_out(graph: Graph, axis: str) -> Iterator[Node]:
    """The nodes of the graph, those that differ along the axis just before the reduce that needs them."""
    copied, made = _differing(graph, axis), frozenset[str]()
    for node in graph.nodes:
        if axis in _reduced(graph, node):
            needed = tuple(n for n in graph.nodes if n.name in _sources(graph, node, copied) - made)
            made |= {n.name for n in needed}
            yield from _chain(graph, node, needed, copied, axis)
        elif node.name not in copied:
            yield replace(node, output=_without(node, axis))


def _sources(graph: Graph, node: Node, within: frozenset[str]) -> frozenset[str]:
    """Those of some nodes that a node needs, through these nodes."""
    found: set[str] = set()
    waiting = list(node.inputs)
    while waiting:
        name = waiting.pop()
        if name in within and name not in found:
            found.add(name)
            waiting.extend(graph.node_of[name].inputs)
    return frozenset(found)


def _chain(graph: Graph, reduce: Node, needed: tuple[Node, ...], copied: frozenset[str], axis: str) -> Iterator[Node]:
    """A reduce written out: each element is made, and joined with the result so far, before the next one. Other axes are reduced then."""
    reduction, count = spec_of(reduce.op).reduction, graph.axis_of[axis].size.hi
    assert reduction is not None
    source = graph.node_of[reduce.inputs[0]]
    elements = [free_name(f"{source.name}.at{i}", graph.node_of) if source.name in copied else source.name for i in range(count)]
    others = _reduced(graph, reduce) != (axis,)
    sums = [elements[0], *(free_name(f"{reduce.name}.to{i}", graph.node_of) for i in range(1, count))]
    if not others:
        sums[-1] = reduce.name
    view = _without(source, axis)
    for index in range(count):
        yield from (_copy(graph, node, index, copied, axis) for node in needed)
        if index:
            pair = (sums[index - 1], elements[index])
            yield replace(reduce, name=sums[index], op=reduction.merge, inputs=pair, output=dense(view))
    if others:
        yield replace(reduce, inputs=(sums[-1],))


def _copy(graph: Graph, node: Node, index: int, copied: frozenset[str], axis: str) -> Node:
    """The node for one element of the axis; a Load begins where that lies."""
    inputs = tuple(free_name(f"{name}.at{index}", graph.node_of) if name in copied else name for name in node.inputs)
    loads = spec_of(node.op).compute is ComputeType.LOAD
    attrs = beginning_at(node, axis, index) if loads else node.attrs
    return replace(node, name=free_name(f"{node.name}.at{index}", graph.node_of), inputs=inputs, attrs=attrs, output=_without(node, axis))


def _without(node: Node, axis: str) -> TensorView:
    """The view with one element along the axis; what is computed lies dense, what is loaded as it lay."""
    view = node.output
    if axis not in varying_axes(view):
        return view
    at = view.axes.index(axis)
    repeats, strides = ((*xs[:at], x, *xs[at + 1 :]) for xs, x in ((view.repeats, ONE), (view.strides, integer(0))))
    slim = replace(view, repeats=repeats, strides=strides)
    return slim if spec_of(node.op).compute is ComputeType.LOAD else dense(slim)
