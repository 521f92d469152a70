"""Values that follow a reduce while it accumulates: what a turn of the inner loop sees is the result so far, not the final one.

    z1T loop:  x = Load, m = Max(x), r = Maximum(m, lowest), e = Exp(x - r), s = ScaledSum(e, r)

`r` is such a value because ScaledSum takes it as the exponent that its summands are relative to. It does not vary over the reduced axes,
but it is made anew in every turn, and reading it does not end the walk that makes `m`.
"""

from __future__ import annotations

from typing import Final

from att.ir.graph import Graph

SCALED_SUM: Final = "ScaledSum"
"""The reduce whose second operand moves while it accumulates (`att.ops.scaled`)."""


def running_values(graph: Graph) -> frozenset[str]:
    """Names of the nodes that are made anew in every turn from what a reduce has found so far."""
    return frozenset(node.inputs[1] for node in graph.nodes if node.op == SCALED_SUM)
