"""The oracle: a slow, literal interpreter of a loop nest that prices every call of every core with its actual sizes.

It shares the cost rule of an op with the model, and nothing else: no counting formula, no bound. The model may never promise less time
than the walk of its slowest core, and a kernel must move exactly the bytes and make exactly the calls counted here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from att.expr.core import symbol
from att.expr.evaluate import evaluate
from att.ir.graph import ImplGraph, Template
from att.ir.iterate import Place, concrete, once_place, passes, turns
from att.ir.loops import loop_nest, unvaried_loops
from att.ir.node import Node
from att.ir.walks import is_once_per_core, once_per_core
from att.model.calls import call_of, cores_in_use, merge_cost
from att.model.pipes import load_bytes
from att.model.tiling import Tiling
from att.ops.call import Pipe
from att.ops.dma import transfer_of
from att.ops.heads import launch_ticks, pipe_head
from att.ops.registry import spec_of
from att.ops.spec import ComputeType, Costs


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseWalk:
    """What one phase does."""

    block_dim: int
    launch_ticks: int
    pipe_ticks: Mapping[Pipe, int]
    """Time of each pipe on the core where it is slowest, head included."""
    dma_instructions: Mapping[Pipe, int]
    """Transfer instructions of all cores, by MTE2 and MTE3."""
    dma_bytes: Mapping[Pipe, int]
    """Bytes moved by all cores."""
    calls: Mapping[str, int]
    """Calls of all cores, by node."""

    @property
    def makespan_ticks(self) -> int:
        """Launch plus the slowest pipe."""
        return self.launch_ticks + max(self.pipe_ticks.values(), default=0)


@dataclass(slots=True)
class _Tally:
    ticks: dict[tuple[int, Pipe], int]
    instructions: dict[Pipe, int]
    bytes: dict[Pipe, int]
    calls: dict[str, int]


@dataclass(frozen=True, slots=True)
class _Price:
    ticks: Mapping[Pipe, int]
    instructions: int
    bytes: int


def walk(template: Template, shape: Mapping[str, int], tiling: Tiling, costs: Costs) -> tuple[PhaseWalk, ...]:
    """Walks every phase of a template at a shape with a tiling that is legal there."""
    values = {**shape, **tiling}
    return tuple(Walker(graph, values, costs).run() for graph in template.phases)


class Walker:
    """One walk of one phase.

    Which axes a transfer joins is decided by the template's structure, never by numbers, so a call is built from the symbolic graph (a
    shorter tile is a symbol of its own) and its price evaluated at the place where the walk is.
    """

    def __init__(self, graph: ImplGraph, values: Mapping[str, int], costs: Costs) -> None:
        self._graph = graph
        self._nest = loop_nest(graph)
        self._values = values
        self._costs = costs
        self._numbers = concrete(graph, values)
        self._number_nest = loop_nest(self._numbers)
        self._whole = {name: evaluate(tile.size, values) for name, tile in self._nest.tiles.items()}
        self._prices: dict[tuple[object, ...], _Price] = {}
        self._tally = _Tally({}, {}, {}, {})

    def run(self) -> PhaseWalk:
        """Visits every call of every core."""
        calls = [(node, self._written_once(node)) for node in self._graph.nodes if spec_of(node.op).pipe is not None]
        ahead = {node.name for node in once_per_core(self._graph, self._nest)}
        for place in passes(self._numbers, self._number_nest):
            for node, once in calls:
                looped = bool(self._nest.inner) and node.loop_axis == self._nest.inner[-1]
                alone = once_place(place) if node.name in ahead else place
                for turn, at in enumerate(turns(self._numbers, self._number_nest, place) if looped else (alone,)):
                    if not any(at.index[axis] for axis in once):
                        self._count(node, at, self._price(node, at, merges=looped and turn > 0))
        return self._summary()

    def _written_once(self, node: Node) -> tuple[str, ...]:
        """Loops of which only the first turn makes the call."""
        if self._nest.block is not None and is_once_per_core(self._nest, node):
            return (self._nest.block.inner,)
        return unvaried_loops(self._graph, self._nest, node) if spec_of(node.op).compute is ComputeType.STORE else ()

    def _price(self, node: Node, at: Place, *, merges: bool) -> _Price:
        key = (node.name, merges, *sorted(at.sizes.items()))
        if key not in self._prices:
            self._prices[key] = self._price_call(node, at, merges=merges)
        return self._prices[key]

    def _price_call(self, node: Node, at: Place, *, merges: bool) -> _Price:
        short = {name: size for name, size in at.sizes.items() if size != self._whole[name]}
        actual = {name: symbol(f"{name}_actual", 1, self._whole[name]) for name in short}
        values = {**self._values, **{f"{name}_actual": size for name, size in short.items()}}
        spec = spec_of(node.op)
        call = call_of(self._graph, node, actual, cores_in_use(self._nest, self._costs.chip))
        ticks = {pipe: evaluate(expr, values) for pipe, expr in spec.cost(call, self._costs).items()}
        if merges and spec.compute is ComputeType.REDUCE:
            for pipe, expr in merge_cost(call, self._costs).items():
                ticks[pipe] = ticks.get(pipe, 0) + evaluate(expr, values)
        if spec.compute not in (ComputeType.LOAD, ComputeType.STORE):
            return _Price(ticks, 0, 0)
        transfer = transfer_of(call.output, self._costs.chip)
        return _Price(ticks, evaluate(transfer.instructions, values), evaluate(transfer.total_bytes, values))

    def _count(self, node: Node, at: Place, price: _Price) -> None:
        tally = self._tally
        for pipe, ticks in price.ticks.items():
            tally.ticks[at.core, pipe] = tally.ticks.get((at.core, pipe), 0) + ticks
        tally.calls[node.name] = tally.calls.get(node.name, 0) + 1
        pipe = spec_of(node.op).pipe
        if pipe is not None and price.instructions:
            tally.instructions[pipe] = tally.instructions.get(pipe, 0) + price.instructions
            tally.bytes[pipe] = tally.bytes.get(pipe, 0) + price.bytes

    def _summary(self) -> PhaseWalk:
        block_dim = cores_in_use(self._nest, self._costs.chip)
        head_bytes = load_bytes(self._graph, self._nest)
        slowest: dict[Pipe, int] = {}
        for (_, pipe), ticks in self._tally.ticks.items():
            slowest[pipe] = max(slowest.get(pipe, 0), ticks)
        heads = {pipe: evaluate(pipe_head(pipe, block_dim, head_bytes, self._costs), self._values) for pipe in slowest}
        return PhaseWalk(
            block_dim=evaluate(block_dim, self._values),
            launch_ticks=evaluate(launch_ticks(block_dim, self._costs), self._values),
            pipe_ticks={pipe: slowest[pipe] + heads[pipe] for pipe in Pipe if pipe in slowest},
            dma_instructions=self._tally.instructions,
            dma_bytes=self._tally.bytes,
            calls=self._tally.calls,
        )
