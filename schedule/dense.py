"""Views of dense tensors."""

from __future__ import annotations

from dataclasses import replace

from att.expr.core import Expr, integer, mul
from att.ir.roles import ONE
from att.ir.tensor import TensorView


def dense(view: TensorView) -> TensorView:
    """The view with the strides of a dense tensor, elements; 0 where it does not vary."""
    strides: list[Expr] = []
    running: Expr = integer(1)
    for repeat in reversed(view.repeats):
        strides.append(integer(0) if repeat == ONE else running)
        running = mul(running, repeat)
    return replace(view, strides=tuple(reversed(strides)))
