"""C++ names of element types, as AscendC spells them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from att.errors import EmitError
from att.ir.dtype import DType

_NAMES: Final[Mapping[DType, str]] = MappingProxyType(
    {
        DType.FLOAT32: "float",
        DType.FLOAT16: "half",
        DType.BFLOAT16: "bfloat16_t",
        DType.INT8: "int8_t",
        DType.INT16: "int16_t",
        DType.INT32: "int32_t",
        DType.INT64: "int64_t",
        DType.UINT8: "uint8_t",
        DType.UINT16: "uint16_t",
        DType.UINT32: "uint32_t",
        DType.UINT64: "uint64_t",
        DType.BOOL: "uint8_t",
    }
)


def cxx_type(dtype: DType) -> str:
    """The element type in a kernel; a bool is stored as a byte. Raises EmitError for what a vector core cannot hold."""
    if dtype not in _NAMES:
        raise EmitError(f"{dtype} has no AscendC type", hint="compute in float32")
    return _NAMES[dtype]
