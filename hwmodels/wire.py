"""The TOML form of chip and table files.

A chip file holds what tells one chip from another and names the cost table it follows; a table file holds the costs that chips share.
Both may hold `[[cost]]` and `[[constant]]` groups; what a chip file says overrides its table, and a table overrides the one it `extends`.
One entry may name several APIs and dtypes: it then stands for every pair.
"""

from __future__ import annotations

from decimal import Decimal
from typing import ClassVar

from msgspec import Struct

Number = Decimal | int
"""Decimals stay exact: files are read with `parse_float=Decimal`."""

Names = str | tuple[str, ...]
"""One name or several."""


class Strict(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Refuses fields it does not know."""


class CostEntry(Strict, frozen=True, kw_only=True):
    """One row or several with the same parameters."""

    api: Names
    dtype: Names
    source: str | None = None
    """Overrides the group's source."""


class LinearEntry(CostEntry, frozen=True, kw_only=True):
    """Parameters of the shape `linear`."""

    k: Number
    b: Number


class BandwidthEntry(CostEntry, frozen=True, kw_only=True):
    """Parameters of the shapes `bandwidth` and `row_bandwidth`."""

    a: Number
    b: Number
    h: Number
    hl: Number


class SmallRowsEntry(CostEntry, frozen=True, kw_only=True):
    """Parameters of the shape `small_rows`."""

    ak: Number
    ab: Number
    bk: Number
    bb: Number
    h: Number


class StrideEntry(CostEntry, frozen=True, kw_only=True):
    """Parameters of the shape `stride`."""

    k: Number


class ClampedStrideEntry(CostEntry, frozen=True, kw_only=True):
    """Parameters of the shape `clamped_stride`."""

    k: Number
    u: Number
    penalty: Number


class Group(Strict, frozen=True, kw_only=True):
    """Entries of one origin."""

    source: str
    estimated: bool = False


class LinearGroup(Group, frozen=True, kw_only=True, tag_field="shape", tag="linear"):
    """`[[cost]]` with `shape = "linear"`."""

    shape: ClassVar[str] = "linear"
    entries: tuple[LinearEntry, ...]


class BandwidthGroup(Group, frozen=True, kw_only=True, tag_field="shape", tag="bandwidth"):
    """`[[cost]]` with `shape = "bandwidth"`."""

    shape: ClassVar[str] = "bandwidth"
    entries: tuple[BandwidthEntry, ...]


class RowBandwidthGroup(Group, frozen=True, kw_only=True, tag_field="shape", tag="row_bandwidth"):
    """`[[cost]]` with `shape = "row_bandwidth"`."""

    shape: ClassVar[str] = "row_bandwidth"
    entries: tuple[BandwidthEntry, ...]


class SmallRowsGroup(Group, frozen=True, kw_only=True, tag_field="shape", tag="small_rows"):
    """`[[cost]]` with `shape = "small_rows"`."""

    shape: ClassVar[str] = "small_rows"
    entries: tuple[SmallRowsEntry, ...]


class StrideGroup(Group, frozen=True, kw_only=True, tag_field="shape", tag="stride"):
    """`[[cost]]` with `shape = "stride"`."""

    shape: ClassVar[str] = "stride"
    entries: tuple[StrideEntry, ...]


class ClampedStrideGroup(Group, frozen=True, kw_only=True, tag_field="shape", tag="clamped_stride"):
    """`[[cost]]` with `shape = "clamped_stride"`."""

    shape: ClassVar[str] = "clamped_stride"
    entries: tuple[ClampedStrideEntry, ...]


CostGroup = LinearGroup | BandwidthGroup | RowBandwidthGroup | SmallRowsGroup | StrideGroup | ClampedStrideGroup


class ConstantGroup(Strict, frozen=True, kw_only=True):
    """`[[constant]]`: scalar constants of one origin, units in their names."""

    source: str
    values: dict[str, Number]


class InstructionEntry(Strict, frozen=True, kw_only=True):
    """One register-level instruction for some dtypes."""

    name: str
    dtype: Names
    latency: Number
    throughput: Number
    source: str | None = None


class InstructionGroup(Group, frozen=True, kw_only=True):
    """`[[instruction]]`."""

    entries: tuple[InstructionEntry, ...]


class StepEntry(Strict, frozen=True, kw_only=True):
    """One instruction of a recipe."""

    instr: str
    dtype: str = "in"
    per_repeat: Number = 1
    fixed: Number = 0
    per_input: Number = 0
    only: tuple[str, ...] = ()


class RecipeEntry(Strict, frozen=True, kw_only=True):
    """Instructions of one op or of several alike."""

    op: Names
    variant: Names = ""
    repeats_over: str = "first_dim"
    lanes: int = 0
    lanes_factor: int = 1
    steps: tuple[StepEntry, ...]
    source: str | None = None


class RecipeGroup(Group, frozen=True, kw_only=True):
    """`[[recipe]]`."""

    entries: tuple[RecipeEntry, ...]


class TableFile(Strict, frozen=True, kw_only=True):
    """A file of costs."""

    family: str | None = None
    """`v1` or `v2`: which formulas read the constants; None in a table that only others extend."""
    extends: str | None = None
    """The table whose rows and constants stand where this one has none of its own."""
    placeholder_ops: tuple[str, ...] = ()
    heavy_ops: tuple[str, ...] = ()
    cost: tuple[CostGroup, ...] = ()
    constant: tuple[ConstantGroup, ...] = ()
    instruction: tuple[InstructionGroup, ...] = ()
    recipe: tuple[RecipeGroup, ...] = ()


class DmaEntry(Strict, frozen=True, kw_only=True):
    """`[dma]`: field limits of DataCopyPad."""

    block_count_max: int
    block_len_max_bytes: int
    stride_max_bytes: int
    ub_stride_max_blocks: int
    dims_per_call: int


class ChipFile(Strict, frozen=True, kw_only=True):
    """A file of one chip. The numbers are those of `hwmodels.model.Chip`."""

    name: str
    arch: str
    table: str
    borrowed: str | None = None
    """Why the table of another chip is used; its rows then count as estimates."""
    sources: tuple[str, ...]
    ub_bytes: int
    ub_reserved_bytes: int
    vector_cores: int
    clock_mhz: int
    cache_line_bytes: int
    vector_bytes: int
    l2_bytes: int
    vecin_queues: int
    vecout_queues: int
    dma: DmaEntry
    cost: tuple[CostGroup, ...] = ()
    constant: tuple[ConstantGroup, ...] = ()
