"""One vector or transfer call as the cost, temporary-buffer and emission rules see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from att.expr.core import Expr
from att.ir.dtype import DType
from att.ir.node import AttrValue


class Pipe(StrEnum):
    """The three engines of a vector core that overlap."""

    MTE2 = "MTE2"
    VEC = "VEC"
    MTE3 = "MTE3"


class CostSet(StrEnum):
    """Which reading of the cost constants (design §5)."""

    PUBLISHED = "published"
    MENDED = "mended"


TWO_DIMS: Final = "two_dims"
"""Attribute of the call of a reduce: whether its whole tensor, not just the tile, merges to kept and reduced axes in either order."""
SOLE_USE: Final = "sole_use"
"""Attribute of the call of a reduce: whether nothing else reads its input."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One operand of a call.

    `dims`, `ub_strides` (and `gm_strides` for Load and Store) have equal length: one entry per vectorized axis of the call's node,
    outermost first. An axis the operand does not vary over has dim 1 and stride 0. A scalar operand has `dims == ()`.
    """

    dtype: DType
    dims: tuple[Expr, ...] = ()
    """Elements along each vectorized axis in this call (a tail has fewer than the tile)."""
    ub_strides: tuple[Expr, ...] = ()
    """Distance in UB, elements; laid out for the full tile."""
    gm_strides: tuple[Expr, ...] = ()
    """Distance in GM, elements; () for operands that are not in GM."""
    gm_extents: tuple[Expr, ...] = ()
    """Elements along each axis before it was cut into tiles, for a Load, whose rows may overlap in GM; else ()."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One execution of a node."""

    op: str
    inputs: tuple[View, ...]
    output: View
    attrs: Mapping[str, AttrValue]
    block_dim: Expr
    """Number of cores in use (bandwidth is shared)."""
