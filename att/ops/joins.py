"""Which axes a call's operands are lined up on: by name, except that each part of a Concat has an axis of its own.

    y[m, n] = Concat(a[m, p], b[m, q])      n = p + q; `n` is the joined axis, `p` and `q` are the parts' own

A part of one element has no own axis left once axes of one element are dropped.
"""

from __future__ import annotations

from att.errors import GraphError
from att.expr.core import Expr, add, integer
from att.expr.text import to_text
from att.ir.graph import Graph
from att.ir.node import Node
from att.ir.roles import reduced_axes, varying_axes
from att.ir.same import may_be_equal
from att.ops.lookups import gathered_axis, is_lookup
from att.ops.registry import spec_of
from att.ops.spec import ComputeType


def is_join(node: Node) -> bool:
    """Whether a node is a Concat."""
    return spec_of(node.op).compute is ComputeType.CONCAT


def joined_axis(graph: Graph, node: Node) -> str:
    """The axis of a Concat's result along which its parts lie. Raises GraphError if there is none."""
    kept = varying_axes(node.output)
    for name in node.inputs:
        missing = [axis for axis in kept if axis not in varying_axes(graph.node_of[name].output)]
        if len(missing) == 1:
            return missing[0]
    raise GraphError(
        f"{node.op} {node.name} joins along no axis: its result varies over ({', '.join(kept)}), as its parts do",
        where=f"graph {graph.name}, node {node.name}",
        hint="give each part an axis of its own in place of the axis of the result",
    )


def own_axis(graph: Graph, node: Node, name: str) -> str | None:
    """The axis that a part has in place of the joined one; None for a part of one element."""
    kept = varying_axes(node.output)
    own = [axis for axis in varying_axes(graph.node_of[name].output) if axis not in kept]
    return own[0] if own else None


def part_lengths(graph: Graph, node: Node) -> tuple[Expr, ...]:
    """Elements of each part along the joined axis."""
    owns = (own_axis(graph, node, name) for name in node.inputs)
    return tuple(graph.axis_of[own].size if own else integer(1) for own in owns)


def call_axes(graph: Graph, node: Node) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The axes that operands are lined up on, and the places that a reduce folds, a Concat joins or a Gather picks along."""
    axes = node.output.axes
    if is_join(node):
        return axes, (axes.index(joined_axis(graph, node)),)
    reduced = (axis,) if is_lookup(node) and (axis := gathered_axis(graph, node)) else reduced_axes(graph, node)
    axes = (*axes, *(axis for axis in reduced if axis not in axes))
    return axes, tuple(axes.index(axis) for axis in reduced)


def operand_axes(graph: Graph, node: Node, name: str, axes: tuple[str, ...]) -> tuple[str, ...]:
    """The operand's own names for the axes of a call: a part's own axis takes the place of the joined one, and gives up its own."""
    own = own_axis(graph, node, name) if is_join(node) else None
    if own is None:
        return axes
    joined = joined_axis(graph, node)
    return tuple(own if axis == joined else joined if axis == own else axis for axis in axes)


def verify_join(graph: Graph, node: Node) -> None:
    """Raises GraphError unless every part has the result's axes with one of its own for the joined one, and together they fill it."""
    where = f"graph {graph.name}, node {node.name}"
    joined = joined_axis(graph, node)
    shared = {axis for axis in varying_axes(node.output) if axis != joined}
    for name in node.inputs:
        mine = set(varying_axes(graph.node_of[name].output))
        if not shared <= mine or len(mine - shared) > 1 or joined in mine:
            raise GraphError(
                f"part {name} of {node.op} varies over ({', '.join(sorted(mine))}), allowed are ({', '.join(sorted(shared))}) and one "
                f"axis of its own in place of {joined}",
                where=where,
                hint="broadcast the part first, or give it an axis of its own",
            )
    lengths = part_lengths(graph, node)
    if not may_be_equal(add(*lengths), node.output.repeat_of(joined)):
        raise GraphError(
            f"the parts of {node.op} have {' + '.join(to_text(n) for n in lengths)} elements along {joined}, the result has "
            f"{to_text(node.output.repeat_of(joined))}",
            where=where,
            hint=f"make {joined} as long as its parts together",
        )
