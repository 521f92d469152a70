"""What lies between the elements of a tile: padding of rows, and places behind the last element of a shorter tile.

Flat calls run over it and what they make of it is never read. Where a call must not see what was never written (a reduce, a mask), the
places are set first.
"""

from __future__ import annotations

from collections.abc import Iterable

from att.expr.core import floor_div, mul
from codegen.calls.axes import TileAxis, extent, room
from codegen.operands import Site


def fill_gaps(site: Site, tensor: tuple[str, str], value: str, axes: tuple[TileAxis, ...], inner: Iterable[int]) -> None:
    """Sets the places behind the elements of some inner axes; `tensor` is its text and its storage, its layout that of `axes`."""
    text, storage = tensor
    for i in inner:
        if room(axes, i) == axes[i].dim:
            continue
        pitch = axes[i - 1].stride
        numbers = (floor_div(extent(axes), pitch), mul(axes[i].dim, axes[i].stride), pitch)
        site.body.uses("FillRowTails")
        texts = ", ".join(site.scope.text(n) for n in numbers)
        site.body.vector(f"FillRowTails({text}, {value}, {texts});", reads={storage}, writes={storage})
