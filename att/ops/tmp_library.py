"""Temporary memory of the library functions of AscendC: the smallest size that each accepts on arch 2201, whatever its operands' size.

Source: the host tiling functions of asc-devkit, `impl/adv_api/tiling/math` and `/activation` (`Get<Api>MaxMinTmpSize`; ascendc_api_facts
§12). The CPU model of AscendC refuses less; a test holds it to these numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from att.expr.core import integer
from att.ir.dtype import DType
from att.ops.call import Call
from att.ops.extents import data_view, is_scalar
from att.ops.spec import Costs, TmpBuffer, TmpRule

LIBRARY_TMP_BYTES: Final[Mapping[str, Mapping[DType, int]]] = MappingProxyType(
    {
        api: MappingProxyType({DType.FLOAT32: single, DType.FLOAT16: half})
        for api, (single, half) in {
            "Ceil": (256, 512),
            "Cos": (768, 2048),
            "Erf": (768, 2048),
            "Floor": (0, 512),
            "Gelu": (768, 768),
            "Log": (0, 0),
            "Log10": (0, 0),
            "Log2": (0, 256),
            "Round": (0, 256),
            "Sigmoid": (256, 256),
            "Sign": (768, 768),
            "Sin": (768, 2048),
            "Tanh": (256, 1024),
            "Trunc": (256, 512),
        }.items()
    }
)
"""Bytes by API and element type."""

POWER_TMP_BYTES: Final[Mapping[DType, tuple[int, int]]] = MappingProxyType(
    {DType.FLOAT32: (1280, 1536), DType.FLOAT16: (2048, 2048), DType.INT32: (1536, 1792)}
)
"""Bytes of Power by element type: two tensors, a tensor and a scalar (power_tiling_impl.cpp)."""


def library(api: str) -> TmpRule:
    """The size of one API; element types that it does not take are computed by plain instructions and need none."""

    def rule(call: Call, costs: Costs) -> tuple[TmpBuffer, ...]:
        del costs
        return _fixed(LIBRARY_TMP_BYTES[api].get(data_view(call).dtype, 0))

    return rule


def power(call: Call, costs: Costs) -> tuple[TmpBuffer, ...]:
    """The size of Power, larger where an operand is a scalar."""
    del costs
    tensors, with_scalar = POWER_TMP_BYTES.get(data_view(call).dtype, (0, 0))
    return _fixed(with_scalar if any(is_scalar(view) for view in call.inputs) else tensors)


def _fixed(size: int) -> tuple[TmpBuffer, ...]:
    return (TmpBuffer(bytes=integer(size)),) if size else ()
