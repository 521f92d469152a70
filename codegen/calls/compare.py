"""Comparisons: one byte, 0 or 1, for every element.

What lies between the elements of the operands is set first: a mask must not be made of lanes that were never written.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from att.ir.dtype import DType
from att.ops.tmp_chunks import wide_compare_bytes
from codegen.calls.axes import tile_axes
from codegen.calls.chunks import chunked
from codegen.calls.gaps import fill_gaps
from codegen.literals import literal
from codegen.operands import TMP, Operand, Site

_TURNED: Final[Mapping[str, str]] = MappingProxyType({"LT": "GT", "GT": "LT", "LE": "GE", "GE": "LE"})
"""The comparison with its operands exchanged."""
_EQUALITY: Final = ("EQ", "NE")


def compare(site: Site) -> None:
    """`dst = a MODE b`; a Scalar on the left turns the comparison around."""
    a, b = site.inputs
    mode = site.api
    if a.is_scalar:
        a, b, mode = b, a, _TURNED.get(mode, mode)
    if a.dtype is DType.INT64:
        chunked(site, f"CompareWideToMask<CMPMODE::{mode}>", bytes_per_elem=wide_compare_bytes(equality=mode in _EQUALITY), operands=(a, b))
        return
    for operand in (a, b):
        if not operand.is_scalar:
            _fill(site, operand)
    call = _integer_call(site, mode) if a.dtype is DType.INT32 else f"CompareToMask<CMPMODE::{mode}>"
    site.body.uses(call.partition("<")[0])
    texts = ", ".join((site.output.text, a.text, b.text, TMP, site.count()))
    site.vector(f"{call}({texts});", a, b, scratch=True)


def _integer_call(site: Site, mode: str) -> str:
    """32-bit integers: equality has an instruction, its opposite is turned around, order goes by the larger value."""
    if mode in _EQUALITY:
        return f"CompareToMask<CMPMODE::EQ, {'true' if mode == 'NE' else 'false'}>"
    return f"CompareIntegersToMask<CMPMODE::{mode}>"


def _fill(site: Site, operand: Operand) -> None:
    axes = tile_axes(site, operand.view, operand.view)
    fill_gaps(site, (operand.text, operand.storage), literal(0, operand.dtype), axes, range(1, len(axes)))
