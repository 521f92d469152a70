"""What the reference recorded: rows of `reference_tilings.json` and `reference_real_graphs.json` as values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

DATA: Final = Path(__file__).resolve().parents[2] / "shared" / "data"
"""Public data beside the repository; never part of it."""

CHIP_OF: Final[Mapping[str, str]] = {"2201": "ascend910b1", "3510": "ascend950pr"}
"""The chip file for each recorded arch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedTemplate:
    """One template that the reference solved for one shape."""

    label: str
    """Its name there: schedule result, group of kernels, template."""
    variables: Mapping[str, int]
    block_dim: int
    ub_bytes: int
    pipes: Mapping[str, float]
    """Cycles by pipe, heads included, cores excluded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRow:
    """One graph at one shape."""

    graph: str
    arch: str
    shape: tuple[int, ...]
    accepted: bool
    cycles: float
    """Modelled time of what it chose; cores are not rounded up in it."""
    block_dim: int
    groups: tuple[Mapping[str, int], ...]
    """Values of the kernels it chose, `tiling_key` among them."""
    chosen: tuple[str, ...]
    """Labels of the templates it chose, where recorded."""
    templates: tuple[RecordedTemplate, ...]

    @property
    def sizes(self) -> dict[str, int]:
        """The shape by the names of the graph's size symbols."""
        return {f"s{i}": size for i, size in enumerate(self.shape)}

    @property
    def label(self) -> str:
        """Graph and shape, short."""
        return f"{self.graph} {list(self.shape)}"


def recorded_rows(name: str, folder: Path = DATA) -> tuple[RecordedRow, ...]:
    """All rows of one file, `reference_tilings` or `reference_real_graphs`."""
    rows = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))["rows"]
    return tuple(_row(row) for row in rows)


def _row(row: Mapping[str, Any]) -> RecordedRow:
    return RecordedRow(
        graph=row["graph"],
        arch=row["arch"],
        shape=tuple(row["shape"]),
        accepted=row["accepted"],
        cycles=row["modelled_cycles"],
        block_dim=row["block_dim"],
        groups=tuple(row["groups"]),
        chosen=tuple(row.get("templates_chosen") or ()),
        templates=tuple(_template(t) for t in row.get("templates_evaluated", ())),
    )


def _template(template: Mapping[str, Any]) -> RecordedTemplate:
    return RecordedTemplate(
        label=template["template"],
        variables=template["variables"],
        block_dim=template["block_dim"],
        ub_bytes=template["ub_used_bytes"],
        pipes=template["pipes_cycles"],
    )
