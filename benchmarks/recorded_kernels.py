"""Kernels of recorded templates that this scheduler does not make, written out as calls, so that their prices can be compared all the same.

A kernel is a list of calls of one core and how often the reference charges each. Two kinds:

    packed       rows lie without padding in UB: dense Load and Store, RemovePad behind the Broadcast
    second phase partial results of a reduced axis that cores shared are loaded and reduced; their number is an input there
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, prod

from att.expr.core import integer
from att.ir.dtype import DType
from att.ops.call import Call, Pipe, View
from att.ops.heads import pipe_head
from att.ops.price import Price
from att.ops.registry import spec_of
from att.ops.rows import vector
from att.ops.spec import Costs

TICKS = 10**6


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """A call and how often it is charged."""

    call: Call
    times: Fraction


def charge(op: str, inputs: tuple[View, ...], output: View, cores: int, times: Fraction | int) -> Charge:
    """A call of `op` on so many cores."""
    call = Call(op=op, inputs=inputs, output=output, attrs={}, block_dim=integer(cores))
    return Charge(call=call, times=Fraction(times))


def tile(*axes: tuple[int, int, int]) -> View:
    """A float32 tile."""
    dims, ub, gm = (tuple(integer(axis[i]) for axis in axes) for i in range(3))
    return View(dtype=DType.FLOAT32, dims=dims, ub_strides=ub, gm_strides=gm)


def pipes_of(charges: list[Charge], cores: int, costs: Costs) -> Mapping[str, float]:
    """Cycles by pipe, heads included."""
    found: dict[Pipe, Fraction] = {}
    for item in charges:
        for pipe, ticks in _prices(item.call, costs).items():
            found[pipe] = found.get(pipe, Fraction(0)) + item.times * ticks
    heads = {pipe: pipe_head(pipe, integer(cores), integer(0), costs).lo for pipe in found}
    return {pipe.value: float((heads[pipe] + ticks) / TICKS) for pipe, ticks in found.items()}


def _prices(call: Call, costs: Costs) -> Mapping[Pipe, int]:
    if call.op == "RemovePad":  # GatherMask over what is left (att_facts §3.7); no record makes one yet
        elems = prod(dim.lo for dim in call.output.dims)
        return {Pipe.VEC: Price.of(vector(costs, "GatherMask", call.output.dtype, elems)).ticks.lo}
    return {pipe: ticks.lo for pipe, ticks in spec_of(call.op).cost(call, costs).items()}


def padded(elems: int) -> int:
    """Row pitch in UB, float32 elements."""
    return -(-elems // 8) * 8


Kernel = Callable[[tuple[int, ...], Mapping[str, int], int], list[Charge]]
"""Charges from shape, variables and cores."""


def packed_row(shape: tuple[int, ...], v: Mapping[str, int], cores: int) -> list[Charge]:
    """X + row: the row is loaded, spread and packed once a core."""
    cols, rows, b = shape[1], v["z0t_size"], v["z0Tb_size"]
    row = tile((1, 0, 0), (cols, 1, 1))
    return [charge("Load", (), row, cores, 1), *_packed_add(rows * cols, (row, _spread(rows, cols)), cores, b, 1)]


def packed_column(shape: tuple[int, ...], v: Mapping[str, int], cores: int) -> list[Charge]:
    """X + column."""
    cols, rows, b = shape[1], v["z0t_size"], v["z0Tb_size"]
    column = tile((rows, 1, 1), (1, 0, 0))
    loaded = charge("Load", (), tile((rows, 1, 1)), cores, b)
    return [loaded, *_packed_add(rows * cols, (column, _spread(rows, cols)), cores, b, b)]


def packed_middle(shape: tuple[int, ...], v: Mapping[str, int], cores: int) -> list[Charge]:
    """x[s0,s1,s2] + b[s0,1,s2], s0 cut."""
    _, middle, cols = shape
    rows, b, pitch = v["z0t_size"], v["z0Tb_size"], padded(cols)
    source = tile((rows, pitch, cols), (1, 0, 0), (cols, 1, 1))
    spread = tile((rows, middle * pitch, 0), (middle, pitch, 0), (cols, 1, 0))
    loaded = charge("Load", (), source, cores, b)
    return [loaded, *_packed_add(rows * middle * cols, (source, spread), cores, b, b)]


def packed_middle_fused(shape: tuple[int, ...], v: Mapping[str, int], cores: int) -> list[Charge]:
    """x[s0,s1,s2] + b[s0,1,s2], s1 cut and its tiles fused with s0: b is kept while the tiles of s1 turn; tails are charged apart."""
    _, middle, cols = shape
    whole, b = v["z1t_size"], v["z0z1Tb_size"]
    tiles = -(-middle // whole)
    last = middle - (tiles - 1) * whole
    kept = max(Fraction(1), Fraction(b, tiles))
    tails, kept_tails = ceil(Fraction(b, tiles)), ceil(kept / tiles)
    row, tail_rows = tile((1, 0, 0), (cols, 1, 1)), tile((last, 0, 0), (cols, 1, 1))
    return [
        charge("Load", (), tile((cols, 1, 1)), cores, kept - kept_tails),
        *_packed_add(whole * cols, (row, _spread(whole, cols)), cores, b - tails, kept - kept_tails),
        charge("Load", (), tile((last * cols, 1, 1)), cores, kept_tails),
        *_packed_add(last * cols, (tail_rows, _spread(last, cols)), cores, tails, kept_tails),
    ]


def _spread(rows: int, cols: int) -> View:
    return tile((rows, padded(cols), 0), (cols, 1, 0))


def _packed_add(elems: int, spread: tuple[View, View], cores: int, times: Fraction | int, spread_times: Fraction | int) -> list[Charge]:
    dense = tile((elems, 1, 1))
    return [
        charge("Load", (), dense, cores, times),
        charge("Broadcast", (spread[0],), spread[1], cores, spread_times),
        charge("RemovePad", (spread[1],), dense, cores, spread_times),
        charge("Add", (dense, dense), dense, cores, times),
        charge("Store", (), dense, cores, times),
    ]


def second_phase(op: str, *kept_axes: int) -> Kernel:
    """The partial results [parts, kept] reduced over parts, the kept axes merged and cut."""

    def kernel(shape: tuple[int, ...], v: Mapping[str, int], cores: int) -> list[Charge]:
        parts, kept, b = v["Rmt_size"], v["At_size"], v["ATb_size"]
        whole = prod(shape[axis] for axis in kept_axes)
        source, result = tile((parts, padded(kept), whole), (kept, 1, 1)), tile((1, 0, 0), (kept, 1, 1))
        return [charge("Load", (), source, cores, b), charge(op, (source,), result, cores, b), charge("Store", (), result, cores, b)]

    return kernel


KERNELS: Mapping[tuple[str, str], Kernel] = {
    ("addbrc_row", "result0_g0_2"): packed_row,
    ("addbrc_col", "result0_g0_2"): packed_column,
    ("addbrc_mid", "result0_g0_3"): packed_middle,
    ("addbrc_mid", "result0_g0_4"): packed_middle_fused,
    ("sum_ar", "result1_g1_0"): second_phase("Sum", 0),
    ("sum_ra", "result1_g1_0"): second_phase("Sum", 1),
    ("max_ara", "result1_g1_0"): second_phase("Max", 0, 2),
    ("max_ara", "result2_g1_0"): second_phase("Max", 0, 2),
}
"""By recorded graph and template label."""
