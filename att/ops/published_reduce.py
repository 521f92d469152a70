"""V2 reduces as the reference prices them (att_facts §3.9; chips.v2.reduce of the performance data).

Dims are merged to two: A x R (`AR`, the last axis is reduced) or R x A (`RA`). With VL lanes a vector, m the largest power of two up to R,
and t = R - m, rows beyond m are first joined in place, then groups of 16 (8 for 64-bit) are folded until one is left:

    RA, and AR with R > VL     64 + k * body + folds * g(16, 15, 1) + g(rest)        k = t or ceil(t / VL)
    AR with R <= VL            g(1, 1, 1) with the reduce instruction

g(l, b, s) is l loads, b joins and s stores of every vector, each kind with a head of its own. A known A of at most VL/2 is halved pairwise
over concatenated rows instead. Where something else reads the input, a power of two is halved first, so as not to fold in place.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from att.expr.choice import lookup, maximum, minimum, where
from att.expr.compare import eq, le
from att.expr.core import Expr, Int, add, ceil_div, integer, mod, mul
from att.expr.logic import disj
from att.ir.dtype import DType
from att.ops import instructions
from att.ops.call import SOLE_USE, TWO_DIMS, Call, View
from att.ops.extents import BLOCK_BYTES, ONE, ZERO, data_view
from att.ops.instructions import instruction
from att.ops.price import Cycles, Price, choose, cycles, total
from att.ops.rows import constant
from att.ops.spec import Costs, PriceRule
from hwmodels.model import Instruction

POWERS: Final = 16
"""Powers of two that the reference tells apart for an unknown R: 2^0 .. 2^15."""
WIDE_LANES: Final = 64
"""Lanes of a vector of 64-bit elements, which are handled as two words."""
BYTE_SEGMENT: Final = 32768
"""Rows of one-byte data that one pass over a last axis takes."""
PAIRWISE_ABOVE: Final = 65535
"""A known A beyond this is halved pairwise, too."""
SUPPORTED: Final = {
    "Sum": frozenset({DType.UINT32, DType.INT32, DType.FLOAT32, DType.INT64, DType.UINT64}),
    "Mean": frozenset({DType.FLOAT32}),
    "Prod": frozenset({DType.FLOAT32}),
    "Any": frozenset({DType.FLOAT32, DType.UINT8}),
    "All": frozenset({DType.FLOAT32, DType.UINT8}),
}
"""Dtypes with a formula; others cost nothing (att_facts §5.1 no. 26). Max and Min take all."""
ALWAYS_ALIGNED: Final = frozenset({"Any", "All"})


@dataclass(frozen=True, slots=True)
class Work:
    """Cycles of `head + slope * vectors`."""

    head: Fraction
    slope: Fraction

    def __add__(self, other: Work) -> Work:
        return Work(self.head + other.head, self.slope + other.slope)

    def over(self, vectors: Expr) -> Cycles:
        """For so many vectors."""
        return cycles(self.head) + cycles(self.slope, vectors)


@dataclass(frozen=True, slots=True)
class Fold:
    """The instructions of one reduce on one dtype."""

    op: str
    dtype: DType
    costs: Costs
    sole_use: bool = True
    """Whether nothing else reads the input."""

    @property
    def lanes(self) -> int:
        """VL."""
        return WIDE_LANES if self.dtype.bytes == 8 else self.costs.chip.vector_bytes // self.dtype.bytes

    @property
    def width(self) -> int:
        """log2 of the rows folded at a time."""
        return 3 if self.dtype.bytes == 8 else 4

    @property
    def joined(self) -> Work:
        """One join of two vectors without a head: its latency, and its throughput per vector."""
        found = self._listed("binary64" if (self.op, "binary64") in self.costs.chip.recipes and self.dtype.bytes == 8 else "binary")
        latency = max((i.latency_cycles for i, _ in found), default=Fraction(0))
        return Work(latency, sum((i.throughput_cycles * count for i, count in found), Fraction(0)))

    def pass_over(self, loads: int, joins: int, stores: int) -> Work:
        """g(loads, joins, stores); each join of 64-bit words carries its own head."""
        join = Work(self._head + self.joined.head, self.joined.slope * joins)
        if self.dtype.bytes == 8:
            join = Work(joins * (self._head + self.joined.head), self.joined.slope * joins)
        parts = [self.single("Load", loads), join if joins else Work(Fraction(0), Fraction(0)), self.single("Store", stores)]
        return parts[0] + parts[1] + parts[2]

    def body(self, loads: int, stores: int) -> Work:
        """A join in place, without heads."""
        moved = sum((self._throughput(name) * n for name, n in (("Load", loads), ("Store", stores))), Fraction(0))
        return Work(self.joined.head, self.joined.slope + moved)

    def across(self, loads: int, stores: int) -> Work:
        """g(loads, 1, stores) with the instruction that reduces the lanes of a vector; without one in the table only its head counts."""
        found = self._listed("reduce")
        latency = max((i.latency_cycles for i, _ in found), default=Fraction(0))
        slope = sum((i.throughput_cycles * count for i, count in found), Fraction(0))
        return self.single("Load", loads) + Work(self._head + latency, slope) + self.single("Store", stores)

    def single(self, name: str, count: int) -> Work:
        """So many of one instruction a vector, with a head."""
        found = instruction(self.costs, name, self.dtype.value)
        latency = found.latency_cycles if found else Fraction(0)
        return Work(self._head + latency, self._throughput(name) * count)

    @property
    def _head(self) -> Fraction:
        return constant(self.costs.chip, "vector_function_head_cycles")

    def _listed(self, variant: str) -> list[tuple[Instruction, Fraction]]:
        steps = self.costs.chip.recipes[self.op, variant].steps
        found = ((instruction(self.costs, s.instruction, self.dtype.value if s.dtype == "in" else s.dtype), s.per_repeat) for s in steps)
        return [(i, count) for i, count in found if i is not None]

    def _throughput(self, name: str) -> Fraction:
        found = instruction(self.costs, name, self.dtype.value)
        return found.throughput_cycles if found else Fraction(0)


def reduce(op: str) -> PriceRule:
    """Price of a reduce by its pattern; a pattern of more than two dims takes the reference's recipe for reduces without a pattern.

    Measured: the recorded Max of [32, 512, 15] over the middle axis costs less than the fold of its tile [512, 15] would.
    """

    def rule(call: Call, costs: Costs) -> Price:
        dims = merged_dims(data_view(call), call.output) if call.attrs.get(TWO_DIMS, True) else None
        dtype = data_view(call).dtype
        if dtype not in SUPPORTED.get(op, frozenset(DType)):
            return Price.of(Cycles())
        if dims is None:
            return instructions.recipe(op, variant="elementwise")(call, costs)
        fold = Fold(op, dtype, costs, bool(call.attrs.get(SOLE_USE, True)))
        last_reduced, kept, reduced = dims
        price = over_last(fold, kept, reduced) if last_reduced else over_first(fold, kept, reduced)
        return _scaled(fold, kept, price) if op == "Mean" else price

    return rule


def merged_dims(source: View, output: View) -> tuple[bool, Expr, Expr] | None:
    """Whether the last axis is reduced, A and R; None for more than two dims."""
    runs: list[tuple[bool, Expr]] = []
    for dim, stride, kept in zip(source.dims, source.ub_strides, output.ub_strides, strict=True):
        if stride == ZERO:
            continue
        reduced = kept == ZERO
        if runs and runs[-1][0] == reduced:
            runs[-1] = (reduced, mul(runs[-1][1], dim))
        else:
            runs.append((reduced, dim))
    match [reduced for reduced, _ in runs]:
        case [True]:
            return True, ONE, runs[0][1]
        case [False, True]:
            return True, runs[0][1], runs[1][1]
        case [True, False]:
            return False, runs[1][1], runs[0][1]
        case _:
            return None


def over_last(fold: Fold, kept: Expr, reduced: Expr) -> Price:
    """AR."""
    rows, segments = kept, ONE
    if fold.dtype.bytes == 1:
        rows, segments = minimum(kept, BYTE_SEGMENT), ceil_div(kept, BYTE_SEGMENT)
    aligned = disj(eq(mod(mul(reduced, fold.dtype.bytes), BLOCK_BYTES), 0), eq(reduced, 1))

    def form(loads: int, stores: int) -> Price:
        small = Price.of(fold.across(loads, stores).over(rows).times(segments))
        if reduced.hi <= fold.lanes:
            return small
        large = joined_lanes(fold, rows, reduced, unaligned=loads > 1)
        return choose(le(reduced, fold.lanes), small, Price.of(large.times(segments)))

    return form(1, 1) if fold.op in ALWAYS_ALIGNED else choose(aligned, form(1, 1), form(2, 2))


def joined_lanes(fold: Fold, rows: Expr, reduced: Expr, *, unaligned: bool) -> Cycles:
    """AR of more than VL elements: vectors of all rows are joined until each row has one."""
    return _folded(fold, rows, reduced, per_row=fold.lanes, in_place=(4, 2) if unaligned else (2, 1), unaligned=False)


def over_first(fold: Fold, kept: Expr, reduced: Expr) -> Price:
    """RA."""
    if isinstance(kept, Int) and isinstance(reduced, Int) and (2 * kept.value <= fold.lanes or kept.value > PAIRWISE_ABOVE):
        aligned = Price.of(pairwise(fold, kept.value, reduced.value))
    else:
        aligned = Price.of(joined_rows(fold, kept, reduced, unaligned=False))
    if fold.op in ALWAYS_ALIGNED:
        return aligned
    whole = eq(mod(mul(kept, fold.dtype.bytes), BLOCK_BYTES), 0)
    return choose(whole, aligned, Price.of(joined_rows(fold, kept, reduced, unaligned=True)))


def joined_rows(fold: Fold, kept: Expr, reduced: Expr, *, unaligned: bool) -> Cycles:
    """RA, vector by vector."""
    vectors = ceil_div(kept, fold.lanes)
    return _folded(fold, vectors, reduced, per_row=1, in_place=(4, 2) if unaligned else (2, 1), unaligned=unaligned)


def pairwise(fold: Fold, kept: int, reduced: int) -> Cycles:
    """RA of a known, short A: halves of concatenated rows are joined."""
    if reduced <= 2:
        return fold.pass_over(reduced, reduced - 1, 1).over(integer(1))
    power = reduced.bit_length() - 1
    rest = reduced - 2**power
    joins = [rest, *(2 ** (power - i) for i in range(1, power)), 1]
    return total([fold.pass_over(2, 1, 1).over(ceil_div(integer(rows * kept), fold.lanes)) for rows in joins if rows])


def _folded(fold: Fold, vectors: Expr, reduced: Expr, *, per_row: int, in_place: tuple[int, int], unaligned: bool) -> Cycles:
    """Rows beyond a power of two in place, then groups, then the rest; `per_row` lanes of R share a vector."""
    power = _power_below(reduced)
    if not fold.sole_use and in_place == (2, 1):
        power = maximum(power - where(eq(reduced, lookup((2**p for p in range(POWERS)), power)), 1, 0), 0)
    beyond = ceil_div(maximum(reduced - lookup((2**p for p in range(POWERS)), power), 0), per_row)
    levels = [max(0, p - per_row.bit_length() + 1) for p in range(POWERS)]
    doubled = 2 if unaligned and fold.dtype.bytes != 8 else 1
    group = fold.pass_over(doubled << fold.width, (1 << fold.width) - 1, doubled)
    rests = [fold.pass_over(doubled << (level % fold.width), (1 << (level % fold.width)) - 1, doubled) for level in levels]
    groups = lookup((_groups(level, fold.width) for level in levels), power)
    first = cycles(constant(fold.costs.chip, "reduce_group_head_cycles"), minimum(beyond, 1))
    return total([
        first,
        fold.body(*in_place).over(vectors).times(beyond),
        group.over(vectors).times(groups),
        cycles(1, lookup((_whole(rest.head) for rest in rests), power)),
        cycles(1, mul(lookup((_whole(rest.slope) for rest in rests), power), vectors)),
    ])  # fmt: skip


def _whole(value: Fraction) -> int:
    """Instruction times are whole cycles."""
    assert value.denominator == 1
    return value.numerator


def _groups(level: int, width: int) -> int:
    return sum(2 ** (level - width * i) for i in range(1, level // width + 1))


def _power_below(reduced: Expr) -> Expr:
    """Exponent of the largest power of two up to R, at most 15."""
    return add(*(where(le(2**p, reduced), 1, 0) for p in range(1, POWERS)))


def _scaled(fold: Fold, kept: Expr, price: Price) -> Price:
    """Mean multiplies its sums by 1/R."""
    return Price(add(price.ticks, fold.single("Muls", 1).over(ceil_div(kept, fold.lanes)).ticks), price.estimated)
