"""Kernels of recorded templates that this scheduler does not make, written out as calls, so that their prices can be compared all the same.

A kernel is a list of calls of one core and how often the reference charges each. The kernels here are second phases: partial results of a
reduced axis that cores shared are loaded and reduced, and their number is an input.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from att.expr.core import integer
from att.ir.dtype import DType
from att.ops.call import Call, Pipe, View
from att.ops.heads import pipe_head
from att.ops.registry import spec_of
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
        for pipe, ticks in spec_of(item.call.op).cost(item.call, costs).items():
            found[pipe] = found.get(pipe, Fraction(0)) + item.times * ticks.lo
    heads = {pipe: pipe_head(pipe, integer(cores), integer(0), costs).lo for pipe in found}
    return {pipe.value: float((heads[pipe] + ticks) / TICKS) for pipe, ticks in found.items()}


def padded(elems: int) -> int:
    """Row pitch in UB, float32 elements."""
    return -(-elems // 8) * 8


Kernel = Callable[[tuple[int, ...], Mapping[str, int], int], list[Charge]]
"""Charges from shape, variables and cores."""


def second_phase(op: str, *kept_axes: int) -> Kernel:
    """The partial results [parts, kept] reduced over parts, the kept axes merged and cut."""

    def kernel(shape: tuple[int, ...], v: Mapping[str, int], cores: int) -> list[Charge]:
        parts, kept, b = v["Rmt_size"], v["At_size"], v["ATb_size"]
        whole = prod(shape[axis] for axis in kept_axes)
        source, result = tile((parts, padded(kept), whole), (kept, 1, 1)), tile((1, 0, 0), (kept, 1, 1))
        return [charge("Load", (), source, cores, b), charge(op, (source,), result, cores, b), charge("Store", (), result, cores, b)]

    return kernel


KERNELS: Mapping[tuple[str, str], Kernel] = {
    ("sum_ar", "result1_g1_0"): second_phase("Sum", 0),
    ("sum_ra", "result1_g1_0"): second_phase("Sum", 1),
    ("max_ara", "result1_g1_0"): second_phase("Max", 0, 2),
    ("max_ara", "result2_g1_0"): second_phase("Max", 0, 2),
}
"""By recorded graph and template label."""
