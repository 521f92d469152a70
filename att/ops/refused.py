"""Ops that graphs may name and that are refused in words: why, and what to do instead (AutoFuse's V1 table, loop_ir_ops.json).

Besides the ops of that table, names that front ends have: nothing there writes by index, and Scatter aborts on arch 2201
(ascendc_api_facts §10).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_INSERTED: Final = "inserted by the reference's scheduler, never in an input graph"

REFUSED: Final[Mapping[str, str]] = MappingProxyType(
    {
        **dict.fromkeys(("Nop",), "a place holder for inference that computes nothing; leave it out"),
        **dict.fromkeys(("Pad",), f"{_INSERTED}; ours lays all values out with one distance of rows, so none is spread out later"),
        **dict.fromkeys(("Ub2ub",), f"{_INSERTED}; ours packs values into one queue where queues run out"),
        **dict.fromkeys(("IndexExpr", "ScalarData"), "scalars and indices, of which only Scalar is supported"),
        **dict.fromkeys(("FlashSoftmax",), "a fused operator of its own; write Max, Sub, Exp, Sum and TrueDiv"),
        **dict.fromkeys(("VectorFunc",), "made by a scheduler from the ops inside it; give those"),
        **dict.fromkeys(
            tuple(f"{product}{kind}" for product in ("BatchMatMul", "Conv2D", "MatMul") for kind in ("", "Bias", "Offset", "OffsetBias")),
            "work of the matrix units; only vector kernels are made",
        ),
        **dict.fromkeys(("ArgMaxMultiRPhase1", "ArgMaxMultiRPhase2"), "half of a reduce in two phases; use ArgMax"),
        **dict.fromkeys(
            ("Scatter", "ScatterAdd", "ScatterElements", "ScatterNd", "ScatterNdUpdate", "ScatterUpdate"),
            "no op of AutoFuse's tables, and arch 2201 has no Scatter; keep it outside of the fused graph",
        ),
        **dict.fromkeys(("ArgMin",), "no op of AutoFuse's tables; take ArgMax of the negative"),
    }
)
"""Reason by op."""
