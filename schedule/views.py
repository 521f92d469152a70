"""Views over more axes than they vary over, so that one order of loops fits all nodes."""

from __future__ import annotations

from dataclasses import replace

from att.expr.core import integer
from att.ir.roles import ONE
from att.ir.tensor import TensorView


def widened(view: TensorView, order: tuple[str, ...]) -> TensorView:
    """The view over all axes, one element and stride 0 along those it did not have; axes of one element that are not in the order go."""
    if not view.axes:
        return view
    known = {axis: (repeat, stride) for axis, repeat, stride in zip(view.axes, view.repeats, view.strides, strict=True)}
    columns = [known.get(axis, (ONE, integer(0))) for axis in order]
    return replace(view, axes=order, repeats=tuple(r for r, _ in columns), strides=tuple(s for _, s in columns))
