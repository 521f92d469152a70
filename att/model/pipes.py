"""Pipe times of one loop nest: every call priced with its actual dims, times how often a core makes it.

Two distinguished cores bound all others. Let a core do `b` tiles, `n` tiles make a row, `full` and `tail` be a whole and a last tile.

    tiles of one axis       first core  b*full  (if there is a second core),   last core  (r - 1)*full + tail,  r = its tiles
    rows fused with tiles   first core  (b - k)*full + k*tail,  k = floor(b/n);  any other at most one more tail, k' = ceil(b/n)

The first form is exact; the second exceeds the slowest core by at most the difference of one tail and one full tile (design §4, §5).
Where cores share chunks of a reduced axis, each does one of four things: a whole chunk or the last one, with a whole tile or the last one.
All four are priced, exactly, since there are at least two chunks (`chunk_count`).
A call that is made once per core, before the block loop, is priced once, exactly.
A Store of a value that does not vary over a looped axis (a second output that is smaller than the first) is made in the first turn of
that axis only; it is priced as if every turn made it, so there the time is an upper bound.
`published` adds up calls as the reference does (`published_pipes`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from att.expr.choice import maximum, where
from att.expr.compare import lt
from att.expr.core import Expr, add, ceil_div, floor_div, integer, mul
from att.ir.graph import ImplGraph
from att.ir.loops import BlockLoop, LoopNest, Tile, parts_of
from att.ir.node import Node
from att.ir.walks import is_once_per_core
from att.model.calls import Calls, cores_in_use
from att.model.prices import Prices
from att.model.published_pipes import published_cores
from att.model.tiling import CoreTime, NodeTime, PipeTime
from att.ops.call import CostSet, Pipe
from att.ops.heads import pipe_head
from att.ops.registry import spec_of
from att.ops.spec import ComputeType

ZERO, ONE = integer(0), integer(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeCost:
    """What one node costs on one pipe in one pass of the block loop, ticks."""

    node: str
    full: Expr
    """With a whole block tile."""
    tail: Expr
    """With the last, shorter block tile."""
    once: bool
    """Whether a core pays `full` once, however many passes it makes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """What the inner loop does in one pass of the block loop."""

    turns: Expr
    tails: Expr
    """Turns among them that meet the last, shorter tile."""


def pipe_times(graph: ImplGraph, nest: LoopNest, prices: Prices) -> tuple[PipeTime, ...]:
    """Time of every pipe that does something, MTE2, VEC, MTE3."""
    head_bytes, costs = load_bytes(graph, nest), prices.costs
    found: list[PipeTime] = []
    for pipe, cores in _cores_by_pipe(graph, nest, prices).items():
        found.append(PipeTime(pipe=pipe, head=pipe_head(pipe, cores_in_use(nest, costs.chip), head_bytes, costs), cores=cores))
    return tuple(found)


def _cores_by_pipe(graph: ImplGraph, nest: LoopNest, prices: Prices) -> Mapping[Pipe, tuple[CoreTime, ...]]:
    if prices.costs.cost_set is CostSet.PUBLISHED:
        return published_cores(graph, nest, prices)
    if nest.chunk is None:
        return {pipe: _mended_cores(nest, nodes) for pipe, nodes in node_costs(graph, nest, prices).items()}
    whole, last = (node_costs(graph, nest, prices, walk) for walk in _chunk_walks(graph, nest, nest.chunk))
    return {pipe: (*_chunk_cores(nest, nodes), *_chunk_cores(nest, last[pipe])) for pipe, nodes in whole.items()}


def _whole_walk(graph: ImplGraph, nest: LoopNest) -> Walk:
    """All turns of the inner loop."""
    if not nest.inner:
        return Walk(turns=ONE, tails=ZERO)
    loop, cut = graph.axis_of[nest.inner[-1]], nest.inner_tile()
    return Walk(turns=loop.size, tails=_rows_of(graph, loop.name, cut.outer) if cut else ZERO)


def _chunk_walks(graph: ImplGraph, nest: LoopNest, chunk: Tile) -> tuple[Walk, Walk]:
    """The turns of the inner loop in a whole chunk, whose tiles are whole, and in the last one."""
    rows = _rows_of(graph, nest.inner[-1], chunk.inner)
    return Walk(turns=mul(rows, chunk.size), tails=ZERO), Walk(turns=mul(rows, chunk.tail), tails=rows)


def node_costs(graph: ImplGraph, nest: LoopNest, prices: Prices, walk: Walk | None = None) -> Mapping[Pipe, tuple[NodeCost, ...]]:
    """Cost of each node per pass of the block loop by the `mended` rules, by pipe, pipes in their fixed order.

    `walk`: what the inner loop does in a pass; None: all its turns.
    """
    walk = walk or _whole_walk(graph, nest)
    found: dict[Pipe, list[NodeCost]] = {pipe: [] for pipe in Pipe}
    block_tile = nest.block.tile if nest.block else None
    whole = _Pass(graph, nest, {}, prices, walk)
    last = _Pass(graph, nest, {block_tile.inner: block_tile.tail}, prices, walk) if block_tile else whole
    for node in graph.nodes:
        if spec_of(node.op).pipe is None:
            continue
        full = whole.cost(node)
        tail = last.cost(node)
        for pipe, ticks in full.items():
            found[pipe].append(NodeCost(node=node.name, full=ticks, tail=tail[pipe], once=is_once_per_core(nest, node)))
    return {pipe: tuple(nodes) for pipe, nodes in found.items() if nodes}


