"""Records of ops that choose by a mask, and of those that tell what kind of number a float is.

Select is Where under another name, MaskedFill is Where with its operands in another order: the reference rewrites it to Select
(schedule_codegen_facts §3). Dtypes: loop_ir_ops.json.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from att.ops import dtypes, mended_sequences, published_select, tmp_mended, tmp_published, tmp_requests
from att.ops import mended_vector as mended
from att.ops.call import Pipe
from att.ops.elementwise import WHERE, computed_by
from att.ops.instructions import recipe
from att.ops.pricing import no_tmp, priced, requested
from att.ops.published_vector import one_cycle
from att.ops.spec import EXACT, NOTHING, ApiCall, ComputeType, OpSpec
from att.ops.tmp_chunks import chunked

_WHERE_REQUEST = tmp_published.floored(tmp_published.where)

SELECT: Final = replace(
    WHERE,
    name="Select",
    dtypes=dtypes.both(dtypes.SELECT_V1, dtypes.SELECT_V1),
    price=priced(published_v1=published_select.where, published_v2=recipe("Select"), mended_v1=mended.where, mended_v2=recipe("Select")),
    reference=computed_by("Select"),
)

MASKED_FILL: Final = replace(
    WHERE,
    name="MaskedFill",
    inputs=("x", "mask", "value"),
    dtypes=dtypes.both(dtypes.FLOATS_V1, dtypes.FLOATS_V2),
    output_dtype=dtypes.first_data,
    price=priced(
        published_v1=published_select.where, published_v2=recipe("MaskedFill"), mended_v1=mended.where, mended_v2=recipe("MaskedFill")
    ),
    tmp=requested(published_v1=_WHERE_REQUEST, published_v2=_WHERE_REQUEST, mended_v1=tmp_mended.select),
    reference=computed_by("MaskedFill"),
    scalar_operands=(0, 2),
    mask_operand=1,
)


def _kind(op: str, *instructions: str) -> OpSpec:
    """A test of one operand, one byte for each element. Float compares are avoided: what they make of NaN is not documented."""
    return OpSpec(
        name=op,
        compute=ComputeType.ELEMENTWISE,
        inputs=("x",),
        dtypes=dtypes.both(dtypes.FLOATS_V1, dtypes.FLOATS_V2),
        output_dtype=dtypes.to_mask,
        pipe=Pipe.VEC,
        price=priced(
            published_v1=one_cycle, published_v2=recipe(op), mended_v1=mended_sequences.float_kind(*instructions), mended_v2=recipe(op)
        ),
        tmp=requested(
            published_v1=tmp_published.floored(tmp_requests.own_size_and_block),
            published_v2=no_tmp,
            mended_v1=chunked(lambda dtype: dtype.bytes),
        ),
        reference=computed_by(op),
        tolerance=EXACT,
        api=ApiCall(form="float_kind", name=op),
        attrs=NOTHING,
    )


RECORDS: Final[tuple[OpSpec, ...]] = (
    SELECT,
    MASKED_FILL,
    _kind("IsFinite", "Muls", "Mins", "Maxs"),
    _kind("IsInf", "Maxs", "Mins", "Mul", "Muls", "Adds"),
    _kind("Isnan", "Mins", "Maxs"),
)
"""All records of this file."""
