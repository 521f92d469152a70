"""Every iteration of a loop nest with known sizes, in the order a core runs them.

A pass is one turn of the block loop, a turn one turn of the inner loop. Both say where they are on every axis that is not vectorized,
and how long each tile is there. Nothing is summed up or skipped: this is the literal loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from att.errors import ModelError
from att.expr.core import Expr, Int, integer
from att.expr.substitute import substitute
from att.ir.axis import Axis
from att.ir.graph import ImplGraph
from att.ir.loops import LoopNest, Tile, parts_of
from att.ir.node import Node
from att.ir.tensor import TensorView


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where one iteration is."""

    core: int
    index: Mapping[str, int]
    """Position on every axis that is not vectorized (loops, and the parts they were fused from)."""
    sizes: Mapping[str, int]
    """Actual elements of every tile, by TILE_IN axis."""


def concrete(graph: ImplGraph, values: Mapping[str, int]) -> ImplGraph:
    """The graph with every symbol replaced by its value. Raises ModelError if one is missing."""
    known: dict[str, Expr] = {name: integer(value) for name, value in values.items()}

    def number(expr: Expr) -> Expr:
        value = substitute(expr, known)
        if not isinstance(value, Int):
            raise ModelError(f"{value!r} still has unknowns", where=graph.name)
        return value

    def node(old: Node) -> Node:
        attrs = {k: number(v) if isinstance(v, Expr) else v for k, v in old.attrs.items()}
        return replace(old, attrs=attrs, output=_concrete_view(old.output, number))

    axes = tuple(replace(axis, size=number(axis.size)) for axis in graph.axes)
    return replace(graph, sizes=(), variables=(), buffer_vars=(), axes=axes, nodes=tuple(node(n) for n in graph.nodes))


def _concrete_view(view: TensorView, number: Callable[[Expr], Expr]) -> TensorView:
    return replace(
        view,
        repeats=tuple(number(e) for e in view.repeats),
        strides=tuple(number(e) for e in view.strides),
        vectorized_strides=tuple(number(e) for e in view.vectorized_strides),
    )


def size_of(axis: Axis) -> int:
    """Size of an axis of a concrete graph."""
    return _value(axis.size)


def _value(expr: Expr) -> int:
    if not isinstance(expr, Int):
        raise ModelError(f"{expr!r} is not a number")
    return expr.value


def passes(graph: ImplGraph, nest: LoopNest) -> Iterator[Place]:
    """Turns of the block loop, core by core. A nest without one has a single pass on core 0."""
    if nest.block is None:
        yield Place(core=0, index={}, sizes={})
        return
    count, per_core = _value(nest.block.count), _value(nest.block.per_core)
    for core in range(_value(nest.block.block_dim)):
        for turn in range(min(per_core, count - core * per_core)):
            at = core * per_core + turn
            index = {nest.block.outer: core, nest.block.inner: turn, **_unfused(graph, nest.block.fused, at)}
            yield Place(core=core, index=index, sizes=_tile_sizes(nest, index))


def turns(graph: ImplGraph, nest: LoopNest, place: Place) -> Iterator[Place]:
    """Turns of the inner loop within one pass; one if there is no inner loop."""
    if not nest.inner:
        yield place
        return
    loop = nest.inner[-1]
    for at in range(_turns_of(graph, nest, loop, place)):
        index = {**place.index, **_unfused(graph, loop, at)}
        if nest.chunk is not None:
            tile = graph.axis_of[nest.chunk.inner].parents[0]
            index[tile] = index[nest.chunk.outer] * _value(nest.chunk.size) + index[nest.chunk.inner]
        yield Place(core=place.core, index=index, sizes=_tile_sizes(nest, index))


def once_place(place: Place) -> Place:
    """Where the calls that a core makes before its passes are: they serve every pass, so their tiles are whole."""
    return replace(place, sizes={})


def _turns_of(graph: ImplGraph, nest: LoopNest, loop: str, place: Place) -> int:
    """Turns of the inner loop in one pass; the last chunk has fewer."""
    count = size_of(graph.axis_of[loop])
    if nest.chunk is None:
        return count
    return count // _value(nest.chunk.size) * _actual(nest.chunk, place.index[nest.chunk.outer])


def _unfused(graph: ImplGraph, axis: str, at: int) -> dict[str, int]:
    """Position on a fused axis and on each of its parts."""
    index = {axis: at}
    for part in reversed(parts_of(graph, axis)):
        at, index[part] = divmod(at, size_of(graph.axis_of[part]))
    return index


def _tile_sizes(nest: LoopNest, index: Mapping[str, int]) -> dict[str, int]:
    return {name: _actual(tile, index[tile.outer]) for name, tile in nest.tiles.items() if tile.outer in index}


def _actual(tile: Tile, at: int) -> int:
    size, extent = _value(tile.size), _value(tile.extent)
    return min(size, extent - at * size)
