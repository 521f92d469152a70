"""A reduction in two phases: cores share the reduced axis, and a second pass joins what they found (S2: R-split).

    phase 0   for each chunk of r:   for each tile of the chunk: x[y-tile, r-tile] -> s   -> partial[y, chunk] in workspace
    phase 1   partial[y, :] -> s[y] -> whatever follows the reduce

    y[m, n] = x / Sum(x)           phase 1 for each tile of r: partial[y, :] -> s[y]; x[y, r-tile] / s -> y[y, r-tile]

Reduces that do not wait for each other share both phases; their partial results lie one behind the other. Where what follows them varies
over the reduced axis again, cores share that axis in the second phase, too, and each joins the partial results of its rows.

Few rows leave most cores idle when only rows are shared; here a row is shared too, in as many chunks as there are cores for it. The tiles
of the second phase have nothing to do with those of the first. Between the phases all cores meet.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from att.errors import ScheduleError
from att.expr.core import Expr, add, ceil_div, integer, mul, symbol
from att.ir.axis import Axis
from att.ir.graph import Graph
from att.ir.node import Node
from att.ir.roles import ONE, reduced_axes, varying_axes
from att.ir.running import SCALED_SUM, running_values
from att.ir.tensor import TensorView
from att.ops.registry import spec_of
from att.ops.spec import ComputeType
from schedule.axes import spliced
from schedule.dense import dense
from schedule.dependence import descendants, needed_for
from schedule.names import take_name


@dataclass(frozen=True, slots=True)
class FirstPhase:
    """The graph up to some reduces, which keep a partial result for every turn of some loops.

    Before: `s = Sum(x[z0, z1TT, z1Tt, z1t]) over z1; y = Abs(s)`.
    After: `s[z0, z1TT] = Sum(x) over z1Tt, z1t; Store(s) -> s_partials` in workspace; `y` is left to the second phase.
    """

    reduces: tuple[str, ...]
    """Reduces over the same axes, none of which needs another."""
    loops: tuple[str, ...]
    """Reduced axes that are loops: each turn has its own partial result."""

    def apply(self, graph: Graph) -> Graph:
        """The first phase. Raises ScheduleError if a node reduces nothing."""
        reduces = _reduces_of(graph, self.reduces)
        kept = needed_for(graph, (*self.reduces, *_early_stores(graph, reduces)))
        exponents = tuple(graph.node_of[name] for name in sorted(running_values(graph) & kept))
        views = {node.name: _kept_over(graph, node, self.loops) for node in (*reduces, *exponents)}
        nodes = [replace(n, output=views.get(n.name, n.output)) for n in graph.nodes if n.name in kept or n.op == "Data"]
        nodes += [n for n in graph.nodes if n.op == "Output" and kept & set(n.inputs)]
        start = integer(0)
        for node in reduces:
            view = views[node.name]
            store = Node(name=f"{node.name}_store", op="Store", inputs=(node.name,), axes=node.axes, output=view, attrs=_from(start))
            nodes += [store, _workspace(node, inputs=(store.name,))]
            start = add(start, mul(1, *view.repeats))
        return replace(graph, nodes=tuple(nodes))


@dataclass(frozen=True, slots=True)
class SecondPhase:
    """The reduces over the partial results, and what follows them.

    Before: `s[z0] = Sum(x[z0, z1]) over z1; y = Abs(s)`.  After: `p = Load(s_partials[z0, z1P]); s[z0] = Sum(p) over z1P; y = Abs(s)`.
    Before: `s = Sum(x); y[z0, z1] = x / s`.  After: `p = Load(s_partials); s = Sum(p) over z1P; y[z0, z1] = x / s`, over z1P and z1.
    """

    reduces: tuple[str, ...]
    axis: str
    """The reduced axis that the first phase cuts into chunks of tiles; z1P counts the chunks."""

    def apply(self, graph: Graph) -> Graph:
        """The second phase; sizes of its axes contain tile and chunk size of the first."""
        reduces = _reduces_of(graph, self.reduces)
        cut = graph.axis_of[self.axis]
        chunks = Axis(name=f"{self.axis}P", size=_per(_per(cut.size, f"{self.axis}t_size"), f"{self.axis}Tt_size"))
        loads = _loads_of_partials(graph, reduces, cut.name, chunks)
        kept = self._kept(graph, reduces)
        nodes = [n for n in graph.nodes if n.op == "Data"]
        for node in reduces:
            nodes += [_workspace(node), loads[node.name]]
        for n in graph.nodes:
            if (n.name in kept and n.op != "Data") or (n.op == "Output" and kept & set(n.inputs)):
                nodes += _joined(graph, n, loads) if n.name in loads else (n,)
        again = any(cut.name in varying_axes(n.output) for n in nodes)
        own = (chunks.name, cut.name) if again else (chunks.name,)
        axes = (axis for a in graph.axes for axis in ((chunks, *((a,) if again else ())) if a is cut else (a,)))
        return replace(graph, axes=tuple(axes), nodes=tuple(_over(n, {cut.name, chunks.name}, own) for n in nodes))

    def _kept(self, graph: Graph, reduces: tuple[Node, ...]) -> set[str]:
        """What follows the reduces, and the exponents by which partial results are brought to one scale."""
        early = set(_early_stores(graph, reduces))
        late = [n.name for n in graph.nodes if n.op == "Store" and n.name not in early]
        exponents = [node.inputs[1] for node in reduces if node.op == SCALED_SUM]
        return needed_for(graph, (*late, *exponents), stop=self.reduces)


def _early_stores(graph: Graph, reduces: tuple[Node, ...]) -> tuple[str, ...]:
    """Stores that the first phase makes: those that vary over a reduced axis, which no result of a reduce does."""
    reduced = set(reduced_axes(graph, reduces[0]))
    late = {name for node in reduces for name in descendants(graph, node.name)}
    return tuple(n.name for n in graph.nodes if n.op == "Store" and reduced & set(varying_axes(n.output)) and n.name not in late)


def _reduces_of(graph: Graph, names: tuple[str, ...]) -> tuple[Node, ...]:
    for name in names:
        if name not in graph.node_of or spec_of(graph.node_of[name].op).compute is not ComputeType.REDUCE:
            raise ScheduleError(f"{name} is no reduce", where=graph.name, hint="only a reduce has partial results")
    return tuple(graph.node_of[name] for name in names)


def _from(start: Expr) -> dict[str, Expr]:
    """Where in workspace partial results begin."""
    return {} if start == integer(0) else {"offset": start}


def _kept_over(graph: Graph, node: Node, loops: tuple[str, ...]) -> TensorView:
    """The view of a reduce that keeps one element for every turn of the loops."""
    view = node.output
    repeats = tuple(graph.axis_of[a].size if a in loops else r for a, r in zip(view.axes, view.repeats, strict=True))
    return _chunk_by_chunk(replace(view, repeats=repeats), loops[-1])


def _chunk_by_chunk(view: TensorView, chunk: str) -> TensorView:
    """The view where the result of a chunk lies in one piece, unless that would tear rows of chunks into single elements."""
    at = view.axes.index(chunk)
    if all(repeat == ONE for repeat in view.repeats[at + 1 :]):
        return dense(view)
    one = dense(replace(view, repeats=(*view.repeats[:at], ONE, *view.repeats[at + 1 :])))
    strides = (*one.strides[:at], mul(*one.repeats), *one.strides[at + 1 :])
    return replace(view, strides=strides)


def _workspace(node: Node, inputs: tuple[str, ...] = ()) -> Node:
    return Node(name=f"{node.name}_partials", op="Workspace", inputs=inputs, output=TensorView(dtype=node.output.dtype))


def _per(size: Expr, unknown: str) -> Expr:
    return ceil_div(size, symbol(unknown, 1, max(1, size.hi)))


def _loads_of_partials(graph: Graph, reduces: tuple[Node, ...], cut: str, chunks: Axis) -> dict[str, Node]:
    """By reduce, the Load of its partial results."""
    found: dict[str, Node] = {}
    start = integer(0)
    for node in reduces:
        load = _load_of_partials(graph, node, cut, chunks, start)
        found[node.name] = load
        start = add(start, mul(1, *load.output.repeats))
    return found


def _load_of_partials(graph: Graph, node: Node, cut: str, chunks: Axis, start: Expr) -> Node:
    """Reads what the first phase stored: the reduce's input, chunk by chunk, without the axes that lie inside a chunk."""
    source = graph.node_of[node.inputs[0]].output
    gone = set(reduced_axes(graph, node)) - {cut}
    axes = spliced(source.axes, (cut,), (chunks.name,))
    sizes = {chunks.name: chunks.size, **{a: r for a, r in zip(source.axes, source.repeats, strict=True) if a != cut}}
    repeats = tuple(ONE if axis in gone else sizes[axis] for axis in axes)
    whole = TensorView(dtype=node.output.dtype, axes=axes, repeats=repeats, strides=(integer(0),) * len(axes))
    return Node(
        name=f"{node.name}_load",
        op="Load",
        inputs=(f"{node.name}_partials",),
        axes=spliced(node.axes, (cut,), (chunks.name,)),
        attrs=_from(start),
        output=_chunk_by_chunk(whole, chunks.name),
    )


