"""Rows that lie padded are laid side by side by GatherMask: short ones by a mask of lanes, others row by row (`att.ops.packing`)."""

from __future__ import annotations

from typing import Final

from att.expr.compare import le
from att.expr.core import mul
from att.expr.logic import FALSE, TRUE
from att.ops.packing import SHORT_BLOCKS, PaddedRows, group_rows, padded_rows
from codegen.operands import TMP, Site

KEEP_ALL: Final = 7
"""The fixed pattern of GatherMask that drops no lane."""


def remove_pad(site: Site) -> None:
    """All rows of the tile."""
    found = padded_rows(site.call)
    short = le(found.pitch_blocks, SHORT_BLOCKS)
    if short is TRUE:
        _together(site, found)
    elif short is FALSE:
        _one_by_one(site, found)
    else:
        site.body.branch(site.scope.printer.text(short), lambda: _together(site, found), lambda: _one_by_one(site, found))


def _together(site: Site, found: PaddedRows) -> None:
    """Several rows an iteration."""
    (x,) = site.inputs
    site.body.uses("PackShortRows")
    bits = f"{TMP}.ReinterpretCast<{'uint32_t' if x.dtype.bytes == 4 else 'uint16_t'}>()"
    pitch = mul(found.pitch_blocks, group_rows(x.dtype))
    numbers = ", ".join(site.scope.text(n) for n in (found.rows, found.row_elems, pitch))
    site.vector(f"PackShortRows({site.output.text}, {x.text}, {bits}, {numbers});", scratch=True)


def _one_by_one(site: Site, found: PaddedRows) -> None:
    """A row an iteration; how many elements the instruction kept is known, so nobody reads `kept`."""
    (x,) = site.inputs
    kept = site.scope.names.fresh(f"{site.output.text.removesuffix('Local')}Kept")
    length, rows, pitch = (site.scope.text(n) for n in (found.row_elems, found.rows, found.pitch_blocks))
    site.body.line(f"uint64_t {kept} = 0;")
    pattern = f"static_cast<uint8_t>({KEEP_ALL})"
    site.vector(f"GatherMask({site.output.text}, {x.text}, {pattern}, true, {length}, GatherMaskParams(1, {rows}, {pitch}, 0), {kept});")
