"""Loop axes, symbolic sizes, and how split and merged axes relate.

A tile split of `z` gives `zT` (outer, `ceil(z/t)`) and `zt` (inner, `t`); a block split of `zT` gives `zTB` and `zTb`; merging lists its
parents from outermost to innermost.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from att.expr.core import Expr, Sym, symbol

MAX_SIZE = 2**31 - 1
"""Largest size of one axis, elements (design §4, Shapes)."""


class AxisKind(StrEnum):
    """How an axis came to be."""

    ORIGINAL = "ORIGINAL"
    MERGED = "MERGED"
    TILE_OUT = "TILE_OUT"
    TILE_IN = "TILE_IN"
    BLOCK_OUT = "BLOCK_OUT"
    BLOCK_IN = "BLOCK_IN"


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One loop dimension."""

    name: str
    size: Expr
    """Number of iterations or elements."""
    kind: AxisKind = AxisKind.ORIGINAL
    parents: tuple[str, ...] = ()
    """The axis it was split from, or the axes it was merged from, outermost first."""
    align: int = 1
    """A tile of this axis must be a multiple of this many elements (hand-written graphs)."""
    allow_oversize: bool = False
    """A tile may exceed the axis."""
    allow_unaligned_tail: bool = True
    """False: the tile must divide the axis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """A shape symbol known only at run time, with its declared range."""

    name: str
    minimum: int = 1
    maximum: int = MAX_SIZE
    multiple_of: int = 1

    @property
    def symbol(self) -> Sym:
        """The expression that stands for it."""
        return symbol(self.name, self.minimum, self.maximum, self.multiple_of)
