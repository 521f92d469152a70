"""What becomes of a Gather: elements are picked from rows that lie in UB.

    y[m, n] = Gather(x[m, v], i[n])      the tile of x has whole rows of v; i and y are cut together

The gathered axis is whole in UB, as any index may come. Source: schedule_codegen_facts §5.7.
"""

from __future__ import annotations

from att.ir.graph import Graph, HintGraph
from att.ir.node import Node
from att.ir.roles import varying_axes
from att.ops.lookups import gathered_axis, is_lookup


def lookups(graph: Graph) -> tuple[Node, ...]:
    """The Gather nodes of a graph."""
    return tuple(n for n in graph.nodes if is_lookup(n))


def why_not_in_ub(graph: HintGraph) -> str:
    """The sentence that says why elements cannot be picked from a table in UB; `""` where they can."""
    for node in lookups(graph):
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
