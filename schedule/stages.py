"""Rewrites a graph whose reduced axis does not stay in UB: one walk over the axis per reduce, each making again what it needs.

    m = Max(x);  e = Exp(x - m);  s = Sum(e);  y = e / s

    walk 1   x -> m
    walk 2   x -> Exp(x - m) -> s
    walk 3   x -> Exp(x - m) -> / s -> y

The *stage* of a node is the number of reduces, one after another, that must be complete before it can run. What varies over the walked axes
runs in the walk of every stage that needs it, loaded and computed anew; what does not is computed once, before the walk of its stage. The
reduces of a stage come last, those that later walks read behind the others: its walk ends with them. Then the reduced axis may be cut like
in a general template. What follows a reduce while it accumulates (`schedule.online`) runs in the walk of that reduce, behind it.

One value can be kept in place of being made again (`schedule.kept`): its walk stores it to workspace, and later ones load it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from att.ir.graph import Graph
from att.ir.node import Node
from att.ir.roles import varying_axes
from att.ir.running import running_values
from att.ir.tensor import TensorView
from att.ops.registry import spec_of
from att.ops.spec import ComputeType
from schedule.dense import dense
from schedule.names import take_name


@dataclass(frozen=True, slots=True)
class WalkPerReduce:
    """Every reduce has a walk over the reduced axes of its own.

    Before: `m = Max(x); e = Exp(x - m); s = Sum(e)`.  After: `m = Max(x); x_walk2 = Load; e = Exp(x_walk2 - m); s = Sum(e)`.
    """

    axes: tuple[str, ...]
    """Axes that become the loop."""

    def apply(self, graph: Graph) -> Graph:
        """The graph in the order of the walks, with a copy of what several of them need."""
        return staged(graph, self.axes)


def staged(graph: Graph, walked: tuple[str, ...], kept: str = "") -> Graph:
    """The graph with a copy of every node per stage that needs it, in the order of the stages; `walked` are the axes that become the loop.

    Copies are named after the walk that makes them: `exp`, `exp_walk3`. The copies of `kept` are Loads of what its own walk stored.
    """
    varying = varying_calls(graph, walked)
    stage, followed = stages(graph), _followed(graph)
    nodes = [n for n in graph.nodes if _is_structural(n) and n.op != "Output"]
    taken, made = {n.name for n in graph.nodes}, set[str]()
    store, workspace = (take_name(f"{kept}{end}", taken) for end in ("_store", "_kept"))
    for number in range(max(stage.values()) + 1):
        loaded = kept if kept in made else ""
        members = _members(graph, varying, stage, number, loaded)
        copies = {name: take_name(f"{name}_walk{number + 1}", taken) for name in members & made}
        ordered = sorted((n for n in graph.nodes if n.name in members), key=lambda n: _place(graph, n, varying, followed))
        for node in ordered:
            nodes.append(_loaded(node, copies[loaded], workspace) if node.name == loaded else _renamed(node, copies))
            if node.name == kept and not loaded:
                nodes.extend(_stored(node, store, workspace))
        made |= members
    nodes.extend(n for n in graph.nodes if n.op == "Output")
    return replace(graph, nodes=tuple(nodes))


def _place(graph: Graph, node: Node, varying: frozenset[str], followed: frozenset[str]) -> tuple[bool, int]:
    """Where a node stands in its stage: what runs once, what varies, then reduces, those that a later walk reads last.

    The first reduce that a later walk reads ends the walk (`att.ir.walks`), so nothing of the walk may stand behind it. One
    that is `followed` stands among what varies, before what follows it.
    """
    ends = _is_reduce(node) and node.name not in followed
    read_later = any(user.name in varying for user in graph.consumers_of[node.name])
    return node.name in varying, ends + (ends and read_later)


def _followed(graph: Graph) -> frozenset[str]:
    """Reduces that something follows while they accumulate (`att.ir.running`), and what else that reads."""
    running = running_values(graph)
    return frozenset(name for node in graph.nodes if node.name in running for name in node.inputs)


def _loaded(node: Node, name: str, workspace: str) -> Node:
    """Brings a value back from workspace."""
    return replace(node, name=name, op="Load", inputs=(workspace,), attrs={}, output=dense(node.output))


def _stored(node: Node, store: str, workspace: str) -> tuple[Node, Node]:
    """Brings a value to workspace, where it lies dense."""
    return (
        Node(name=store, op="Store", inputs=(node.name,), axes=node.axes, output=dense(node.output)),
        Node(name=workspace, op="Workspace", inputs=(store,), output=TensorView(dtype=node.output.dtype)),
    )


def stages(graph: Graph) -> Mapping[str, int]:
    """By node, how many reduces one after another must be complete before it can run."""
    found: dict[str, int] = {}
    running = running_values(graph)
    for node in graph.nodes:
        waits = node.name not in running
        found[node.name] = max((found[name] + (waits and _is_reduce(graph.node_of[name])) for name in node.inputs), default=0)
    return found


def _members(graph: Graph, varying: frozenset[str], stage: Mapping[str, int], number: int, loaded: str) -> set[str]:
    """What a stage runs: what can only run there, and what varies and is needed for it."""
    goals = (n for n in graph.nodes if stage[n.name] == number and not _is_structural(n) and not _repeats(n, varying))
    return with_sources(graph, (n.name for n in goals), varying, loaded)


def with_sources(graph: Graph, goals: Iterable[str], varying: frozenset[str], loaded: str = "") -> set[str]:
    """The goals and everything they need that is made anew in each walk; `loaded` needs nothing."""
    members: set[str] = set()
    waiting = list(goals)
    while waiting:
        name = waiting.pop()
        if name not in members:
            members.add(name)
            sources = () if name == loaded else graph.node_of[name].inputs
            waiting.extend(source for source in sources if _repeats(graph.node_of[source], varying))
    return members


def varying_calls(graph: Graph, walked: tuple[str, ...]) -> frozenset[str]:
    """Calls that read or make something that varies over the walked axes, or follow a reduce over them."""
    calls = (n for n in graph.nodes if not _is_structural(n))
    varying = (n.name for n in calls if any(set(walked) & set(varying_axes(view)) for view in _views(graph, n)))
    return frozenset(varying) | running_values(graph)


def _views(graph: Graph, node: Node) -> tuple[TensorView, ...]:
    return (node.output, *(graph.node_of[name].output for name in node.inputs))


def _repeats(node: Node, varying: frozenset[str]) -> bool:
    """Whether each walk makes its own copy: what varies over the walked axes and neither ends in a reduce nor leaves the kernel."""
    return node.name in varying and not _is_reduce(node) and spec_of(node.op).compute is not ComputeType.STORE


def _renamed(node: Node, copies: Mapping[str, str]) -> Node:
    return replace(node, name=copies.get(node.name, node.name), inputs=tuple(copies.get(name, name) for name in node.inputs))


def _is_reduce(node: Node) -> bool:
    return spec_of(node.op).compute is ComputeType.REDUCE


def _is_structural(node: Node) -> bool:
    return spec_of(node.op).compute is ComputeType.STRUCTURAL
