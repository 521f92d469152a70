"""The UB address plan of a loop nest with known sizes and tiles (`att.model.ub_plan`): what needs a place, how much, and when.

Queues and the temporary area keep their place for the whole kernel, because a transfer may be under way between the turns of a loop. A
value in a TBuf has its live interval; a result that took the place of a dying operand stays with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from att.expr.core import Expr
from att.expr.evaluate import evaluate
from att.ir.graph import ImplGraph
from att.ir.layout import Block, blocks, tensor_bytes
from att.ir.loops import loop_nest
from att.ir.tensor import Position
from att.model.ub_capacity import tmp_areas
from att.model.ub_plan import Item, UbPlan, plan_ub
from att.ops.registry import spec_of
from att.ops.spec import Costs
from schedule.lifetimes import Interval, lifetimes


def ub_plan(graph: ImplGraph, costs: Costs, values: Mapping[str, int]) -> UbPlan:
    """Addresses of everything that a nest keeps in UB, for a value of every size and variable."""
    scratch_bytes = max((spec_of(node.op).scratch_bytes for node in graph.nodes), default=0)
    return plan_ub(tuple(_items(graph, costs, values)), scratch_bytes=scratch_bytes)


def _items(graph: ImplGraph, costs: Costs, values: Mapping[str, int]) -> Iterable[Item]:
    live = lifetimes(graph)
    always = Interval(0, len(graph.nodes) - 1)
    for block in blocks(graph):
        if block.position is Position.VECCALC:
            yield from _values(graph, block, live, values)
        else:
            yield _item(f"{block.name} ({'+'.join(block.tensors)})", block.name, evaluate(block.total_bytes, values), always)
    for i, area in enumerate(tmp_areas(graph, loop_nest(graph), costs)):
        yield _item(f"tmp{i or ''}", f"tmp{i or ''}", evaluate(area, values), always)


def _values(graph: ImplGraph, block: Block, live: Mapping[str, Interval], values: Mapping[str, int]) -> Iterable[Item]:
    """What one TBuf holds, one item for values that follow each other in place."""
    for names in _chains(block.tensors, live):
        sizes: tuple[Expr, ...] = tuple(tensor_bytes(graph.node_of[name].output) for name in names)
        interval = Interval(min(live[n].start for n in names), max(live[n].stop for n in names))
        yield _item("+".join(names), block.name, max(evaluate(size, values) for size in sizes), interval)


def _chains(names: Iterable[str], live: Mapping[str, Interval]) -> list[tuple[str, ...]]:
    chains: list[tuple[str, ...]] = []
    for name in sorted(names, key=lambda name: live[name]):
        if chains and live[name].start <= max(live[n].stop for n in chains[-1]):
            chains[-1] = (*chains[-1], name)
        else:
            chains.append((name,))
    return chains


def _item(name: str, block: str, size_bytes: int, interval: Interval) -> Item:
    return Item(name=name, block=block, size_bytes=size_bytes, start=interval.start, stop=interval.stop)
