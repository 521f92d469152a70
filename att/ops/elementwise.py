"""Records of elementwise ops: arithmetic, functions, casts, logic and selection.

Dtypes: loop_ir_ops.json (AutoFuse op registration V1, V2), by way of `att.ops.dtypes`. Public APIs: ascendc_api_facts §6. Formulas: the
modules that the records name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from att.ir.dtype import DType
from att.ir.node import AttrValue
from att.ops import dtypes, published_select, published_vector, tmp_library, tmp_mended, tmp_published
from att.ops import mended_vector as mended
from att.ops.by_row import priced_by_row
from att.ops.call import Pipe
from att.ops.instructions import recipe
from att.ops.pricing import no_tmp, priced, requested
from att.ops.spec import EXACT, NOTHING, ApiCall, ComputeType, DTypeRule, OpSpec, PriceRule, Reference, TmpRule, Tolerance

ROUNDED: Final = Tolerance(ulps=1)
"""One rounding more or less."""
INSTRUCTION: Final = Tolerance(ulps=4)
"""Hardware functions may differ in the last bits (ascendc_api_facts §15)."""
LIBRARY: Final = Tolerance(ulps=1024)
"""Library functions agree to a relative 1e-4 or better (ascendc_api_facts §12), about 840 float32 ulps."""

SCRATCH_BYTES: Final = 8192
"""Select keeps its mask address in the last 8 KiB of UB (ascendc_api_facts §6.3; att_facts §2.1)."""

IN_PLACE: Final = frozenset({
    "Abs", "Add", "Div", "Exp", "Ln", "LogicalAnd", "LogicalNot", "LogicalOr", "Maximum", "Minimum", "Mul", "Neg", "Reciprocal", "Relu",
    "Rsqrt", "Sqrt", "Sub",
})  # fmt: skip
"""Ops whose AutoFuse registration (loop_ir_ops.json, `inplace`) allows the result where an operand lay.

Source and destination of an instruction may be identical (ascendc_api_facts §5); library functions do not say, so they are not listed.
"""

DEFAULT_TMP: Final = tmp_published.floored(tmp_published.default)
"""What the reference requests unless an op says otherwise; also what a request of 0 bytes takes."""
PLAIN_TMP: Final = requested(published_v1=no_tmp, published_v2=no_tmp, mended_v1=no_tmp)
"""Plain instructions."""


def library_tmp(api: str, published_v1: TmpRule = DEFAULT_TMP) -> TmpRule:
    """Library functions: V2 requests 0 bytes and takes the default (att_facts §5.2 no. 44)."""
    return requested(published_v1=published_v1, published_v2=DEFAULT_TMP, mended_v1=tmp_library.library(api))


def computed_by(name: str) -> Reference:
    """The numpy meaning of an op, looked up when it is first needed."""

    def run(inputs: tuple[Any, ...], attrs: Mapping[str, AttrValue]) -> Any:
        del attrs
        from att.ops.numerics import elementwise

        return elementwise(name, *inputs)

    return run


def _v1_and_recipe(op: str, published: PriceRule, mended_v1: PriceRule) -> PriceRule:
    """V1 by formulas, V2 by the op's instruction recipe."""
    return priced(published_v1=published, published_v2=recipe(op), mended_v1=mended_v1, mended_v2=recipe(op))


def unary(
    op: str,
    api: str,
    allowed: dtypes.Allowed,
    *,
    tmp: TmpRule = PLAIN_TMP,
    tolerance: Tolerance = EXACT,
    form: str = "unary",
    price_mended: PriceRule | None = None,
) -> OpSpec:
    """An op of one operand, priced by the row of its own name or of its API unless `price_mended` says otherwise."""
    return OpSpec(
        name=op,
        compute=ComputeType.ELEMENTWISE,
        inputs=("x",),
        dtypes=allowed,
        output_dtype=dtypes.first_data,
        pipe=Pipe.VEC,
        price=_v1_and_recipe(op, published_vector.over_elements(api), price_mended or mended.over_elements(op, api)),
        tmp=tmp,
        reference=computed_by(op),
        tolerance=tolerance,
        api=ApiCall(form=form, name=api),
        attrs=NOTHING,
        in_place=op in IN_PLACE,
    )


