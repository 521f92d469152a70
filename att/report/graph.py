"""A graph as a person reads it: sizes, axes, loop nest, nodes, buffers, live intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rich.console import Group, RenderableType

from att.errors import ModelError
from att.expr.core import Expr
from att.expr.text import to_text
from att.ir.graph import Graph, HintGraph, ImplGraph, Template
from att.ir.loops import loop_nest
from att.ir.node import Node
from att.ir.tensor import Memory, TensorView
from att.ir.walks import walk_of
from att.report.console import heading, table


def graph_tables(graph: HintGraph | Template, *, memory: bool = False) -> RenderableType:
    """Everything about a graph; with `memory` the live interval of every value instead of the nodes' views."""
    if isinstance(graph, HintGraph):
        return Group(heading(f"HintGraph {graph.name}"), *_sections(graph, memory=memory))
    parts: list[RenderableType] = [heading(f"Template {graph.name} of {graph.graph_name}, tiling key {graph.tiling_key}")]
    if graph.axis_names:
        parts += ["", table("Axis names", ("axis", "in the graph"), sorted(graph.axis_names.items()))]
    for number, phase in enumerate(graph.phases, start=1):
        parts += ["", heading(f"Phase {number} of {len(graph.phases)}: {phase.name}"), *_sections(phase, memory=memory)]
    return Group(*parts)


def _sections(graph: Graph, *, memory: bool) -> Iterator[RenderableType]:
    if graph.sizes:
        yield from ("", _sizes(graph))
    if isinstance(graph, ImplGraph) and graph.variables:
        yield from ("", _variables(graph))
    yield from ("", _axes(graph))
    nest = list(_loop_nest(graph))
    if nest:
        yield from ("", heading("Loop nest"), *nest)
    if memory:
        yield from ("", _live_intervals(graph))
        return
    yield from ("", _nodes(graph))
    if any(node.output.memory for node in graph.nodes):
        yield from ("", _buffers(graph))


def _sizes(graph: Graph) -> RenderableType:
    rows = ((s.name, f"{s.minimum} … {s.maximum}", s.multiple_of) for s in graph.sizes)
    return table("Sizes", ("size", "range", "multiple of"), rows)


def _variables(graph: ImplGraph) -> RenderableType:
    return table("Unknowns", ("variable", "axis", "at most"), ((v.name, v.axis, v.maximum) for v in graph.variables))


def _axes(graph: Graph) -> RenderableType:
    rows = ((a.name, to_text(a.size), a.kind.value, ", ".join(a.parents), a.align if a.align != 1 else "") for a in graph.axes)
    return table("Axes", ("axis", "size", "kind", "from", "align"), rows)


def _loop_nest(graph: Graph) -> Iterator[str]:
    """Loops opened and closed as the nodes need them, once for each walk, calls indented below; nothing before scheduling."""
    opened: tuple[str, ...] = ()
    walks, last_walk = _walks(graph), None
    for node in graph.nodes:
        if not node.axes or node.loop_axis is None:
            continue
        walk = walks.get(node.name)
        starts_again = None not in (walk, last_walk) and walk != last_walk
        kept = _common_prefix(opened[:-1] if starts_again else opened, node.loops)
        last_walk = walk
        for depth, axis in enumerate(node.loops[kept:], start=kept):
            yield f"{'  ' * (depth + 1)}for {axis} in {to_text(graph.axis_of[axis].size)}:"
        opened = node.loops
        vector = " ".join(node.output.vectorized_axes)
        yield f"{'  ' * (len(opened) + 1)}{node.name} = {node.op}({', '.join(node.inputs)})" + (f"  over {vector}" if vector else "")


def _walks(graph: Graph) -> Mapping[str, int]:
    """The walk of each call of the inner loop; nothing for a nest that does not run, which is shown all the same."""
    try:
        return walk_of(graph, loop_nest(graph)) if isinstance(graph, ImplGraph) else {}
    except ModelError:
        return {}


def _common_prefix(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    length = 0
    while length < min(len(a), len(b)) and a[length] == b[length]:
        length += 1
    return length


def _nodes(graph: Graph) -> RenderableType:
    rows = (
        (n.name, n.op, ", ".join(n.inputs), n.output.dtype.value, _view(n.output), _list(n.output.strides), _attributes(n))
        for n in graph.nodes
    )
    return table("Nodes", ("node", "op", "inputs", "dtype", "repeats", "strides", "attributes"), rows)


def _view(view: TensorView) -> str:
    return ", ".join(f"{axis}:{to_text(repeat)}" for axis, repeat in zip(view.axes, view.repeats, strict=True))


def _list(values: Iterable[Expr]) -> str:
    return ", ".join(map(to_text, values))


def _attributes(node: Node) -> str:
    return ", ".join(f"{name}={to_text(v) if isinstance(v, Expr) else v}" for name, v in sorted(node.attrs.items()))


def _buffers(graph: Graph) -> RenderableType:
    rows = (
        (n.name, m.tensor_id, m.position.value, _place(m), _list(n.output.vectorized_strides))
        for n in graph.nodes
        if (m := n.output.memory) is not None
    )
    return table("Buffers", ("tensor", "id", "position", "storage", "UB strides"), rows)


def _place(memory: Memory) -> str:
    if memory.queue is not None:
        queue = memory.queue
        number = f"{queue.buf_num} buffer{'s' if queue.buf_num != 1 else ''}" + (" (or 1)" if queue.single_legal else "")
        return f"queue {queue.id}, depth {queue.depth}, {number}, reuse {queue.reuse_id}"
    return f"buffer {memory.buffer_id}" if memory.buffer_id is not None else memory.alloc.value


def _live_intervals(graph: Graph) -> RenderableType:
    """From the node that makes a value to the last one that reads it."""
    position = {node.name: index for index, node in enumerate(graph.nodes)}
    count = len(graph.nodes)
    rows: list[tuple[object, ...]] = []
    for node in graph.nodes:
        first = position[node.name]
        last = max((position[user.name] for user in graph.consumers_of[node.name]), default=first)
        storage = _place(node.output.memory) if node.output.memory else ""
        picture = "." * first + "#" * (last - first + 1) + "." * (count - last - 1)
        rows.append((node.name, first, last, picture, storage))
    return table("Live intervals (numbers are positions in the graph)", ("tensor", "made", "last read", "live", "storage"), rows)
