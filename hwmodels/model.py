"""What is known of a chip: capacities, core counts, limits and cost constants. Numbers only; formulas live in `att.ops`.

Every number that was a decimal in a file is an exact Fraction here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType

SHAPES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "linear": ("k", "b"),
        "bandwidth": ("a", "b", "h", "hl"),
        "row_bandwidth": ("a", "b", "h", "hl"),
        "small_rows": ("ak", "ab", "bk", "bb", "h"),
        "stride": ("k",),
        "clamped_stride": ("k", "u", "penalty"),
    }
)
"""Cost shapes by name with their parameters (att_facts §3.3).

With n elements, S bytes, R rows (all dims but the last) of L bytes and d used cores:

- `linear`: `k*n + b` cycles; k cycles/element, b cycles.
- `bandwidth`: `S/T + h + hl*(256 - (h + 512/T))` cycles with `T = a + b/d`; a, b bytes/cycle, h cycles, hl 0 or 1.
- `row_bandwidth`: as `bandwidth`, each row counted as 512 bytes.
- `small_rows`: `((ak*d + ab)*L + bk*d + bb)*R + h` cycles; ak, ab cycles/byte, bk, bb, h cycles.
- `stride`: `k*R*(gm_stride mod 256)` cycles, stride in elements.
- `clamped_stride`: `k*R*s + i*s*penalty` cycles with `s` the GM stride in bytes, at most u, and i the position of the strided dim.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CostRow:
    """Parameters of one cost shape for one API and one dtype key, in cycles and bytes as the shape defines."""

    api: str
    """AscendC-level API, e.g. `Add`, `WholeReduceSum`, `Load`; in estimates also an op of the graph, e.g. `TrueDiv`."""
    dtype: str
    """`float32`, or `float16->float32` for casts."""
    shape: str
    """Name of the cost shape that reads the parameters: a key of `SHAPES`."""
    params: Mapping[str, Fraction]
    source: str
    """Document and section, or `estimate: …`, or `borrowed: …`."""
    estimated: bool = False
    """True if the row is an estimate or borrowed from another chip."""
    published: bool = True
    """True if the row stands in the reference's table, be it for another chip; the `published` cost set reads no other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """Cost of one register-level vector instruction: only the largest latency of a group counts, throughputs add up."""

    name: str
    dtype: str
    """Element type, or `in->out`, where either side may be `default`."""
    latency_cycles: Fraction
    throughput_cycles: Fraction
    """Cycles per repeat of `Chip.vector_bytes`."""
    source: str
    estimated: bool = False
    published: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeStep:
    """One instruction of a recipe, issued `per_repeat * repeats + fixed + per_input * inputs` times."""

    instruction: str
    dtype: str
    """A dtype, `in` (that of the first input), or a pair such as `in->out` or `float32->out`."""
    per_repeat: Fraction
    fixed: Fraction
    per_input: Fraction
    only: tuple[str, ...]
    """Input dtypes for which the step exists; () for all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Instructions that one op is made of: `head + largest latency + sum of throughputs` (att_facts §3.8)."""

    op: str
    variant: str
    """Empty, or what tells recipes of one op apart: `64bit`, `float`, `int`, `reduce`, `binary` …, for Cast the dtype pair."""
    repeats_over: str
    """What makes up the repeats, rounded up to whole ones.

    `first_dim`: the first dim of input 0. `all_dims`: the product of its dims. `last_two`: the first of the last two dims, while earlier
    dims multiply the whole cost. `cast`: all dims, or row by row if either side is strided. `tree`: a sum in rounds of one vector each.
    """
    lanes: int
    """Elements of one repeat; 0: as many as the first input's dtype has in one vector (Cast: the wider dtype)."""
    lanes_factor: int
    """Vectors that one repeat handles (2 for 64-bit compares)."""
    steps: tuple[RecipeStep, ...]
    source: str
    estimated: bool = False
    published: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class DmaLimits:
    """Field limits of DataCopyPad."""

    block_count_max: int
    block_len_max_bytes: int
    stride_max_bytes: int
    """Largest gap between blocks in GM."""
    dims_per_call: int
    """Dimensions of one transfer instruction (further ones are loops of calls)."""
    ub_stride_max_blocks: int = 65535
    """Largest gap between blocks in UB, in blocks of 32 bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """A chip with the vector-core facts that tiling needs."""

    name: str
    arch: str
    """NPU architecture, e.g. `2201`, `3510`."""
    cost_table: str
    """Cost formulas and op tables it follows: `v1` or `v2`."""
    ub_bytes: int
    """Unified buffer per vector core that the platform reports, bytes."""
    ub_reserved_bytes: int
    """Bytes of UB that kernels may not use."""
    vector_cores: int
    clock_mhz: int
    cache_line_bytes: int
    vector_bytes: int
    """Bytes one vector instruction repeat handles."""
    l2_bytes: int
    vecin_queues: int
    """Most TQue at VECIN."""
    vecout_queues: int
    """Most TQue at VECOUT."""
    dma: DmaLimits
    rows: Mapping[tuple[str, str], CostRow]
    """Cost rows by (api, dtype key)."""
    constants: Mapping[str, Fraction]
    """Scalar cost constants in cycles or bytes, e.g. `launch_cycles_per_core`, `mte2_head_small_cycles`; the unit is in the name."""
    sources: tuple[str, ...]
    """Where the facts come from."""
    instructions: Mapping[tuple[str, str], Instruction] = field(default_factory=dict[tuple[str, str], Instruction])
    """Register-level instructions by (name, dtype key); `v2` only."""
    recipes: Mapping[tuple[str, str], Recipe] = field(default_factory=dict[tuple[str, str], Recipe])
    """Instructions of an op by (op, variant); `v2` only."""
    placeholder_ops: frozenset[str] = frozenset()
    """Ops that the published model prices at one cycle for want of a formula."""
    heavy_ops: frozenset[str] = frozenset()
    """Ops that make the published heuristic trade UB use against core count for the whole graph."""

    @property
    def is_made_up(self) -> bool:
        """Whether there is no such chip: it serves tests and examples, and its file says so in place of a source."""
        return self.sources == ("made up",)

    @property
    def ub_usable_bytes(self) -> int:
        """UB capacity a kernel may use, bytes."""
        return self.ub_bytes - self.ub_reserved_bytes
