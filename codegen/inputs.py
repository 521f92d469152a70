"""Kernel inputs for a test run: the same for the same seed, in ranges where the ops of the graph are finite."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from att.expr.evaluate import evaluate
from att.ir.dtype import DType
from att.ir.graph import HintGraph
from att.ir.node import Node
from att.ops.gm import input_elements
from att.ops.lookups import gathered_axis, is_lookup
from att.ops.registry import spec_of
from att.ops.spec import ComputeType, numpy_dtype

Array = NDArray[Any]

_MOVES: Final = frozenset({ComputeType.LOAD, ComputeType.BROADCAST, ComputeType.TRANSPOSE, ComputeType.CONCAT, ComputeType.SPLIT})
"""What gives its operands' elements as they are."""


def make_inputs(graph: HintGraph, shape: Mapping[str, int], seed: int, *, positive: bool = False) -> tuple[Array, ...]:
    """One flat array for every Data node. `positive`: floats in 0.5 .. 1.5, integers from 1, for graphs that are not finite elsewhere."""
    rng = np.random.default_rng(seed)
    sizes = input_elements(graph, shape)
    return tuple(_values(rng, graph, node, size, shape, positive=positive) for node, size in zip(graph.data_nodes, sizes, strict=True))


def _values(rng: np.random.Generator, graph: HintGraph, node: Node, size: int, shape: Mapping[str, int], *, positive: bool) -> Array:
    dtype = node.output.dtype
    if _is_mask(graph, node):
        return rng.integers(0, 2, size).astype(numpy_dtype(dtype))
    limit = _index_limit(graph, node, shape)
    if limit is not None:
        return rng.integers(0, limit, size).astype(numpy_dtype(dtype))
    if not dtype.is_float:
        low = 1 if positive else 0 if dtype.value.startswith("u") or dtype is DType.BOOL else -50
        return rng.integers(low, 2 if dtype is DType.BOOL else 51, size).astype(numpy_dtype(dtype))
    numbers = rng.uniform(0.5, 1.5, size) if positive else rng.standard_normal(size)
    return numbers.astype(np.float32).astype(numpy_dtype(dtype))


def _index_limit(graph: HintGraph, node: Node, shape: Mapping[str, int]) -> int | None:
    """The length of the shortest table that it holds indices of, even if they are moved on their way; None if it holds none."""
    users = (user for user in graph.nodes if is_lookup(user) and node.name in _moved_from(graph, user.inputs[1]))
    found = (gathered_axis(graph, user) for user in users)
    lengths = (1 if axis is None else evaluate(graph.axis_of[axis].size, shape) for axis in found)
    return min(lengths, default=None)


def _moved_from(graph: HintGraph, value: str) -> frozenset[str]:
    """The value, and those whose elements it holds: nothing but moves and Casts lie between."""
    node = graph.node_of[value]
    moved = node.op == "Cast" or spec_of(node.op).compute in _MOVES
    sources = node.inputs[:1] if is_lookup(node) else node.inputs if moved else ()
    return frozenset({value}).union(*(_moved_from(graph, source) for source in sources))


def _is_mask(graph: HintGraph, node: Node) -> bool:
    """Whether some op selects by it."""
    for load in graph.consumers_of[node.name]:
        for user in graph.consumers_of[load.name]:
            mask = spec_of(user.op).mask_operand
            if mask is not None and user.inputs[mask] == load.name:
                return True
    return False
