"""Calls of device helpers that work in chunks of their temporary memory (`att.ops.tmp_chunks`)."""

from __future__ import annotations

from att.expr.core import Expr, floor_div
from codegen.operands import TMP, Operand, Site


def chunked(site: Site, call: str, *arguments: str, bytes_per_elem: int, operands: tuple[Operand, ...] = ()) -> None:
    """`Helper(dst, operands …, arguments …, tmp, chunk, count)`; `call` may carry template arguments, operands default to the inputs."""
    site.body.uses(call.partition("<")[0])
    read = operands or site.inputs
    texts = (site.output.text, *(o.text for o in read), *arguments, TMP, site.scope.text(_chunk(site, bytes_per_elem)), site.count())
    site.vector(f"{call}({', '.join(texts)});", *read, scratch=True)


def _chunk(site: Site, bytes_per_elem: int) -> Expr:
    """Elements that the area of a full tile has room for: the whole tile, if it is shorter than a chunk."""
    return floor_div(site.spec.tmp_bytes(site.scope.full_call(site.node), site.costs), bytes_per_elem)
