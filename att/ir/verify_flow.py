"""How values flow: every input is defined before it is used, Loads read kernel inputs, Stores end in Outputs, indices are complete."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

from att.errors import GraphError
from att.ir.graph import Graph
from att.ir.node import Node
from att.ir.scope import at

STRUCTURAL: Final = frozenset({"Data", "ScalarData", "Scalar", "IndexExpr", "Workspace", "Output", "TbufData"})
"""Ops that are arguments, constants or ends, not calls."""

_GLOBAL: Final = frozenset({"Data", "Workspace"})
"""Ops whose value lies in GM and must be loaded."""

_READERS: Final = frozenset({"Load", "Nddma", "IndirectLoad", "Gather", "GatherRows"})
"""Ops that read GM."""

_ENDS: Final = frozenset({"Output", "Workspace"})
"""Ops that take what a Store wrote."""


_JOINS: Final = frozenset({"Concat"})
"""Ops whose operands each cover a part of an axis of the result."""

_CUTS: Final = frozenset({"Split", "Gather", "IndirectLoad", "Nddma", "Pad"})
"""Ops whose result covers another part of an axis than their operands."""


def partial_values(graph: Graph) -> frozenset[str]:
    """Nodes whose value may cover a part of an axis: what goes into a Concat, and what comes out of a Split and the like."""
    found: set[str] = set()
    for node in graph.nodes:
        if node.op in _CUTS or any(source in found for source in node.inputs):
            found.add(node.name)
    before: set[str] = set()
    for node in reversed(graph.nodes):
        if node.op in _JOINS or node.name in before:
            before.update(node.inputs)
    return frozenset(found | before)


def verify_order(graph: Graph) -> None:
    """Raises GraphError if an input is unknown, defined later, or part of a cycle."""
    names = [n.name for n in graph.nodes]
    defined: set[str] = set()
    for node in graph.nodes:
        for source in node.inputs:
            if source not in defined:
                raise _order_fault(graph, node, source, names)
        defined.add(node.name)


def _order_fault(graph: Graph, node: Node, source: str, names: list[str]) -> GraphError:
    where = at(graph, f"node {node.name}")
    if source not in names:
        near = get_close_matches(source, names, 1)
        return GraphError(f"its input {source} is no node of the graph", where=where, hint=f"did you mean {near[0]}?" if near else "")
    if node.name in _ancestors(graph, source):
        return GraphError(f"its input {source} depends on {node.name} itself: a cycle", where=where, hint="break the cycle")
    return GraphError(f"its input {source} is defined after it", where=where, hint=f"put {source} before {node.name}")


def _ancestors(graph: Graph, name: str) -> set[str]:
    """The node and everything it depends on."""
    found: set[str] = set()
    stack = [name]
    while stack:
        current = stack.pop()
        if current not in found and current in graph.node_of:
            found.add(current)
            stack.extend(graph.node_of[current].inputs)
    return found


def verify_ends(graph: Graph, *, numbered: bool) -> None:
    """Raises GraphError if a Load, Store, Data or Output is misplaced or wrongly indexed. `numbered`: indices must be 0..n-1."""
    for node in graph.nodes:
        _verify_sources(graph, node)
        if node.op == "Store":
            _verify_store(graph, node)
    for op in ("Data", "Output"):
        _verify_indices(graph, [n for n in graph.nodes if n.op == op], op, numbered=numbered)
    if not any(n.op in _ENDS for n in graph.nodes):
        raise GraphError("it has no Output", where=at(graph), hint="end it with a Store and an Output")


def _verify_sources(graph: Graph, node: Node) -> None:
    where = at(graph, f"node {node.name}")
    if node.op in ("Output", "Store", "Load") and not node.inputs:
        raise GraphError(f"{node.op} has no input", where=where, hint="link its x")
    for source in node.inputs:
        op = graph.node_of[source].op
        if node.op in _ENDS:
            if op != "Store":
                raise GraphError(f"{node.op} takes the result of a Store, got {source} ({op})", where=where, hint="add a Store")
        elif op in ("Store", "Output"):
            raise GraphError(f"it reads {source} ({op}), which leaves the kernel", where=where, hint="read the stored value itself")
        elif op in _GLOBAL and node.op not in _READERS:
            raise GraphError(f"it reads {source} ({op}) without a Load", where=where, hint="add a Load")
        elif node.op == "Load" and op not in _GLOBAL:
            raise GraphError(f"Load reads a Data or Workspace, got {source} ({op})", where=where, hint="use the value without a Load")


def _verify_store(graph: Graph, node: Node) -> None:
    if not graph.consumers_of[node.name]:
        raise GraphError("no Output takes what it stores", where=at(graph, f"node {node.name}"), hint="add an Output, or remove the Store")


def _verify_indices(graph: Graph, nodes: Iterable[Node], op: str, *, numbered: bool) -> None:
    holder: dict[int, str] = {}
    for node in nodes:
        where = at(graph, f"node {node.name}")
        index = node.attrs.get("index")
        if index is None:
            raise GraphError(f"{op} has no index", where=where, hint="set it to the position among the kernel's arguments, from 0")
        if not isinstance(index, int) or isinstance(index, bool) or index < 0:
            raise GraphError(f"index is {index!r}", where=where, hint="it is an integer from 0")
        if index in holder:
            raise GraphError(f"index {index} is also that of {holder[index]}", where=where, hint=f"number {op} nodes from 0 without gaps")
        holder[index] = node.name
    missing = min(set(range(len(holder))) - set(holder), default=None)
    if numbered and missing is not None:
        raise GraphError(
            f"{len(holder)} {op} nodes have the indices {', '.join(map(str, sorted(holder)))}, {missing} is missing",
            where=at(graph),
            hint=f"number {op} nodes from 0 without gaps",
        )
