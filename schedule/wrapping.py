"""Integers computed in a wider type come back as they would have wrapped around in their own.

    y = Mul(a, b)  int8     p = a * b int16;  h = Mul(p, 256);  f = Cast(h) float16;  q = Mul(f, 1/256);  y = Cast(q) int8
    y = Add(a, b)  int8     s = a + b float16, which is exact;  t = Cast(s) int16;  h = Mul(t, 256) …

No Cast keeps the low bits of a wider integer: float16 to int8 and int32 to int16 saturate (ascendc_api_facts §6.2). The first product
moves the low bits to the top and drops the others, because integer products wrap around (ascendc_api_facts §6). The float holds it, since
its last bits are 0, and the second product is exact, being with a power of two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from att.ir.dtype import DType
from att.ir.node import Node
from att.ir.tensor import TensorView
from att.ops.dtypes import CASTS
from schedule.conversions import cast_chain

CARRIERS: Final[Mapping[DType, DType]] = MappingProxyType({DType.INT16: DType.FLOAT16, DType.INT32: DType.FLOAT32})
"""Wider integers, each with the float that holds its upper half."""
WRAPPED: Final = frozenset({"Abs", "Add", "Mul", "Neg", "Pow", "Sub", "Sum"})
"""Ops of integers whose low bits are the same in every type that holds the operands."""
_SUMS: Final = frozenset({"Add", "Neg", "Sub"})
"""Of bytes they give integers up to 510, and float16 holds those up to 2048: one cast of each operand is saved."""
_SIGNED: Final[Mapping[int, DType]] = MappingProxyType({1: DType.INT8, 2: DType.INT16})


def can_wrap(table: str, op: str, computed: DType, target: DType) -> bool:
    """Whether what an op of integers gives in another type comes back to `target` in casts of a cost table."""
    carrier = _carrier(table, op, computed, target)
    if carrier is None or target.is_float or target.bytes >= carrier.bytes:
        return False
    return bool(_chain(table, carrier, target))


def _carrier(table: str, op: str, computed: DType, target: DType) -> DType | None:
    """The integers that what was computed becomes first."""
    sums = op in _SUMS and computed is DType.FLOAT16 and target.bytes == 1 and (computed, DType.INT16) in CASTS[table]
    if sums:
        return DType.INT16
    return computed if op in WRAPPED and computed in CARRIERS else None


def wrapped(table: str, computed: Node, target: DType, fresh: Callable[[str, DType], str]) -> tuple[tuple[Node, ...], tuple[DType, ...]]:
    """Nodes behind one that computes integers in a carrier, and the casts from the last of them to the type itself.

    `fresh` gives a new name for a value of a type.
    """
    carrier = _carrier(table, computed.op, computed.output.dtype, target)
    assert carrier is not None
    wide = CARRIERS[carrier]
    whole = computed if computed.output.dtype is carrier else _elementwise("Cast", fresh(computed.name, carrier), computed, dtype=carrier)
    bits = 8 * (carrier.bytes - target.bytes)
    up, down = _number(fresh("shift", carrier), 2**bits, carrier), _number(fresh("shift", wide), 2.0**-bits, wide)
    high = _elementwise("Mul", fresh(computed.name, carrier), whole, up, dtype=carrier)
    floats = _elementwise("Cast", fresh(computed.name, wide), high, dtype=wide)
    low = _elementwise("Mul", fresh(computed.name, wide), floats, down, dtype=wide)
    nodes = (up, high, floats, down, low)
    return nodes if whole is computed else (whole, *nodes), _chain(table, carrier, target)


def _chain(table: str, carrier: DType, target: DType) -> tuple[DType, ...]:
    """The casts from the float; () if there are none."""
    signed = _SIGNED[target.bytes]
    there = cast_chain(table, CARRIERS[carrier], signed)
    back = cast_chain(table, signed, target)
    return () if there is None or back is None else (*there, *back)


def _number(name: str, value: float, dtype: DType) -> Node:
    return Node(name=name, op="Scalar", attrs={"value": repr(value)}, output=TensorView(dtype=dtype))


def _elementwise(op: str, name: str, first: Node, *others: Node, dtype: DType) -> Node:
    """An op over the axes of its first operand."""
    inputs = (first.name, *(other.name for other in others))
    return Node(name=name, op=op, inputs=inputs, axes=first.axes, output=replace(first.output, dtype=dtype))
