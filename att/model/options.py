"""What a person may choose about the model."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from att.ops.call import CostSet

DEFAULT_ALIGN_BYTES = 32
"""Default tile alignment of axes that are innermost in a widest DMA, bytes (design §4; UB block size, AscendC units)."""


class Objective(StrEnum):
    """What a tiling is chosen by (docs/objectives.md)."""

    BOTTLENECK = "bottleneck"
    """Launch plus the slowest pipe."""
    PIPELINE = "pipeline"
    """That, with the pipe's wait for its first data and for what follows its last; a queue may have one buffer, and its pipes then take
    turns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """Choices that change the model of a template, not the template."""

    cost_set: CostSet = CostSet.MENDED
    align_bytes: int | None = DEFAULT_ALIGN_BYTES
    """The tile of an axis that is innermost in a widest DMA is a multiple of this many bytes or the whole axis (`att.model.alignment`);
    None: no rule."""
    objective: Objective = Objective.BOTTLENECK
    few_rows: bool = True
    """A reduction in two phases takes part only where there are fewer rows than cores."""
    cache_line: bool = False
    """The innermost cut axis of a transfer moves a cache line or is whole."""
    min_tile_elems: int | None = None
    """Fewest elements of a tile of a longer axis; None: no rule."""
