"""Element types of tensors."""

from __future__ import annotations

from enum import StrEnum


class DType(StrEnum):
    """Element type, by the name used in graph files."""

    FLOAT32 = "float32"
    FLOAT16 = "float16"
    BFLOAT16 = "bfloat16"
    FLOAT64 = "float64"
    INT8 = "int8"
    INT16 = "int16"
    INT32 = "int32"
    INT64 = "int64"
    UINT8 = "uint8"
    UINT16 = "uint16"
    UINT32 = "uint32"
    UINT64 = "uint64"
    BOOL = "bool"

    @property
    def bytes(self) -> int:
        """Size of one element in bytes."""
        return _BYTES[self]

    @property
    def is_float(self) -> bool:
        """Whether it is a floating-point type."""
        return "float" in self.value


_BYTES = {
    DType.FLOAT32: 4, DType.FLOAT16: 2, DType.BFLOAT16: 2, DType.FLOAT64: 8, DType.INT8: 1, DType.INT16: 2, DType.INT32: 4,
    DType.INT64: 8, DType.UINT8: 1, DType.UINT16: 2, DType.UINT32: 4, DType.UINT64: 8, DType.BOOL: 1,
}  # fmt: skip
