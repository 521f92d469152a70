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

    def holds(self, other: DType) -> bool:
        """Whether it represents every value of another type exactly."""
        if self is other:
            return True
        if other.is_float:
            return self.is_float and _FLOAT_BITS[other] < _FLOAT_BITS[self] and other.bytes < self.bytes
        low, high = _integer_range(other)
        if self.is_float:
            return max(-low, high) <= 2 ** _FLOAT_BITS[self]
        lowest, highest = _integer_range(self)
        return lowest <= low and high <= highest


_BYTES = {
    DType.FLOAT32: 4, DType.FLOAT16: 2, DType.BFLOAT16: 2, DType.FLOAT64: 8, DType.INT8: 1, DType.INT16: 2, DType.INT32: 4,
    DType.INT64: 8, DType.UINT8: 1, DType.UINT16: 2, DType.UINT32: 4, DType.UINT64: 8, DType.BOOL: 1,
}  # fmt: skip

_FLOAT_BITS = {DType.BFLOAT16: 8, DType.FLOAT16: 11, DType.FLOAT32: 24, DType.FLOAT64: 53}
"""Bits of a mantissa, the leading one included (IEEE 754; bfloat16: float32 cut to 16 bits): integers up to 2**bits are exact."""


def _integer_range(dtype: DType) -> tuple[int, int]:
    """Smallest and largest value of an integer type; a bool is 0 or 1."""
    if dtype is DType.BOOL:
        return 0, 1
    bits = 8 * dtype.bytes
    return (0, 2**bits - 1) if dtype.value.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
