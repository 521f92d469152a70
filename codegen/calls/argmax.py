"""Index of the first maximum of every row: one reduce with index for each row, whose index the scalar unit stores as int64."""

from __future__ import annotations

from att.expr.core import floor_div
from codegen.calls.axes import extent, tile_axes
from codegen.operands import TMP, Site


def arg_max(site: Site) -> None:
    """`[rows, r] -> [rows]` over the last axis."""
    (x,) = site.inputs
    axes = tile_axes(site, x.view, site.output.view)
    kept = [axis for axis in axes if axis.shared]
    if not axes or axes[-1].shared or len(axes) - len(kept) != 1 or len(kept) > 1 or not x.dtype.is_float:
        raise site.error("it takes rows of floats, one axis reduced and at most one kept", "reduce the last axis only")
    pitch = axes[0].stride if kept else extent(axes)
    numbers = (floor_div(extent(axes), pitch), axes[-1].dim, pitch)
    site.body.uses("RowArgMax")
    texts = ", ".join(site.scope.text(n) for n in numbers)
    site.vector(f"RowArgMax(pipe, {site.output.text}, {x.text}, {TMP}, {texts});", scratch=True)
