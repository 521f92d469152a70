"""Places every value of a loop nest: TQue where pipes hand over, TBuf where the vector pipe keeps it to itself.

    Load output                         TQue at VECIN, double buffered
    value that only a Store reads …     TQue at VECOUT, double buffered
    any other value                     TBuf at VECCALC; values whose lifetimes do not meet share one, and a result takes the place of
                                        an operand that dies with it where the op allows that (`OpSpec.in_place`); or, where that
                                        takes less UB, the VECOUT buffer of a value that comes later (`schedule.guests`)

Two buffers pay where the loop around a queue turns more than once; a queue outside all loops has one. Where two are the rule, one is legal
as well and the queue says so (`single_legal`).

A chip has few queues per position. Above the limit, values of one loop level are packed side by side in one queue block (equal queue
id and reuse_id): first the loads of one consumer, then the smallest groups, so the limit is never exceeded silently. Values of different
walks through the inner loop are never alive together: they take turns in one queue (equal queue id, different reuse_id).
Sources: bufferization and lifetimes S1 §3.3; queue limits: the chip file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from att.errors import ScheduleError
from att.expr.choice import maximum
from att.expr.compare import known_le
from att.expr.core import Expr, add, integer
from att.ir.graph import Graph, ImplGraph
from att.ir.layout import tensor_bytes
from att.ir.loops import LoopNest, loop_nest
from att.ir.node import Node
from att.ir.tensor import Alloc, Memory, Position, Queue
from att.ir.walks import is_once_per_core
from att.ops.registry import spec_of
from att.ops.spec import ComputeType
from schedule.guests import guests, works_in_place
from schedule.lifetimes import Interval, lifetimes
from schedule.turns import Home, crowded, homes, take_turns

QUEUE_DEPTH = 2
DOUBLE_BUFFER = 2


@dataclass(frozen=True, slots=True)
class Place:
    """Every value gets its queue or buffer.

    Before: `x = Load; e = Exp(x); y = Abs(e); Store(y)`.  After: `x` in queue 0 at VECIN, `e` in buffer 0, `y` in queue 1 at VECOUT.
    """

    vecin_queues: int
    """Queues that the chip has for loaded values."""
    vecout_queues: int
    """Queues that it has for values to store."""

    def apply(self, graph: Graph) -> Graph:
        """The graph with `memory` set on every value. Raises ScheduleError if even packing cannot respect the queue limit."""
        if not isinstance(graph, ImplGraph):
            raise ScheduleError("a graph without loops has no values in UB", where=graph.name, hint="order its axes first")
        return _placed(graph, self)


def _placed(graph: ImplGraph, limits: Place) -> ImplGraph:
    positions = {n.name: position_of(graph, n) for n in graph.nodes}
    queues = _queues(graph, positions, Position.VECIN, limits.vecin_queues, first_id=0)
    used = len({q.id for q in queues.values()})
    queues.update(_queues(graph, positions, Position.VECOUT, limits.vecout_queues, first_id=used))
    calculated = [n for n in graph.nodes if positions[n.name] is Position.VECCALC]
    buffers = _buffers(graph, calculated)
    lodged = _guests(graph, calculated, {name: q for name, q in queues.items() if positions[name] is Position.VECOUT})
    others = _buffers(graph, [n for n in calculated if n.name not in lodged])
    if _saves(graph, others, buffers):
        queues, buffers, positions = queues | lodged, others, {**positions, **dict.fromkeys(lodged, Position.VECOUT)}
    memories = {
        node.name: _memory(i, positions[node.name], queues.get(node.name), buffers.get(node.name)) for i, node in enumerate(graph.nodes)
    }
    nodes = tuple(
        replace(n, output=replace(n.output, memory=memories[n.name])) if positions[n.name] is not None else n for n in graph.nodes
    )
    return replace(graph, nodes=nodes)


def _guests(graph: ImplGraph, nodes: Iterable[Node], hosts: Mapping[str, Queue]) -> dict[str, Queue]:
    nest, home_of = loop_nest(graph), homes(graph)
    return guests(graph, nodes, hosts, lambda name: (_level(graph, nest, name), home_of[name].walk))


def _saves(graph: ImplGraph, some: Mapping[str, int], all_of_them: Mapping[str, int]) -> bool:
    """Whether TBufs for fewer values take less UB."""
    fewer, more = _total_bytes(graph, some), _total_bytes(graph, all_of_them)
    return fewer != more and known_le(fewer, more)


def _total_bytes(graph: ImplGraph, chosen: Mapping[str, int]) -> Expr:
    sizes: dict[int, list[Expr]] = {}
    for name, slot in chosen.items():
        sizes.setdefault(slot, []).append(tensor_bytes(graph.node_of[name].output))
    return add(integer(0), *(maximum(*found) for found in sizes.values()))


def position_of(graph: ImplGraph, node: Node) -> Position | None:
    """Where the value of a node lives; None for scalars and kernel arguments, which need no buffer."""
    match spec_of(node.op).compute:
        case ComputeType.STRUCTURAL:
            return None
        case ComputeType.STORE:
            return Position.GM
        case ComputeType.LOAD:
            return Position.VECIN
        case _:
            users = (spec_of(user.op).compute for user in graph.consumers_of[node.name])
            return Position.VECOUT if ComputeType.STORE in users else Position.VECCALC


def _memory(tensor_id: int, position: Position | None, queue: Queue | None, buffer_id: int | None) -> Memory | None:
    match position:
        case None:
            return None
        case Position.GM:
            return Memory(tensor_id=tensor_id, alloc=Alloc.GLOBAL, position=position)
        case Position.VECCALC:
            return Memory(tensor_id=tensor_id, alloc=Alloc.BUFFER, position=position, buffer_id=buffer_id)
        case _:
            return Memory(tensor_id=tensor_id, alloc=Alloc.QUEUE, position=position, queue=queue)


def _queues(
    graph: ImplGraph, positions: Mapping[str, Position | None], position: Position, limit: int, *, first_id: int
) -> dict[str, Queue]:
    names = [n.name for n in graph.nodes if positions[n.name] is position]
    home_of = homes(graph)
    groups = pack(graph, names, limit, home_of)
    ids = take_turns([home_of[group[0]] for group in groups])
    if len(set(ids)) > limit:
        raise ScheduleError(
            f"{len(set(ids))} {position} queues are needed at the least, the chip has {limit}",
            where=graph.name,
            hint="fuse fewer inputs and outputs into one kernel",
        )
    nest = loop_nest(graph)
    return {name: _queue(graph, nest, group, first_id + ids[i], first_id + i) for i, group in enumerate(groups) for name in group}


def _queue(graph: ImplGraph, nest: LoopNest, names: tuple[str, ...], number: int, reuse_id: int) -> Queue:
    """The queue of values of one loop; outside all loops it is filled once, and a second buffer would stay empty."""
    looped = _level(graph, nest, names[0]) is not None
    return Queue(id=number, depth=QUEUE_DEPTH, buf_num=DOUBLE_BUFFER if looped else 1, reuse_id=reuse_id, single_legal=looped)


def pack(graph: ImplGraph, names: list[str], limit: int, home_of: Mapping[str, Home]) -> list[tuple[str, ...]]:
    """Groups of values that share a queue block: one each while the queues suffice, fewer and larger groups where they do not."""
    groups: list[tuple[str, ...]] = [(name,) for name in names]
    if _queues_for(groups, home_of) > limit:
        groups = _packed_by(groups, lambda name: (home_of[name], tuple(u.name for u in graph.consumers_of[name])))
    while _queues_for(groups, home_of) > limit:
        joined = _join_smallest(groups, home_of)
        if joined is None:
            break
        groups = joined
    return groups


def _level(graph: ImplGraph, nest: LoopNest, name: str) -> str | None:
    """The loop that a value is made anew in: that of its node, but a cut reduce accumulates across its loop; None: once per core."""
    node = graph.node_of[name]
    if is_once_per_core(nest, node):
        return None
    inner = nest.inner if spec_of(node.op).compute is ComputeType.REDUCE else ()
    if node.loop_axis in inner:
        outside = node.loops[:-1]
        return outside[-1] if outside else None
    return node.loop_axis


def _queues_for(groups: list[tuple[str, ...]], home_of: Mapping[str, Home]) -> int:
    return len(set(take_turns([home_of[group[0]] for group in groups])))


def _packed_by(groups: list[tuple[str, ...]], key: Callable[[str], object]) -> list[tuple[str, ...]]:
    packed: dict[object, tuple[str, ...]] = {}
    for group in groups:
        packed[key(group[0])] = (*packed.get(key(group[0]), ()), *group)
    return list(packed.values())


def _join_smallest(groups: list[tuple[str, ...]], home_of: Mapping[str, Home]) -> list[tuple[str, ...]] | None:
    """Joins the two groups with the fewest members that live in one crowded home, None if no two do."""
    joinable = crowded([home_of[group[0]] for group in groups])
    pairs = [
        (len(a) + len(b), i, j)
        for i, a in enumerate(groups)
        for j, b in enumerate(groups[i + 1 :], i + 1)
        if home_of[a[0]] == home_of[b[0]] and home_of[a[0]] in joinable
    ]
    if not pairs:
        return None
    _, i, j = min(pairs)
    return [*groups[:i], (*groups[i], *groups[j]), *groups[i + 1 : j], *groups[j + 1 :]]


@dataclass(slots=True)
class _Slot:
    bytes: Expr
    busy_until: int


def _buffers(graph: ImplGraph, nodes: Iterable[Node]) -> dict[str, int]:
    """TBuf ids, in order of first use: that of a dying operand, the free one that fits closest, the largest free one, a new one."""
    live, nest = lifetimes(graph), loop_nest(graph)
    slots: list[_Slot] = []
    chosen: dict[str, int] = {}
    for node in nodes:
        need, interval = tensor_bytes(node.output), live[node.name]
        at = _operand_slot(graph, nest, node, live, chosen)
        at = _best_slot(slots, need, interval) if at is None else at
        if at is None:
            slots.append(_Slot(need, interval.stop))
            at = len(slots) - 1
        else:
            slots[at] = _Slot(maximum(slots[at].bytes, need), interval.stop)
        chosen[node.name] = at
    return chosen


def _operand_slot(graph: ImplGraph, nest: LoopNest, node: Node, live: Mapping[str, Interval], chosen: Mapping[str, int]) -> int | None:
    """The TBuf of an operand that nothing reads after this node; None if it has none that it may overwrite.

    An operand made outside the node's loop is read again in the next turn, whatever its interval says.
    """
    for name in node.inputs:
        operand = graph.node_of[name]
        dies = name in chosen and live[name].stop == live[node.name].start and _level(graph, nest, name) == _level(graph, nest, node.name)
        if dies and works_in_place(node, operand):
            return chosen[name]
    return None


def _best_slot(slots: list[_Slot], need: Expr, interval: Interval) -> int | None:
    free = [i for i, slot in enumerate(slots) if slot.busy_until < interval.start]
    fitting = [i for i in free if known_le(need, slots[i].bytes)]
    if fitting:
        return min(fitting, key=lambda i: (slots[i].bytes.hi, i))
    smaller = [i for i in free if known_le(slots[i].bytes, need)]
    return max(smaller, key=lambda i: (slots[i].bytes.hi, -i)) if smaller else None