def binary(
    op: str,
    api: str,
    allowed: dtypes.Allowed,
    *,
    price_mended: PriceRule,
    tmp: TmpRule = PLAIN_TMP,
    tolerance: Tolerance = EXACT,
    output: DTypeRule = dtypes.first_data,
) -> OpSpec:
    """An op of two operands, either of which may be a Scalar."""
    return OpSpec(
        name=op,
        compute=ComputeType.ELEMENTWISE,
        inputs=("x1", "x2"),
        dtypes=allowed,
        output_dtype=output,
        pipe=Pipe.VEC,
        price=_v1_and_recipe(op, published_vector.over_elements(api), priced_by_row(price_mended, api)),
        tmp=tmp,
        reference=computed_by(op),
        tolerance=tolerance,
        api=ApiCall(form="binary", name=api),
        attrs=NOTHING,
        scalar_operands=(0, 1),
        in_place=op in IN_PLACE,
    )


def _logical(op: str, api: str) -> OpSpec:
    return OpSpec(
        name=op,
        compute=ComputeType.ELEMENTWISE,
        inputs=("x1", "x2"),
        dtypes=dtypes.both(dtypes.LOGICAL_V1, dtypes.ALL_V2 | {DType.BOOL}),
        output_dtype=dtypes.to_mask,
        pipe=Pipe.VEC,
        price=_v1_and_recipe(op, published_vector.logical_pair(api), mended.logical_pair(api)),
        tmp=requested(published_v1=DEFAULT_TMP, published_v2=no_tmp, mended_v1=tmp_mended.logical),
        reference=computed_by(op),
        tolerance=EXACT,
        api=ApiCall(form="logical", name=api),
        attrs=NOTHING,
        scalar_operands=(0, 1),
        in_place=op in IN_PLACE,
    )


_ABS_TMP = requested(
    published_v1=tmp_published.floored(tmp_published.per_element(lambda dtype: 4 if dtype is DType.INT32 else 0)),
    published_v2=no_tmp,
    mended_v1=tmp_mended.integer_copy,
)
_RSQRT_TMP = requested(
    published_v1=tmp_published.floored(tmp_published.per_element(lambda dtype: dtype.bytes)),
    published_v2=no_tmp,
    mended_v1=tmp_mended.one_repeat,
)
_ERF_TMP = library_tmp(
    "Erf",
    tmp_published.floored(tmp_published.per_element(lambda dtype: dtype.bytes * (8 if dtype is DType.FLOAT16 else 3), capped=False)),
)
_RECIPROCAL_TMP = requested(published_v1=DEFAULT_TMP, published_v2=no_tmp, mended_v1=tmp_mended.one_repeat)
_SUB_TMP = requested(published_v1=DEFAULT_TMP, published_v2=no_tmp, mended_v1=no_tmp)
_DIV_TMP = requested(published_v1=DEFAULT_TMP, published_v2=no_tmp, mended_v1=tmp_mended.scalar_repeat)
_TRUE_DIV_TMP = requested(
    published_v1=tmp_published.floored(tmp_published.true_div), published_v2=no_tmp, mended_v1=tmp_mended.scalar_repeat
)
_WHERE_TMP = requested(published_v1=tmp_published.floored(tmp_published.where), published_v2=no_tmp, mended_v1=tmp_mended.select)
_NOT_TMP = requested(
    published_v1=tmp_published.floored(tmp_published.per_element(lambda dtype: 2, more=32)),
    published_v2=no_tmp,
    mended_v1=tmp_mended.logical,
)
_CAST_TMP = requested(published_v1=tmp_published.floored(tmp_published.cast), published_v2=no_tmp, mended_v1=tmp_mended.cast)

_FLOATS = dtypes.both(dtypes.FLOATS_V1, dtypes.FLOATS_V2)
_ARITHMETIC = dtypes.both(dtypes.SIGNED_V1, dtypes.ALL_V2)

CAST: Final = OpSpec(
    name="Cast",
    compute=ComputeType.ELEMENTWISE,
    inputs=("x",),
    dtypes=dtypes.sources_of(dtypes.CASTS),
    output_dtype=dtypes.not_decided,
    pipe=Pipe.VEC,
    price=_v1_and_recipe("Cast", published_vector.cast, mended.cast),
    tmp=_CAST_TMP,
    reference=computed_by("Cast"),
    tolerance=EXACT,
    api=ApiCall(form="cast", name="Cast"),
    attrs=NOTHING,
    conversions=dtypes.CASTS,
)

WHERE: Final = OpSpec(
    name="Where",
    compute=ComputeType.ELEMENTWISE,
    inputs=("x1", "x2", "x3"),
    dtypes=dtypes.both(dtypes.SELECT_V1, dtypes.ALL_V2),
    output_dtype=dtypes.of_second,
    pipe=Pipe.VEC,
    price=_v1_and_recipe("Where", published_select.where, mended.where),
    tmp=_WHERE_TMP,
    reference=computed_by("Where"),
    tolerance=EXACT,
    api=ApiCall(form="select", name="Select"),
    attrs=NOTHING,
    scalar_operands=(1, 2),
    mask_operand=0,
    scratch_bytes=SCRATCH_BYTES,
)

