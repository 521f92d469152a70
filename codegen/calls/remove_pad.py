"""Rows that lie padded are laid side by side: GatherMask that keeps all lanes of a row, an iteration a row (ascendc_api_facts §10)."""

from __future__ import annotations

from typing import Final

from att.ops.packing import padded_rows
from codegen.operands import Site

KEEP_ALL: Final = 7
"""The fixed pattern of GatherMask that drops no lane."""


def remove_pad(site: Site) -> None:
    """All rows of the tile in one call; how many elements it kept is known, so nobody reads `kept`."""
    (x,) = site.inputs
    found, scope = padded_rows(site.call), site.scope
    kept = scope.names.fresh(f"{site.output.text.removesuffix('Local')}Kept")
    length, rows, pitch = (scope.text(n) for n in (found.row_elems, found.rows, found.pitch_blocks))
    site.body.line(f"uint64_t {kept} = 0;")
    pattern = f"static_cast<uint8_t>({KEEP_ALL})"
    site.vector(f"GatherMask({site.output.text}, {x.text}, {pattern}, true, {length}, GatherMaskParams(1, {rows}, {pitch}, 0), {kept});")
