"""Numbers in another element type."""

from __future__ import annotations

from dataclasses import replace

from att.ir.dtype import DType
from att.ir.node import Node
from att.ops.spec import as_dtype, numpy_dtype
from att.ops.verify import scalar_value


def retyped_scalar(node: Node, name: str, dtype: DType) -> Node:
    """The Scalar with the value that it has in its own type, rounding included, in another."""
    import numpy as np

    given = np.asarray(scalar_value(node))
    value = as_dtype(as_dtype(given, node.output.dtype), dtype)
    number = value.astype(np.float64 if dtype.is_float else numpy_dtype(dtype)).item()
    as_written = dtype.is_float and as_dtype(given, dtype) == value
    attrs = node.attrs if as_written else {**node.attrs, "value": repr(number)}
    return replace(node, name=name, attrs=attrs, output=replace(node.output, dtype=dtype))


def fits(scalar: Node, dtype: DType) -> bool:
    """Whether a Scalar is the same number in another type."""
    import numpy as np

    own = as_dtype(np.asarray(scalar_value(scalar)), scalar.output.dtype)
    return bool(as_dtype(as_dtype(own, dtype), scalar.output.dtype) == own)
