"""Calls of elementwise arithmetic in several instructions: Axpy, BitwiseAnd, ClipByValue, FloorDiv, Remainder, Pow."""

from __future__ import annotations

from typing import cast

from att.expr.core import ceil_div
from att.ir.dtype import DType
from att.ops.verify import scalar_value
from codegen.calls.chunks import chunked
from codegen.literals import literal
from codegen.operands import TMP, Operand, Site


def axpy(site: Site) -> None:
    """`a + alpha * b`; half through float."""
    a, b = site.inputs
    alpha = literal(cast("float", site.node.attrs["alpha"]), DType.FLOAT32)
    if site.output.dtype is DType.FLOAT16:
        chunked(site, "AxpyOfHalf", alpha, bytes_per_elem=4)
        return
    site.vector(f"Muls({site.output.text}, {b.text}, {alpha}, {site.count()});", b)
    _in_place(site, "Add", a)


def bitwise(site: Site) -> None:
    """And works on 16 and, by a count, on 32 bits; bytes go in pairs, of which the last may be padding."""
    texts = [o.text for o in (site.output, *site.inputs)]
    count = site.count()
    if site.output.dtype.bytes == 1:
        texts = [f"{text}.ReinterpretCast<uint16_t>()" for text in texts]
        count = site.scope.text(ceil_div(site.scope.elements(site.output.view), 2))
    site.vector(f"{site.api}({', '.join(texts)}, {count});")


def clip(site: Site) -> None:
    """The larger of x and the lower bound, then the smaller of it and the upper bound; a scalar takes the place of either."""
    x, low, high = site.inputs
    y, n = site.output.text, site.count()
    if x.is_scalar and low.is_scalar:
        bound = literal(max(_number(site, 0), _number(site, 1)), site.output.dtype)
        site.vector(f"Mins({y}, {high.text}, {bound}, {n});", high)
        return
    tensor, other = (low, x) if x.is_scalar else (x, low)
    site.vector(f"{'Maxs' if other.is_scalar else 'Max'}({y}, {tensor.text}, {other.text}, {n});", tensor, other)
    _in_place(site, "Mins" if high.is_scalar else "Min", high)


def quotient(site: Site) -> None:
    """FloorDiv, and Remainder, which is what FloorDiv leaves."""
    a, b = site.inputs
    if not a.dtype.is_float:
        chunked(site, "RemainderOfIntegers", bytes_per_elem=8)
        return
    if a.dtype is DType.FLOAT16:
        chunked(site, "FloorDivOfHalf", bytes_per_elem=8)
        return
    y, n = site.output.text, site.count()
    site.vector(f"Div({y}, {a.text}, {b.text}, {n});")
    site.again(f"Cast({y}, {y}, RoundMode::CAST_FLOOR, {n});")
    if site.node.op == "Remainder":
        _in_place(site, "Mul", b)
        site.body.vector(f"Sub({y}, {a.text}, {y}, {n});", reads={a.storage, site.output.storage}, writes={site.output.storage})


def power(site: Site) -> None:
    """The library function; either operand may be a scalar."""
    a, b = site.inputs
    site.vector(f"{site.api}({site.output.text}, {a.text}, {b.text}, {TMP}, {site.count()});", scratch=True)


def _in_place(site: Site, api: str, operand: Operand) -> None:
    """`y = api(y, operand)`."""
    y = site.output
    reads = {y.storage, operand.storage} - {""}
    site.body.vector(f"{api}({y.text}, {y.text}, {operand.text}, {site.count()});", reads=reads, writes={y.storage})


def _number(site: Site, operand: int) -> float:
    return float(scalar_value(site.scope.graph.node_of[site.node.inputs[operand]]))
