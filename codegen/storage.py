"""Where every value of a nest lives in the kernel text, and when its queue hands it over.

A value in a TBuf is one `LocalTensor` for the whole function. A queue buffer lives for one turn of the loop that its values are made in:

    VECIN     AllocTensor, loads, EnQue   …   DeQue before the first reader   …   FreeTensor after the last
    VECOUT    AllocTensor before the first writer   …   EnQue, DeQue, stores, FreeTensor after the last vector call that touches it

What is loaded once per core is taken out of its queue before the block loop and freed after it.

Values packed into one queue buffer share its life and lie side by side, each at a multiple of 32 bytes. Values that take turns in a queue
belong to different walks through the inner loop, or follow one another where nothing is looped in a core; each has a buffer of it for
itself. Stores come last because vector calls may still write into the padding of what is stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from att.errors import EmitError
from att.expr.core import Expr, add, integer
from att.ir.graph import ImplGraph
from att.ir.layout import Block, is_guest, tensor_bytes
from att.ir.loops import LoopNest
from att.ir.node import Node
from att.ir.tensor import Position
from att.ir.walks import is_looped, is_once_per_core, walk_of
from att.model.calls import call_of
from att.ops.dma import moves_rows
from att.ops.registry import spec_of
from att.ops.spec import ComputeType
from codegen.names import Labels, Names
from codegen.scope import Level

ZERO = integer(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A value in UB."""

    node: Node
    name: str
    """Its `LocalTensor`."""
    block: str
    """The queue or TBuf that holds it, `q0` or `b0`; `q0_3` where several take turns."""
    offset_bytes: Expr
    """Where it starts in its queue buffer."""

    shares: bool
    """Whether others lie in the same place before or after it."""

    @property
    def storage(self) -> str:
        """Values of one TBuf share memory, values of one queue only where some are guests of others."""
        return self.block if self.shares else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """A queue with what it holds at one time."""

    block: Block
    level: Level
    """The loop that it is allocated and freed in."""
    values: tuple[Value, ...]
    stores: tuple[Node, ...]
    """Stores that read its values."""
    copies: bool
    """Whether its values are loaded and only stored, without the vector unit (which gathers and spreads elements that lie apart in GM)."""
    tensor: str
    """The `LocalTensor` of the whole buffer."""

    @property
    def queue(self) -> str:
        """The name of the queue in the text."""
        return self.block.name.partition("_")[0]

    @property
    def is_input(self) -> bool:
        """Whether loads fill it."""
        return self.block.position is Position.VECIN

    def is_touched_by(self, nodes: Sequence[Node]) -> bool:
        """Whether some of these calls make or read what it holds."""
        names = {value.node.name for value in self.values}
        return any(node.name in names or not names.isdisjoint(node.inputs) for node in nodes)

    @property
    def packed(self) -> bool:
        """Whether it holds several values."""
        return len(self.values) > 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage:
    """All values of a nest."""

    values: Mapping[str, Value]
    """By node."""
    queues: Mapping[str, Holder]
    """By block name, in order; several for a queue where values take turns."""
    buffers: tuple[Block, ...]
    """TBufs."""


def place(graph: ImplGraph, nest: LoopNest, names: Names, labels: Labels, blocks: Sequence[Block]) -> Storage:
    """The storage of a graph with its queues and buffers; `labels` of its nodes.

    Raises EmitError for a value without memory, or queue values of different loops in one buffer.
    """
    found = [turn for block in blocks for turn in _turns(graph, block)]
    values: dict[str, Value] = {}
    for block in found:
        shares = block.position is Position.VECCALC or any(is_guest(graph, name) for name in block.tensors)
        offset: Expr = ZERO
        for name in block.tensors:
            node = graph.node_of[name]
            local = names.fresh(labels[name].local)
            values[name] = Value(node=node, name=local, block=block.name, offset_bytes=offset, shares=shares)
            if not shares and name != block.tensors[-1]:
                offset = add(offset, tensor_bytes(node.output))
        _refuse_turns(graph, nest, block, blocks)
    queues = {b.name: _holder(graph, nest, b, values, names) for b in found if b.position is not Position.VECCALC}
    return Storage(values=values, queues=queues, buffers=tuple(b for b in found if b.position is Position.VECCALC))


