"""Sizes of a graph before anything is scheduled: declared ranges, given values, and whether there is anything to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from operator import index
from typing import SupportsIndex, TypeVar

from att.errors import ModelError, UsageError
from att.expr.core import Expr
from att.expr.evaluate import evaluate
from att.expr.substitute import substitute
from att.ir.axis import MAX_SIZE, Size
from att.ir.graph import Graph, HintGraph, Template
from att.ir.node import Node
from att.ir.tensor import TensorView
from att.solve.tensor_limit import require_tensors_within_limit

G = TypeVar("G", bound=Graph)
Symbols = Mapping[str, Expr]
"""What stands for a symbol, by name."""

Range = tuple[int, int, int]
"""Smallest and largest size of a dynamic axis, and what it is a multiple of."""


def graph_name(graph: HintGraph | Template) -> str:
    """The name a plan bears."""
    return graph.name if isinstance(graph, HintGraph) else graph.graph_name


def sizes_of(graph: HintGraph | Template) -> tuple[Size, ...]:
    """Dynamic sizes of a graph, in order of declaration."""
    graphs = (graph,) if isinstance(graph, HintGraph) else graph.phases
    return tuple({size.name: size for g in graphs for size in g.sizes}.values())


def with_ranges(graph: HintGraph | Template, ranges: Mapping[str, Range]) -> HintGraph | Template:
    """The graph with narrower declared ranges. Raises UsageError for an unknown size or a range that is empty or not allowed.

    Expressions are simplified for the declared range when a graph is read or scheduled, so a range cannot be widened afterwards.
    """
    _require_graph(graph)
    if not ranges:
        return graph
    declared = {size.name: size for size in sizes_of(graph)}
    unknown = sorted(set(ranges) - set(declared))
    if unknown:
        raise UsageError(f"unknown size {unknown[0]} in a range", where=graph_name(graph), hint=f"sizes: {_listed(declared)}")
    narrowed = {name: _narrowed(declared[name], wanted, graph_name(graph)) for name, wanted in ranges.items()}
    if isinstance(graph, HintGraph):
        return _resized(graph, narrowed)
    return replace(graph, phases=tuple(_resized(phase, narrowed) for phase in graph.phases))


def _require_graph(graph: object) -> None:
    if not isinstance(graph, HintGraph | Template):
        raise UsageError(f"got a {type(graph).__name__} where a graph is expected", hint="pass what att.load or att.schedule returns")


def whole(name: str, value: object, where: str) -> int:
    """The value as an int, whatever integer type it has. Raises UsageError for anything else."""
    if isinstance(value, SupportsIndex) and not isinstance(value, bool):
        return index(value)
    raise UsageError(f"{name} = {value!r} is not a whole number", where=where, hint="give an integer")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none: every size is a number"


def _narrowed(declared: Size, wanted: Range, where: str) -> Size:
    if len(wanted) != 3:
        raise UsageError(f"the range of {declared.name} is {wanted!r}", where=where, hint="give (smallest, largest, multiple_of)")
    low, high, multiple = (whole(declared.name, value, where) for value in wanted)
    text = f"the range {declared.name}={low}:{high}:{multiple}"
    if low > high or multiple < 1 or high // multiple * multiple < low:
        raise UsageError(f"{text} contains no size", where=where, hint="write MIN:MAX or MIN:MAX:MULTIPLE")
    if low < declared.minimum or high > declared.maximum or multiple % declared.multiple_of:
        raise UsageError(
            f"{text} leaves the declared {declared.minimum}:{declared.maximum}:{declared.multiple_of}",
            where=where,
            hint="narrow it, or declare a wider one in the graph",
        )
    return Size(name=declared.name, minimum=low, maximum=high, multiple_of=multiple)


def _resized(graph: G, sizes: Mapping[str, Size]) -> G:
    symbols: Symbols = {s.name: sizes[s.name].symbol for s in graph.sizes if s.name in sizes}
    return replace(
        graph,
        sizes=tuple(sizes.get(s.name, s) for s in graph.sizes),
        axes=tuple(replace(a, size=substitute(a.size, symbols)) for a in graph.axes),
        nodes=tuple(_resized_node(n, symbols) for n in graph.nodes),
    )


def _resized_node(node: Node, symbols: Symbols) -> Node:
    attrs = {name: substitute(v, symbols) if isinstance(v, Expr) else v for name, v in node.attrs.items()}
    return replace(node, attrs=attrs, output=_resized_view(node.output, symbols))


def _resized_view(view: TensorView, symbols: Symbols) -> TensorView:
    return replace(
        view,
        repeats=tuple(substitute(e, symbols) for e in view.repeats),
        strides=tuple(substitute(e, symbols) for e in view.strides),
        vectorized_strides=tuple(substitute(e, symbols) for e in view.vectorized_strides),
    )


def complete_shape(graph: HintGraph | Template, shape: Mapping[str, int]) -> Mapping[str, int]:
    """The shape in the order of declaration.

    Raises UsageError for missing or unknown sizes, for values that are no sizes, and where a tensor would be too large.
    Declared ranges are checked when a model is bound; 0 passes here whatever the range, because it leaves nothing to do.
    """
    sizes = sizes_of(graph)
    missing = [size.name for size in sizes if size.name not in shape]
    if missing:
        raise UsageError(
            f"no value for {'size' if len(missing) == 1 else 'sizes'} {', '.join(missing)}",
            where=graph_name(graph),
            hint=f"give it as in --shape {','.join(f'{name}=1024' for name in missing)}",
        )
    unknown = sorted(set(shape) - {size.name for size in sizes})
    if unknown:
        known = _listed(size.name for size in sizes)
        raise UsageError(f"unknown size {', '.join(unknown)} in the shape", where=graph_name(graph), hint=f"sizes: {known}")
    given = {name: whole(name, value, graph_name(graph)) for name, value in shape.items()}
    for name, value in given.items():
        if not 0 <= value <= MAX_SIZE:
            raise UsageError(
                f"{name} = {value}, allowed are 0..{MAX_SIZE} elements", where=graph_name(graph), hint="use a size in that range"
            )
    ordered = {size.name: given[size.name] for size in sizes}
    inside = all(size.minimum <= ordered[size.name] <= size.maximum for size in sizes)
    if inside and not is_empty(graph, ordered):
        require_tensors_within_limit(graph, ordered, graph_name(graph))
    return ordered


def is_empty(graph: HintGraph | Template, shape: Mapping[str, int]) -> bool:
    """Whether some axis of the kernel has size 0, so that there is nothing to do (design §4, Shapes)."""
    return any(_is_empty(g, shape) for g in ((graph,) if isinstance(graph, HintGraph) else graph.phases))


def _is_empty(graph: Graph, shape: Mapping[str, int]) -> bool:
    return any(_is_zero(axis.size, shape) for axis in graph.axes if not axis.parents)


def _is_zero(size: Expr, shape: Mapping[str, int]) -> bool:
    try:
        return evaluate(size, shape) == 0
    except ModelError:
        return False
