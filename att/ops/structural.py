"""Records of ops that make no call: kernel arguments, constants and global scratch."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from att.expr.core import Expr
from att.ops import dtypes
from att.ops.pricing import no_price, no_tmp
from att.ops.spec import EXACT, NOTHING, ComputeType, DTypeRule, OpSpec

INDEX: Final[Mapping[str, type | tuple[type, ...]]] = MappingProxyType({"index": int})
"""Position among the kernel's inputs or outputs."""
VALUE: Final[Mapping[str, type | tuple[type, ...]]] = MappingProxyType({"value": str})
"""The number, as text."""
DIVIDED: Final[Mapping[str, type | tuple[type, ...]]] = MappingProxyType({**INDEX, "divisor": Expr})
"""The scheduler may divide the number by what only the shape says."""


def _record(
    op: str,
    inputs: tuple[str, ...],
    *,
    attrs: Mapping[str, type | tuple[type, ...]] = NOTHING,
    optional: Mapping[str, type | tuple[type, ...]] = NOTHING,
    output: DTypeRule,
) -> OpSpec:
    return OpSpec(
        name=op,
        compute=ComputeType.STRUCTURAL,
        inputs=inputs,
        dtypes=dtypes.both(dtypes.STORED_V1, dtypes.STORED_V2),
        output_dtype=output,
        pipe=None,
        price=no_price,
        tmp=no_tmp,
        reference=None,
        tolerance=EXACT,
        api=None,
        attrs=attrs,
        optional_attrs=optional,
    )


RECORDS: Final[tuple[OpSpec, ...]] = (
    _record("Data", (), attrs=INDEX, output=dtypes.not_decided),
    _record("Output", ("x",), attrs=INDEX, output=dtypes.first_data),
    _record("Scalar", (), attrs=VALUE, optional=DIVIDED, output=dtypes.not_decided),
    _record("Workspace", ("x",), output=dtypes.first_data),
)
"""All records of this file."""
