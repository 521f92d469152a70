"""Transfers as the reference prices them for symbolic shapes, faults included (att_facts §3.4–3.6).

Axes join only where both strides show it and never across an axis of stride 0, so a reduced innermost axis stays as a last dim of 1 and
turns a dense result into rows of one element (att_facts §3.2). Row padding is not charged here. Distances are in elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from att.expr.choice import maximum, minimum, where
from att.expr.compare import eq, le, lt
from att.expr.core import Expr, Int, add, integer, mod, mul
from att.expr.logic import conj
from att.ir.dtype import DType
from att.ops.call import Call, View
from att.ops.dma import TransferAxis, joined_axes
from att.ops.extents import ONE, ZERO, block_elems
from att.ops.price import Cycles, Price, choose, cycles
from att.ops.rows import constant, find_row, small_row, transfer
from att.ops.spec import Costs


def load_v1(call: Call, costs: Costs) -> Price:
    """V1 Load: by bytes of one instruction the large or the small table, short padded rows as 512 bytes each (att_facts §3.5)."""
    return _with_swap(call.output, lambda tile: _load_v1(tile, call, costs))


def store_v1(call: Call, costs: Costs) -> Price:
    """V1 Store: aligned rows with a stride term, other rows by their length in elements (att_facts §3.5)."""
    return _with_swap(call.output, lambda tile: _store_v1(tile, call, costs))


def load_v2(call: Call, costs: Costs) -> Price:
    """V2 Load: last dims of fewer than 256 elements from the small table, strided rows below 128 bytes raised to it (att_facts §3.6)."""
    axes = published_axes(call.output)
    inner, outer = _split(axes, costs.chip.dma.dims_per_call)
    gap = gm_stride(axes)
    last = _raised(inner[-1].dim, call.output.dtype, gap, costs)
    prices: list[Price] = []
    for api in ("LoadSmallBlk", "Load"):
        amount = _bandwidth(api, call, costs, mul(outer, _dims(inner[:-1]), last), outer)
        prices.append(Price.of(amount + _clamped_stride("LoadStride", call, costs, mul(outer, _dims(inner[:-1])), gap)))
    return choose(lt(last, int(constant(costs.chip, "load_normal_min_elems"))), prices[0], prices[1])


def store_v2(call: Call, costs: Costs) -> Price:
    """V2 Store: one table; the stride term counts the rows before axes were joined (att_facts §3.6)."""
    axes = published_axes(call.output)
    inner, outer = _split(axes, costs.chip.dma.dims_per_call)
    gap = gm_stride(axes)
    last = _raised(inner[-1].dim, call.output.dtype, gap, costs)
    amount = _bandwidth("Store", call, costs, mul(outer, _dims(inner[:-1]), last), outer)
    rows = mul(1, *call.output.dims[:-1])
    return Price.of(amount + _clamped_stride("StoreStride", call, costs, rows, gap))


def published_axes(view: View) -> tuple[TransferAxis, ...]:
    """Axes of a transfer, outermost first: joined where both strides are non-zero and continue each other; at least one."""
    triples = zip(view.dims, view.gm_strides, view.ub_strides, strict=True)
    axes = [TransferAxis(dim=d, gm_stride=g, ub_stride=u) for d, g, u in triples]
    return joined_axes(axes) or (TransferAxis(dim=ONE, gm_stride=ONE, ub_stride=ONE),)


def gm_stride(axes: Sequence[TransferAxis], row: int | None = None) -> Expr:
    """The distance that the stride terms see: `|stride - last dim|`, or the last stride where that is above 1. Elements."""
    return _stride(axes, [axis.gm_stride for axis in axes], row)


def _stride(axes: Sequence[TransferAxis], strides: list[Expr], row: int | None) -> Expr:
    at = len(axes) - 2 if row is None else row
    kept = [i for i in range(len(axes)) if i == len(axes) - 1 or not (strides[i] == ZERO and axes[i].dim == ONE)]
    last, dim = strides[-1], axes[-1].dim
    if len(kept) == 1:
        return where(eq(last, 0), 0, mul(add(last, -1), dim))
    if at not in kept:
        at = kept[-2]
    if row == len(axes) - 3 and len(kept) == 2:  # swapped: the reference looks one axis further out than there is
        return ZERO
    return where(lt(1, last), last, absolute(strides[at] - dim))


def absolute(value: Expr) -> Expr:
    """The magnitude."""
    if value.lo >= 0:
        return value
    return mul(-1, value) if value.hi <= 0 else maximum(value, mul(-1, value))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tile:
    """What one V1 instruction moves, in elements."""

    last: Expr
    rows: Expr
    outer: Expr
    """Instructions."""
    gm_stride: Expr
    ub_stride: Expr


def _tile(axes: Sequence[TransferAxis], row: int | None) -> _Tile:
    """One instruction over the last axis and the axis `row`, if any."""
    return _Tile(
        last=axes[-1].dim,
        rows=ONE if row is None else axes[row].dim,
        outer=_dims([axis for i, axis in enumerate(axes[:-1]) if i != row]),
        gm_stride=gm_stride(axes, row),
        ub_stride=_stride(axes, [axis.ub_stride for axis in axes], row),
    )


def _with_swap(view: View, price: Callable[[_Tile], Price]) -> Price:
    """Two dims per instruction; of the two outside the last, the longer is kept inside (decided at run time)."""
    axes = published_axes(view)
    if len(axes) < 3:
        return price(_tile(axes, 0 if len(axes) == 2 else None))
    middle, outer = len(axes) - 2, len(axes) - 3
    return choose(lt(axes[middle].dim, axes[outer].dim), price(_tile(axes, outer)), price(_tile(axes, middle)))


def _load_v1(tile: _Tile, call: Call, costs: Costs) -> Price:
    size = call.output.dtype.bytes
    calls, nbytes = tile.outer, mul(tile.outer, tile.rows, tile.last, size)
    stride = _modulo_stride("LoadStride", call, costs, mul(tile.outer, tile.rows), tile.gm_stride)
    large = Price.of(_bandwidth("Load", call, costs, mul(tile.outer, tile.rows, tile.last), calls) + stride)
    small = Price.of(_bandwidth("LoadSmallBlk", call, costs, mul(tile.outer, tile.rows, tile.last), calls) + stride)
    row_bytes = int(constant(costs.chip, "ub_stride_row_bytes"))
    row, _ = find_row(costs, "LoadUbStride", call.output.dtype, call.output.dtype)
    padded = Price.of(transfer(row, mul(tile.outer, tile.rows, row_bytes), calls, call.block_dim, costs.chip))
    short = lt(mul(tile.last, size), int(constant(costs.chip, "load_ub_stride_row_below_bytes")))
    per_call = nbytes if tile.outer == ONE else mul(tile.rows, tile.last, size)
    threshold = int(constant(costs.chip, "load_normal_min_bytes"))
    return choose(le(threshold, per_call), large, choose(conj(short, lt(0, tile.ub_stride)), padded, small))


def _store_v1(tile: _Tile, call: Call, costs: Costs) -> Price:
    block, size = block_elems(call.output.dtype), call.output.dtype.bytes
    elems = mul(tile.outer, tile.rows, tile.last)
    stride = _modulo_stride("StoreStride", call, costs, mul(tile.outer, tile.rows), tile.gm_stride)
    aligned = Price.of(_bandwidth("Store", call, costs, elems, tile.outer) + stride)
    large = Price.of(_bandwidth("StoreLargeBlk", call, costs, elems, tile.outer))
    middle = Price.of(_bandwidth("StoreMiddleBlk", call, costs, elems, tile.outer))
    row, _ = find_row(costs, "StoreSmallBlk", call.output.dtype, call.output.dtype)
    short = minimum(tile.last, block)  # it falls with the length, and would leave the range of a time where it does not count
    rows = small_row(row, mul(short, size), call.block_dim).times(mul(tile.outer, tile.rows))
    small = Price.of(rows + cycles(row.params["h"], tile.outer))
    above = int(constant(costs.chip, "store_large_above_elems"))
    unaligned = choose(le(above, tile.last), large, choose(le(block, tile.last), middle, small))
    return choose(eq(mod(tile.last, block), 0), aligned, unaligned)


def _bandwidth(api: str, call: Call, costs: Costs, elems: Expr, calls: Expr) -> Cycles:
    row, _ = find_row(costs, api, call.output.dtype, call.output.dtype)
    return transfer(row, mul(elems, call.output.dtype.bytes), calls, call.block_dim, costs.chip)


def _modulo_stride(api: str, call: Call, costs: Costs, rows: Expr, stride: Expr) -> Cycles:
    row, _ = find_row(costs, api, call.output.dtype, call.output.dtype)
    return cycles(row.params["k"], mul(rows, mod(stride, int(constant(costs.chip, "stride_modulus_elems")))))


def _clamped_stride(api: str, call: Call, costs: Costs, rows: Expr, stride: Expr) -> Cycles:
    """The clamp applies to constants only: the fault that makes long symbolic strides dear."""
    row, _ = find_row(costs, api, call.output.dtype, call.output.dtype)
    nbytes = mul(stride, call.output.dtype.bytes)
    if isinstance(nbytes, Int):
        nbytes = integer(min(nbytes.value, int(row.params["u"])))
    return cycles(row.params["k"], mul(rows, nbytes))


def _raised(last: Expr, dtype: DType, gap: Expr, costs: Costs) -> Expr:
    least = int(constant(costs.chip, "short_row_bytes")) // dtype.bytes
    return where(conj(lt(0, gap), lt(last, least)), least, last)


def _split(axes: Sequence[TransferAxis], inside: int) -> tuple[Sequence[TransferAxis], Expr]:
    """The innermost axes that fit one instruction, and the product of the others."""
    cut = max(0, len(axes) - inside)
    return axes[cut:], _dims(axes[:cut])


def _dims(axes: Sequence[TransferAxis]) -> Expr:
    return mul(1, *(axis.dim for axis in axes))
