"""Prices of calls, each worked out once: the templates of a graph make many of their calls alike."""

from __future__ import annotations

from collections.abc import Mapping

from att.expr.core import Expr
from att.ir.graph import ImplGraph
from att.ir.loops import LoopNest
from att.model.calls import Calls, cores_in_use, merge_cost
from att.ops.call import Call, Pipe
from att.ops.registry import spec_of
from att.ops.spec import Costs


class Prices:
    """What calls cost on one chip by one cost set."""

    def __init__(self, costs: Costs) -> None:
        self.costs = costs
        self._priced: dict[tuple[object, ...], tuple[Mapping[Pipe, Expr], bool]] = {}
        self._merges: dict[tuple[object, ...], Mapping[Pipe, Expr]] = {}
        self._whole: dict[int, tuple[ImplGraph, Calls]] = {}
        """By the identity of the graph, which stands here so that it lives: to hash one takes longer than its calls."""

    def calls(self, graph: ImplGraph, nest: LoopNest) -> Calls:
        """The calls of a loop nest with whole tiles, each made once whoever asks."""
        if id(graph) not in self._whole:
            self._whole[id(graph)] = graph, Calls(graph, {}, cores_in_use(nest, self.costs.chip))
        return self._whole[id(graph)][1]

    def cost(self, call: Call) -> Mapping[Pipe, Expr]:
        """Ticks of one call, by pipe (`OpSpec.cost`)."""
        return self._price(call)[0]

    def _price(self, call: Call) -> tuple[Mapping[Pipe, Expr], bool]:
        key = _key(call)
        if key not in self._priced:
            self._priced[key] = spec_of(call.op).priced(call, self.costs)
        return self._priced[key]

    def merge_cost(self, call: Call) -> Mapping[Pipe, Expr]:
        """Ticks of joining its result to an accumulator (`att.model.calls.merge_cost`)."""
        key = _key(call)
        if key not in self._merges:
            self._merges[key] = merge_cost(call, self.costs)
        return self._merges[key]

    def estimated_ops(self, graph: ImplGraph, nest: LoopNest) -> tuple[str, ...]:
        """The ops of a graph, in its order, of which some call with whole tiles is priced by an estimated or borrowed row."""
        calls = self.calls(graph, nest)
        priced = (node for node in graph.nodes if spec_of(node.op).pipe is not None)
        return tuple(dict.fromkeys(node.op for node in priced if self._price(calls.of(node))[1]))


def _key(call: Call) -> tuple[object, ...]:
    return call.op, call.inputs, call.output, call.block_dim, *call.attrs.items()