class _Pass:
    """One pass of the block loop, whose tile has the given actual size."""

    def __init__(self, graph: ImplGraph, nest: LoopNest, actual: Mapping[str, Expr], prices: Prices, walk: Walk) -> None:
        self._nest = nest
        self._prices = prices
        self._walk = walk
        cores = cores_in_use(nest, prices.costs.chip)
        cut = nest.inner_tile() if nest.inner and walk.tails != ZERO else None
        self._calls = Calls(graph, actual, cores) if actual else prices.calls(graph, nest)
        """With whole tiles of the inner loop."""
        self._tails = Calls(graph, {**actual, cut.inner: cut.tail}, cores) if cut else self._calls

    def cost(self, node: Node) -> Mapping[Pipe, Expr]:
        """Ticks of a node."""
        full = self._prices.cost(self._calls.of(node))
        if not self._nest.inner or node.loop_axis != self._nest.inner[-1]:
            return full
        turns, tails = self._walk.turns, self._walk.tails
        tail = full if self._tails is self._calls else self._prices.cost(self._tails.of(node))
        merges = {p: mul(turns - 1, t) for p, t in self._merge_cost(node).items()}
        return _plus({p: _times(turns, tails, t, tail[p]) for p, t in full.items()}, merges)

    def _merge_cost(self, node: Node) -> Mapping[Pipe, Expr]:
        """Ticks of joining one partial result of a cut reduce to its accumulator."""
        if spec_of(node.op).compute is not ComputeType.REDUCE:
            return {}
        return self._prices.merge_cost(self._calls.of(node))


def _rows_of(graph: ImplGraph, loop: str, cut: str) -> Expr:
    """How often the loop meets each tile of its cut axis, which it walks as `cut`."""
    return mul(*(graph.axis_of[part].size for part in parts_of(graph, loop) if part != cut))


def _times(count: Expr, tails: Expr, full: Expr, tail: Expr) -> Expr:
    if full == tail:
        return mul(count, full)
    return add(mul(add(count, mul(-1, tails)), full), mul(tails, tail))


def _plus(a: Mapping[Pipe, Expr], b: Mapping[Pipe, Expr]) -> Mapping[Pipe, Expr]:
    return {pipe: add(a.get(pipe, 0), b.get(pipe, 0)) for pipe in Pipe if pipe in a or pipe in b}


def _mended_cores(nest: LoopNest, nodes: tuple[NodeCost, ...]) -> tuple[CoreTime, ...]:
    if nest.block is None:
        return (_core(nodes, ONE, ZERO),)
    block = nest.block
    if block.tile is None:
        return (_core(nodes, block.per_core, ZERO),)
    if block.fused == block.tile.outer:
        return _cores_of_one_axis(block, nodes)
    fewest, most = floor_div(block.per_core, block.tile.count), ceil_div(block.per_core, block.tile.count)
    return tuple(_core(nodes, add(block.per_core, mul(-1, tails)), tails) for tails in (fewest, most))


def _chunk_cores(nest: LoopNest, nodes: tuple[NodeCost, ...]) -> tuple[CoreTime, ...]:
    """Cores with a chunk of one kind: with a whole tile, and with the last one."""
    whole, last = _core(nodes, ONE, ZERO), _core(nodes, ZERO, ONE)
    return (whole, last) if nest.block is not None and nest.block.tile is not None else (whole,)


def _cores_of_one_axis(block: BlockLoop, nodes: tuple[NodeCost, ...]) -> tuple[CoreTime, ...]:
    first = _core(nodes, where(lt(1, block.block_dim), block.per_core, 0), ZERO)
    last = _core(nodes, add(block.last_core, -1), ONE)
    return (first, last)


def _core(nodes: tuple[NodeCost, ...], fulls: Expr, tails: Expr) -> CoreTime:
    """A core that makes so many passes with whole and with last tiles."""
    many = [n for n in nodes if not n.once]
    ticks = add(mul(fulls, add(*(n.full for n in many))), mul(tails, add(*(n.tail for n in many))), *(n.full for n in nodes if n.once))
    by_node = (
        NodeTime(node=n.node, ticks=n.full) if n.once else NodeTime(node=n.node, ticks=ZERO, full=n.full, tail=n.tail) for n in nodes
    )
    return CoreTime(ticks=ticks, nodes=tuple(by_node), fulls=fulls, tails=tails)


def load_bytes(graph: ImplGraph, nest: LoopNest) -> Expr:
    """Bytes of the largest transfer into UB of one call, which decides the MTE2 head (att_facts §3.2)."""
    loads = (node for node in graph.nodes if spec_of(node.op).compute is ComputeType.LOAD)
    calls = Calls(graph, {}, nest.block_dim)
    outputs = [calls.of(node).output for node in loads]
    return maximum(0, *(mul(*view.dims, view.dtype.bytes) for view in outputs))
