"""Which cut axes are rows of a transfer between GM and UB."""

from __future__ import annotations

from att.ir.axis import AxisKind
from att.ir.graph import ImplGraph
from att.ir.node import Node
from att.ir.roles import ONE, varying_axes
from att.ops.registry import spec_of
from att.ops.spec import ComputeType


def is_transfer(node: Node) -> bool:
    """Whether a node moves data between GM and UB."""
    return spec_of(node.op).compute in (ComputeType.LOAD, ComputeType.STORE)


def row_tile(graph: ImplGraph, node: Node) -> str | None:
    """The TILE_IN axis along which a Load or Store moves contiguous elements; None for other ops and for uncut rows."""
    if not is_transfer(node):
        return None
    rows = [axis for axis in varying_axes(node.output) if node.output.stride_of(axis) == ONE]
    return rows[-1] if rows and graph.axis_of[rows[-1]].kind is AxisKind.TILE_IN else None


def row_tiles(graph: ImplGraph) -> tuple[str, ...]:
    """The row tiles of all transfers, in graph order."""
    return tuple(dict.fromkeys(axis for node in graph.nodes if (axis := row_tile(graph, node))))


def widest_transfers(graph: ImplGraph) -> tuple[Node, ...]:
    """The Loads and Stores that no other of the phase exceeds, in graph order: none moves tiles of all their axes and of more.

    Of `y[m] = max(x[m, n])` it is the load; of a transpose it is both.
    """
    moved = {node.name: frozenset(_moved_axes(node)) for node in graph.nodes if is_transfer(node)}
    return tuple(node for node in graph.nodes if node.name in moved and not any(moved[node.name] < other for other in moved.values()))


def _moved_axes(node: Node) -> tuple[str, ...]:
    """The axes that one call moves elements along."""
    return tuple(axis for axis in varying_axes(node.output) if axis in node.output.vectorized_axes)
