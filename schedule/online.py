"""A sum of exponentials relative to a maximum runs in the walk that finds the maximum.

    walk 1   x -> m, and relative to the m so far: Exp(x - m) -> s
    walk 2   x -> Exp(x - m) / s -> y

Relative to the final m the sum would need a walk of its own. But what it is relative to is a factor, exp(m so far - m), which can be taken
out: whenever m grows, the sum so far is multiplied with exp(m before - m). That is `ScaledSum` (`att.ops.scaled`). Source: online softmax
(Milakov, Gimelshein, arXiv:1805.02867, §3).

The m so far may be -inf, where x - m is NaN until something larger comes; so the exponent is at least the lowest float32. A row that is
-inf to its end has the sum 0 then, and NaN as written; m - m tells the rows apart, being NaN where m is infinite and 0 elsewhere.

In narrower types x - m rounds differently for each m, so only float32 is summed like that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from att.errors import ScheduleError
from att.ir.dtype import DType
from att.ir.graph import Graph
from att.ir.node import Node
from att.ir.roles import reduced_axes
from att.ir.running import SCALED_SUM
from att.ir.tensor import TensorView
from schedule.cleanup import DropUnread
from schedule.names import free_name
from schedule.reduces import why_not_partial
from schedule.stages import stages, varying_calls

LOWEST: Final = "-3.4028234663852886e+38"
"""The lowest float32."""
_FOLLOWS: Final = {"Broadcast": 0, "Sub": 1, "Exp": 0}
"""Ops between a maximum and the sum, by the operand through which they depend on the maximum."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """`Sum(Exp(x - Broadcast(Max(x))))`, both over the same axes."""

    maximum: Node
    between: tuple[Node, ...]
    """Broadcast, Sub and Exp, in the order of the graph."""
    total: Node


@dataclass(frozen=True, slots=True)
class SumOnline:
    """Sums of exponentials relative to a maximum follow the maximum while it is being found.

    Before: `m = Max(x); e = Exp(Sub(x, m)); s = Sum(e)`.
    After: `m = Max(x); r = Maximum(m, lowest); e_running = Exp(Sub(x, r)); t = ScaledSum(e_running, r); s = Add(t, Sub(m, m))`.
    """

    def apply(self, graph: Graph) -> Graph:
        """The graph with ScaledSum in place of every such Sum. Raises ScheduleError if there is none."""
        found = patterns(graph)
        if not found:
            raise ScheduleError("no sum follows a maximum", where=graph.name, hint="walk the rows once per reduce")
        return replace(graph, nodes=tuple(_rewritten(graph, found)))


def online(graph: Graph) -> Graph:
    """The graph with sums that follow their maximum, without what nobody reads any more."""
    return DropUnread().apply(SumOnline().apply(graph))


def patterns(graph: Graph) -> tuple[Pattern, ...]:
    """The sums that can follow a maximum, in graph order."""
    return tuple(found for node in graph.nodes if (found := _pattern(graph, node)))


def why_not_online(graph: Graph) -> str:
    """The sentence that says why no walk over the reduced axes is saved, `""` where one is."""
    found = patterns(graph)
    if not found:
        return "no Sum of Exp(x - Max(x)) over the axes of its Max, in float32, could follow the maximum while that is being found"
    walked = reduced_axes(graph, found[0].total)
    saved = _last_walk(graph, walked) - _last_walk(online(graph), walked)
    return "" if saved > 0 else "other reduces need as many walks as before where sums follow their maximum"


def why_not_shared_online(graph: Graph) -> str:
    """The sentence that says why cores do not share rows whose sums follow a maximum, `""` where they may."""
    return why_not_online(graph) or why_not_partial(online(graph))


def _last_walk(graph: Graph, walked: tuple[str, ...]) -> int:
    varying, stage = varying_calls(graph, walked), stages(graph)
    return max((stage[name] for name in varying), default=0)


def _pattern(graph: Graph, total: Node) -> Pattern | None:
    if total.op != "Sum":
        return None
    between: list[Node] = []
    node = graph.node_of[total.inputs[0]]
    for op in ("Exp", "Sub", "Broadcast"):
        if node.op != op:
            return None
        between.append(node)
        node = graph.node_of[node.inputs[_FOLLOWS[op]]]
    fits = node.op == "Max" and _same_value(graph, node.inputs[0], between[1].inputs[0])
    axes = set(reduced_axes(graph, total))
    single = all(n.output.dtype is DType.FLOAT32 for n in (total, node, *between))
    if not fits or not single or not axes or axes != set(reduced_axes(graph, node)):
        return None
    return Pattern(maximum=node, between=tuple(reversed(between)), total=total)


def _same_value(graph: Graph, one: str, other: str) -> bool:
    """Whether two nodes make the same of the same, place for place."""
    a, b = graph.node_of[one], graph.node_of[other]
    if one == other:
        return True
    alike = (a.op, a.attrs, a.output, len(a.inputs)) == (b.op, b.attrs, b.output, len(b.inputs)) and a.op != "Data"
    return alike and all(_same_value(graph, x, y) for x, y in zip(a.inputs, b.inputs, strict=True))


def _rewritten(graph: Graph, found: tuple[Pattern, ...]) -> list[Node]:
    """The nodes, each followed by what follows the maximum so far in its place."""
    maxima = {p.maximum.name for p in found}
    totals = {p.total.name: p.maximum for p in found}
    copied = {n.name: n for p in found for n in p.between}
    running = {name: free_name(f"{name}_running", graph.node_of) for name in (*maxima, *copied)}
    name = free_name("float_lowest", graph.node_of)
    lowest = Node(name=name, op="Scalar", attrs={"value": LOWEST}, output=TensorView(dtype=DType.FLOAT32))
    nodes = [lowest]
    for node in graph.nodes:
        if node.name in totals:
            nodes.extend(_scaled(graph, node, totals[node.name], running))
            continue
        nodes.append(node)
        if node.name in maxima:
            bounded = replace(node, name=running[node.name], op="Maximum", inputs=(node.name, lowest.name))
            nodes.append(bounded)
        if node.name in copied:
            follows = _FOLLOWS[node.op]
            inputs = tuple(running[name] if i == follows else name for i, name in enumerate(node.inputs))
            nodes.append(replace(node, name=running[node.name], inputs=inputs))
    return nodes


def _scaled(graph: Graph, total: Node, maximum: Node, running: dict[str, str]) -> tuple[Node, Node, Node]:
    """The sum at the scale of the maximum, and the sum as written: NaN where the maximum is infinite."""
    name = free_name(f"{total.name}_running", graph.node_of)
    zero = free_name(f"{total.name}_zero", graph.node_of)
    return (
        replace(total, name=name, op=SCALED_SUM, inputs=(running[total.inputs[0]], running[maximum.name])),
        replace(total, name=zero, op="Sub", inputs=(maximum.name, maximum.name)),
        replace(total, op="Add", inputs=(name, zero)),
    )
