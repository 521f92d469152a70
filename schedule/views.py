"""Views over more axes than they vary over, so that one order of loops fits all nodes; and where a slice of a view begins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from att.expr.core import Expr, add, integer, mul
from att.ir.node import AttrValue, Node
from att.ir.roles import ONE
from att.ir.tensor import TensorView


def widened(view: TensorView, order: tuple[str, ...]) -> TensorView:
    """The view over all axes, one element and stride 0 along those it did not have; axes of one element that are not in the order go."""
    if not view.axes:
        return view
    known = {axis: (repeat, stride) for axis, repeat, stride in zip(view.axes, view.repeats, view.strides, strict=True)}
    columns = [known.get(axis, (ONE, integer(0))) for axis in order]
    return replace(view, axes=order, repeats=tuple(r for r, _ in columns), strides=tuple(s for _, s in columns))


def beginning_at(node: Node, axis: str, start: Expr | int) -> Mapping[str, AttrValue]:
    """The attributes of a Load or Store that begins `start` elements further along an axis."""
    offset = node.attrs.get("offset", 0)
    assert isinstance(offset, (int, Expr)), offset
    return {**node.attrs, "offset": add(offset, mul(start, node.output.stride_of(axis)))}
