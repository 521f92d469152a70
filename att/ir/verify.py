"""Whether a graph is well formed, whatever its ops mean: names, axes, sizes, order, views, storage.

The first fault is raised as a GraphError whose `where` names the graph and the node or axis, and whose message says what was got and
what is allowed. What an op demands of its operands is checked in `att.ops.verify`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final

from att.errors import GraphError
from att.expr.names import is_symbol_name
from att.ir.graph import HintGraph, ImplGraph, Template, TileVar
from att.ir.scope import Scope, at
from att.ir.verify_axes import verify_axes, verify_sizes, verify_variables
from att.ir.verify_flow import STRUCTURAL, partial_values, verify_ends, verify_order
from att.ir.verify_views import verify_queues, verify_view

_NODE_NAME: Final = re.compile(r"[A-Za-z0-9_./$@+-]+")


def verify_structure(graph: HintGraph | ImplGraph, *, earlier: Iterable[TileVar] = ()) -> None:
    """Raises GraphError at the first structural fault. `earlier`: variables of earlier phases, which a later phase may use."""
    variables = (*earlier, *graph.variables) if isinstance(graph, ImplGraph) else tuple(earlier)
    _verify_names(graph, variables)
    verify_sizes(graph)
    scope = Scope.of(graph.sizes, variables)
    verify_variables(graph, scope)
    verify_axes(graph, scope)
    verify_order(graph)
    partial = partial_values(graph)
    for node in graph.nodes:
        verify_view(graph, node, scope, partial=node.name in partial)
    verify_ends(graph, numbered=isinstance(graph, HintGraph))
    verify_queues(graph)


def verify_template(template: Template) -> None:
    """Raises GraphError at the first structural fault of a phase, or where the phases do not make one finished kernel."""
    where = f"template {template.name}"
    _require_line(template.name, where, "the name of a template")
    if template.tiling_key < 0:
        raise GraphError(f"tiling_key {template.tiling_key} is negative", where=where, hint="number templates from 0")
    if not template.phases:
        raise GraphError("it has no phases", where=where, hint="a template needs at least one ImplGraph")
    earlier: list[TileVar] = []
    for phase in template.phases:
        verify_structure(phase, earlier=earlier)
        earlier.extend(phase.variables)
    _refuse_repeated((v.name for v in earlier), where, "tile variable")
    for op in ("Data", "Output"):
        _verify_shared_indices(template, op)
    for phase in template.phases:
        _require_storage(phase)
    _require_line(template.graph_name, where, "the name of its graph")
    for name in (*template.axis_names, *template.axis_names.values()):
        if not is_symbol_name(name):
            raise GraphError(f"axis_names has {name!r}, which is no name of an axis", where=where, hint="map axis names to axis names")


def _verify_shared_indices(template: Template, op: str) -> None:
    """Phases share the kernel's arguments: together they number them from 0 without gaps."""
    found = {node.attrs["index"] for phase in template.phases for node in phase.nodes if node.op == op}
    missing = set(range(len(found))) - found
    if missing:
        raise GraphError(
            f"the {op} nodes of all phases have the indices {', '.join(sorted(map(str, found)))}, {min(missing)} is missing",
            where=f"template {template.name}",
            hint=f"number {op} nodes from 0 without gaps",
        )


def _require_storage(phase: ImplGraph) -> None:
    for node in phase.nodes:
        if node.op not in STRUCTURAL and node.output.memory is None:
            raise GraphError(
                "its output has no memory, but a template says where every tensor lives",
                where=at(phase, f"node {node.name}"),
                hint="give it a queue, a buffer or GM",
            )


def _verify_names(graph: HintGraph | ImplGraph, variables: Iterable[TileVar]) -> None:
    where = at(graph)
    _require_line(graph.name, where, "the name of a graph")
    if not graph.nodes:
        raise GraphError("it has no nodes", where=where, hint="a graph needs at least a Store and an Output")
    symbols = [*(s.name for s in graph.sizes), *(v.name for v in variables)]
    for names, noun in ((symbols, "size"), ([a.name for a in graph.axes], "axis")):
        _refuse_repeated(names, where, noun)
        _require_form(names, is_symbol_name, where, f"{noun} name {{}} is not a word of letters, digits and _, or is reserved")
    nodes = [n.name for n in graph.nodes]
    _refuse_repeated(nodes, where, "node")
    _require_form(nodes, is_node_name, where, "node name {} is not letters, digits and _./$@+-")


def _refuse_repeated(names: Iterable[str], where: str, noun: str) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise GraphError(f"{count} declarations of {noun} {name}", where=where, hint="names must differ")


def _require_form(names: Iterable[str], fits: Callable[[str], object], where: str, message: str) -> None:
    for name in names:
        if not fits(name):
            raise GraphError(message.format(repr(name)), where=where, hint="rename it")


def _require_line(name: str, where: str, what: str) -> None:
    if not name or not name.isprintable() or name != name.strip():
        raise GraphError(f"{what} is one printable line, got {name!r}", where=where, hint="rename it")


def is_node_name(name: str) -> bool:
    """Whether a node may be called that."""
    return bool(_NODE_NAME.fullmatch(name))
