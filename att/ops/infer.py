"""Element types that graphs leave out."""

from __future__ import annotations

from collections.abc import Sequence

from att.errors import GraphError
from att.ir.dtype import DType
from att.ops.registry import spec_of


def infer_dtype(op: str, input_dtypes: Sequence[DType], scalars: Sequence[bool] = ()) -> DType:
    """Output dtype of an op from its inputs' dtypes in operand order.

    Comparisons and logic give uint8, Where the type it selects, ArgMax int64, TrueDiv of integers float32, all else the type of the first
    operand that is no Scalar (`scalars` tells which are). Raises GraphError for an unknown op and where inputs do not decide (Cast, Data).
    """
    spec = spec_of(op)
    dtypes = tuple(input_dtypes)
    if spec.mask_operand is None and scalars:
        data = tuple(d for d, scalar in zip(dtypes, scalars, strict=True) if not scalar)
        dtypes = (*data, *dtypes)
    found = spec.output_dtype(dtypes)
    if found is None:
        given = ", ".join(dtypes) or "no inputs"
        raise GraphError(f"the dtype of {op} does not follow from its inputs ({given})", hint="give the dtype of its output")
    return found
