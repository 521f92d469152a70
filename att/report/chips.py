"""What is known of the chips."""

from __future__ import annotations

import json
from collections.abc import Iterable

from rich.console import Group, RenderableType

from att.report.console import bytes_text, heading, table
from hwmodels.model import Chip

COLUMNS = ("chip", "arch", "cores", "UB usable", "UB reserved", "clock", "L2", "cache line", "cost rows", "estimated")
NUMBERS = COLUMNS[2:]


def chips_tables(chips: Iterable[Chip]) -> RenderableType:
    """A row per chip, then where its facts come from."""
    listed = tuple(chips)
    overview = table("Chips", COLUMNS, (_row(chip) for chip in listed), numbers=NUMBERS)
    sources = (f"  {chip.name}: {source}" for chip in listed for source in chip.sources)
    return Group(overview, "", heading("Sources"), *sources)


def _row(chip: Chip) -> tuple[object, ...]:
    return (
        chip.name,
        chip.arch,
        chip.vector_cores,
        bytes_text(chip.ub_usable_bytes),
        bytes_text(chip.ub_reserved_bytes),
        f"{chip.clock_mhz} MHz",
        bytes_text(chip.l2_bytes),
        bytes_text(chip.cache_line_bytes),
        len(chip.rows),
        _estimated(chip),
    )


def _estimated(chip: Chip) -> int:
    return sum(row.estimated for row in chip.rows.values())


def chips_json(chips: Iterable[Chip]) -> str:
    """The same as one JSON document."""
    entries = [
        {
            "name": chip.name,
            "arch": chip.arch,
            "vector_cores": chip.vector_cores,
            "ub_bytes": chip.ub_bytes,
            "ub_reserved_bytes": chip.ub_reserved_bytes,
            "ub_usable_bytes": chip.ub_usable_bytes,
            "clock_mhz": chip.clock_mhz,
            "cache_line_bytes": chip.cache_line_bytes,
            "vector_bytes": chip.vector_bytes,
            "l2_bytes": chip.l2_bytes,
            "vecin_queues": chip.vecin_queues,
            "vecout_queues": chip.vecout_queues,
            "cost_table": chip.cost_table,
            "cost_rows": len(chip.rows),
            "estimated_cost_rows": _estimated(chip),
            "sources": list(chip.sources),
        }
        for chip in chips
    ]
    return json.dumps({"format": "chips", "version": 1, "chips": entries}, indent=2, ensure_ascii=False) + "\n"
