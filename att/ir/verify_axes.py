"""Declared sizes, tile variables and axes: ranges, parents, and how split and merged axes fit their parents."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from att.errors import GraphError
from att.expr.core import Sym, ceil_div, mul
from att.ir.axis import MAX_SIZE, Axis, AxisKind, Size
from att.ir.graph import Graph, HintGraph, ImplGraph, TileVar
from att.ir.same import may_be_equal
from att.ir.scope import Scope, at

INNER_KINDS: Final = frozenset({AxisKind.TILE_IN, AxisKind.BLOCK_IN})
OUTER_KINDS: Final = frozenset({AxisKind.TILE_OUT, AxisKind.BLOCK_OUT})
SPLIT_KINDS: Final = INNER_KINDS | OUTER_KINDS

_INNER_OF: Final[Mapping[AxisKind, AxisKind]] = MappingProxyType({
    AxisKind.TILE_OUT: AxisKind.TILE_IN,
    AxisKind.BLOCK_OUT: AxisKind.BLOCK_IN,
})  # fmt: skip


def verify_sizes(graph: Graph) -> None:
    """Raises GraphError if a size has an empty, negative or too large range."""
    for size in graph.sizes:
        where = at(graph, f"size {size.name}")
        if size.minimum < 0:
            raise GraphError(f"its minimum {size.minimum} is negative", where=where, hint=f"allowed are 0..{MAX_SIZE}")
        if size.maximum > MAX_SIZE:
            raise GraphError(f"its maximum {size.maximum} is above the limit of {MAX_SIZE}", where=where, hint="lower the maximum")
        if size.multiple_of < 1:
            raise GraphError(f"multiple_of is {size.multiple_of}", where=where, hint="it must be at least 1")
        if _first_value(size) > size.maximum:
            raise GraphError(
                f"no multiple of {size.multiple_of} lies in {size.minimum}..{size.maximum}", where=where, hint="widen the range"
            )


def _first_value(size: Size) -> int:
    return -(-size.minimum // size.multiple_of) * size.multiple_of


def verify_variables(graph: Graph, scope: Scope) -> None:
    """Raises GraphError if a tile variable has no axis, or is not the size of an inner axis."""
    if not isinstance(graph, ImplGraph):
        return
    for variable in graph.variables:
        where = at(graph, f"tile variable {variable.name}")
        if variable.maximum < 1:
            raise GraphError(f"its maximum is {variable.maximum}", where=where, hint="a tile has at least one element")
        _verify_variable(graph, variable, scope, where)


def _verify_variable(graph: Graph, variable: TileVar, scope: Scope, where: str) -> None:
    axis = next((a for a in graph.axes if a.name == variable.axis), None)
    if axis is None:
        raise GraphError(f"its axis {variable.axis} is not declared", where=where, hint=_known(graph))
    if axis.kind not in INNER_KINDS:
        raise GraphError(f"its axis {axis.name} is {axis.kind.value}", where=where, hint="it must be TILE_IN or BLOCK_IN")
    scope.require_known(axis.size, at(graph, f"axis {axis.name}"), "its size")
    if axis.size != variable.symbol:
        raise GraphError(f"it is not the size of its axis {axis.name}", where=where, hint=f"give {axis.name} the size {variable.name}")


def _known(graph: Graph) -> str:
    return f"declared axes: {', '.join(a.name for a in graph.axes) or 'none'}"


def verify_axes(graph: Graph, scope: Scope) -> None:
    """Raises GraphError if an axis has a bad size, unknown or misplaced parents, or does not cover its parents."""
    seen: dict[str, Axis] = {}
    for axis in graph.axes:
        where = at(graph, f"axis {axis.name}")
        scope.require_extent(axis.size, where, "its size")
        if axis.align < 1:
            raise GraphError(f"align is {axis.align} elements", where=where, hint="it must be at least 1")
        if axis.kind in SPLIT_KINDS and isinstance(graph, HintGraph):
            raise GraphError(f"a HintGraph has no {axis.kind.value} axes", where=where, hint="make it an ImplGraph, or undo the split")
        _verify_parents(graph, axis, seen, where)
        seen[axis.name] = axis
    for axis in graph.axes:
        _verify_cover(graph, axis, seen)
    _verify_unknowns(graph, scope)


def _verify_parents(graph: Graph, axis: Axis, seen: Mapping[str, Axis], where: str) -> None:
    count = len(axis.parents)
    allowed, text = _PARENTS[axis.kind]
    if count not in allowed:
        raise GraphError(f"{axis.kind.value} comes from {text}, got {count}", where=where, hint="correct kind or parents")
    declared = {a.name for a in graph.axes}
    for parent in axis.parents:
        if parent not in declared:
            raise GraphError(f"its parent {parent} is not declared", where=where, hint=_known(graph))
        if parent not in seen:
            raise GraphError(f"its parent {parent} is declared after it", where=where, hint="declare parents first")
    if len(set(axis.parents)) < count:
        raise GraphError(f"a parent occurs twice: {', '.join(axis.parents)}", where=where, hint="name each parent once")


_MANY: Final = range(2, 2**31)
_PARENTS: Final[Mapping[AxisKind, tuple[range, str]]] = MappingProxyType({
    AxisKind.ORIGINAL: (range(1), "no parent"),
    AxisKind.MERGED: (_MANY, "two or more parents"),
    **{kind: (range(1, 2), "exactly one parent") for kind in SPLIT_KINDS},
})  # fmt: skip


def _verify_cover(graph: Graph, axis: Axis, known: Mapping[str, Axis]) -> None:
    """A merged axis is the product of its parents, an outer axis the parent over its inner twin, rounded up (S1 §3.1.5)."""
    where = at(graph, f"axis {axis.name}")
    if axis.kind is AxisKind.MERGED:
        product = mul(*(known[p].size for p in axis.parents))
        if not may_be_equal(axis.size, product):
            raise GraphError(f"its size is not the product of {', '.join(axis.parents)}", where=where, hint="multiply its parents")
    elif axis.kind in OUTER_KINDS:
        _verify_outer(graph, axis, known, where)


def _verify_outer(graph: Graph, axis: Axis, known: Mapping[str, Axis], where: str) -> None:
    parent = axis.parents[0]
    inner = [a for a in graph.axes if a.kind is _INNER_OF[axis.kind] and a.parents == axis.parents]
    if not inner:
        raise GraphError(f"no {_INNER_OF[axis.kind].value} axis of {parent} goes with it", where=where, hint="declare both halves")
    for half in inner:
        if half.size.lo < 1:
            raise GraphError(f"the size of {half.name} can be {half.size.lo}", where=where, hint="a tile has at least one element")
    if not any(may_be_equal(axis.size, ceil_div(known[parent].size, half.size)) for half in inner):
        raise GraphError(f"its size is not {parent} / {inner[0].name} rounded up", where=where, hint="count the tail tile too")


def _verify_unknowns(graph: Graph, scope: Scope) -> None:
    """An inner axis whose size is a lone symbol is sized by a tile variable, not by a shape symbol nobody solves for."""
    shapes = {s.name for s in graph.sizes}
    variables = {v.name for v in scope.variables}
    for axis in graph.axes:
        size = axis.size
        if axis.kind in INNER_KINDS and isinstance(size, Sym) and size.name in shapes - variables:
            raise GraphError(
                f"its size {size.name} is declared as a shape, not as a tile variable",
                where=at(graph, f"axis {axis.name}"),
                hint=f"declare the tile variable {size.name}",
            )
