"""Records of elementwise arithmetic that is more than one instruction of its own name, or carries an attribute.

Dtypes, attributes and operands: loop_ir_ops.json. Published prices: one cycle, by the table of placeholders or because no formula is
registered for the op (att_facts §3.7, §5.2 no. 24); V2 by instruction recipes. Public APIs: ascendc_api_facts §6, §12.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, cast

from att.ir.dtype import DType
from att.ir.node import AttrValue
from att.ops import dtypes, mended_sequences, tmp_library, tmp_published, tmp_requests
from att.ops import mended_vector as mended
from att.ops.call import Call, Pipe
from att.ops.elementwise import DEFAULT_TMP, LIBRARY, PLAIN_TMP, ROUNDED, computed_by, library_tmp
from att.ops.instructions import recipe
from att.ops.price import Price
from att.ops.pricing import no_tmp, priced, requested
from att.ops.published_vector import one_cycle
from att.ops.spec import EXACT, NOTHING, ApiCall, ComputeType, Costs, OpSpec, PriceRule, TmpRule, Tolerance
from att.ops.tmp_chunks import chunked

_X: Final = ("x",)
_PAIR: Final = ("x1", "x2")


def _record(
    op: str,
    api: ApiCall,
    inputs: tuple[str, ...],
    allowed: dtypes.Allowed,
    *,
    price: PriceRule,
    tmp: TmpRule = PLAIN_TMP,
    tolerance: Tolerance = EXACT,
) -> OpSpec:
    """`price` is the mended one of V1."""
    return OpSpec(
        name=op,
        compute=ComputeType.ELEMENTWISE,
        inputs=inputs,
        dtypes=allowed,
        output_dtype=dtypes.first_data,
        pipe=Pipe.VEC,
        price=_priced(price, recipe(op)),
        tmp=tmp,
        reference=computed_by(op),
        tolerance=tolerance,
        api=api,
        attrs=NOTHING,
    )


def _priced(price: PriceRule, by_instructions: PriceRule) -> PriceRule:
    return priced(published_v1=one_cycle, published_v2=by_instructions, mended_v1=price, mended_v2=by_instructions)


def with_number(record: OpSpec, attr: str) -> OpSpec:
    """An op that needs a float attribute, which its numpy meaning takes as last operand."""

    def run(inputs: tuple[Any, ...], attrs: Mapping[str, AttrValue]) -> Any:
        from att.ops.numerics import elementwise

        return elementwise(record.name, *inputs, cast("Any", attrs[attr]))

    return replace(record, attrs=MappingProxyType({attr: float}), reference=run)


def _power_v2(call: Call, costs: Costs) -> Price:
    return recipe("Pow", variant="float" if call.output.dtype.is_float else "int")(call, costs)


def _half_only(bytes_per_elem: int) -> TmpRule:
    """float16 works through float32 in chunks, float32 in place."""
    return chunked(lambda dtype: bytes_per_elem if dtype is DType.FLOAT16 else 0)


_AXPY_TMP = requested(
    published_v1=tmp_published.floored(tmp_requests.axpy), published_v2=tmp_published.floored(tmp_requests.axpy), mended_v1=_half_only(4)
)
_DEFAULT_OR_NONE = requested(published_v1=DEFAULT_TMP, published_v2=no_tmp, mended_v1=no_tmp)
_FLOOR_DIV_TMP = requested(published_v1=tmp_published.floored(tmp_requests.own_size), published_v2=no_tmp, mended_v1=_half_only(8))
_REMAINDER_TMP = requested(
    published_v1=tmp_published.floored(tmp_requests.remainder),
    published_v2=DEFAULT_TMP,
    mended_v1=chunked(lambda dtype: 8 if dtype is DType.INT32 else 0),
)
_POWER_TMP = requested(
    published_v1=tmp_published.floored(tmp_requests.own_size),
    published_v2=tmp_published.floored(tmp_requests.power_v2),
    mended_v1=tmp_library.power,
)

RECORDS: Final[tuple[OpSpec, ...]] = (
    with_number(
        _record(
            "Axpy",
            ApiCall(form="axpy", name="Axpy"),
            _PAIR,
            dtypes.listed("float16 float32", "float16 float32 bfloat16 uint64 int64"),
            price=mended_sequences.axpy,
            tmp=_AXPY_TMP,
            tolerance=ROUNDED,
        ),
        "alpha",
    ),
    _record(
        "BitwiseAnd",
        ApiCall(form="bitwise", name="And"),
        _PAIR,
        dtypes.listed("int16 uint16 int32 uint8", "int16 uint16 int32 uint8 int8 int64 uint32 uint64"),
        price=mended.over_elements("BitwiseAnd", "And"),
        tmp=_DEFAULT_OR_NONE,
    ),
    replace(
        _record(
            "ClipByValue",
            ApiCall(form="clip", name="Max"),
            ("x1", "x2", "x3"),
            dtypes.both(dtypes.FLOATS_V1, dtypes.ALL_V2),
            price=mended_sequences.clip,
            tmp=_DEFAULT_OR_NONE,
        ),
        scalar_operands=(0, 1, 2),
    ),
    _record(
        "FloorDiv",
        ApiCall(form="quotient", name="Div"),
        _PAIR,
        dtypes.both(dtypes.FLOATS_V1, dtypes.INTEGERS | dtypes.FLOATS_V1),
        price=mended_sequences.floor_div,
        tmp=_FLOOR_DIV_TMP,
        tolerance=ROUNDED,
    ),
    _record(
        "Remainder",
        ApiCall(form="quotient", name="Div"),
        _PAIR,
        dtypes.listed("float32 int32", "float16 float32 bfloat16 int32"),
        price=mended_sequences.remainder,
        tmp=_REMAINDER_TMP,
        tolerance=ROUNDED,
    ),
    replace(
        _record(
            "Pow",
            ApiCall(form="power", name="Power"),
            _PAIR,
            dtypes.listed("int32 float16 float32", "int8 uint8 uint16 uint32 int16 int32 float16 float32 bfloat16"),
            price=mended_sequences.power,
            tmp=_POWER_TMP,
            tolerance=LIBRARY,
        ),
        price=_priced(mended_sequences.power, _power_v2),
        scalar_operands=(0, 1),
    ),
    _record(
        "Gelu",
        ApiCall(form="library", name="Gelu"),
        _X,
        dtypes.both(dtypes.FLOATS_V1, dtypes.FLOATS_V1),
        price=mended.over_elements("Gelu"),
        tmp=library_tmp("Gelu", tmp_published.floored(tmp_requests.own_size)),
        tolerance=LIBRARY,
    ),
    with_number(
        replace(
            _record(
                "LeakyRelu",
                ApiCall(form="unary_scalar", name="LeakyRelu"),
                _X,
                dtypes.both(dtypes.FLOATS_V1, dtypes.FLOATS_V1),
                price=mended.over_elements("LeakyRelu"),
            ),
            in_place=True,
        ),
        "negative_slope",
    ),
)
"""All records of this file."""
