"""Loads, and what is spread from them, that every pass of the block loop would repeat are made once per core, before it.

    for z0TB: for z0Tb: x = Load(x[z0t, z1]); g = Load(gamma[z1]); y = Mul(x, g)
    ->   for z0TB: g = Load(gamma[z1]); for z0Tb: x = Load(x[z0t, z1]); y = Mul(x, g)

The value stays in UB for the whole loop, so its queue has one buffer and takes no turns.
Source: the reference caches such loads by an execution condition (schedule_codegen_facts §3.9); here the loop they sit in says it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from att.ir.graph import Graph, ImplGraph
from att.ir.loops import BlockLoop, LoopNest, loop_nest, parts_of
from att.ir.node import Node
from att.ir.roles import varying_axes
from att.ir.walks import is_looped, is_once_per_core
from att.ops.registry import spec_of
from att.ops.spec import ComputeType

_SPREADING: Final = frozenset({ComputeType.BROADCAST, ComputeType.ELEMENTWISE})


@dataclass(frozen=True, slots=True)
class LoadOncePerCore:
    """Loads that vary over no part of the block loop move before it.

    Before: `for zB: for zb: x = Load; g = Load; y = Mul(x, g)`.  After: `for zB: g = Load; for zb: x = Load; y = Mul(x, g)`.
    """

    def apply(self, graph: Graph) -> Graph:
        """The graph with these Loads first among the calls, in the loop over cores only."""
        if not isinstance(graph, ImplGraph):
            return graph
        nest = loop_nest(graph)
        block = nest.block
        still = {n.name for n in graph.nodes if block is not None and _stays(graph, nest, n)}
        return graph if block is None or not still else _ahead(graph, block, still)


@dataclass(frozen=True, slots=True)
class SpreadOncePerCore:
    """Calls whose operands are all there before the block loop move before it too, with whole tiles.

    Before: `for zB: g = Load; for zb: b = Broadcast(g); y = Mul(x, b)`.
    After: `for zB: g = Load; b = Broadcast(g); for zb: y = Mul(x, b)`.
    A shorter last tile reads the part of it that it needs.
    """

    def apply(self, graph: Graph) -> Graph:
        """The graph with these calls behind the Loads of each core; what is stored stays in the loop."""
        if not isinstance(graph, ImplGraph):
            return graph
        nest = loop_nest(graph)
        if nest.block is None:
            return graph
        still = {n.name for n in graph.nodes if is_once_per_core(nest, n)}
        for node in graph.nodes:
            if _follows(graph, nest, node, still):
                still.add(node.name)
        return _ahead(graph, nest.block, still)


def _ahead(graph: ImplGraph, block: BlockLoop, still: set[str]) -> ImplGraph:
    """The graph with some calls before the block loop, behind the kernel's arguments."""
    ahead = (replace(n, loop_axis=block.outer) for n in graph.nodes if n.name in still)
    arguments = (n for n in graph.nodes if not n.axes and not n.inputs)
    rest = (n for n in graph.nodes if n.name not in still and (n.axes or n.inputs))
    return replace(graph, nodes=(*arguments, *ahead, *rest))


def _follows(graph: ImplGraph, nest: LoopNest, node: Node, still: set[str]) -> bool:
    """Whether a call in the block loop, and in no loop inside it, has all of its operands before that loop."""
    if spec_of(node.op).compute not in _SPREADING or is_looped(nest, node) or node.name in still:
        return False
    stored = any(spec_of(user.op).compute is ComputeType.STORE for user in graph.consumers_of[node.name])
    return not stored and all(name in still or graph.node_of[name].op == "Scalar" for name in node.inputs)


def _stays(graph: ImplGraph, nest: LoopNest, node: Node) -> bool:
    """Whether a Load brings the same in every pass, for readers that only compute with it."""
    if spec_of(node.op).compute is not ComputeType.LOAD or is_looped(nest, node) or nest.block is None:
        return False
    users = graph.consumers_of[node.name]
    stored = any(spec_of(user.op).compute is ComputeType.STORE for user in users)
    return not stored and not set(varying_axes(node.output)) & set(parts_of(graph, nest.block.fused))
