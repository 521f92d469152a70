"""What a Gather picks from: the axis of its table that its result does not have.

y[m, n] = Gather(x[m, v], i[n])      y[m, n] = x[m, i[n]]
"""

from __future__ import annotations

from att.errors import GraphError
from att.ir.dtype import DType
from att.ir.graph import Graph, HintGraph
from att.ir.node import Node
from att.ir.roles import varying_axes
from att.ir.tensor import TensorView
from att.ops.registry import spec_of
from att.ops.spec import ComputeType

INDEX_TYPES = (DType.INT32, DType.INT64)
"""Element types of indices (schedule_codegen_facts §2, Gather)."""


def is_lookup(node: Node) -> bool:
    """Whether a node is a Gather."""
    return spec_of(node.op).compute is ComputeType.GATHER


def gathered_axis(graph: Graph, node: Node) -> str | None:
    """The axis of the table that the indices run over; None where the table has one element along it."""
    kept = varying_axes(node.output)
    found = [axis for axis in varying_axes(graph.node_of[node.inputs[0]].output) if axis not in kept]
    return found[0] if found else None


def verify_lookup(graph: Graph, node: Node) -> None:
    """Raises GraphError unless the result has the axes of table and indices, without the one that is gathered."""
    where = f"graph {graph.name}, node {node.name}"
    table, indices = (graph.node_of[name].output for name in node.inputs)
    kept, mine, picks = (set(varying_axes(view)) for view in (node.output, table, indices))
    gone = [axis for axis in varying_axes(table) if axis not in kept]
    if len(gone) > 1 or kept - mine - picks or picks - kept:
        raise GraphError(
            f"{node.op} of a table over ({_listed(mine)}) by indices over ({_listed(picks)}) gives all of these axes but one of the table, "
            f"its result varies over ({_listed(kept)})",
            where=where,
            hint="give the gathered axis a name of its own, and the result the axes of the indices in its place",
        )
    if indices.dtype not in INDEX_TYPES:
        raise GraphError(
            f"indices of {node.op} are {indices.dtype}, allowed are {', '.join(INDEX_TYPES)}", where=where, hint="cast the indices"
        )
    if gone and isinstance(graph, HintGraph):
        _verify_place(node, table, gone[0], where)


def _verify_place(node: Node, table: TensorView, axis: str, where: str) -> None:
    """The attribute counts the table's axes; those of one element may be left out of the count or not."""
    given, place = int(str(node.attrs["axis"])), varying_axes(table).index(axis)
    if not place <= given <= table.axes.index(axis):
        raise GraphError(f"axis is {given}, but {axis} is axis {place} of the table", where=where, hint=f"set axis to {place}")


def _listed(axes: set[str]) -> str:
    return ", ".join(sorted(axes)) or "nothing"
