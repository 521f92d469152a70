"""The oracle of the pipeline objective: when every call of every core runs, one after another on each pipe.

A call starts when its pipe is free, when what it reads is there, and, where it fills a queue, when a buffer of that queue is free again;
a buffer is free when the last reader of its values has ended. What lies in workspace is there when the last store before has ended. A pipe
pays its head with its first call. Prices and order are the walk's; nothing is taken from the model's formulas.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from att.expr.evaluate import evaluate
from att.ir.graph import ImplGraph, Template
from att.ir.iterate import Place, once_place, passes, turns
from att.ir.node import Node
from att.ir.walks import once_per_core, segments
from att.model.buffers import opened, queues_of
from att.model.calls import cores_in_use
from att.model.pipes import load_bytes
from att.model.tiling import Tiling
from att.model.walk import Walker
from att.ops.call import Pipe
from att.ops.heads import launch_ticks, pipe_head
from att.ops.registry import spec_of
from att.ops.spec import ComputeType, Costs


def timeline(template: Template, shape: Mapping[str, int], tiling: Tiling, costs: Costs) -> int:
    """Ticks of a template at a shape with a legal tiling, numbers of buffers included."""
    values = {**shape, **tiling}
    return sum(_Timeline(graph, values, costs).ticks() for graph in opened(template).phases)


@dataclass(slots=True)
class _Core:
    """How far one core is, ticks."""

    pipes: dict[Pipe, int] = field(default_factory=dict[Pipe, int])
    """When each pipe is free; a pipe that was not used yet is missing."""
    ready: dict[str, int] = field(default_factory=dict[str, int])
    """When the value of each node is there."""
    queues: dict[str, _QueueState] = field(default_factory=dict[str, "_QueueState"])


@dataclass(slots=True)
class _QueueState:
    """The buffers of a queue."""

    used: list[int]
    """When the last call that touches each buffer ends, ticks."""
    key: object = None
    """Which turn the buffer in hand is for."""
    slot: int = -1
    """The buffer in hand."""


class _Timeline(Walker):
    """The timeline of one phase."""

    def __init__(self, graph: ImplGraph, values: Mapping[str, int], costs: Costs) -> None:
        super().__init__(graph, values, costs)
        cores = cores_in_use(self._nest, costs.chip)
        head_bytes = load_bytes(graph, self._nest)
        self._heads = {pipe: evaluate(pipe_head(pipe, cores, head_bytes, costs), values) for pipe in Pipe}
        self._launch = evaluate(launch_ticks(cores, costs), values)
        self._queue_of = {name: block.name for block in queues_of(graph) for name in block.tensors}
        self._buffers = {block.name: evaluate(block.buffers, values) for block in queues_of(graph)}

    def ticks(self) -> int:
        """Launch, and the end of the last call of the slowest core."""
        cores: dict[int, _Core] = {}
        parts, once = segments(self._graph, self._nest), once_per_core(self._graph, self._nest)
        for place in passes(self._numbers, self._number_nest):
            if place.core not in cores:
                cores[place.core] = _Core(queues={name: _QueueState([0] * n) for name, n in self._buffers.items()})
                for node in once:
                    self._call(cores[place.core], node, place, once_place(place), merges=False)
            core = cores[place.core]
            for segment in parts:
                for turn, at in enumerate(turns(self._numbers, self._number_nest, place) if segment.looped else (place,)):
                    for node in segment.nodes:
                        self._call(core, node, place, at, merges=segment.looped and turn > 0)
        return self._launch + max(max(core.pipes.values()) for core in cores.values())

    def _call(self, core: _Core, node: Node, place: Place, at: Place, *, merges: bool) -> None:
        pipe = spec_of(node.op).pipe
        if pipe is None or any(at.index[axis] for axis in self._written_once(node)):
            return
        head = 0 if pipe in core.pipes else self._heads[pipe]
        turn = place if spec_of(node.op).compute is ComputeType.REDUCE else at
        waits = (core.pipes.get(pipe, 0), self._buffer_free(core, node, turn), *(core.ready.get(name, 0) for name in node.inputs))
        core.ready[node.name] = core.pipes[pipe] = max(waits) + head + sum(self._price(node, at, merges=merges).ticks.values())
        kept = (end.name for end in self._graph.consumers_of[node.name] if end.op == "Workspace")
        core.ready.update(dict.fromkeys(kept, core.pipes[pipe]))
        for name in (node.name, *node.inputs):
            if name in self._queue_of:
                queue = core.queues[self._queue_of[name]]
                queue.used[queue.slot] = max(queue.used[queue.slot], core.pipes[pipe])

    def _buffer_free(self, core: _Core, node: Node, turn: Place) -> int:
        """When the buffer that a call fills is free; values of one turn lie side by side in one buffer."""
        if node.name not in self._queue_of:
            return 0
        queue = core.queues[self._queue_of[node.name]]
        memory = node.output.memory
        key = (memory.queue.reuse_id if memory and memory.queue else 0, *sorted(turn.index.items()))
        if key == queue.key:
            return 0
        queue.key, queue.slot = key, (queue.slot + 1) % len(queue.used)
        return queue.used[queue.slot]
