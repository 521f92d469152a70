"""A value that several walks over a reduced axis need is made once and kept in workspace, where making it again would be dear.

    walk 1   x, w -> a = x + w -> m = Max(a);  a -> workspace
    walk 2   a <- workspace -> Exp(a - m) -> s
    walk 3   a <- workspace -> Exp(a - m) / s -> y

Kept is what the first reduces and later walks both need: that saves the most. It costs a store, and a load in each later walk; against that
stand the loads and the ops that made it. With one load and simple instructions nothing is saved. Every core reads what it wrote itself, so
that cores need not meet: a walk that loads waits for the stores before it (MTE3 to MTE2, ascendc_api_facts §4). The wait has no price.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from att.errors import ScheduleError
from att.ir.graph import Graph
from att.ir.node import Node
from att.ir.roles import varying_axes
from att.ops.registry import spec_of
from att.ops.spec import ComputeType
from schedule.stages import staged, stages, varying_calls, with_sources


@dataclass(frozen=True, slots=True)
class WalkAndKeep:
    """Every reduce has a walk of its own, and one value is not made again but loaded.

    Before: `a = Add(x, w); m = Max(a); y = Sub(a, m)`.
    After: `a = Add(x, w); a_store = Store(a) -> a_kept; m = Max(a); a_walk2 = Load(a_kept); y = Sub(a_walk2, m)`.
    """

    axes: tuple[str, ...]
    """Axes that become the loop."""
    value: str

    def apply(self, graph: Graph) -> Graph:
        """The graph in the order of the walks. Raises ScheduleError if no later walk needs the value, or not all axes tell it apart."""
        varying, stage = varying_calls(graph, self.axes), stages(graph)
        if self.value not in graph.node_of or not _can_be_kept(graph, graph.node_of[self.value], varying, stage):
            raise ScheduleError(f"{self.value} cannot be kept for a later walk", where=graph.name, hint="make it again in each walk")
        return staged(graph, self.axes, self.value)


def worth_keeping(graph: Graph, walked: tuple[str, ...]) -> str:
    """The value of the earliest walk that is dearest to make again; `""` where none is dear."""
    varying, stage = varying_calls(graph, walked), stages(graph)
    found: list[tuple[int, int, str]] = []
    for node in graph.nodes:
        if _can_be_kept(graph, node, varying, stage):
            made = [graph.node_of[name] for name in with_sources(graph, (node.name,), varying)]
            if _is_dear(made):
                found.append((stage[node.name], -len(made), node.name))
    return min(found, default=(0, 0, ""))[2]


def _can_be_kept(graph: Graph, node: Node, varying: frozenset[str], stage: Mapping[str, int]) -> bool:
    """Whether a later walk reads a number that this one computes, a different one in every place of the nest."""
    if node.name not in varying or spec_of(node.op).compute is not ComputeType.ELEMENTWISE or not node.output.dtype.is_float:
        return False
    everywhere = {axis for other in graph.nodes for axis in varying_axes(other.output)}
    later = any(stage[user.name] > stage[node.name] for user in graph.consumers_of[node.name])
    return later and everywhere <= set(varying_axes(node.output))


def _is_dear(made: list[Node]) -> bool:
    """Whether what makes a value has several loads, or an op that is a whole sequence of instructions."""
    loads = [node for node in made if spec_of(node.op).compute is ComputeType.LOAD]
    apis = (spec_of(node.op).api for node in made)
    return len(loads) > 1 or any(api is not None and api.form == "library" for api in apis)
