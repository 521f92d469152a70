"""What becomes of a Gather: elements are picked from rows that lie in UB, or whole rows are loaded by index.

    y[m, n] = Gather(x[m, v], i[n])      the tile of x has whole rows of v, as any index may come; i and y are cut together
    y[n, d] = Gather(x[v, d], i[n])      for each index a row of x is loaded; x never lies in UB as a whole

Which of them follows from what lies behind the gathered axis. Source: schedule_codegen_facts §5.7.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from att.expr.core import integer
from att.ir.graph import Graph
from att.ir.node import Node
from att.ir.roles import varying_axes
from att.ops.dtypes import GATHERED
from att.ops.indexed import ROWS_OP
from att.ops.lookups import gathered_axis, is_lookup


def lookups(graph: Graph) -> tuple[Node, ...]:
    """The Gather nodes of a graph."""
    return tuple(n for n in graph.nodes if is_lookup(n))


def why_not_in_ub(graph: Graph) -> str:
    """The sentence that says why elements cannot be picked from a table in UB; `""` where they can."""
    for node in lookups(graph):
        if node.output.dtype not in GATHERED:
            return f"elements of {node.output.dtype} are not picked in UB; {node.op} {node.name} can only load whole rows of them"
        axis = gathered_axis(graph, node)
        table, indices = (varying_axes(graph.node_of[name].output) for name in node.inputs)
        if axis is not None and table[-1] != axis:
            return (
                f"{node.op} {node.name} picks whole rows, because ({', '.join(table[table.index(axis) + 1 :])}) lies behind the gathered "
                "axis; the instruction picks single elements"
            )
        kept = varying_axes(node.output)
        if not indices or not kept or kept[-1] != indices[-1]:
            return f"the innermost axis of {node.op} {node.name} is no axis of its indices, so no run of elements is picked at once"
    return ""


def why_not_loaded(graph: Graph) -> str:
    """The sentence that says why rows cannot be loaded by index; `""` where they can."""
    return next((reason for node in lookups(graph) if (reason := _why_not_loaded(graph, node))), "")


def loaded_by_row(graph: Graph) -> frozenset[str]:
    """The Gathers whose rows can be loaded by index, which moves elements of any type."""
    return frozenset(node.name for node in lookups(graph) if not _why_not_loaded(graph, node))


def _why_not_loaded(graph: Graph, node: Node) -> str:
    """The same for one Gather."""
    load, indices = (graph.node_of[name] for name in node.inputs)
    axis = gathered_axis(graph, node)
    table = varying_axes(load.output)
    if load.op != "Load" or indices.op != "Load":
        made = load if load.op != "Load" else indices
        return f"{made.op} {made.name} makes what {node.op} {node.name} reads, and rows are loaded from a kernel input by loaded indices"
    if not table or table[-1] == axis or varying_axes(node.output)[-1] != table[-1]:
        return f"nothing lies behind the axis that {node.op} {node.name} picks along, so its rows are single elements"
    return ""


@dataclass(frozen=True, slots=True)
class LoadRows:
    """Rows of a table are loaded by index.

    Before: `x[v, d] = Load; i[n] = Load; y[n, d] = Gather(x, i)`.  After: `i[n] = Load; y[n, d] = GatherRows(i)`.
    """

    def apply(self, graph: Graph) -> Graph:
        """The graph with a GatherRows for every Load and Gather; tables that nobody else reads are not loaded."""
        nodes = tuple(_rows(graph, node) if is_lookup(node) else node for node in graph.nodes)
        read = {name for node in nodes for name in node.inputs}
        return replace(graph, nodes=tuple(n for n in nodes if n.name in read or n.op in ("Output", "Data")))


def _rows(graph: Graph, node: Node) -> Node:
    load = graph.node_of[node.inputs[0]]
    axis = gathered_axis(graph, node)
    known = dict(zip(load.output.axes, load.output.strides, strict=True))
    mine = set(varying_axes(load.output)) - {axis}
    strides = tuple(known[a] if a in mine else integer(0) for a in node.output.axes)
    row_stride = load.output.stride_of(axis) if axis else integer(0)
    attrs = {"row_stride": row_stride, "offset": load.attrs.get("offset", integer(0))}
    return replace(node, op=ROWS_OP, inputs=(load.inputs[0], node.inputs[1]), attrs=attrs, output=replace(node.output, strides=strides))
