"""How many elements the tensors of a graph have at a shape, and the refusal of those that are too large (design §4, Shapes).

The extents of a template's tensors contain tile sizes that nobody knows yet; there the axes that were split are counted whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from att.errors import UsageError
from att.expr.core import Expr, Sym
from att.expr.evaluate import evaluate_all
from att.expr.node import topological
from att.ir.graph import Graph, HintGraph, Template
from att.ir.scope import MAX_TENSOR_ELEMS
from att.ir.tensor import TensorView


def require_tensors_within_limit(graph: HintGraph | Template, shape: Mapping[str, int], where: str) -> None:
    """Raises UsageError, naming the tensor, if one has more than `MAX_TENSOR_ELEMS` elements at a shape without a size 0."""
    for part in (graph,) if isinstance(graph, HintGraph) else graph.phases:
        for node in part.nodes:
            elems = prod(evaluate_all(tuple(_extents(part, node.output, shape)), shape))
            if elems > MAX_TENSOR_ELEMS:
                raise UsageError(
                    f"tensor {node.name} has {elems:,} elements at this shape, allowed are {MAX_TENSOR_ELEMS:,}",
                    where=where,
                    hint="use a smaller shape, or split the tensor",
                )


def _extents(graph: Graph, view: TensorView, shape: Mapping[str, int]) -> Iterator[Expr]:
    split: dict[str, None] = {}
    for axis, repeat in zip(view.axes, view.repeats, strict=True):
        if _is_known(repeat, shape):
            yield repeat
        else:
            split |= dict.fromkeys(_roots(graph, axis))
    yield from (graph.axis_of[root].size for root in split)


def _is_known(extent: Expr, shape: Mapping[str, int]) -> bool:
    return all(node.name in shape for node in topological(extent) if isinstance(node, Sym))


def _roots(graph: Graph, axis: str) -> Iterator[str]:
    """The axes that it was split from and merged of."""
    parents = graph.axis_of[axis].parents
    if not parents:
        yield axis
    for parent in parents:
        yield from _roots(graph, parent)
