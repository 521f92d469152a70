"""The order in which the axis-sorting heuristic gives UB to tiles: who comes first is cut last.

An edge says "before": parent before child, reduced before kept, broadcast before plain, innermost of a transfer before others. Edges that
would close a cycle are dropped, so earlier rules win; the order is topological, ties by declaration (att_facts §4.1, S1 §5.3.2).
"""

from __future__ import annotations

from att.ir.axis import AxisKind
from att.ir.graph import ImplGraph
from att.ir.roles import broadcast_axes, reduced_axes
from att.model.transfers import row_tiles


def solving_order(graph: ImplGraph) -> tuple[str, ...]:
    """Names of the variables, tiles first, the block variable last."""
    tiles = [v.axis for v in graph.variables if graph.axis_of[v.axis].kind is AxisKind.TILE_IN]
    blocks = [v.name for v in graph.variables if graph.axis_of[v.axis].kind is AxisKind.BLOCK_IN]
    ranked = _topological(tiles, _edges(graph, tiles))
    by_axis = {v.axis: v.name for v in graph.variables}
    return (*(by_axis[axis] for axis in ranked), *blocks)


def _edges(graph: ImplGraph, tiles: list[str]) -> list[tuple[str, str]]:
    reduced = {a for node in graph.nodes for a in reduced_axes(graph, node)}
    broadcast = {a for node in graph.nodes for a in broadcast_axes(graph, node)}
    innermost = set(row_tiles(graph))
    return [(a, b) for first in (reduced, broadcast, innermost) for a in tiles for b in tiles if a in first and b not in first]


def _topological(nodes: list[str], edges: list[tuple[str, str]]) -> list[str]:
    after: dict[str, set[str]] = {n: set() for n in nodes}
    for a, b in edges:
        if not _reaches(after, b, a):
            after[a].add(b)
    order: list[str] = []
    while len(order) < len(nodes):
        order.append(next(n for n in nodes if n not in order and not any(n in after[m] for m in nodes if m not in order)))
    return order


def _reaches(after: dict[str, set[str]], start: str, goal: str) -> bool:
    seen, stack = set[str](), [start]
    while stack:
        node = stack.pop()
        if node == goal:
            return True
        if node not in seen:
            seen.add(node)
            stack.extend(after[node])
    return False