LOGICAL_NOT: Final = OpSpec(
    name="LogicalNot",
    compute=ComputeType.ELEMENTWISE,
    inputs=("x",),
    dtypes=dtypes.both(dtypes.LOGICAL_V1, dtypes.ALL_V2 | {DType.BOOL}),
    output_dtype=dtypes.first_data,
    pipe=Pipe.VEC,
    price=_v1_and_recipe("LogicalNot", published_vector.logical_not, mended.logical_not),
    tmp=_NOT_TMP,
    reference=computed_by("LogicalNot"),
    tolerance=EXACT,
    api=ApiCall(form="logical", name="Not"),
    attrs=NOTHING,
    in_place="LogicalNot" in IN_PLACE,
)

RECORDS: Final[tuple[OpSpec, ...]] = (
    unary(
        "Abs",
        "Abs",
        dtypes.listed("float16 float32 int32", "float16 float32 int8 int16 int32 int64 bfloat16 uint8"),
        tmp=_ABS_TMP,
        price_mended=mended.absolute,
    ),
    unary("Exp", "Exp", _FLOATS, tolerance=INSTRUCTION),
    unary("Ln", "Ln", _FLOATS, tolerance=INSTRUCTION),
    unary("Sqrt", "Sqrt", _FLOATS, tolerance=ROUNDED),
    unary("Rsqrt", "Rsqrt", _FLOATS, tmp=_RSQRT_TMP, tolerance=INSTRUCTION),
    unary(
        "Reciprocal",
        "Reciprocal",
        dtypes.listed("float16 float32", "float16 float32 bfloat16 int64 uint64"),
        tmp=_RECIPROCAL_TMP,
        tolerance=ROUNDED,
    ),
    unary("Relu", "Relu", dtypes.listed("int32 float16 float32", "int32 float16 float32 uint8 int64")),
    unary(
        "Neg",
        "Muls",
        dtypes.listed("int16 int32 float16 float32", "bfloat16 int8 int64 int16 int32 float16 float32"),
        form="unary_scalar",
    ),
    unary("Sign", "Sign", dtypes.listed("float16 float32 int32", "float16 float32 int32 int64 uint8 bfloat16"), tmp=library_tmp("Sign")),
    unary("Erf", "Erf", _FLOATS, tmp=_ERF_TMP, tolerance=LIBRARY, form="library"),
    unary("Tanh", "Tanh", _FLOATS, tmp=library_tmp("Tanh"), tolerance=LIBRARY, form="library"),
    unary("Sigmoid", "Sigmoid", _FLOATS, tmp=library_tmp("Sigmoid"), tolerance=LIBRARY, form="library"),
    unary("Square", "Mul", dtypes.listed("", "float32 float16 int32 int16 uint16 uint32 int64 uint64 bfloat16 uint8"), tolerance=ROUNDED),
    binary("Add", "Add", _ARITHMETIC, price_mended=mended.over_elements("Add", with_scalar="Adds"), tolerance=ROUNDED),
    binary("Sub", "Sub", _ARITHMETIC, price_mended=mended.subtract, tmp=_SUB_TMP, tolerance=ROUNDED),
    binary(
        "Mul",
        "Mul",
        dtypes.both(dtypes.SIGNED_V1, dtypes.ALL_V2 - {DType.UINT16}),
        price_mended=mended.over_elements("Mul", with_scalar="Muls"),
        tolerance=ROUNDED,
    ),
    binary("Maximum", "Max", _ARITHMETIC, price_mended=mended.over_elements("Max", with_scalar="Maxs")),
    binary("Minimum", "Min", _ARITHMETIC, price_mended=mended.over_elements("Min", with_scalar="Mins")),
    binary(
        "Div", "Div", dtypes.both(dtypes.FLOATS_V1, dtypes.FLOATS_V1), price_mended=mended.divide("Div"), tmp=_DIV_TMP, tolerance=ROUNDED
    ),
    binary(
        "TrueDiv",
        "Div",
        dtypes.both(dtypes.FLOATS_V1 | {DType.INT32}, dtypes.FLOATS_V2),
        price_mended=mended.divide("TrueDiv", "Div"),
        tmp=_TRUE_DIV_TMP,
        tolerance=ROUNDED,
        output=dtypes.true_quotient,
    ),
    _logical("LogicalAnd", "Mul"),
    _logical("LogicalOr", "Max"),
    LOGICAL_NOT,
    CAST,
    WHERE,
)
"""All records of this file."""
