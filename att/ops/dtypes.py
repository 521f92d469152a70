"""Which element types ops take and give.

Source of the sets: loop_ir_ops.json (AutoFuse op registration, V1 = arch 2201, V2 = arch 3510). `float64` is never computed on these
cores.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from att.ir.dtype import DType

Allowed = Mapping[str, frozenset[DType]]
"""Dtypes by cost table."""


def _set(names: str) -> frozenset[DType]:
    return frozenset(DType(name) for name in names.split())


FLOATS_V1: Final = _set("float16 float32")
FLOATS_V2: Final = _set("float16 float32 bfloat16")
SIGNED_V1: Final = _set("int16 int32 float16 float32")
INTEGERS: Final = _set("int8 int16 int32 int64 uint8 uint16 uint32 uint64")
ALL_V2: Final = INTEGERS | FLOATS_V2
LOGICAL_V1: Final = _set("int16 int32 float16 float32 uint8")
COMPARE_V1: Final = _set("float16 float32 int32 int64")
SELECT_V1: Final = _set("float16 float32 int16 int32 int64")
MOVED_V1: Final = _set("int8 uint8 int16 uint16 int32 uint32 float16 float32 int64 bfloat16")
MOVED_V2: Final = MOVED_V1 | _set("uint64 bool")
STORED_V1: Final = MOVED_V1 | _set("uint64")
STORED_V2: Final = MOVED_V2
GATHERED: Final = _set("int16 uint16 int32 uint32 float16 bfloat16 float32")
"""Tables that a Gather picks from (schedule_codegen_facts §2)."""


def both(v1: frozenset[DType], v2: frozenset[DType]) -> Allowed:
    """Dtypes of an op that both tables have."""
    return MappingProxyType({"v1": v1, "v2": v2})


def listed(v1: str, v2: str = "") -> Allowed:
    """Dtypes by name; an empty list means that a table lacks the op."""
    found = {"v1": _set(v1), "v2": _set(v2)}
    return MappingProxyType({table: dtypes for table, dtypes in found.items() if dtypes})


def first_data(dtypes: tuple[DType, ...]) -> DType | None:
    """The output has the dtype of the first operand; callers put operands that are no Scalars first."""
    return dtypes[0] if dtypes else None


def of_second(dtypes: tuple[DType, ...]) -> DType | None:
    """Where: the dtype of what is selected."""
    return dtypes[1] if len(dtypes) > 1 else None


def to_mask(dtypes: tuple[DType, ...]) -> DType | None:
    """Comparisons and logic give uint8."""
    return DType.UINT8 if dtypes else None


def to_index(dtypes: tuple[DType, ...]) -> DType | None:
    """ArgMax gives int64."""
    return DType.INT64 if dtypes else None


def true_quotient(dtypes: tuple[DType, ...]) -> DType | None:
    """Integers divide into float32."""
    if not dtypes:
        return None
    return dtypes[0] if dtypes[0].is_float else DType.FLOAT32


def not_decided(dtypes: tuple[DType, ...]) -> DType | None:
    """The graph must say."""
    del dtypes


def _pairs(text: str) -> frozenset[tuple[DType, DType]]:
    found: set[tuple[DType, DType]] = set()
    for line in text.split(";"):
        source, targets = line.split(":")
        found |= {(DType(source.strip()), DType(target)) for target in targets.split()}
    return frozenset(found)


CASTS: Final[Mapping[str, frozenset[tuple[DType, DType]]]] = MappingProxyType(
    {
        "v1": _pairs(
            "float32: float32 float16 bfloat16 int64 int32 int16; float16: float32 int64 int32 int16 int8 uint8; bfloat16: float32 int32;"
            "int8: float16 uint8; uint8: float32 float16 int32 int16 int8; int16: float32 float16 uint16; uint16: int16;"
            "int32: float32 float16 int64 int16 uint32; uint32: int32; int64: int32; uint64: int64"
        ),
        "v2": _pairs(
            "float32: float32 float16 bfloat16 int64 int32 int16 int8 bool; float16: float32 int64 int32 int16 int8 uint8;"
            "bfloat16: float32 int32; int8: float32 float16 int16 uint8; uint8: float32 float16 int64 int32 int16 int8;"
            "int16: float32 float16 int8 uint8 uint16; uint16: int16; int32: float32 float16 int64 int16 uint32; uint32: int32;"
            "int64: float32 float16 int32 uint8 uint64; uint64: int64"
        ),
    }
)
"""Conversions that Cast does."""


def sources_of(conversions: Mapping[str, frozenset[tuple[DType, DType]]]) -> Allowed:
    """What each table can convert from."""
    return MappingProxyType({table: frozenset(source for source, _ in pairs) for table, pairs in conversions.items()})
