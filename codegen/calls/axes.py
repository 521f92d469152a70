"""The axes of a broadcast or reduce as they lie in UB, and loops over the outer ones."""

from __future__ import annotations

from dataclasses import dataclass

from att.expr.core import Expr, exact_quotient, integer, mul
from att.ops.call import View
from codegen.operands import Site

ZERO = integer(0)
ONE = integer(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class TileAxis:
    """One vectorized axis that the larger of two operands varies over."""

    name: str
    dim: Expr
    """Actual elements."""
    stride: Expr
    """Distance in the larger operand, elements."""
    other: Expr
    """Distance in the smaller operand; 0 where it does not vary."""

    @property
    def shared(self) -> bool:
        """Whether both operands vary over it."""
        return self.other != ZERO


def tile_axes(site: Site, larger: View, smaller: View) -> tuple[TileAxis, ...]:
    """The axes that the larger operand varies over, outermost first."""
    names = site.node.output.vectorized_axes
    others = smaller.ub_strides or (ZERO,) * len(names)
    columns = zip(names, larger.dims, larger.ub_strides, others, strict=True)
    return tuple(TileAxis(name=n, dim=d, stride=s, other=o) for n, d, s, o in columns if s != ZERO)


def room(axes: tuple[TileAxis, ...], i: int) -> Expr:
    """Places that axis `i` has in the layout, padding included: up to the next step of the axis around it."""
    if i == 0:
        return axes[0].dim
    places = exact_quotient(axes[i - 1].stride, axes[i].stride)
    return axes[i].dim if places is None else places


def extent(axes: tuple[TileAxis, ...]) -> Expr:
    """Elements from the start to the end of the last padded row of some innermost axes; 1 if there are none."""
    return mul(axes[0].dim, axes[0].stride) if axes else ONE
