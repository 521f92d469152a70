"""Global memory as flat arrays: what a Load reads and a Store writes, bounds checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from att.errors import GraphError
from att.expr.core import Expr
from att.expr.evaluate import evaluate
from att.ir.graph import Graph
from att.ir.node import Node

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """The elements of a flat buffer that one Load or Store touches."""

    offset: int
    repeats: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def needed_elems(self) -> int:
        """Elements the buffer must hold; 0 if nothing is touched."""
        if 0 in self.repeats:
            return 0
        return self.offset + 1 + sum((r - 1) * s for r, s in zip(self.repeats, self.strides, strict=True))


def region_of(node: Node, shape: Mapping[str, int]) -> Region:
    """What a Load reads or a Store writes at a shape."""
    offset = node.attrs.get("offset", 0)
    view = node.output
    return Region(
        offset=evaluate(offset, shape) if isinstance(offset, Expr) else int(offset),
        repeats=tuple(evaluate(e, shape) for e in view.repeats),
        strides=tuple(evaluate(e, shape) for e in view.strides),
    )


def window(buffer: Array, region: Region, where: str) -> Array:
    """The region as a view of the buffer, one dim per axis. Raises GraphError naming `where` if it reaches beyond the buffer."""
    if region.needed_elems > buffer.size:
        raise GraphError(
            f"it needs {region.needed_elems} elements of its buffer in GM, {buffer.size} are available",
            where=where,
            hint="check offset, strides and the size of the buffer",
        )
    if region.needed_elems == 0:
        return np.empty(region.repeats, buffer.dtype)
    start = buffer[region.offset :]
    return as_strided(start, region.repeats, tuple(s * buffer.itemsize for s in region.strides))


def rows_by_index(buffer: Array, region: Region, indices: Array, row_stride: int, where: str) -> Array:
    """What a load of rows by index (GatherRows) brings: `region` with one row of the buffer for each index.

    The indices have the dims of the region, 1 where they do not vary.
    """
    result = np.empty(region.repeats, buffer.dtype)
    picks = [n > 1 or (m == 1 and s == 0) for n, m, s in zip(indices.shape, region.repeats, region.strides, strict=True)]
    for at in np.ndindex(*(n if pick else 1 for n, pick in zip(region.repeats, picks, strict=True))):
        row = int(indices[tuple(i if n > 1 else 0 for i, n in zip(at, indices.shape, strict=True))])
        repeats = tuple(1 if pick else n for n, pick in zip(region.repeats, picks, strict=True))
        start = region.offset + row * row_stride + sum(i * s for i, s, pick in zip(at, region.strides, picks, strict=True) if pick)
        moved = Region(offset=start, repeats=repeats, strides=region.strides)
        place = tuple(slice(i, i + 1) if pick else slice(None) for i, pick in zip(at, picks, strict=True))
        result[place] = window(buffer, moved, where)
    return result


def input_elements(graph: Graph, shape: Mapping[str, int]) -> tuple[int, ...]:
    """Elements that each kernel input must hold at a shape, by the order of the Data nodes' indices."""
    return tuple(
        max((region_of(user, shape).needed_elems for user in graph.consumers_of[data.name] if user.op == "Load"), default=0)
        for data in graph.data_nodes
    )


def output_elements(graph: Graph, shape: Mapping[str, int]) -> tuple[int, ...]:
    """Elements that each kernel output must hold at a shape, by the order of the Output nodes' indices."""
    return tuple(stored_elements(graph, output, shape) for output in graph.output_nodes)


def stored_elements(graph: Graph, end: Node, shape: Mapping[str, int]) -> int:
    """Elements that an Output or Workspace must hold for its Stores and for the Loads that read it."""
    users = (*(graph.node_of[name] for name in end.inputs), *graph.consumers_of[end.name])
    return max((region_of(user, shape).needed_elems for user in users if user.op in ("Store", "Load")), default=0)
