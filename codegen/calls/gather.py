"""Gather of a tile: indices as byte offsets, then one instruction for each row of the result (ascendc_api_facts §10)."""

from __future__ import annotations

from contextlib import ExitStack

from att.expr.core import add, mul, symbol
from att.ops.extents import ONE, ZERO
from att.ops.gathers import OFFSET
from codegen.calls.transfer import counted, element
from codegen.operands import TMP, Site


def gather(site: Site) -> None:
    """The whole tile."""
    table, indices = site.inputs
    scope = site.scope
    offsets = f"{TMP}.ReinterpretCast<int32_t>()"
    count, size = site.count(indices), table.dtype.bytes
    if indices.dtype is not OFFSET:
        site.body.vector(f"Cast({offsets}, {indices.text}, RoundMode::CAST_NONE, {count});", reads={indices.storage}, writes={TMP})
    source = indices.text if indices.dtype is OFFSET else offsets
    site.body.vector(f"Muls({offsets}, {source}, {size}, {count});", reads={indices.storage, TMP}, writes={TMP})
    strides = tuple(operand.view.ub_strides for operand in (site.output, table, indices))
    inner = max((i for i, stride in enumerate(strides[0]) if stride == ONE), default=None)
    if inner is None or strides[2][inner] != ONE:
        raise site.error("the innermost axis of its result is no axis of its indices", "put the axes of the indices last")
    places = [ZERO, ZERO, ZERO]
    with ExitStack() as stack:
        for axis, dim in enumerate(site.output.view.dims):
            if axis == inner or dim == ONE:
                continue
            index = symbol(scope.names.fresh("row"), 0, max(0, dim.hi - 1))
            stack.enter_context(counted(scope, site.body, index, dim))
            places = [add(place, mul(index, mine[axis])) for place, mine in zip(places, strides, strict=True)]
        to, of = (element(scope, operand.text, place) for operand, place in zip((site.output, table), places[:2], strict=True))
        at = element(scope, f"{TMP}.ReinterpretCast<uint32_t>()", places[2])
        text = f"Gather({to}, {of}, {at}, 0, {scope.text(site.output.view.dims[inner])});"
        site.body.vector(text, reads={table.storage, TMP}, writes={site.output.storage})
