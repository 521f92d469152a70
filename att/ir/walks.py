"""Which calls of a loop nest run together: once per pass of the block loop, or in every turn of one walk through the inner loop.

    z1T loop:  x = Load, m = Max(x)                          walk 1
    z1T loop:  x2 = Load, e = Exp(Sub(x2, m)), s = Sum(e)    walk 2, because it reads m, which is complete only after walk 1
    once:      l = Ln(s)
    z1T loop:  …                                             walk 3

The order of the nodes says it all: calls that follow each other in the inner loop share a walk unless one reads what a reduce of another
accumulates over that walk. What reads it as far as it has come (`att.ir.running`) stays in its walk.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from att.errors import ModelError
from att.ir.graph import ImplGraph
from att.ir.loops import LoopNest, parts_of
from att.ir.node import Node
from att.ir.roles import reduced_axes
from att.ir.running import running_values
from att.ir.verify_flow import STRUCTURAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """Calls that run together, in order."""

    looped: bool
    """Whether they run in every turn of a walk through the inner loop; else once per pass of the block loop, or per core."""
    nodes: tuple[Node, ...]


def is_once_per_core(nest: LoopNest, node: Node) -> bool:
    """Whether a call is made before the block loop: its value serves every pass."""
    return nest.block is not None and node.loop_axis == nest.block.outer


def once_per_core(graph: ImplGraph, nest: LoopNest) -> tuple[Node, ...]:
    """The calls that are made before the block loop."""
    return tuple(node for node in graph.nodes if node.op not in STRUCTURAL and is_once_per_core(nest, node))


def is_looped(nest: LoopNest, node: Node) -> bool:
    """Whether a call sits in the inner loop."""
    return bool(nest.inner) and node.loop_axis == nest.inner[-1]


def segments(graph: ImplGraph, nest: LoopNest) -> tuple[Segment, ...]:
    """The calls of a pass of the block loop in order, grouped.

    Sizes must still be unknown, as in a template: one element along an axis looks like no reduce.

    Raises ModelError if a value is made in one walk and read in another: only what a reduce accumulates outlives its walk.
    """
    calls = [node for node in graph.nodes if node.op not in STRUCTURAL and not is_once_per_core(nest, node)]
    found: list[Segment] = []
    for looped, group in groupby(calls, key=lambda node: is_looped(nest, node)):
        run = tuple(group)
        runs = _walks(graph, run) if looped else (run,)
        found.extend(Segment(looped=looped, nodes=run) for run in runs)
    _refuse_values_between_walks(graph, found)
    return tuple(found)


def loads_back(graph: ImplGraph, segment: Segment) -> bool:
    """Whether a walk loads what an earlier one of the same nest stored in workspace."""
    sources = (graph.node_of[name] for node in segment.nodes for name in node.inputs)
    return any(source.op == "Workspace" and source.inputs for source in sources)


def walk_of(graph: ImplGraph, nest: LoopNest) -> dict[str, int]:
    """The number of the walk that each call of the inner loop belongs to, from 0."""
    walks = (segment for segment in segments(graph, nest) if segment.looped)
    return {node.name: number for number, walk in enumerate(walks) for node in walk.nodes}


def _walks(graph: ImplGraph, run: tuple[Node, ...]) -> tuple[tuple[Node, ...], ...]:
    """A run of looped calls, cut after every reduce that a later call of the run reads; from the end: a Load goes with its reader."""
    walks: list[tuple[Node, ...]] = []
    running = running_values(graph)
    stop = len(run)
    read: set[str] = set()
    for i in range(len(run) - 1, -1, -1):
        if run[i].name in read and _accumulates(graph, run[i]):
            walks.append(run[i + 1 : stop])
            stop = i + 1
            read = set()
        read.update(run[i].inputs if run[i].name not in running else ())
    return (run[:stop], *reversed(walks))


def _accumulates(graph: ImplGraph, node: Node) -> bool:
    """Whether a looped call reduces over its loop: a Gather, whose table lies whole in UB, does not."""
    return node.loop_axis is not None and not set(parts_of(graph, node.loop_axis)).isdisjoint(reduced_axes(graph, node))


def _refuse_values_between_walks(graph: ImplGraph, found: list[Segment]) -> None:
    home = {node.name: number for number, segment in enumerate(found) for node in segment.nodes if segment.looped}
    for number, segment in enumerate(found):
        for node in segment.nodes:
            for source in node.inputs:
                if home.get(source, number) != number and not _accumulates(graph, graph.node_of[source]):
                    raise ModelError(
                        f"{source} is made anew in every turn of the inner loop, but {node.name} reads it after that loop",
                        where=graph.name,
                        hint=f"make {source} again in the loop of {node.name}",
                    )
