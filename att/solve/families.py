"""Constraint families that a person may switch, by name.

Hardware and the meaning of the graph state the others: no tiling outside them is a kernel, so they have no switch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from att.errors import UsageError
from att.model import (
    alignment,
    axis_bounds,
    cache_line,
    chunk_count,
    core_count,
    divisibility,
    dma_limits,
    few_rows,
    min_tile,
    queue_count,
    ub_capacity,
)
from att.model.options import ModelOptions

OPTIONAL: Final = (alignment.FAMILY, cache_line.FAMILY, few_rows.FAMILY, min_tile.FAMILY)
"""Families with a switch."""
FIRM: Final = tuple(f.FAMILY for f in (ub_capacity, core_count, queue_count, dma_limits, axis_bounds, divisibility, chunk_count))
"""Families without one."""

_SWITCHES: Final = f"families with a switch are {', '.join(OPTIONAL)}"


def switched(options: ModelOptions, families: Mapping[str, bool | int]) -> ModelOptions:
    """The options with families switched on (True) or off (False); `min_tile` takes its number of elements. Raises UsageError."""
    for family, value in families.items():
        options = _switched(options, family, value)
    return options


def _switched(options: ModelOptions, family: str, value: bool | int) -> ModelOptions:
    _require_optional(family)
    if family == min_tile.FAMILY:
        return replace(options, min_tile_elems=_least_elems(value))
    if not isinstance(value, bool):
        raise UsageError(f"{family} is on or off, got {value}", where="families", hint="write True or False")
    if family == alignment.FAMILY:
        if value and options.align_bytes is None:
            raise UsageError("alignment is asked for and its bytes are none", where="families", hint="leave out --align none")
        return options if value else replace(options, align_bytes=None)
    return replace(options, cache_line=value) if family == cache_line.FAMILY else replace(options, few_rows=value)


def _require_optional(family: str) -> None:
    if family in FIRM:
        text = f"{family} states what the chip or the graph demands and cannot be switched; without it a tiling would be no kernel"
        raise UsageError(text, where="families", hint=_SWITCHES)
    if family not in OPTIONAL:
        raise UsageError(f"no constraint family {family!r}", where="families", hint=_SWITCHES)


def _least_elems(value: bool | int) -> int | None:
    if value is False:
        return None
    if value is True or value < 1:
        got = "no number" if value is True else str(value)
        raise UsageError(
            f"min_tile needs the least elements of a tile, at least 1; got {got}", where="families", hint="write --min-tile 64"
        )
    return value
