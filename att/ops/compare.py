"""Records of comparisons: two operands in, a uint8 mask out.

On arch 2201 Compare works on float16, float32 and, for equality, int32; other dtypes go through them (ascendc_api_facts §6.3).
"""

from __future__ import annotations

from typing import Final

from att.ops import dtypes, published_select, tmp_mended, tmp_published
from att.ops import mended_vector as mended
from att.ops.call import Pipe
from att.ops.elementwise import DEFAULT_TMP, SCRATCH_BYTES, computed_by
from att.ops.instructions import recipe
from att.ops.pricing import priced, requested
from att.ops.spec import EXACT, NOTHING, ApiCall, ComputeType, OpSpec


def _record(op: str, mode: str, v1: dtypes.Allowed) -> OpSpec:
    equality = mode in {"EQ", "NE"}
    return OpSpec(
        name=op,
        compute=ComputeType.ELEMENTWISE,
        inputs=("x1", "x2"),
        dtypes=v1,
        output_dtype=dtypes.to_mask,
        pipe=Pipe.VEC,
        price=priced(
            published_v1=published_select.compare(mode),
            published_v2=recipe(op),
            mended_v1=mended.compare(mode),
            mended_v2=recipe(op),
        ),
        tmp=requested(
            published_v1=tmp_published.floored(tmp_published.compare(equality=equality)),
            published_v2=DEFAULT_TMP,
            mended_v1=tmp_mended.compare(equality=equality),
        ),
        reference=computed_by(op),
        tolerance=EXACT,
        api=ApiCall(form="compare", name=mode),
        attrs=NOTHING,
        scalar_operands=(0, 1) if equality else (1,),
        scratch_bytes=SCRATCH_BYTES,
    )


_ALL = dtypes.both(dtypes.COMPARE_V1, dtypes.ALL_V2)
_WITHOUT_INT64 = dtypes.both(dtypes.COMPARE_V1 & dtypes.LOGICAL_V1, dtypes.ALL_V2)
"""V1 registers Lt without int64."""

RECORDS: Final[tuple[OpSpec, ...]] = (
    _record("Eq", "EQ", _ALL),
    _record("Ne", "NE", _ALL),
    _record("Gt", "GT", _ALL),
    _record("Ge", "GE", _ALL),
    _record("Lt", "LT", _WITHOUT_INT64),
    _record("Le", "LE", _ALL),
)
"""All records of this file."""
