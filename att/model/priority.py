"""What the axis-sorting heuristic prefers: which tile gets UB first, which tiles are cut alike, which like whole blocks.

An edge says "before": parent before child, reduced before kept, broadcast before plain, innermost of a transfer before others. Edges that
would close a cycle are dropped, so earlier rules win; the order is topological, ties by declaration (att_facts §4.1, S1 §5.3.2).
Where rows are short and a reduced axis is long, the innermost come first instead, then broadcast, then reduced: long rows load better
than many (att_facts §4.1, preferR).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import combinations
from math import gcd, lcm

from att.expr.choice import maximum, where
from att.expr.compare import lt
from att.expr.core import Expr, ceil_div, integer, mul
from att.expr.logic import conj, disj
from att.ir.axis import AxisKind
from att.ir.graph import ImplGraph
from att.ir.layout import BLOCK_BYTES
from att.ir.loops import is_chunk
from att.ir.node import Node
from att.ir.roles import broadcast_axes, reduced_axes, varying_axes
from att.model.transfers import is_transfer, row_tile, row_tiles
from att.ops.registry import spec_of
from att.ops.spec import ComputeType
from hwmodels.model import Chip


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """What the heuristic prefers for one variable."""

    rank: int
    """Place in the solving order; tiles of one rank are cut alike."""
    rank_of_short_rows: int
    """The same where rows are short (`rows_are_short`)."""
    soft_align: int
    """Elements to a multiple of which the tile is rounded down, if it is not tiny; 1: none."""
    cache_line_elems: Expr
    """Smallest tile whose transfers reach a cache line while other tiles are large, elements."""


def preferences(graph: ImplGraph, chip: Chip) -> dict[str, Preference]:
    """By name of the variable."""
    soft = soft_alignments(graph)
    usual, short = _ranks(graph, solving_order(graph)), _ranks(graph, solving_order(graph, short_rows=True))
    return {
        v.name: Preference(
            rank=usual[v.name],
            rank_of_short_rows=short[v.name],
            soft_align=soft.get(v.axis, 1),
            cache_line_elems=_cache_line_elems(graph, v.axis, chip.cache_line_bytes),
        )
        for v in graph.variables
    }


def solving_order(graph: ImplGraph, *, short_rows: bool = False) -> tuple[str, ...]:
    """Names of the variables, tiles first, the block variable last."""
    tiles = _tiles(graph)
    blocks = [v.name for v in graph.variables if v.axis not in tiles]
    ranked = _topological(tiles, _edges(graph, tiles, short_rows=short_rows))
    by_axis = {v.axis: v.name for v in graph.variables}
    return (*(by_axis[axis] for axis in ranked), *blocks)


def _ranks(graph: ImplGraph, order: tuple[str, ...]) -> dict[str, int]:
    """Places in the order; the tiles that transpose into each other share the first one's."""
    alike = {f"{axis}_size" for pair in transposed_rows(graph) for axis in pair}
    first = next((i for i, name in enumerate(order) if name in alike), 0)
    return {name: first if name in alike else i for i, name in enumerate(order)}


def transposed_rows(graph: ImplGraph) -> tuple[tuple[str, str], ...]:
    """Pairs of tiles that are each the row of a transfer which moves tiles of both: the two sides of a transpose (att_facts §4.1)."""
    moved = [(row, frozenset(varying_axes(n.output))) for n in graph.nodes if (row := row_tile(graph, n)) is not None]
    pairs = (tuple(sorted((a, b))) for (a, of_a), (b, of_b) in combinations(moved, 2) if a != b and {a, b} <= of_a & of_b)
    return tuple((a, b) for a, b in dict.fromkeys(pairs))


def soft_alignments(graph: ImplGraph) -> dict[str, int]:
    """Elements in 32 bytes, by tile axis that is innermost in a transfer (att_facts §2.4)."""
    found: dict[str, int] = {}
    for node in graph.nodes:
        row = row_tile(graph, node)
        if row is not None and (row == node.axes[-1] or any(row in pair for pair in transposed_rows(graph))):
            size = node.output.dtype.bytes
            found[row] = lcm(found.get(row, 1), BLOCK_BYTES // gcd(BLOCK_BYTES, size))
    return found


def _cache_line_elems(graph: ImplGraph, tile: str, cache_line_bytes: int) -> Expr:
    """The smallest tile for which every transfer of this one cut axis moves a cache line (att_facts §2.5)."""
    tiles = set(_tiles(graph))
    least: list[Expr] = [integer(1)]
    for node in filter(is_transfer, graph.nodes):
        moved = [a for a in varying_axes(node.output) if a in node.output.vectorized_axes]
        if [a for a in moved if a in tiles] == [tile]:
            other = mul(node.output.dtype.bytes, *(graph.axis_of[a].size for a in moved if a != tile))
            least.append(ceil_div(cache_line_bytes, other))
    return maximum(*least)


def rows_are_short(graph: ImplGraph, chip: Chip) -> Expr:
    """1 where some reduce has rows below a cache line and reduces more than a vector, else 0; needs a cut reduced axis.

    Sizes are of whole axes, in bytes of what is reduced (att_facts §4.1: `tail < cache_line/sz` and `R > vector_len/sz`).
    """
    tiles = set(_tiles(graph))
    conditions = [
        conj(lt(_bytes(graph, row, node), chip.cache_line_bytes), lt(chip.vector_bytes, _bytes(graph, axis, node)))
        for node in graph.nodes
        if spec_of(node.op).compute is ComputeType.REDUCE
        for axis in reduced_axes(graph, node)
        if axis in tiles and (row := _row(graph, node)) not in (None, axis)
    ]
    return where(disj(*conditions), 1, 0) if conditions else integer(0)


def _row(graph: ImplGraph, node: Node) -> str | None:
    """The innermost axis of what a node reads."""
    axes = varying_axes(graph.node_of[node.inputs[0]].output)
    return axes[-1] if axes else None


def _bytes(graph: ImplGraph, axis: str | None, node: Node) -> Expr:
    """Bytes of one line of a node's input along the whole axis of a tile."""
    assert axis is not None
    found = graph.axis_of[axis]
    whole = graph.axis_of[found.parents[0]] if found.kind is AxisKind.TILE_IN else found
    return whole.size * graph.node_of[node.inputs[0]].output.dtype.bytes


def _tiles(graph: ImplGraph) -> list[str]:
    return [v.axis for v in graph.variables if graph.axis_of[v.axis].kind is AxisKind.TILE_IN and not is_chunk(graph, v.axis)]


def _edges(graph: ImplGraph, tiles: list[str], *, short_rows: bool) -> list[tuple[str, str]]:
    if len(tiles) < 2:
        return []
    reduced: Collection[str] = {a for node in graph.nodes for a in reduced_axes(graph, node)}
    broadcast: Collection[str] = {a for node in graph.nodes for a in broadcast_axes(graph, node)}
    innermost: Collection[str] = row_tiles(graph)
    rules = (innermost, broadcast, reduced) if short_rows else (reduced, broadcast, innermost)
    return [(a, b) for first in rules for a in tiles for b in tiles if a in first and b not in first]


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
