"""Which Casts of a chip's op table together convert a value as one direct conversion would, and which type may compute for another.

A direct conversion is numpy's meaning (`att.ops.spec.as_dtype`): it rounds once; floats become integers toward zero and saturate; integers
wrap around. A chain of Casts means the same where every type in between holds all values of the source, so that only the last step can
change a value:

    bfloat16 -> float16     bfloat16 -> float32 -> float16
    int8 -> float32         int8 -> float16 -> float32
    float32 -> int8         float32 -> int16 -> float16 -> int8    (see `_NARROWING`)
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from att.ir.dtype import DType
from att.ops.dtypes import CASTS

_NARROW: Final = frozenset({DType.INT8, DType.UINT8})
_NARROWING: Final = (DType.INT16, DType.FLOAT16)
"""From a float to 8 bits: int16 truncates and clamps beyond 8 bits, float16 rounds only integers beyond 8 bits, the last step clamps."""

_SAME_BITS: Final[Mapping[DType, DType]] = MappingProxyType({DType.INT8: DType.UINT8, DType.UINT16: DType.INT16, DType.UINT32: DType.INT32})
"""Types of the same bits that the op table has more ops for: integers wrap around in both (ascendc_api_facts §6)."""
_VALUE_TYPES: Final = (DType.FLOAT16, DType.FLOAT32, DType.INT16, DType.INT32)
"""Types that compute for narrower integers, cheapest first."""


def cast_chain(table: str, source: DType, target: DType) -> tuple[DType, ...] | None:
    """The type after each Cast of a cost table, the last being the target; () if they are one type, None if no chain means the same."""
    if source is target:
        return ()
    if (source, target) in CASTS[table]:
        return (target,)
    if source.is_float and target in _NARROW:
        return _narrowed(table, source, target)
    return _shortest(table, source, target, held=source)


def narrowing_chain(table: str, source: DType, target: DType) -> tuple[DType, ...] | None:
    """The same for values that the target holds: no type on the way need hold others."""
    if source is target:
        return ()
    return (target,) if (source, target) in CASTS[table] else _shortest(table, source, target, held=target)


def _shortest(table: str, source: DType, target: DType, *, held: DType) -> tuple[DType, ...] | None:
    """Breadth first over types that hold every value of `held`."""
    reached: dict[DType, tuple[DType, ...]] = {source: ()}
    while True:
        steps = [(a, b) for a in reached for b in DType if (a, b) in CASTS[table] and b not in reached]
        for last, middle in steps:
            if middle is target and means_the_same(held, last, target):
                return (*reached[last], target)
        wider = {b: (*reached[a], b) for a, b in reversed(steps) if b is not target and b.holds(held)}
        if not wider:
            return None
        reached.update((b, wider[b]) for b in DType if b in wider)


def means_the_same(source: DType, middle: DType, target: DType) -> bool:
    """Whether values of `source`, all of which `middle` holds, become the same from `middle` as directly."""
    if not middle.holds(source):
        return False
    return target.holds(source) or target.is_float or source.is_float or not middle.is_float


def _narrowed(table: str, source: DType, target: DType) -> tuple[DType, ...] | None:
    first, second = _NARROWING
    start = cast_chain(table, source, first)
    if start is None or (first, second) not in CASTS[table] or (second, target) not in CASTS[table]:
        return None
    return (*start, second, target)


def value_types(table: str, dtype: DType) -> tuple[DType, ...]:
    """Types that hold every value of `dtype` and that it converts to and from, best first: what it is computed in for its own op's sake."""
    wider = (DType.FLOAT32,) if dtype.is_float else _VALUE_TYPES
    return tuple(w for w in wider if w is not dtype and w.holds(dtype) and cast_chain(table, dtype, w) is not None)


def bit_type(table: str, dtype: DType) -> DType | None:
    """The type of the same bits that wraps around in the same way, None if there is none."""
    same = _SAME_BITS.get(dtype)
    return same if same and {(dtype, same), (same, dtype)} <= CASTS[table] else None
