"""What one output of a node looks like: its logical view, its layout in UB and where it lives."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from att.expr.core import Expr
from att.ir.dtype import DType


class Alloc(StrEnum):
    """Kind of storage."""

    GLOBAL = "Global"
    QUEUE = "Queue"
    BUFFER = "Buffer"


class Position(StrEnum):
    """Logical position, by the AscendC TPosition names."""

    GM = "GM"
    VECIN = "VECIN"
    VECOUT = "VECOUT"
    VECCALC = "VECCALC"


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """A TQue that hands tensors from one pipe to another."""

    id: int
    depth: int
    buf_num: int
    """Number of buffers; 2 is double buffering."""
    reuse_id: int
    """Tensors of one queue with equal reuse_id lie side by side in one buffer; with different ones they take turns.

    At VECOUT one that is not stored lies where a later one will, in the same place.
    """
    single_legal: bool = False
    """Whether one buffer would do as well as `buf_num`: less UB, but its pipes wait for each other. Left to a solver."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Where a tensor lives. Exactly one of `queue` and `buffer_id` is set for a tensor in UB, none for one in GM."""

    tensor_id: int
    alloc: Alloc
    position: Position
    queue: Queue | None = None
    buffer_id: int | None = None
    """The TBuf that holds it; tensors of one buffer have disjoint lifetimes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorView:
    """The value a node produces.

    `axes`, `repeats` and `strides` have equal length. For Load they describe how the input lies in GM, for Store the output (strides
    in elements, not necessarily dense); for other ops the logical value. An axis the value does not vary over has repeat 1 and stride 0.
    """

    dtype: DType
    axes: tuple[str, ...] = ()
    repeats: tuple[Expr, ...] = ()
    """Elements along each axis."""
    strides: tuple[Expr, ...] = ()
    """Distance along each axis, elements."""
    vectorized_axes: tuple[str, ...] = ()
    """Axes that lie whole in UB per call, outermost first (ImplGraph only)."""
    vectorized_strides: tuple[Expr, ...] = ()
    """Distance along each vectorized axis in UB, elements; 0 where the value does not vary."""
    memory: Memory | None = None

    def repeat_of(self, axis: str) -> Expr:
        """Elements along an axis. Raises KeyError if the view does not have it."""
        return self.repeats[self._position(axis)]

    def stride_of(self, axis: str) -> Expr:
        """Distance along an axis, elements. Raises KeyError if the view does not have it."""
        return self.strides[self._position(axis)]

    def _position(self, axis: str) -> int:
        try:
            return self.axes.index(axis)
        except ValueError:
            raise KeyError(axis) from None
