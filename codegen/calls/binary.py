"""Calls of two operands, either of which may be a Scalar."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from att.expr.core import mul, symbol
from att.expr.logic import FALSE, TRUE
from att.ir.dtype import DType
from att.ops.by_row import ByRow, by_row
from att.ops.verify import scalar_value
from codegen.calls.flat import divide_by_scalar, divide_scalar_by
from codegen.calls.transfer import counted, element
from codegen.literals import literal
from codegen.operands import TMP, Operand, Site

_WITH_SCALAR: Final[Mapping[str, str]] = MappingProxyType({"Add": "Adds", "Mul": "Muls", "Max": "Maxs", "Min": "Mins"})
"""Instructions with a scalar second operand; all of these commute."""


def binary(site: Site) -> None:
    """`Api(dst, a, b, count)`, or the form with a scalar."""
    a, b = site.inputs
    rows = by_row(site.call)
    if rows is not None:
        _by_row(site, a, b, rows)
    elif site.api == "Div":
        _divide(site, a, b)
    elif not a.is_scalar and not b.is_scalar:
        site.vector(f"{site.api}({site.output.text}, {a.text}, {b.text}, {site.count()});")
    elif site.api == "Sub":
        _subtract(site, a, b)
    elif site.api in _WITH_SCALAR:
        tensor, scalar = (b, a) if a.is_scalar else (a, b)
        site.vector(f"{_WITH_SCALAR[site.api]}({site.output.text}, {tensor.text}, {scalar.text}, {site.count()});")
    else:
        raise site.error(f"{site.api} has no form with a scalar")


def _by_row(site: Site, a: Operand, b: Operand, rows: ByRow) -> None:
    """The row operand meets every row of the other: column by column, or row by row."""
    fits = rows.is_by_columns
    if fits is TRUE:
        _columns(site, a, b, rows)
    elif fits is FALSE:
        _rows(site, a, b, rows)
    else:
        site.body.branch(site.scope.printer.text(fits), lambda: _columns(site, a, b, rows), lambda: _rows(site, a, b, rows))


def _columns(site: Site, a: Operand, b: Operand, rows: ByRow) -> None:
    """`Api(dst, a, b, lanes, rows, strides)`: a repeat a row, the row operand standing still."""
    scope = site.scope
    pitch = scope.text(rows.pitch_blocks)
    strides = ", ".join((pitch, *("0" if i == rows.operand else pitch for i in (0, 1))))
    tail = f"{scope.text(rows.rows)}, BinaryRepeatParams(1, 1, 1, {strides})"
    if rows.row_elems.hi <= rows.lanes:
        site.vector(f"{site.api}({site.output.text}, {a.text}, {b.text}, {scope.text(rows.row_elems)}, {tail});")
        return
    at, length = scope.names.fresh("column"), scope.text(rows.row_elems)
    with site.body.loop(f"for (int64_t {at} = 0; {at} < {length}; {at} += {rows.lanes})", rows.columns):
        site.body.uses_expression("Smaller")
        texts = ", ".join(f"{operand.text}[{at}]" for operand in (site.output, a, b))
        site.vector(f"{site.api}({texts}, Smaller({rows.lanes}, {length} - {at}), {tail});")


def _rows(site: Site, a: Operand, b: Operand, rows: ByRow) -> None:
    """`Api(dst, a, b, count)` for each row."""
    scope = site.scope
    index = symbol(scope.names.fresh("row"), 0, max(0, rows.rows.hi - 1))
    offset = mul(index, rows.pitch_elems)
    with counted(scope, site.body, index, rows.rows):
        texts = [element(scope, site.output.text, offset)]
        texts += [o.text if i == rows.operand else element(scope, o.text, offset) for i, o in enumerate((a, b))]
        site.vector(f"{site.api}({', '.join(texts)}, {scope.text(rows.row_elems)});")


def _subtract(site: Site, a: Operand, b: Operand) -> None:
    """`x - s` adds the negative; `s - x` adds the scalar to the negative of x. Both round once."""
    y, n = site.output.text, site.count()
    if b.is_scalar:
        site.vector(f"Adds({y}, {a.text}, {_negated(site, 1, b)}, {n});")
        return
    site.vector(f"Muls({y}, {b.text}, {literal(-1, b.dtype)}, {n});")
    site.again(f"Adds({y}, {y}, {a.text}, {n});")


def _negated(site: Site, operand: int, scalar: Operand) -> str:
    return literal(-scalar_value(site.scope.graph.node_of[site.node.inputs[operand]]), scalar.dtype)


def _divide(site: Site, a: Operand, b: Operand) -> None:
    if not (b if a.is_scalar else a).dtype.is_float:
        _divide_integers(site, a, b)
    elif a.is_scalar:
        divide_scalar_by(site, a.text, b)
    elif b.is_scalar:
        divide_by_scalar(site, a, b.text)
    else:
        site.vector(f"Div({site.output.text}, {a.text}, {b.text}, {site.count()});")


def _divide_integers(site: Site, a: Operand, b: Operand) -> None:
    """Both operands as float32: one in the output, the other in the temporary area."""
    y, n = site.output.text, site.count()
    first, second = (b, a) if a.is_scalar else (a, b)
    site.vector(f"Cast({y}, {first.text}, RoundMode::CAST_RINT, {n});", first)
    if a.is_scalar:
        divide_scalar_by(site, _single(site, 0), site.output)
    elif b.is_scalar:
        divide_by_scalar(site, site.output, _single(site, 1))
    else:
        divisor = f"{TMP}.ReinterpretCast<float>()"
        site.body.vector(f"Cast({divisor}, {second.text}, RoundMode::CAST_RINT, {n});", reads={second.storage}, writes={TMP})
        site.again(f"Div({y}, {y}, {divisor}, {n});", scratch=True)


def _single(site: Site, operand: int) -> str:
    """A Scalar as float32."""
    return literal(scalar_value(site.scope.graph.node_of[site.node.inputs[operand]]), DType.FLOAT32)
