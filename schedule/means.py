"""What becomes of a Mean: a Sum, and a multiplication by one over the number of elements.

    y[m] = Mean(x[m, n])    ->    s[m] = Sum(x[m, n]);  y = Mul(s, 1/n)

Sums of parts can be joined, means of parts cannot, so a Mean alone would have to keep its rows whole in UB. The kernel did the same inside
one call (a library mean divides by the padded length). It is one rounding more, within what a Mean may be off by (`att.ops.reduce`).
Source: the reference ends a Mean whose axis is cut with one Muls(1/R), and sums in its second phase (schedule_codegen_facts §5.7, §3.11).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from att.expr.choice import maximum
from att.expr.core import Expr, Int, mul
from att.ir.graph import Graph
from att.ir.node import AttrValue, Node
from att.ir.roles import reduced_axes
from att.ir.tensor import TensorView
from att.ops.registry import spec_of
from schedule.names import take_name

MEAN: Final = "Mean"


@dataclass(frozen=True, slots=True)
class MeanAsSum:
    """Means are sums, divided once they are complete.

    Before: `y[m] = Mean(x[m, n])`.  After: `s[m] = Sum(x[m, n]); c = Scalar 1/n; y = Mul(s, c)`.
    """

    table: str
    """The chip's op table, `v1` or `v2`."""

    def apply(self, graph: Graph) -> Graph:
        """The graph without Means in types that the table has one for; others are left for `check_dtypes` to refuse."""
        taken = set(graph.node_of)
        return replace(graph, nodes=tuple(new for node in graph.nodes for new in self._written(graph, node, taken)))

    def _written(self, graph: Graph, node: Node, taken: set[str]) -> Iterator[Node]:
        if node.op != MEAN or node.output.dtype not in spec_of(MEAN).dtypes[self.table]:
            yield node
            return
        total = replace(node, name=take_name(f"{node.name}_sum", taken), op="Sum")
        share = Node(
            name=take_name(f"{node.name}_share", taken),
            op="Scalar",
            attrs=_one_over(_count(graph, node)),
            output=TensorView(dtype=node.output.dtype),
        )
        yield from (total, share, replace(node, op="Mul", inputs=(total.name, share.name)))


def _count(graph: Graph, node: Node) -> Expr:
    """Elements of which each result is the mean; 1 where there are none: a size of 0 is decided before anything is divided."""
    source = graph.node_of[node.inputs[0]].output
    return maximum(1, mul(*(source.repeat_of(axis) for axis in reduced_axes(graph, node))))


def _one_over(count: Expr) -> dict[str, AttrValue]:
    return {"value": repr(1 / count.lo)} if isinstance(count, Int) else {"value": "1.0", "divisor": count}
