"""Records of reduces.

A reduce prices one call over its whole input. Where its axis is cut, each further call is merged into the accumulator by the elementwise
op that `reduction.merge` names, at that op's price, or by the elements that the results are places of; the reference does not charge it.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, Final

from att.ir.dtype import DType
from att.ops import dtypes, instructions, mended_sequences, places, published_reduce, published_vector, tmp_mended, tmp_published
from att.ops import mended_vector as mended
from att.ops.call import Pipe
from att.ops.elementwise import SCRATCH_BYTES
from att.ops.pricing import priced, requested
from att.ops.published_vector import one_cycle
from att.ops.spec import EXACT, NOTHING, ApiCall, ByValue, ComputeType, DTypeRule, OpSpec, PriceRule, Reduction, TmpRule, Tolerance

SUMS: Final = Tolerance(ulps=1, accumulates=True)
"""Order of additions is free."""


def _over(name: str) -> Callable[[Any, tuple[int, ...]], Any]:
    """The numpy meaning of a reduce, looked up when it is first needed."""

    def run(array: Any, axes: tuple[int, ...]) -> Any:
        from att.ops.numerics import reduce

        return reduce(name, array, axes)

    return run


def _record(  # noqa: PLR0913
    op: str,
    allowed: dtypes.Allowed,
    *,
    whole: str,
    merge: str,
    neutral: float | None,
    identity: float | None,
    tmp: TmpRule,
    tolerance: Tolerance = EXACT,
    output: DTypeRule = dtypes.first_data,
    published_v2: PriceRule | None = None,
    mended_v1: PriceRule | None = None,
    scratch_bytes: int = 0,
    by_value: ByValue | None = None,
) -> OpSpec:
    """`whole` names the V1 row for reducing whole repeats; V2 is priced by instruction recipes."""
    return OpSpec(
        name=op,
        compute=ComputeType.REDUCE,
        inputs=("x",),
        dtypes=allowed,
        output_dtype=output,
        pipe=Pipe.VEC,
        price=priced(
            published_v1=published_vector.over_input(whole) if whole else one_cycle,
            published_v2=published_v2 or published_reduce.reduce(op),
            mended_v1=mended_v1 or mended.over_input(whole or op),
            mended_v2=instructions.reduce(op),
        ),
        tmp=requested(published_v1=tmp_published.reduce(op), published_v2=tmp_published.reduce(op), mended_v1=tmp, mended_v2=tmp),
        reference=None,
        tolerance=tolerance,
        api=ApiCall(form="reduce", name=f"Reduce{op}" if op != "ArgMax" else op),
        attrs=NOTHING,
        reduction=Reduction(over=_over(op), merge=merge, neutral=neutral, identity=identity, by_value=by_value),
        scratch_bytes=scratch_bytes,
    )


_JOINED_PLACES: Final = priced(published_v1=one_cycle, published_v2=one_cycle, mended_v1=places.joined, mended_v2=places.joined)
_EXTREME = dtypes.both(dtypes.FLOATS_V1, frozenset({*dtypes.FLOATS_V2, DType.INT8, DType.UINT8, DType.INT16, DType.INT32, DType.INT64}))
_FLOAT32 = dtypes.listed("float32", "float32")

RECORDS: Final[tuple[OpSpec, ...]] = (
    _record(
        "Sum",
        dtypes.listed("float32 int32", "int8 int16 int32 bfloat16 float16 float32 int64"),
        whole="WholeReduceSum",
        merge="Add",
        neutral=0.0,
        identity=0.0,
        tmp=tmp_mended.reduce_tree,
        tolerance=SUMS,
        mended_v1=mended_sequences.sum_of_integers,
    ),
    _record("Max", _EXTREME, whole="WholeReduceMax", merge="Maximum", neutral=None, identity=-inf, tmp=tmp_mended.reduce_extreme),
    _record("Min", _EXTREME, whole="WholeReduceMin", merge="Minimum", neutral=None, identity=inf, tmp=tmp_mended.reduce_extreme),
    _record(
        "Mean",
        _FLOAT32,
        whole="",
        merge="",
        neutral=None,
        identity=0.0,
        tmp=tmp_mended.reduce_tree,
        tolerance=SUMS,
    ),
    _record(
        "Prod",
        _FLOAT32,
        whole="",
        merge="Mul",
        neutral=1.0,
        identity=1.0,
        tmp=tmp_mended.reduce_product,
        tolerance=SUMS,
    ),
    _record("Any", _FLOAT32, whole="", merge="Maximum", neutral=0.0, identity=0.0, tmp=tmp_mended.reduce_logic),
    _record("All", _FLOAT32, whole="", merge="Minimum", neutral=1.0, identity=1.0, tmp=tmp_mended.reduce_logic),
    _record(
        "ArgMax",
        dtypes.listed("float32 int32"),
        whole="",
        merge="",
        neutral=None,
        identity=-inf,
        tmp=places.arg_max_tmp,
        output=dtypes.to_index,
        published_v2=one_cycle,
        mended_v1=places.arg_max,
        scratch_bytes=SCRATCH_BYTES,
        by_value=ByValue(kept_bytes=places.kept_bytes, price=_JOINED_PLACES),
    ),
)
"""All records of this file.

Partial means cannot be joined without their counts: the scheduler makes sums of them (`schedule.means`).
"""
