"""A reduce of what a Concat joins, part by part: no part need meet another in UB.

    s[m] = Sum(Concat(a[m, p], b[m, q]));  y = Concat(a, b) / s

    nest 0   Sum(a) -> partial 0 in workspace
    nest 1   Sum(b) -> partial 1
    nest 2   s = partial 0 + partial 1;  y[m, 0..p] = a / s
    nest 3   s = partial 0 + partial 1;  y[m, p..n] = b / s

Every part has an axis of its own, which its nest may cut, so that rows of any length fit. Reduces that need the results of others come in
later nests. Partial results lie side by side in workspace, so all have one element type. Between nests all cores meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from att.errors import ScheduleError
from att.expr.core import Expr, add, integer, mul
from att.ir.graph import Graph
from att.ir.node import Node
from att.ir.roles import reduced_axes, varying_axes
from att.ir.tensor import TensorView
from att.ops.joins import is_join, joined_axis
from att.ops.registry import spec_of
from att.ops.spec import ComputeType
from schedule.apart import only_stores, store_groups
from schedule.dense import dense
from schedule.joins import Part, joins, parts_of_join, sliced, the_join
from schedule.reduces import reduce_nodes, why_not_one_type


def joining_reduces(graph: Graph) -> tuple[Node, ...]:
    """The reduces over an axis that a Concat joins."""
    axes = {joined_axis(graph, node) for node in joins(graph)}
    return tuple(n for n in reduce_nodes(graph) if axes & set(reduced_axes(graph, n)))


def why_not_reduced_in_parts(graph: Graph) -> str:
    """The sentence that says why parts cannot be reduced one by one; `""` where they can, or where no reduce needs them."""
    reduces = joining_reduces(graph)
    if not reduces:
        return ""
    join, *others = joins(graph)
    if others:
        return f"{', '.join(n.name for n in (join, *others))} are {len(others) + 1} joins; parts of one can be reduced one by one"
    whole = next((n for n in reduces if not _merge_of(n)), None)
    if whole is not None:
        return f"partial results of {whole.op} {whole.name} cannot be merged, so the parts of {join.op} {join.name} must meet in UB"
    return why_not_one_type(reduces)


@dataclass(frozen=True, slots=True)
class ReduceParts:
    """No Concat: each part is reduced, and the results joined.

    Before: `s = Sum(Concat(a[m, p], b[m, q])) over n`.
    After: `s.part0 = Sum(a) over p -> workspace; s.part1 = Sum(b) over q -> workspace; s = Add(Load, Load)`.
    """

    def apply(self, graph: Graph) -> Graph:
        """The graph without its one Concat. Raises ScheduleError if there are none or several, or partial results cannot be merged."""
        join = the_join(graph)
        reason = why_not_reduced_in_parts(graph)
        if reason:
            raise ScheduleError(reason, where=graph.name)
        parts, axis, reduces = parts_of_join(graph, join), joined_axis(graph, join), joining_reduces(graph)
        whole = {node.name for node in graph.nodes if axis in varying_axes(node.output)}
        nodes, start = list[Node](), integer(0)
        for node in graph.nodes:
            if node in reduces:
                nodes.extend(_in_parts(graph, node, parts, start))
                start = add(start, mul(len(parts), _elements(node)))
            elif node.name in whole and node is not join:
                nodes.extend(sliced(node, part, whole, join.name, axis) for part in parts)
            elif node is not join:
                ends = (n for name in node.inputs for n in ([p.of(name) for p in parts] if name in whole else [name]))
                nodes.append(replace(node, inputs=tuple(ends)))
        return replace(graph, nodes=tuple(nodes))


@dataclass(frozen=True, slots=True)
class KeepNest:
    """What runs in one nest: the reduces of one part that need equally many others before them, or the stores of one part.

    Before: `s.part0 = Sum(a) -> w0; s.part1 = Sum(b) -> w1; y = Load(w0) + Load(w1)`.  After, with index 1: `s.part1 = Sum(b) -> w1`.
    """

    index: int

    def apply(self, graph: Graph) -> Graph:
        """The graph of one nest. Raises ScheduleError if there is no such nest."""
        nests = reduce_nests(graph)
        if not 0 <= self.index < len(nests):
            raise ScheduleError(f"there is no nest {self.index}, there are {len(nests)}", where=graph.name, hint="count nests from 0")
        stores = set(nests[self.index])
        ready = (replace(n, inputs=()) if n.op == "Workspace" and not stores & set(n.inputs) else n for n in graph.nodes)
        return only_stores(replace(graph, nodes=tuple(ready)), stores)


def reduce_nests(graph: Graph) -> tuple[tuple[str, ...], ...]:
    """The Stores of each nest, in the order in which nests run: those into workspace, then those of the kernel."""
    waits = _waits(graph)
    early: dict[tuple[int, tuple[str, ...]], list[str]] = {}
    for node in graph.nodes:
        if node.op == "Workspace":
            (store,) = node.inputs
            source = graph.node_of[graph.node_of[store].inputs[0]]
            read = graph.node_of[source.inputs[0]] if spec_of(source.op).compute is ComputeType.REDUCE else source
            early.setdefault((waits[store], varying_axes(read.output)), []).append(store)
    partial = {name for names in early.values() for name in names}
    late = replace(graph, nodes=tuple(n for n in graph.nodes if n.name not in partial))
    return (*(tuple(early[key]) for key in sorted(early, key=lambda key: key[0])), *store_groups(late))


def _waits(graph: Graph) -> dict[str, int]:
    """By node, how many workspaces one after another must be filled before it can run."""
    found: dict[str, int] = {}
    for node in graph.nodes:
        found[node.name] = max((found[name] for name in node.inputs), default=0) + (node.op == "Workspace")
    return found


def _in_parts(graph: Graph, node: Node, parts: Sequence[Part], start: Expr) -> list[Node]:
    """A reduce once for each part, its partial results in workspace from `start` on, and their merge under its name."""
    view, found = dense(node.output), list[Node]()
    joined = ""
    for number, part in enumerate(parts):
        name, attrs = part.of(node.name), {"offset": add(start, mul(number, _elements(node)))}
        source = part.source if is_join(graph.node_of[node.inputs[0]]) else part.of(node.inputs[0])
        single = part.own is None and len(reduced_axes(graph, node)) == 1
        partial = () if single else (replace(node, name=name, inputs=(source,)),)
        ended = (source if single else name,)
        store = Node(name=f"{name}_store", op="Store", inputs=ended, axes=node.axes, output=view, attrs=attrs)
        workspace = Node(name=f"{name}_partial", op="Workspace", inputs=(store.name,), output=TensorView(dtype=node.output.dtype))
        load = Node(name=f"{name}_load", op="Load", inputs=(workspace.name,), axes=node.axes, output=view, attrs=attrs)
        found += [*partial, store, workspace, load]
        if joined:
            last = part is parts[-1]
            sum_name = node.name if last else f"{name}_merged"
            found.append(Node(name=sum_name, op=_merge_of(node), inputs=(joined, load.name), axes=node.axes, output=view))
            joined = sum_name
        else:
            joined = load.name
    return found


def _elements(node: Node) -> Expr:
    return mul(1, *node.output.repeats)


def _merge_of(node: Node) -> str:
    reduction = spec_of(node.op).reduction
    return reduction.merge if reduction else ""
