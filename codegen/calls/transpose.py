"""Transposes of a tile: one matrix at a time, its rows along the innermost axis of the result, its columns along that of the operand.

    x[y, x] -> t[x, y]            one call
    x[a, y, x] -> t[x, a, y]      a loop over every other axis, whatever its place on either side

The instruction turns 16 rows of a 32-byte block of columns into pieces of 32 (16-bit) or 64 bytes (32-bit elements); rows lie at multiples
of that in UB. What it makes of columns behind the last goes to the temporary area (ascendc_api_facts §11).
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Final

from att.expr.core import Expr, add, integer, mul, symbol
from att.ops.extents import ZERO
from codegen.calls.transfer import counted, element
from codegen.operands import TMP, Operand, Site

BY_WIDTH: Final = {4: "float", 2: "half"}
"""Types that move data of a width."""

ONE: Final = integer(1)


def transpose(site: Site) -> None:
    """The whole tile."""
    (x,) = site.inputs
    kind = BY_WIDTH.get(x.dtype.bytes)
    if kind is None:
        raise site.error(f"elements of {x.dtype} have no transpose on arch 2201", "cast to a type of 2 or 4 bytes")
    before, after = x.view.ub_strides, site.output.view.ub_strides
    if ONE not in before or ONE not in after or before.index(ONE) == after.index(ONE):
        raise site.error("it keeps its innermost axis in place", "schedule the graph again: such a Transpose is folded into its load")
    matrix(site, x, kind, columns=before.index(ONE), rows=after.index(ONE))


def matrix(site: Site, x: Operand, kind: str, *, columns: int, rows: int) -> None:
    """The matrix of two axes of the tile, inside loops over all others."""
    scope, dims = site.scope, site.output.view.dims
    before, after = x.view.ub_strides, site.output.view.ub_strides
    source, target = ZERO, ZERO
    with ExitStack() as stack:
        for i, dim in enumerate(dims):
            if i in (columns, rows) or dim == ONE:
                continue
            index = symbol(scope.names.fresh("matrix"), 0, max(0, dim.hi - 1))
            stack.enter_context(counted(scope, site.body, index, dim))
            source, target = add(source, mul(index, before[i])), add(target, mul(index, after[i]))
        numbers = ", ".join(scope.text(n) for n in (dims[rows], dims[columns], after[columns], before[rows]))
        site.body.uses("TransposeMatrix")
        to, of = _at(site, site.output, target, kind), _at(site, x, source, kind)
        site.vector(f"TransposeMatrix({to}, {of}, {TMP}.ReinterpretCast<{kind}>(), {numbers});", scratch=True)


def _at(site: Site, operand: Operand, offset: Expr, kind: str) -> str:
    return relabelled(element(site.scope, operand.text, offset), operand, kind)


def relabelled(text: str, operand: Operand, kind: str) -> str:
    """An operand's text as elements of a type of the same width."""
    return text if operand.cxx_type == kind else f"{text}.ReinterpretCast<{kind}>()"
