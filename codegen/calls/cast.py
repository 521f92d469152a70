"""Conversions: one Cast, or two by way of a type that both sides can be converted with.

Rounding (ascendc_api_facts §6.2): exact widening NONE; to a narrower float, and from integers to floats, nearest even; from floats to
integers toward zero.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from att.expr.choice import maximum
from att.expr.core import Expr, add, align_up, mul
from att.ir.dtype import DType
from att.ops.extents import BLOCK_BYTES, elements
from att.ops.tmp_mended import casts_through
from codegen.dtypes import cxx_type
from codegen.operands import TMP, Operand, Site

_NONE_ONLY: Final = frozenset(
    (DType(source), DType(target))
    for source, target in (
        ("float16", "float32"),
        ("bfloat16", "float32"),
        ("int16", "float32"),
        ("int8", "float16"),
        ("uint8", "float16"),
        ("int32", "int16"),
        ("int32", "int64"),
        ("int64", "int32"),
    )
)
"""Pairs whose Cast has no rounding mode."""


def cast(site: Site) -> None:
    """The conversion of a whole tile."""
    (x,) = site.inputs
    source, target = x.dtype, site.output.dtype
    if _same_bits(source, target):
        _copy_bits(site, x)
        return
    chain = [source, *casts_through(source, target), target]
    texts = [x.text, *_between(site, chain[1:-1]), site.output.text]
    for i, (a, b) in enumerate(pairwise(chain)):
        reads = {x.storage} if i == 0 else {TMP}
        writes = {site.output.storage} if i == len(chain) - 2 else {TMP}
        site.body.vector(f"Cast({texts[i + 1]}, {texts[i]}, {round_mode(a, b)}, {site.count()});", reads=reads, writes=writes)


def round_mode(source: DType, target: DType) -> str:
    """The rounding of one Cast instruction."""
    if (source, target) in _NONE_ONLY:
        return "RoundMode::CAST_NONE"
    if source.is_float and not target.is_float:
        return "RoundMode::CAST_TRUNC"
    return "RoundMode::CAST_RINT"


def _same_bits(source: DType, target: DType) -> bool:
    return source.bytes == target.bytes and not source.is_float and not target.is_float


def _copy_bits(site: Site, x: Operand) -> None:
    """Integers of one width: whole blocks are copied."""
    count = site.scope.text(whole_blocks(site.scope.elements(site.output.view), x.dtype))
    site.vector(f"DataCopy({site.output.text}, {x.text}.ReinterpretCast<{site.output.cxx_type}>(), {count});")


def whole_blocks(count: Expr, dtype: DType) -> Expr:
    """Elements rounded up to whole 32-byte blocks."""
    return align_up(count, BLOCK_BYTES // dtype.bytes)


def _between(site: Site, types: list[DType]) -> list[str]:
    """Places in the temporary area for the types in between, as large as its rule counts them."""
    if not types:
        return []
    call = site.scope.full_call(site.node)
    n = maximum(elements(call.inputs[0]), elements(call.output))
    places: list[str] = []
    offset: Expr = add(0)
    for dtype in types:
        text = site.scope.text(offset)
        base = TMP if text == "0" else f"{TMP}[{text}]"
        places.append(f"{base}.ReinterpretCast<{cxx_type(dtype)}>()")
        offset = add(offset, align_up(mul(n, dtype.bytes), BLOCK_BYTES))
    return places
