"""Concat of a tile: rows of parts side by side.

    every part whole blocks    rows are copied block by block, each part to its place
    otherwise                  [rows, p] -> [p, rows] behind each other in the temporary area, then [n, rows] -> [rows, n]

A part of one element is a column that lies dense, which is what its transpose would be: it is copied (ascendc_api_facts §9.6).
"""

from __future__ import annotations

from att.expr.core import Expr, align_up, integer, mul
from att.ops.concat import Join, join_of
from att.ops.extents import ZERO, block_elems
from att.ops.matrices import SIDE, SPARE_BYTES
from codegen.calls.transfer import element
from codegen.calls.transpose import BY_WIDTH, relabelled
from codegen.operands import TMP, Operand, Site

ONE = integer(1)


def concat(site: Site) -> None:
    """The whole tile."""
    join = join_of(site.call)
    if join.in_blocks(site.output.dtype.bytes):
        _copy_blocks(site, join)
    else:
        _by_transposes(site, join)


def _copy_blocks(site: Site, join: Join) -> None:
    site.body.uses("CopyRows")
    for x, part, start in zip(site.inputs, join.parts, join.starts, strict=True):
        target = element(site.scope, site.output.text, start)
        numbers = ", ".join(site.scope.text(n) for n in (join.rows, part, _pitch(site, site.output, join), _pitch(site, x, join)))
        site.vector(f"CopyRows({target}, {x.text}, {numbers});", x)


def _by_transposes(site: Site, join: Join) -> None:
    kind = BY_WIDTH.get(site.output.dtype.bytes)
    if kind is None:
        raise site.error(f"parts of {site.output.dtype} that are no whole blocks have no join", "cast to a type of 2 or 4 bytes")
    scope = site.scope
    columns = f"{element(scope, TMP, integer(SPARE_BYTES))}.ReinterpretCast<{kind}>()"
    spare = f"{TMP}.ReinterpretCast<{kind}>()"
    pitch = align_up(join.rows, SIDE)
    site.body.uses("TransposeMatrix", "CopyRows")
    for x, part, start in zip(site.inputs, join.parts, join.starts, strict=True):
        target, source = element(scope, columns, mul(start, pitch)), relabelled(x.text, x, kind)
        if _is_column(x):
            length = scope.text(align_up(join.rows, block_elems(site.output.dtype)))
            text = f"DataCopy({target}, {source}, {length});"
        else:
            numbers = ", ".join(scope.text(n) for n in (join.rows, part, pitch, _pitch(site, x, join)))
            text = f"TransposeMatrix({target}, {source}, {spare}, {numbers});"
        site.body.vector(text, reads={x.storage}, writes={TMP})
    numbers = ", ".join(scope.text(n) for n in (join.length, join.rows, _pitch(site, site.output, join), pitch))
    result = relabelled(site.output.text, site.output, kind)
    site.body.vector(f"TransposeMatrix({result}, {columns}, {spare}, {numbers});", reads={TMP}, writes={site.output.storage, TMP})


def _is_column(x: Operand) -> bool:
    """Whether a part has one element a row and its rows lie one behind the other."""
    varying = [stride for stride in x.view.ub_strides if stride != ZERO]
    return varying == [ONE]


def _pitch(site: Site, operand: Operand, join: Join) -> Expr:
    """Distance of two rows: the stride of the innermost axis before the joined one; of a single row, whole blocks that hold it."""
    before = [stride for stride in operand.view.ub_strides[: join.axis] if stride != ZERO]
    return before[-1] if before else align_up(join.length, block_elems(operand.dtype))
