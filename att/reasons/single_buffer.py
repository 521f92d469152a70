"""A template with fewer double buffers: less UB, but pipes that wait for each other, which the bottleneck objective does not price."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from att.expr.core import Int
from att.expr.evaluate import evaluate
from att.ir.graph import ImplGraph, Template
from att.ir.layout import Block, blocks
from att.ir.node import Node
from att.reasons.conflict import least_ub
from att.solve.base import SolveOptions
from att.solve.pipeline import Posed

_Queue = tuple[int, str]
"""Phase and name of a queue."""


def single_buffered(posed: Posed, limits: SolveOptions) -> Iterator[tuple[tuple[str, ...], Template]]:
    """The template with some of its double-buffered queues reduced to one buffer, and what these hold.

    First each queue alone, the largest first, then the largest two, three … Nothing if UB is not what is short.
    """
    ordered = _by_size(posed, limits)
    for chosen in (*([queue] for queue in ordered), *(list(ordered)[:count] for count in range(2, len(ordered) + 1))):
        yield tuple(ordered[queue] for queue in chosen), _with_one_buffer(posed.template, chosen)


def _by_size(posed: Posed, limits: SolveOptions) -> dict[_Queue, str]:
    """Queues with several buffers at the smallest tiles, the largest first, each with a text."""
    least = least_ub(posed.problem, limits)
    if least is None:
        return {}
    env = {**posed.problem.shape, **least[0]}
    found = [
        (evaluate(block.slot_bytes, env), (phase, block.name), block)
        for phase, graph in enumerate(posed.template.phases)
        for block in blocks(graph)
        if block.buf_num > 1 and isinstance(block.buffers, Int)
    ]
    return {queue: _text(block, size) for size, queue, block in sorted(found, key=lambda item: (-item[0], item[1]))}


def _text(block: Block, slot_bytes: int) -> str:
    return f"{block.name} ({', '.join(block.tensors)}: {slot_bytes:,} B less)"


def _with_one_buffer(template: Template, chosen: Collection[_Queue]) -> Template:
    phases = [_phase(graph, {name for at, name in chosen if at == phase}) for phase, graph in enumerate(template.phases)]
    return replace(template, phases=tuple(phases))


def _phase(graph: ImplGraph, names: set[str]) -> ImplGraph:
    return replace(graph, nodes=tuple(_node(node, names) for node in graph.nodes))


def _node(node: Node, names: set[str]) -> Node:
    memory = node.output.memory
    if memory is None or memory.queue is None or f"q{memory.queue.id}" not in names:
        return node
    return replace(node, output=replace(node.output, memory=replace(memory, queue=replace(memory.queue, buf_num=1, single_legal=False))))
