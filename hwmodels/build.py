"""From wire form to a Chip: a table on top of the one it extends, a chip on top of its table, numbers checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from operator import attrgetter
from types import MappingProxyType
from typing import TypeVar

from hwmodels import rows
from hwmodels.errors import ChipFileError, suggestion
from hwmodels.model import Chip, CostRow, DmaLimits, Instruction, Recipe
from hwmodels.rows import Key
from hwmodels.wire import ChipFile, TableFile

K = TypeVar("K")
V = TypeVar("V")
R = TypeVar("R", CostRow, Instruction, Recipe)

FAMILIES = ("v1", "v2")

LIMITS: tuple[tuple[str, int, int, str], ...] = (
    ("ub_bytes", 1, 2**31 - 1, "B"),
    ("ub_reserved_bytes", 0, 2**31 - 1, "B"),
    ("vector_cores", 1, 2**12, "cores"),
    ("clock_mhz", 1, 10**5, "MHz"),
    ("cache_line_bytes", 1, 2**20, "B"),
    ("vector_bytes", 32, 2**20, "B"),
    ("l2_bytes", 0, 2**40, "B"),
    ("vecin_queues", 1, 64, "queues"),
    ("vecout_queues", 1, 64, "queues"),
    ("dma.block_count_max", 1, 2**31 - 1, "blocks"),
    ("dma.block_len_max_bytes", 1, 2**62, "B"),
    ("dma.stride_max_bytes", 0, 2**62, "B"),
    ("dma.ub_stride_max_blocks", 0, 2**62, "blocks of 32 B"),
    ("dma.dims_per_call", 1, 8, "dims"),
)
"""Field of a chip, smallest and largest value, unit. The largest ones keep integer models within 63 bits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The costs of one table file and of those it extends."""

    name: str
    family: str | None = None
    placeholder_ops: frozenset[str] = frozenset()
    heavy_ops: frozenset[str] = frozenset()
    rows: Mapping[Key, CostRow] = field(default_factory=dict[Key, CostRow])
    constants: Mapping[str, Fraction] = field(default_factory=dict[str, Fraction])
    instructions: Mapping[Key, Instruction] = field(default_factory=dict[Key, Instruction])
    recipes: Mapping[Key, Recipe] = field(default_factory=dict[Key, Recipe])


def build_table(name: str, file: TableFile, base: Table | None, shown: str) -> Table:
    """The table of a file on top of the one it extends. Raises ChipFileError for an unknown family, a doubled row or a bad number."""
    base = base or Table(name=name)
    family = file.family or base.family
    if family not in (None, *FAMILIES):
        raise ChipFileError(f"got {family!r}, allowed: {', '.join(FAMILIES)}", file=shown, path="family")
    return Table(
        name=name,
        family=family,
        placeholder_ops=base.placeholder_ops | frozenset(file.placeholder_ops),
        heavy_ops=base.heavy_ops | frozenset(file.heavy_ops),
        rows=_over(base.rows, rows.cost_rows(file.cost, shown)),
        constants=_over(base.constants, rows.constants(file.constant, shown)),
        instructions=_over(base.instructions, rows.instructions(file.instruction, shown)),
        recipes=_over(base.recipes, rows.recipes(file.recipe, shown)),
    )


def build_chip(file: ChipFile, table: Table, shown: str) -> Chip:
    """The chip of a file that follows a table. Raises ChipFileError for a number out of range, a doubled row or an unknown constant."""
    _check_limits(file, shown)
    if table.family is None:
        raise ChipFileError(f"table {table.name} is only a part of others", file=shown, path="table", hint="name one that has a family")
    return Chip(
        name=file.name,
        arch=file.arch,
        cost_table=table.family,
        ub_bytes=file.ub_bytes,
        ub_reserved_bytes=file.ub_reserved_bytes,
        vector_cores=file.vector_cores,
        clock_mhz=file.clock_mhz,
        cache_line_bytes=file.cache_line_bytes,
        vector_bytes=file.vector_bytes,
        l2_bytes=file.l2_bytes,
        vecin_queues=file.vecin_queues,
        vecout_queues=file.vecout_queues,
        dma=DmaLimits(
            block_count_max=file.dma.block_count_max,
            block_len_max_bytes=file.dma.block_len_max_bytes,
            stride_max_bytes=file.dma.stride_max_bytes,
            dims_per_call=file.dma.dims_per_call,
            ub_stride_max_blocks=file.dma.ub_stride_max_blocks,
        ),
        rows=_over(_lent(table.rows, file.borrowed), rows.cost_rows(file.cost, shown)),
        constants=_over(table.constants, _own_constants(file, table, shown)),
        sources=file.sources,
        instructions=_lent(table.instructions, file.borrowed),
        recipes=_lent(table.recipes, file.borrowed),
        placeholder_ops=table.placeholder_ops,
        heavy_ops=table.heavy_ops,
    )


def _check_limits(chip: ChipFile, shown: str) -> None:
    """Raises ChipFileError if a number of a chip is out of range."""
    if not chip.name.strip():
        raise ChipFileError("got an empty name", file=shown, path="name")
    for path, low, high, unit in LIMITS:
        value = attrgetter(path)(chip)
        if not low <= value <= high:
            raise ChipFileError(f"got {value} {unit}, allowed {low} to {high}", file=shown, path=path)
    if chip.ub_reserved_bytes >= chip.ub_bytes:
        message = f"got {chip.ub_reserved_bytes} B, allowed less than the {chip.ub_bytes} B of UB"
        raise ChipFileError(message, file=shown, path="ub_reserved_bytes")


def _own_constants(file: ChipFile, table: Table, shown: str) -> dict[str, Fraction]:
    own = rows.constants(file.constant, shown)
    for name in own:
        if name not in table.constants:
            message = f"table {table.name} has no constant `{name}` to override"
            raise ChipFileError(message, file=shown, path="constant", hint=suggestion(name, table.constants))
    return own


def _lent(entries: Mapping[Key, R], why: str | None) -> Mapping[Key, R]:
    if why is None:
        return entries
    lent = {key: replace(entry, estimated=True, source=f"borrowed: {why}; {entry.source}") for key, entry in entries.items()}
    return MappingProxyType(lent)


def _over(base: Mapping[K, V], own: Mapping[K, V]) -> Mapping[K, V]:
    return MappingProxyType({**base, **own})