def _joined(graph: Graph, node: Node, loads: dict[str, Node]) -> tuple[Node, ...]:
    """The reduce of its partial results; sums that follow a maximum of their own are brought to that of the whole before.

    `s = Sum(s_load * Exp(Maximum(m_load, lowest) - Broadcast(r)))`, where r is the exponent of the whole (`schedule.online`).
    """
    load = loads[node.name]
    if node.op != SCALED_SUM:
        return (replace(node, inputs=(load.name,)),)
    exponent = graph.node_of[node.inputs[1]]
    maximum, lowest = exponent.inputs
    taken = set(graph.node_of)
    own, whole, less, factor, scaled = (take_name(f"{node.name}_{end}", taken) for end in ("own", "whole", "less", "factor", "scaled"))
    calls = (
        (own, "Maximum", (loads[maximum].name, lowest)),
        (whole, "Broadcast", (exponent.name,)),
        (less, "Sub", (own, whole)),
        (factor, "Exp", (less,)),
        (scaled, "Mul", (load.name, factor)),
    )
    view = dense(load.output)
    made = (Node(name=name, op=op, inputs=inputs, axes=load.axes, output=view) for name, op, inputs in calls)
    return (*made, replace(node, op="Sum", inputs=(scaled,)))


def _over(node: Node, pair: set[str], own: tuple[str, ...]) -> Node:
    """The node over the axis that counts chunks, and over the one that they cut if anything varies over that again."""
    axes = _replaced(node.axes, pair, own)
    view = node.output
    at = next((i for i, axis in enumerate(view.axes) if axis in pair), None)
    if at is None:
        return replace(node, axes=axes)
    varied = view.axes[at]
    repeats, strides = (
        tuple(v for i, value in enumerate(values) for v in ([value if a == varied else none for a in own] if i == at else [value]))
        for values, none in ((view.repeats, ONE), (view.strides, integer(0)))
    )
    return replace(node, axes=axes, output=replace(view, axes=_replaced(view.axes, pair, own), repeats=repeats, strides=strides))


def _replaced(axes: tuple[str, ...], pair: set[str], own: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(axis for a in axes for axis in (own if a in pair else (a,)))