def _turns(graph: ImplGraph, block: Block) -> list[Block]:
    """What a queue holds at one time, for each time."""
    by_reuse: dict[int, list[str]] = {}
    for name in block.tensors:
        memory = graph.node_of[name].output.memory
        by_reuse.setdefault(memory.queue.reuse_id if memory and memory.queue else 0, []).append(name)
    if len(by_reuse) == 1:
        return [block]
    return [replace(block, name=f"{block.name}_{reuse_id}", tensors=tuple(names)) for reuse_id, names in by_reuse.items()]


def _refuse_turns(graph: ImplGraph, nest: LoopNest, block: Block, blocks: Sequence[Block]) -> None:
    """Values take turns where each has a walk to itself, or where nothing is looped and their calls do not meet."""
    queue, _, turn = block.name.partition("_")
    if not turn or (not nest.inner and _is_apart(graph, block, next(b for b in blocks if b.name == queue))):
        return
    walks = walk_of(graph, nest)
    mine = {walks.get(name) for name in block.tensors}
    others = {walks.get(name) for b in blocks if b.name == queue for name in b.tensors if name not in block.tensors}
    reduces = any(spec_of(graph.node_of[name].op).compute is ComputeType.REDUCE for name in block.tensors)
    if len(mine) > 1 or None in mine or mine & others or reduces:
        raise EmitError(
            f"queue {queue} holds values that take turns outside a walk of their own ({', '.join(block.tensors)})",
            where=graph.name,
            hint="give the values of a queue one reuse_id",
        )


def _is_apart(graph: ImplGraph, turn: Block, queue: Block) -> bool:
    """Whether no vector call between the first and the last that touch a turn touches another value to store of its queue."""
    at = {node.name: i for i, node in enumerate(graph.nodes)}

    def touching(names: Sequence[str]) -> list[int]:
        users = (user for name in names for user in graph.consumers_of[name] if spec_of(user.op).compute is not ComputeType.STORE)
        return [*(at[name] for name in names), *(at[user.name] for user in users)]

    mine = touching(turn.tensors)
    others = touching([name for name in queue.tensors if name not in turn.tensors])
    return queue.position is Position.VECOUT and not any(min(mine) <= other <= max(mine) for other in others)


def _holder(graph: ImplGraph, nest: LoopNest, block: Block, values: Mapping[str, Value], names: Names) -> Holder:
    members = tuple(values[name] for name in block.tensors)
    levels = {lifetime_level(nest, value.node) for value in members}
    if len(levels) > 1:
        raise EmitError(
            f"queue {block.name} packs values of different loops ({', '.join(block.tensors)})",
            where=graph.name,
            hint="values of one queue buffer are made in one loop",
        )
    users = [user for name in block.tensors for user in graph.consumers_of[name]]
    stores = tuple(dict.fromkeys(u.name for u in users if spec_of(u.op).compute is ComputeType.STORE))
    moves = [*(value.node for value in members), *(graph.node_of[name] for name in stores)]
    return Holder(
        block=block,
        level=levels.pop(),
        values=members,
        stores=tuple(graph.node_of[name] for name in stores),
        copies=_only_stored(block, users) and all(_moves_rows(graph, nest, node) for node in moves),
        tensor=members[0].name if len(members) == 1 else names.fresh(f"{block.name}Local"),
    )


def _only_stored(block: Block, users: list[Node]) -> bool:
    stored = bool(users) and all(spec_of(user.op).compute is ComputeType.STORE for user in users)
    return block.position is Position.VECIN and stored


def _moves_rows(graph: ImplGraph, nest: LoopNest, node: Node) -> bool:
    return moves_rows(call_of(graph, node, {}, nest.block_dim).output)


def node_level(nest: LoopNest, node: Node) -> Level:
    """The loop that a node's call sits in."""
    if is_once_per_core(nest, node):
        return Level.FUNCTION
    return Level.TURN if is_looped(nest, node) else Level.PASS


def lifetime_level(nest: LoopNest, node: Node) -> Level:
    """The loop that a value is made anew in: a cut reduce accumulates over the inner loop, so its result belongs outside."""
    return Level.PASS if spec_of(node.op).compute is ComputeType.REDUCE else node_level(nest, node)
