"""Place of the first maximum, counted over the reduced axes, as int64.

    [a, r]           one reduce with index for each row of floats, whose index the scalar unit stores
    [a, r] integers  lane by lane, repeat after repeat of a row; the scalar unit finds the largest lane
    [r, block]       row after row: where one is larger, its place takes that of the largest so far
    [r, a, r]        loops over kept axes outside, over reduced ones inside: the latter go on with what they have found

Where a loop cuts the reduced axis, the largest elements are kept from tile to tile, and a place counts if its element is larger.
What is no number is not asked for: what instructions make of NaN is not documented (ascendc_api_facts §6.3, §7.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from att.expr.core import Expr, add, integer, mul, symbol
from att.ir.dtype import DType
from att.ir.loops import elements_before
from codegen.calls.axes import TileAxis, extent, tile_axes
from codegen.calls.gaps import fill_gaps
from codegen.calls.transfer import counted, element
from codegen.literals import literal
from codegen.operands import TMP, Site

ZERO = integer(0)


def arg_max(site: Site) -> None:
    """The whole tile."""
    (x,) = site.inputs
    axes = tile_axes(site, x.view, site.output.view)
    if all(axis.shared for axis in axes):
        site.body.uses("DuplicateWide")
        site.vector(f"DuplicateWide(pipe, {site.output.text}, {literal(0, DType.INT64)}, {site.count()});")
    elif axes[-1].shared:
        _across_rows(site, axes)
    else:
        _along_rows(site, axes)


@dataclass(frozen=True, slots=True, kw_only=True)
class _At:
    """One turn of the loops around a call."""

    source: Expr = ZERO
    """First element in the operand."""
    target: Expr = ZERO
    """First element in the result."""
    run: Expr = ZERO
    """How many turns of the reduced loops went before for this result."""
    result: Expr = ZERO
    """How many turns of the kept loops went before."""


def _across_rows(site: Site, axes: tuple[TileAxis, ...]) -> None:
    (x,) = site.inputs
    last = max(i for i, axis in enumerate(axes) if not axis.shared)
    inner = axes[last + 1 :]
    if len(inner) > 1:
        fill_gaps(site, (x.text, x.storage), literal(0, x.dtype), axes, range(last + 2, len(axes)))
    rows = axes[last]
    with ExitStack() as stack:
        at = _loops(site, stack, axes[:last])
        dst, src = _places(site, at)
        if site.turn is None:
            _call(site, "ColumnArgMax", (dst, src, TMP), (rows.dim, rows.stride, extent(inner), mul(at.run, rows.dim)))
        else:
            numbers = (at.result, rows.dim, rows.stride, extent(inner), _before(site))
            _call(site, "TilesArgMax", (dst, src, TMP, site.kept), numbers)


def _along_rows(site: Site, axes: tuple[TileAxis, ...]) -> None:
    """The kept axis around the rows is the helper's loop, unless a row goes on in another run."""
    (x,) = site.inputs
    *outside, cols = axes
    runs = any(not axis.shared for axis in outside)
    rows = outside[-1] if outside and not runs else None
    with ExitStack() as stack:
        at = _loops(site, stack, outside[:-1] if rows else outside)
        numbers = (rows.dim, cols.dim, rows.stride) if rows else (integer(1), cols.dim, extent((cols,)))
        helper, more = ("LaneArgMax", (at.run,)) if runs or not x.dtype.is_float else ("RowArgMax", ())
        _, src = _places(site, at)
        _call(site, helper, ("pipe", _result_of_rows(site, at), src, TMP), (*numbers, *more))


def _result_of_rows(site: Site, at: _At) -> str:
    """What takes the places of rows: the result, or what compares them with those of earlier tiles."""
    (x,) = site.inputs
    dst, _ = _places(site, at)
    if site.turn is None:
        site.body.uses("PlacesOfRows")
        return f"PlacesOfRows{{{dst}}}"
    site.body.uses("LargerRows")
    largest = element(site.scope, f"{site.kept}.ReinterpretCast<{x.cxx_type}>()", at.target)
    return f"LargerRows<{x.cxx_type}>{{{dst}, {largest}, {site.scope.text(_before(site))}}}"


def _before(site: Site) -> Expr:
    """Elements of a row that came in earlier tiles."""
    return elements_before(site.scope.graph, site.scope.nest, site.scope.index)


def _loops(site: Site, stack: ExitStack, axes: Sequence[TileAxis]) -> _At:
    """Loops over some axes, the kept ones outside; where one turn of all of them is."""
    at = _At()
    for axis in sorted(axes, key=lambda axis: not axis.shared):
        index = symbol(site.scope.names.fresh(f"{axis.name}_at"), 0, max(0, axis.dim.hi - 1))
        stack.enter_context(counted(site.scope, site.body, index, axis.dim))
        at = _At(
            source=add(at.source, mul(index, axis.stride)),
            target=add(at.target, mul(index, axis.other)),
            run=at.run if axis.shared else add(mul(at.run, axis.dim), index),
            result=add(mul(at.result, axis.dim), index) if axis.shared else at.result,
        )
    return at


def _places(site: Site, at: _At) -> tuple[str, str]:
    """The result and the operand there."""
    (x,) = site.inputs
    return element(site.scope, site.output.text, at.target), element(site.scope, x.text, at.source)


def _call(site: Site, helper: str, tensors: tuple[str, ...], numbers: tuple[Expr, ...]) -> None:
    site.body.uses(helper)
    site.vector(f"{helper}({', '.join((*tensors, *(site.scope.text(n) for n in numbers)))});", scratch=True)
