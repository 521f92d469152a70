"""One operation of a graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from att.expr.core import Expr
from att.ir.tensor import TensorView

AttrValue = int | float | str | bool | Expr
"""Typed op attribute: `index` (Data, Output), `value` (Scalar, text), `offset` (Load, Store; elements, an expression) …"""

NO_ATTRS: Mapping[str, AttrValue] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """An op applied to the outputs of other nodes. Every op has one output; the value bears the node's name."""

    name: str
    op: str
    """Key into the op registry, e.g. `Add`."""
    inputs: tuple[str, ...] = ()
    """Names of the producing nodes, in operand order."""
    attrs: Mapping[str, AttrValue] = field(default_factory=lambda: NO_ATTRS)
    axes: tuple[str, ...] = ()
    """The loop nest it sits in, outermost first (`sched.axis`); empty for Data, Output and Scalar."""
    loop_axis: str | None = None
    """Innermost axis that stays a loop around the call; everything after it is vectorized (ImplGraph only)."""
    output: TensorView

    @property
    def loops(self) -> tuple[str, ...]:
        """Axes that are loops around the call, outermost first; () before scheduling."""
        if self.loop_axis is None:
            return ()
        return self.axes[: self.axes.index(self.loop_axis) + 1]
