"""How many buffers queues have: which pipes a queue hands over between, and which queues may do with one buffer.

    x = Load -> q0 at VECIN -> y = Exp -> q1 at VECOUT -> Store         q0 between MTE2 and VEC, q1 between VEC and MTE3

With one buffer in a queue the pipes on its two sides take turns. The pipeline objective leaves the choice to the solver, one unknown for
all queues between the same pipes: once one of them has one buffer, a second buffer of another brings nothing and takes UB.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from att.ir.graph import BufferVar, ImplGraph, Template
from att.ir.layout import Block, blocks
from att.ir.loops import LoopNest
from att.ir.node import Node
from att.ir.tensor import Position, Queue
from att.ir.walks import is_looped, is_once_per_core
from att.ops.call import Pipe
from att.ops.registry import spec_of
from att.ops.spec import ComputeType

Handover = tuple[Pipe, Pipe]
"""The pipe that fills a buffer and one that empties it."""

_DOUBLE: Final = 2
"""Numbers of buffers that are left to the solver: this one or 1."""


def opened(template: Template) -> Template:
    """The template with an unknown number of buffers, 1 or 2, wherever its queues say that both are legal (`Queue.single_legal`)."""
    several = len(template.phases) > 1
    phases = (_opened(graph, f"phase{number}_" if several else "") for number, graph in enumerate(template.phases))
    return replace(template, phases=tuple(phases))


def _opened(graph: ImplGraph, prefix: str) -> ImplGraph:
    groups: dict[tuple[Handover, ...], list[int]] = {}
    plain = replace(graph, buffer_vars=())
    for block in queues_of(plain):
        if handovers(plain, block) and all(q.single_legal and q.buf_num == _DOUBLE for q in _queues(plain, block)):
            groups.setdefault(handovers(plain, block), []).append(_queues(plain, block)[0].id)
    found = (BufferVar(name=f"{prefix}{_name(pairs)}", queues=tuple(ids), maximum=_DOUBLE) for pairs, ids in groups.items())
    return replace(graph, buffer_vars=tuple(found))


def _name(pairs: tuple[Handover, ...]) -> str:
    """`mte2_vec_buf_num`."""
    pipes = [pipe.value.lower() for pipe in Pipe if any(pipe in pair for pair in pairs)]
    return "_".join((*pipes, "buf_num"))


def queues_of(graph: ImplGraph) -> tuple[Block, ...]:
    """The queues of a graph, without its other buffers."""
    return tuple(block for block in blocks(graph) if block.position is not Position.VECCALC)


def handovers(graph: ImplGraph, block: Block) -> tuple[Handover, ...]:
    """The pipes that a queue hands over between, in the order of the pipes."""
    found = {
        (first, second)
        for name in block.tensors
        for user in graph.consumers_of[name]
        if (first := spec_of(graph.node_of[name].op).pipe) is not None and (second := spec_of(user.op).pipe) is not None
    }
    order: Mapping[Pipe, int] = {pipe: number for number, pipe in enumerate(Pipe)}
    return tuple(sorted((pair for pair in found if pair[0] is not pair[1]), key=lambda pair: (order[pair[0]], order[pair[1]])))


def is_refilled(graph: ImplGraph, nest: LoopNest, block: Block) -> bool:
    """Whether a loop turns around a queue, so that a buffer of it is filled again."""
    return any(_loops_around(nest, graph.node_of[name]) for name in block.tensors)


def _loops_around(nest: LoopNest, node: Node) -> tuple[str, ...]:
    """The loops that a value is made anew in: a cut reduce accumulates across its own; what is made before the block loop is in none."""
    if is_once_per_core(nest, node):
        return ()
    accumulates = is_looped(nest, node) and spec_of(node.op).compute is ComputeType.REDUCE
    return node.loops[:-1] if accumulates else node.loops


def _queues(graph: ImplGraph, block: Block) -> list[Queue]:
    memories = (graph.node_of[name].output.memory for name in block.tensors)
    return [memory.queue for memory in memories if memory is not None and memory.queue is not None]
