"""Chips for the rest of the core: `hwmodels` with our errors and the overrides of the command line."""

from __future__ import annotations

from dataclasses import replace

from att.errors import ChipError
from hwmodels.build import LIMITS
from hwmodels.errors import ChipFileError
from hwmodels.load import load, names
from hwmodels.model import Chip


def chip_names() -> tuple[str, ...]:
    """Names of the shipped chips, sorted."""
    return names()


def load_chip(name_or_path: str, *, ub_bytes: int | None = None, cores: int | None = None) -> Chip:
    """The chip of a shipped name or a TOML file, with `ub_bytes` (reserved bytes included) and `cores` in place of its own if given.

    Raises ChipError if there is no such chip, its file is wrong, or an override is out of range.
    """
    try:
        chip = load(name_or_path)
    except ChipFileError as error:
        raise ChipError(error.message, where=error.where, hint=error.hint) from error
    if ub_bytes is not None:
        _check("ub_bytes", ub_bytes, above=chip.ub_reserved_bytes)
        chip = replace(chip, ub_bytes=ub_bytes)
    if cores is not None:
        _check("vector_cores", cores)
        chip = replace(chip, vector_cores=cores)
    return chip


def _check(field: str, value: int, above: int = 0) -> None:
    low, high, unit = next((low, high, unit) for name, low, high, unit in LIMITS if name == field)
    low = max(low, above + 1)
    if not low <= value <= high:
        where = "UB override" if field == "ub_bytes" else "core override"
        hint = f"the chip keeps {above} B of its UB back" if above else ""
        raise ChipError(f"got {value} {unit}, allowed {low} to {high}", where=where, hint=hint)
