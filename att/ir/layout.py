"""How many bytes of UB values and buffers take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from att.expr.choice import maximum
from att.expr.core import Expr, add, align_up, integer, mul
from att.ir.graph import ImplGraph
from att.ir.tensor import Position, TensorView

_ZERO = integer(0)
BLOCK_BYTES = 32
"""UB address granularity, bytes (AscendC: one data block)."""


def tensor_bytes(view: TensorView) -> Expr:
    """UB bytes of a value: outermost varying repeat times its stride, rounded up to 32 B (att_facts §2.1)."""
    return _bytes(_extent(view))


def _extent(view: TensorView) -> tuple[Expr, Expr, int] | None:
    """Repeat and stride of the outermost varying axis, and bytes of an element; None if there is none."""
    for axis, stride in zip(view.vectorized_axes, view.vectorized_strides, strict=True):
        if stride != _ZERO:
            return view.repeat_of(axis), stride, view.dtype.bytes
    return None


def _bytes(extent: tuple[Expr, Expr, int] | None) -> Expr:
    return integer(BLOCK_BYTES) if extent is None else align_up(mul(*extent), BLOCK_BYTES)


@dataclass(frozen=True, kw_only=True)
class Block:
    """One TQue or TBuf."""

    name: str
    """`q0`, `b1` …: queue or buffer and its id."""
    position: Position
    tensors: tuple[str, ...]
    """Nodes whose values it holds."""
    rivals: tuple[tuple[TensorView, ...], ...]
    """Values that lie side by side in it, for each time; a buffer holds the largest of these."""
    buf_num: int
    """Number of buffers, the most where a solver chooses."""
    buffers: Expr
    """The same number, or the unknown that stands for it."""

    @cached_property
    def slot_bytes(self) -> Expr:
        """Bytes of one buffer of it."""
        return maximum(*(add(*map(_bytes, extents)) for extents in dict.fromkeys(tuple(map(_extent, views)) for views in self.rivals)))

    @property
    def total_bytes(self) -> Expr:
        """Bytes of all its buffers."""
        return mul(self.slot_bytes, self.buffers)


def blocks(graph: ImplGraph) -> tuple[Block, ...]:
    """Every queue and buffer of a graph, queues first, each by id."""
    return (*_queue_blocks(graph), *_buffer_blocks(graph))


def _queue_blocks(graph: ImplGraph) -> list[Block]:
    found: dict[int, list[str]] = {}
    for node in graph.nodes:
        memory = node.output.memory
        if memory and memory.queue:
            found.setdefault(memory.queue.id, []).append(node.name)
    return [_queue_block(graph, queue_id, names) for queue_id, names in sorted(found.items())]


def _queue_block(graph: ImplGraph, queue_id: int, names: list[str]) -> Block:
    by_reuse: dict[int, list[str]] = {}
    numbers: list[int] = []
    for name in names:
        view = graph.node_of[name].output
        if view.memory and view.memory.queue:
            by_reuse.setdefault(view.memory.queue.reuse_id, []).append(name)
            numbers.append(view.memory.queue.buf_num)
    memory = graph.node_of[names[0]].output.memory
    buf_num = max(1, *numbers)
    return Block(
        name=f"q{queue_id}",
        position=memory.position if memory else Position.VECIN,
        tensors=tuple(names),
        rivals=tuple([rivals for members in by_reuse.values() for rivals in _rivals(graph, members)]),
        buf_num=buf_num,
        buffers=next((v.symbol for v in graph.buffer_vars if queue_id in v.queues), integer(buf_num)),
    )


def _rivals(graph: ImplGraph, names: list[str]) -> list[tuple[TensorView, ...]]:
    """Values side by side, then each guest, which will lie where they do."""
    guests = [name for name in names if is_guest(graph, name)]
    return [
        tuple([graph.node_of[name].output for name in names if name not in guests]),
        *((graph.node_of[name].output,) for name in guests),
    ]


def is_guest(graph: ImplGraph, name: str) -> bool:
    """Whether a value lies in a VECOUT buffer without being stored: in the place of the one that will be."""
    memory = graph.node_of[name].output.memory
    at_vecout = memory is not None and memory.position is Position.VECOUT
    return at_vecout and all(user.op != "Store" for user in graph.consumers_of[name])


def _buffer_blocks(graph: ImplGraph) -> list[Block]:
    found: dict[int, list[str]] = {}
    for node in graph.nodes:
        memory = node.output.memory
        if memory and memory.buffer_id is not None:
            found.setdefault(memory.buffer_id, []).append(node.name)
    return [
        Block(
            name=f"b{buffer_id}",
            position=Position.VECCALC,
            tensors=tuple(names),
            rivals=tuple([(graph.node_of[name].output,) for name in names]),
            buf_num=1,
            buffers=integer(1),
        )
        for buffer_id, names in sorted(found.items())
    ]


def queues_at(graph: ImplGraph) -> Mapping[Position, int]:
    """How many queues each position has."""
    counts = {Position.VECIN: 0, Position.VECOUT: 0}
    for block in _queue_blocks(graph):
        counts[block.position] = counts.get(block.position, 0) + 1
    return counts
