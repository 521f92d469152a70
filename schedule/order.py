"""Which axes are loops, in which order, and which nodes sit in which loop.

Loops come out as `[block outer, block inner, R tiles, vectorized axes]` (S1 §3.1.6).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from att.errors import ScheduleError
from att.ir.axis import AxisKind
from att.ir.graph import Graph, ImplGraph
from att.ir.loops import parts_of
from att.ir.node import Node
from att.ir.roles import varying_axes
from att.ir.running import running_values
from att.ops.registry import spec_of
from att.ops.spec import ComputeType
from schedule.split import unknowns

_SHARED = frozenset({AxisKind.BLOCK_OUT, AxisKind.BLOCK_IN})


@dataclass(frozen=True, slots=True)
class Reorder:
    """Some axes become loops, the others stay inside the call.

    Before: `z0: z1T: z1t: y = Exp(x)`.  After: `for z0z1TB: for z0z1Tb: y = Exp(x) over z1t`.
    """

    loops: tuple[str, ...]
    """Outermost first."""
    vectorized: tuple[str, ...]
    """Outermost first."""

    def apply(self, graph: Graph) -> ImplGraph:
        """The loop nest. All nodes sit in the loops that cores share, in any other those that vary over it or follow a reduce."""
        unknown = [axis for axis in (*self.loops, *self.vectorized) if axis not in graph.axis_of]
        if unknown:
            raise ScheduleError(f"there is no axis {unknown[0]} to order", where=graph.name)
        impl = unknowns(graph)
        return replace(impl, nodes=tuple(self._placed(impl, node) for node in impl.nodes))

    def _placed(self, graph: ImplGraph, node: Node) -> Node:
        if not node.axes or spec_of(node.op).compute is ComputeType.STRUCTURAL:
            return replace(node, axes=())
        everywhere = node.name in running_values(graph)
        loops = tuple(
            a for a in self.loops if graph.axis_of[a].kind in _SHARED or everywhere or varies_over(graph, node, parts_of(graph, a))
        )
        return replace(node, axes=(*loops, *self.vectorized), loop_axis=loops[-1] if loops else None)


def varies_over(graph: Graph, node: Node, axes: tuple[str, ...]) -> bool:
    """Whether a node reads or makes something that varies over some of the axes."""
    views = (node.output, *(graph.node_of[name].output for name in node.inputs))
    return any(axis in axes for view in views for axis in varying_axes(view))


@dataclass(frozen=True, slots=True)
class GatherLoop:
    """The nodes of the innermost loop stand together.

    Before: `load x (in the loop); load s (outside); m = Max(x) (in the loop)`.  After: `load s; load x; m`.
    """

    def apply(self, graph: Graph) -> Graph:
        """Nodes before the loop, in it, after it; each part in graph order."""
        deepest = max((node.loops for node in graph.nodes), key=len, default=())
        inside = {n.name for n in graph.nodes if deepest and n.loop_axis == deepest[-1]}
        after: set[str] = set()
        for node in graph.nodes:
            if node.name not in inside and any(source in inside or source in after for source in node.inputs):
                after.add(node.name)
        before = [n for n in graph.nodes if n.name not in inside and n.name not in after]
        ordered = (*before, *(n for n in graph.nodes if n.name in inside), *(n for n in graph.nodes if n.name in after))
        return replace(graph, nodes=ordered)
