"""What the DMA engine does for one Load or Store: blocks of bytes, gaps between them, instructions.

    x[z0t, z1t, z2] of a tensor [.., 24, 100]   ->   per instruction z1t*100 elements at a stretch, if the tile lies without gaps on both
                                                     sides; else z1t blocks of 100 elements; z0t instructions

Which axes join into one is decided by structure alone: the outer stride must equal the inner dim times the inner stride for every value
of the symbols, in GM and in UB. A tail is laid out for the full tile, so its shorter dim never joins what the full tile keeps apart. Of
what is loaded by index every row is an instruction of its own, or every element where the innermost axis has the indices. So is each row
where rows may overlap in GM, as windows that slide over a signal do: the gap between blocks is an unsigned field.
Sources: AscendC DataCopyPad (ascendc_api_facts §9.1, §9.2); merging of axes (att_facts §3.4, schedule_codegen_facts §5.7).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from att.errors import ModelError
from att.expr.compare import known_eq, known_le
from att.expr.core import CeilDiv, Expr, FloorDiv, Int, ceil_div, exact_quotient, floor_div, integer, mul
from att.ir.dtype import DType
from att.ops.call import View
from att.ops.extents import BLOCK_BYTES, ONE
from hwmodels.model import Chip

ZERO = integer(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferAxis:
    """One loop of a transfer."""

    dim: Expr
    """Turns."""
    gm_stride: Expr
    """Distance of two turns in GM, elements."""
    ub_stride: Expr
    """Distance of two turns in UB, elements."""
    extent: Expr | None = None
    """Turns before the axis was cut into tiles, where that is known; None: rows never overlap."""

    def joined(self, inner: TransferAxis) -> TransferAxis | None:
        """Self and the next inner axis as a single one, None unless that is exact for all values of the symbols."""
        if not known_eq(self.gm_stride, mul(inner.dim, inner.gm_stride)) or not known_eq(self.ub_stride, mul(inner.dim, inner.ub_stride)):
            return None
        extent = mul(self.extent, inner.extent) if self.extent is not None and inner.extent is not None else None
        return TransferAxis(dim=mul(self.dim, inner.dim), gm_stride=inner.gm_stride, ub_stride=inner.ub_stride, extent=extent)


@dataclass(frozen=True, kw_only=True)
class Transfer:
    """A Load or Store as DataCopyPad instructions; axes are outermost first."""

    dtype: DType
    loops: tuple[TransferAxis, ...]
    """Loops around the instruction."""
    blocks: tuple[TransferAxis, ...]
    """Loops inside one instruction: its blocks."""
    block_elems: Expr
    """Elements that lie at a stretch in GM and in UB."""
    contiguous: bool
    """Whether the innermost stride is 1 on both sides; else every element is a block of its own."""
    singles: bool = False
    """Whether every element is an instruction of its own."""

    @cached_property
    def block_len_bytes(self) -> Expr:
        """Bytes of one block."""
        return mul(self.block_elems, self.dtype.bytes)

    @cached_property
    def block_count(self) -> Expr:
        """Blocks of one instruction."""
        return mul(1, *(axis.dim for axis in self.blocks))

    @property
    def together(self) -> Expr:
        """Of elements that lie apart in GM: how many a row in UB has."""
        return self.loops[-1].dim if self.singles else self.block_count

    @cached_property
    def instructions(self) -> Expr:
        """Instructions of the call."""
        return mul(1, *(axis.dim for axis in self.loops))

    @property
    def total_bytes(self) -> Expr:
        """Bytes that move, padding excluded."""
        return mul(self.instructions, self.block_count, self.block_len_bytes)

    @property
    def gm_gap_bytes(self) -> Expr:
        """From the end of a block to the start of the next in GM (innermost block axis), negative where they overlap; 0 for one block."""
        return self._gap(self.blocks[-1].gm_stride) if self.blocks else ZERO

    @property
    def ub_gap_bytes(self) -> Expr:
        """The same in UB, where a block ends with its last byte."""
        return self._gap(self.blocks[-1].ub_stride) if self.blocks else ZERO

    @property
    def ub_gap_blocks(self) -> Expr:
        """The same in whole 32-byte blocks after the block was rounded up to 32 bytes: the stride field of DataCopyPad."""
        if not self.blocks:
            return ZERO
        pitch = mul(self.blocks[-1].ub_stride, self.dtype.bytes)
        return floor_div(pitch, BLOCK_BYTES) - ceil_div(self.block_elems, BLOCK_BYTES // self.dtype.bytes)

    def _gap(self, stride: Expr) -> Expr:
        return mul(stride, self.dtype.bytes) - self.block_len_bytes


def transfer_of(view: View, chip: Chip) -> Transfer:
    """The instructions that move a view between GM and UB. Raises ModelError if the view has no GM strides."""
    if len(view.gm_strides) != len(view.dims):
        raise ModelError(f"a transfer needs a GM stride for each of its {len(view.dims)} dims, got {len(view.gm_strides)}")
    apart = one_by_one(view)
    loops = tuple(_axis(view, i) for i in apart)
    if _picks_elements(view):
        return Transfer(dtype=view.dtype, loops=loops, blocks=(), block_elems=ONE, contiguous=False, singles=True)
    axes = joined_axes(_axis(view, i) for i in _moving(view) if i not in apart)
    contiguous = _are_rows(axes)
    outer = axes[:-1] if contiguous else axes
    inside = 0 if contiguous and _may_overlap(axes) else chip.dma.dims_per_call - 1
    cut = max(0, len(outer) - inside)
    return Transfer(
        dtype=view.dtype,
        loops=(*loops, *outer[:cut]),
        blocks=outer[cut:],
        block_elems=axes[-1].dim if contiguous and axes else ONE,
        contiguous=contiguous,
    )


def one_by_one(view: View) -> tuple[int, ...]:
    """The places of the axes of which every step is an instruction of its own because of an index, outermost first."""
    moving = _moving(view)
    return moving if _picks_elements(view) else tuple(i for i in moving if view.by_index and view.by_index[i])


def _may_overlap(axes: Sequence[TransferAxis]) -> bool:
    """Whether a row may begin, at some shape, before the one before it ends. It is as long as its axis: tiles and tails move alike."""
    return len(axes) > 1 and axes[-1].extent is not None and not _fits(axes[-1].extent, axes[-2].gm_stride)


def _fits(row: Expr, step: Expr) -> bool:
    """Whether a row is known to be no longer than the step to the next: by intervals, as part of a product, or as a fraction."""
    if known_le(row, step):
        return True
    match row:
        case FloorDiv(whole, Int(parts)):
            return known_le(whole, mul(parts, step) + parts - 1)
        case CeilDiv(whole, Int(parts)):
            return known_le(whole, mul(parts, step))
        case _:
            times = exact_quotient(step, row)
            return times is not None and times.lo >= 1


def moves_rows(view: View) -> bool:
    """Whether elements at a stretch move together; else each is a block of its own, which passes through the vector unit."""
    apart = one_by_one(view)
    return not _picks_elements(view) and _are_rows(joined_axes(_axis(view, i) for i in _moving(view) if i not in apart))


def _picks_elements(view: View) -> bool:
    """Whether the innermost axis has the indices."""
    moving = _moving(view)
    return bool(moving) and bool(view.by_index) and view.by_index[moving[-1]]


def _are_rows(axes: Sequence[TransferAxis]) -> bool:
    return not axes or (axes[-1].gm_stride == ONE and axes[-1].ub_stride == ONE)


def joined_axes(axes: Iterable[TransferAxis]) -> tuple[TransferAxis, ...]:
    """The axes with neighbours joined wherever that is exact, outermost first."""
    kept: list[TransferAxis] = []
    for axis in reversed(tuple(axes)):
        joined = axis.joined(kept[-1]) if kept else None
        if joined is None:
            kept.append(axis)
        else:
            kept[-1] = joined
    return tuple(reversed(kept))


def _moving(view: View) -> tuple[int, ...]:
    """The places of the axes that move something: more than one element, and a step on at least one side."""
    triples = zip(view.dims, view.gm_strides, view.ub_strides, strict=True)
    return tuple([i for i, (dim, gm, ub) in enumerate(triples) if dim != ONE and not (gm == ZERO and ub == ZERO)])


def _axis(view: View, place: int) -> TransferAxis:
    extent = view.gm_extents[place] if view.gm_extents else None
    return TransferAxis(dim=view.dims[place], gm_stride=view.gm_strides[place], ub_stride=view.ub_strides[place], extent=extent)
