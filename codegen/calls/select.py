"""Where, Select, MaskedFill: a byte mask chooses between two operands, either of which may be a Scalar."""

from __future__ import annotations

from att.ir.dtype import DType
from codegen.calls.axes import tile_axes
from codegen.calls.gaps import fill_gaps
from codegen.literals import literal
from codegen.operands import TMP, Operand, Site


def select(site: Site) -> None:
    """`dst = mask != 0 ? a : b`: the mask becomes half, then bits. 64-bit elements need two bits each; the half lies in the output."""
    mask, a, b = _ordered(site)
    wide = site.output.dtype.bytes == DType.INT64.bytes
    place, storage = (site.output.text, site.output.storage) if wide else (TMP, TMP)
    values = f"{place}.ReinterpretCast<half>()"
    site.body.vector(f"Cast({values}, {mask.text}, RoundMode::CAST_NONE, {site.count()});", reads={mask.storage}, writes={storage})
    axes = tile_axes(site, mask.view, mask.view)
    fill_gaps(site, (values, storage), literal(0.0, DType.FLOAT16), axes, range(1, len(axes)))
    helper = "SelectWideByMask" if wide else "SelectByMask"
    site.body.uses(helper)
    texts = ", ".join((*(("pipe",) if wide else ()), site.output.text, a.text, b.text, TMP, site.count()))
    reads = {o.storage for o in (a, b) if o.storage} | {storage, TMP}
    site.body.vector(f"{helper}({texts});", reads=reads, writes={site.output.storage, TMP})


def _ordered(site: Site) -> tuple[Operand, Operand, Operand]:
    """Mask, what it takes, what it leaves: MaskedFill names what it leaves first, and what it takes last."""
    first, second, third = site.inputs
    return (second, third, first) if site.spec.mask_operand == 1 else (first, second, third)
