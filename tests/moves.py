"""Graphs that move values: transposes, joins, slices, gathers. Sizes are numbers or shape symbols."""

from __future__ import annotations

from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType

F32 = DType.FLOAT32


def builder(name, sizes):
    """A builder over axes a, b, c … of these sizes; sizes that are names become shape symbols."""
    symbols = tuple(Size(name=size, maximum=5000) for size in sizes if isinstance(size, str))
    known = {size.name: size.symbol for size in symbols}
    return GraphBuilder(name, {axis: known.get(size, size) for axis, size in zip("abcdefgh", sizes, strict=False)}, symbols)


def transposed(order, sizes, dtype=F32, *, added=False, cast_to=None):
    """x lies in the axis order `order` (as `ba`) and is stored as a, b, …; `added`: with a row added behind the Transpose, an Abs before."""
    g = builder(f"transpose_{order}_{dtype}{'_added' if added else ''}{cast_to or ''}", sizes)
    x = g.load("x", tuple(order), dtype, in_place=True)
    if cast_to is not None:
        x = g.in_order("Cast", x, tuple(order), dtype=cast_to)
    t = g.op("Transpose", x)
    if added:
        t = g.op("Add", t, g.load("row", (max(order),), t.dtype))
    g.store("y", t)
    return g.build()
