"""Prices of calls, each worked out once: the templates of a graph make many of their calls alike."""

from __future__ import annotations

from collections.abc import Mapping

from att.expr.core import Expr
from att.ir.dtype import DType
from att.ir.graph import ImplGraph
from att.ir.node import Node
from att.model.calls import merge_cost
from att.ops.call import Call, Pipe
from att.ops.estimated import is_estimated, sample_call
from att.ops.registry import spec_of
from att.ops.spec import Costs


class Prices:
    """What calls cost on one chip by one cost set."""

    def __init__(self, costs: Costs) -> None:
        self.costs = costs
        self._ticks: dict[tuple[object, ...], Mapping[Pipe, Expr]] = {}
        self._estimated: dict[tuple[str, DType, DType], bool] = {}

    def cost(self, call: Call) -> Mapping[Pipe, Expr]:
        """Ticks of one call, by pipe (`OpSpec.cost`)."""
        key = call.op, call.inputs, call.output, call.block_dim, *call.attrs.items()
        if key not in self._ticks:
            self._ticks[key] = spec_of(call.op).cost(call, self.costs)
        return self._ticks[key]

    def merge_cost(self, call: Call) -> Mapping[Pipe, Expr]:
        """Ticks of joining its result to an accumulator (`att.model.calls.merge_cost`)."""
        key = "merge", call.op, call.inputs, call.output, call.block_dim, *call.attrs.items()
        if key not in self._ticks:
            self._ticks[key] = merge_cost(call, self.costs)
        return self._ticks[key]

    def estimated_ops(self, graph: ImplGraph) -> tuple[str, ...]:
        """The ops of a graph, in its order, of which some node is priced by an estimated or borrowed row on its own dtypes."""
        priced = (node for node in graph.nodes if spec_of(node.op).pipe is not None)
        return tuple(dict.fromkeys(node.op for node in priced if self._is_estimated(graph, node)))

    def _is_estimated(self, graph: ImplGraph, node: Node) -> bool:
        spec = spec_of(node.op)
        source = next((graph.node_of[name].output.dtype for i, name in enumerate(node.inputs) if i != spec.mask_operand), None)
        if source is None:
            return False
        key = node.op, source, node.output.dtype
        if key not in self._estimated:
            self._estimated[key] = is_estimated(sample_call(spec, source, node.output.dtype), self.costs)
        return self._estimated[key]
