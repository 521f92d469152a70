"""Broadcasts of a tile, from its innermost axes outwards.

    [c, 1] -> [c, d]   Broadcast of a column: every element fills a padded row
    [1, d] -> [b, d]   the block is copied once, then doubled until all rows are there
    [1]    -> [n]      Duplicate of the one element
    [a, ...]           a loop over an axis that both sides have
    [1, ...] -> [a, ...]   the inner broadcast once, then doubled

Everything is moved in whole 32-byte blocks, so the element type matters only for the column form (ascendc_api_facts §8).
"""

from __future__ import annotations

from typing import Final

from att.expr.core import Expr, add, mul, symbol
from att.ir.dtype import DType
from codegen.calls.axes import ZERO, TileAxis, extent, tile_axes
from codegen.calls.cast import whole_blocks
from codegen.calls.transfer import counted, element
from codegen.operands import TMP, Operand, Site

_BY_WIDTH: Final = {4: "float", 2: "half"}
"""Types that move data of a width in the column form; one-byte data keeps its own."""


def broadcast(site: Site) -> None:
    """The whole tile."""
    (x,) = site.inputs
    if x.is_scalar:
        _duplicate(site, x.text, site.output.text, site.count())
        return
    axes = tile_axes(site, site.output.view, x.view)
    if not any(axis.shared for axis in axes):
        _spread_one(site, x)
    else:
        _inward(site, axes, ZERO, ZERO)


def _inward(site: Site, axes: tuple[TileAxis, ...], source: Expr, target: Expr) -> None:
    """Fills the block of `axes` that starts at `target` from the source's at `source`."""
    head, *rest = axes
    if all(axis.shared for axis in axes):
        _copy(site, axes, source, target)
    elif head.shared and not any(axis.shared for axis in rest):
        _column(site, axes, source, target)
    elif head.shared:
        index = symbol(site.scope.names.fresh(f"{head.name}_at"), 0, max(0, head.dim.hi - 1))
        with counted(site.scope, site.body, index, head.dim):
            _inward(site, axes[1:], add(source, mul(index, head.other)), add(target, mul(index, head.stride)))
    else:
        _inward(site, axes[1:], source, target)
        _repeat(site, head, target)


def _copy(site: Site, axes: tuple[TileAxis, ...], source: Expr, target: Expr) -> None:
    count = site.scope.text(whole_blocks(extent(axes), site.output.dtype))
    (x,) = site.inputs
    site.vector(f"DataCopy({element(site.scope, site.output.text, target)}, {element(site.scope, x.text, source)}, {count});")


def _repeat(site: Site, axis: TileAxis, target: Expr) -> None:
    """Copies the first block along an axis to all others."""
    site.body.uses("RepeatBlock")
    at = element(site.scope, site.output.text, target)
    site.again(f"RepeatBlock({at}, {site.scope.text(axis.stride)}, {site.scope.text(axis.dim)});")


def _column(site: Site, axes: tuple[TileAxis, ...], source: Expr, target: Expr) -> None:
    """`[c, 1 …] -> [c, d …]`; the rows are filled to the end of their padding."""
    (x,) = site.inputs
    scope = site.scope
    rows, length = axes[0].dim, axes[0].stride
    kind = _BY_WIDTH.get(x.dtype.bytes, x.cxx_type)
    if x.dtype.bytes == DType.INT64.bytes:
        _wide_column(site, rows, length, source, target)
        return
    relabel = "" if kind == x.cxx_type else f".ReinterpretCast<{kind}>()"
    base = site.output.text.removesuffix("Local")
    shape, column = scope.names.fresh(f"{base}To"), scope.names.fresh(f"{base}From")
    site.body.line(f"const uint32_t {shape}[2] = {{{_u32(scope.text(rows))}, {_u32(scope.text(length))}}};")
    site.body.line(f"const uint32_t {column}[2] = {{{_u32(scope.text(rows))}, 1}};")
    to, of = element(scope, site.output.text, target), element(scope, x.text, source)
    site.vector(f"Broadcast<{kind}, 2, 1>({to}{relabel}, {of}{relabel}, {shape}, {column}, {TMP});", scratch=True)


def _wide_column(site: Site, rows: Expr, length: Expr, source: Expr, target: Expr) -> None:
    """The same in 64-bit elements, for which the library has no Broadcast."""
    (x,) = site.inputs
    site.body.uses("BroadcastWide")
    to, of = element(site.scope, site.output.text, target), element(site.scope, x.text, source)
    site.vector(f"BroadcastWide(pipe, {to}, {of}, {TMP}, {site.scope.text(rows)}, {site.scope.text(length)});", scratch=True)


def _u32(text: str) -> str:
    return text if text.isdecimal() else f"static_cast<uint32_t>({text})"


def _spread_one(site: Site, x: Operand) -> None:
    """One element in UB fills the tile: the scalar unit reads it once the vector unit has written it, and before anything overwrites it."""
    value = site.scope.names.fresh(f"{x.text.removesuffix('Local')}Value")
    site.body.uses("Handshake")
    site.body.line("Handshake<HardEvent::V_S>(pipe);")
    site.body.line(f"const {x.cxx_type} {value} = {x.text}.GetValue(0);")
    site.body.line("Handshake<HardEvent::S_V>(pipe);")
    _duplicate(site, value, site.output.text, site.count())


def _duplicate(site: Site, value: str, target: str, count: str) -> None:
    dtype = site.output.dtype
    if dtype.bytes == 1:
        site.body.uses("DuplicateBytes")
        site.vector(f"DuplicateBytes({target}, {value}, {count});")
    elif dtype.bytes == 8:
        site.body.uses("DuplicateWide")
        site.vector(f"DuplicateWide(pipe, {target}, {value}, {count});")
    else:
        site.vector(f"Duplicate({target}, {value}, {count});")
