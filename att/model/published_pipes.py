"""Pipe times as the reference adds them up (att_facts §3.1): every call at full price, cached calls and the tails of one fused cut apart.

    pipe = sum over nodes of  (exe - tails) * full + tails * tail        tails = 0 unless the block loop fuses rows with tiles of one cut

- exe is how often a core passes the node. A value on the way from a Load to a Broadcast is kept while only loops over the broadcast axes
  turn: exe / turns of the loop, or, where that axis is the innermost of a fused block loop, max(1, exe / tiles), a fraction.
- a Load that only Gathers read is not charged: there a Gather reads GM itself, and is charged for it
- tails = ceil(exe / tiles), and `tail` is the price of what the reference takes a tail to be (`reference_tail`).

Measured: the recorded templates of broadcast and whole-row reduce graphs agree with this to the accuracy of their constants.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from att.expr.choice import maximum, where
from att.expr.compare import eq
from att.expr.core import Expr, add, ceil_div, floor_div, integer, mul
from att.ir.graph import ImplGraph
from att.ir.loops import BlockLoop, LoopNest, Tile, parts_of
from att.ir.node import Node
from att.ir.roles import varying_axes
from att.model.prices import Prices
from att.model.published_tail import reference_tail
from att.model.tiling import CoreTime, NodeTime
from att.ops.call import Pipe
from att.ops.registry import spec_of
from att.ops.spec import ComputeType

ONE = integer(1)
KNOWN_REDUCES = frozenset({"Sum", "Max", "Min"})
"""Reduces that the reference's caching recognises (att_facts §3.1, §5.1 no. 28)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Passes:
    """How often a node is charged: `max(1, count / per)`."""

    count: Expr
    per: Expr = ONE

    def cost(self, full: Expr, tail: Expr, tiles: Expr | None) -> Expr:
        """Ticks of all passes; `tiles` is given where tails are charged apart."""
        if tiles is None or full == tail:
            return self._whole(full)
        tails = maximum(1, ceil_div(self.count, mul(self.per, tiles)))
        if self.per == ONE:
            return add(mul(maximum(add(self.count, mul(-1, tails)), 0), full), mul(tails, tail))
        return add(maximum(add(self._whole(full), mul(-1, tails, full)), 0), mul(tails, tail))

    def _whole(self, full: Expr) -> Expr:
        return mul(self.count, full) if self.per == ONE else maximum(floor_div(mul(self.count, full), self.per), full)


def published_cores(graph: ImplGraph, nest: LoopNest, prices: Prices) -> Mapping[Pipe, tuple[CoreTime, ...]]:
    """What the one core that the reference looks at spends, by pipe, pipes in their fixed order."""
    cut = _fused_cut(nest)
    found: dict[Pipe, list[NodeTime]] = {pipe: [] for pipe in Pipe}
    spread = _spread_axes(graph)
    calls = prices.calls(graph, nest)
    for node in graph.nodes:
        if spec_of(node.op).pipe is None or _is_read_by_gathers(graph, node):
            continue
        passes = _passes(graph, nest, node, spread[node.name])
        call = calls.of(node)
        full = prices.cost(call)
        tail = prices.cost(reference_tail(graph, node, cut, call)) if cut else full
        for pipe, ticks in full.items():
            found[pipe].append(NodeTime(node=node.name, ticks=passes.cost(ticks, tail[pipe], cut.count if cut else None)))
    return {pipe: (_core(nodes),) for pipe, nodes in found.items() if nodes}


def _is_read_by_gathers(graph: ImplGraph, node: Node) -> bool:
    """Whether a Load only serves Gathers, which read GM themselves in the reference (`att.ops.published_gather`)."""
    readers = graph.consumers_of[node.name]
    is_load = spec_of(node.op).compute is ComputeType.LOAD
    return is_load and bool(readers) and all(spec_of(r.op).reads is not None for r in readers)


def _core(nodes: list[NodeTime]) -> CoreTime:
    return CoreTime(ticks=add(*(n.ticks for n in nodes)), nodes=tuple(nodes))


def _fused_cut(nest: LoopNest) -> Tile | None:
    """The only cut of a nest, if its tiles are fused with rows: the reference's "single cut"."""
    block = nest.block
    fused = block is not None and block.tile is not None and block.fused != block.tile.outer
    return block.tile if block is not None and fused and len(nest.tiles) == 1 else None


def _spread_axes(graph: ImplGraph) -> Mapping[str, frozenset[str]]:
    """By node, the axes along which Broadcasts further on repeat what it makes; none where nothing is cached.

    A RemovePad is kept with the Broadcast that it packs (schedule_codegen_facts §3.9).
    """
    found: dict[str, frozenset[str]] = {node.name: frozenset() for node in graph.nodes}
    for node in reversed(graph.nodes):
        axes = found[node.name]
        if spec_of(node.op).compute is ComputeType.BROADCAST:
            varied = set(varying_axes(graph.node_of[node.inputs[0]].output))
            axes |= frozenset(varying_axes(node.output)) - varied
            found[node.name] = axes
        for name in node.inputs:
            found[name] |= axes - frozenset(varying_axes(graph.node_of[name].output))
    packed = {node.name: found[node.inputs[0]] for node in graph.nodes if node.op == "RemovePad"}
    return {**found, **packed}


def _passes(graph: ImplGraph, nest: LoopNest, node: Node, spread: frozenset[str]) -> _Passes:
    looped = bool(nest.inner) and node.loop_axis == nest.inner[-1]
    turns = graph.axis_of[nest.inner[-1]].size if looped else ONE
    if looped and spread.issuperset(parts_of(graph, nest.inner[-1])):
        turns = ONE
    if nest.block is None:
        return _Passes(count=turns)
    return _block_passes(graph, nest.block, spread, turns, _reduce_turns(graph, nest))


def _reduce_turns(graph: ImplGraph, nest: LoopNest) -> Expr:
    known = any(node.op in KNOWN_REDUCES for node in graph.nodes)
    return graph.axis_of[nest.inner[-1]].size if nest.inner and known else ONE


def _block_passes(graph: ImplGraph, block: BlockLoop, spread: frozenset[str], turns: Expr, reduce_turns: Expr) -> _Passes:
    parts = parts_of(graph, block.fused)
    if spread.issuperset(parts):
        kept = turns if reduce_turns == ONE else where(eq(reduce_turns, 1), turns, mul(turns, block.per_core))
        return _Passes(count=kept)
    if parts[-1] in spread:
        return _Passes(count=mul(turns, block.per_core), per=graph.axis_of[parts[-1]].size)
    return _Passes(count=mul(turns, block.per_core))
