"""Looks cost rows up in a chip's table and turns them into cycles.

The `published` set reads a pair of dtypes the table lacks as the reference does (att_facts §3.3): 1- and 2-byte integers as float16, wider
integers as float32, anything else as float16. `mended` goes by width: up to 2 bytes as float16, 4 bytes as float32, 8 bytes as twice as
many float32 elements.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from math import lcm
from typing import Final

from att.errors import ChipError
from att.expr.choice import lookup, minimum
from att.expr.core import Expr, add, mul
from att.ir.dtype import DType
from att.ops.call import CostSet
from att.ops.price import RATE_UNIT, Cycles, cycles
from att.ops.spec import Costs
from hwmodels.model import Chip, CostRow

_NARROW: Final = frozenset({DType.INT8, DType.UINT8, DType.INT16, DType.UINT16})
_WIDE: Final = frozenset({DType.INT32, DType.UINT32, DType.INT64, DType.UINT64, DType.FLOAT32})


def vector(costs: Costs, api: str, dtype: DType, n: Expr | int, *, target: DType | None = None, calls: Expr | int = 1) -> Cycles:
    """`k*n + b*calls` cycles of an API with a linear row. Raises ChipError if the chip has none."""
    row, words = find_row(costs, api, dtype, target or dtype)
    k, b = row.params["k"], row.params["b"]
    return cycles(k * words, n, estimated=row.estimated) + cycles(b, calls)


def dearest_of(costs: Costs, apis: Iterable[str], dtype: DType, n: Expr) -> Cycles:
    """`k*n + b` cycles with the largest k and the largest b among some APIs: never below any of them."""
    rows = [find_row(costs, api, dtype, dtype)[0] for api in apis]
    k, b = max(r.params["k"] for r in rows), max(r.params["b"] for r in rows)
    return cycles(k, n, estimated=any(r.estimated for r in rows)) + cycles(b)


def has_row(costs: Costs, api: str) -> bool:
    """Whether the chip prices an API on float16 or float32."""
    return any(_usable(costs, api, key) for key in ("float32", "float16"))


def find_row(costs: Costs, api: str, source: DType, target: DType) -> tuple[CostRow, int]:
    """The row for a dtype or a pair, and how many elements of the row's dtype one element counts as. Raises ChipError if there is none."""
    exact = _usable(costs, api, _key(source, target))
    if exact is not None:
        return exact, 1
    substitute = _published_stand_in if costs.cost_set is CostSet.PUBLISHED else stand_in
    row = _usable(costs, api, _key(substitute(source), substitute(target)))
    if row is None:
        raise ChipError(
            f"no cost row for {api} on {_key(source, target)}",
            where=f"chip {costs.chip.name}",
            hint="add the row to the cost table, or choose another chip",
        )
    doubled = costs.cost_set is CostSet.MENDED and source is not DType.FLOAT32 and max(source.bytes, target.bytes) == 8
    return row, 2 if doubled else 1


def _usable(costs: Costs, api: str, key: str) -> CostRow | None:
    row = costs.chip.rows.get((api, key))
    return row if row is not None and (row.published or costs.cost_set is not CostSet.PUBLISHED) else None


def _key(source: DType, target: DType) -> str:
    return source.value if source is target else f"{source.value}->{target.value}"


def _published_stand_in(dtype: DType) -> DType:
    return DType.FLOAT32 if dtype in _WIDE else DType.FLOAT16


def stand_in(dtype: DType) -> DType:
    """The type whose row prices a dtype that has none: the one of its width, twice as many of the widest for 8 bytes."""
    return DType.FLOAT16 if dtype.bytes <= 2 else DType.FLOAT32


def first_api(costs: Costs, names: Iterable[str]) -> str:
    """The first of some APIs the chip prices. Raises ChipError if it prices none."""
    candidates = tuple(names)
    for name in candidates:
        if has_row(costs, name):
            return name
    raise ChipError(f"no cost row for {' or '.join(candidates)}", where=f"chip {costs.chip.name}", hint="add one to the cost table")


def constant(chip: Chip, name: str) -> Fraction:
    """A scalar cost constant. Raises ChipError if the chip has none of that name."""
    value = chip.constants.get(name)
    if value is None:
        raise ChipError(f"the cost table has no constant {name}", where=f"chip {chip.name}", hint="add it to the cost table")
    return value


def transfer(row: CostRow, nbytes: Expr, calls: Expr, block_dim: Expr, chip: Chip) -> Cycles:
    """Cycles of `calls` transfers of `nbytes` bytes in all: `bytes/T + calls * (h + hl*(256 - h - 512/T))`, `T = a + b/block_dim`."""
    rate = per_byte(row, block_dim, chip)
    h, hl = row.params["h"], row.params["hl"]
    head = cycles(h + hl * (256 - h), calls)
    unaligned = rate.times(calls).times(-512 * hl) if hl else Cycles()
    return Cycles((*rate.times(nbytes).terms, *head.terms, *unaligned.terms), row.estimated)


def per_byte(row: CostRow, block_dim: Expr, chip: Chip) -> Cycles:
    """Cycles per byte with so many cores in use: `block_dim / (a*block_dim + b)`, tabulated in steps of 10^-10, rounded down.

    Exact where the cores do not matter (`b` is 0). More cores than the chip has count as all of them; a constraint excludes that.
    """
    a, b = row.params["a"], row.params["b"]
    if not b:
        return cycles(1 / a)
    used = block_dim if block_dim.hi <= chip.vector_cores else minimum(block_dim, chip.vector_cores)
    return cycles(RATE_UNIT, lookup(_rates(a, b, chip.vector_cores), add(used, -1)))


@cache
def _rates(a: Fraction, b: Fraction, cores: int) -> tuple[int, ...]:
    """Steps of 10^-10 cycles per byte with one core, two, up to all of them."""
    scale = lcm(a.denominator, b.denominator)
    whole_a, whole_b = int(a * scale), int(b * scale)
    steps = RATE_UNIT.denominator * scale
    return tuple(steps * d // (whole_a * d + whole_b) for d in range(1, cores + 1))


def small_row(row: CostRow, row_bytes: Expr | int, block_dim: Expr) -> Cycles:
    """Cycles of one short unaligned row: `(ak*block_dim + ab)*bytes + bk*block_dim + bb`."""
    p = row.params
    per_core = cycles(p["ak"], mul(block_dim, row_bytes)) + cycles(p["bk"], block_dim)
    return per_core + cycles(p["ab"], row_bytes) + cycles(p["bb"])
