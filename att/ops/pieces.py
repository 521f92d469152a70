"""What the pieces of a Split are: one node each, with an axis of its own in place of the one that is split.

    a[m, p] = Split(x[m, n]) index 0;  b[m, q] = Split(x) index 1        n = p + q; `p` and `q` may be one axis, of half the length

Pieces belong together that split one value and bear one `gid`; where a piece starts follows from those before it. A piece of one element
may have no axis of its own. Source: Split and its attributes, loop_ir_ops.json.
"""

from __future__ import annotations

from att.errors import GraphError
from att.expr.core import Expr, add, integer
from att.expr.text import to_text
from att.ir.graph import Graph
from att.ir.node import Node
from att.ir.roles import varying_axes
from att.ir.same import may_be_equal
from att.ops.registry import spec_of
from att.ops.spec import ComputeType


def is_split(node: Node) -> bool:
    """Whether a node is a piece of a Split."""
    return spec_of(node.op).compute is ComputeType.SPLIT


def pieces_of(graph: Graph, node: Node) -> tuple[Node, ...]:
    """All pieces of the Split that a node is one of, in the order of their indices."""
    gid = node.attrs.get("gid", 0)
    found = (n for n in graph.nodes if is_split(n) and n.inputs == node.inputs and n.attrs.get("gid", 0) == gid)
    return tuple(sorted(found, key=_index))


def split_axis(graph: Graph, node: Node) -> str:
    """The axis of the operand that is split: no piece has it. Raises GraphError if there is none, or there are several."""
    whole = varying_axes(graph.node_of[node.inputs[0]].output)
    kept = {axis for piece in pieces_of(graph, node) for axis in varying_axes(piece.output)}
    gone = [axis for axis in whole if axis not in kept]
    if len(gone) != 1:
        raise GraphError(
            f"the pieces of {node.inputs[0]} vary over ({', '.join(sorted(kept))}), which leaves out {len(gone)} of its axes "
            f"({', '.join(whole)}); a Split leaves out the one it splits",
            where=f"graph {graph.name}, node {node.name}",
            hint="give each piece an axis of its own in place of the one that is split, and all others",
        )
    return gone[0]


def piece_axis(graph: Graph, node: Node) -> str | None:
    """The axis that a piece has in place of the split one; None for a piece of one element."""
    whole = varying_axes(graph.node_of[node.inputs[0]].output)
    own = [axis for axis in varying_axes(node.output) if axis not in whole]
    return own[0] if own else None


def piece_length(graph: Graph, node: Node) -> Expr:
    """Elements of a piece along the split axis."""
    own = piece_axis(graph, node)
    return graph.axis_of[own].size if own else integer(1)


def piece_start(graph: Graph, node: Node) -> Expr:
    """First element of a piece along the split axis."""
    before = (piece for piece in pieces_of(graph, node) if _index(piece) < _index(node))
    return add(0, *(piece_length(graph, piece) for piece in before))


def verify_split(graph: Graph, node: Node) -> None:
    """Raises GraphError unless a piece has all other axes and one of its own, and all pieces together fill the split one."""
    where = f"graph {graph.name}, node {node.name}"
    pieces = pieces_of(graph, node)
    indices = [_index(piece) for piece in pieces]
    if indices != list(range(len(pieces))):
        raise GraphError(
            f"the pieces of {node.inputs[0]} have the indices {', '.join(map(str, indices))}, not 0 to {len(pieces) - 1} once each",
            where=where,
            hint="number them from 0; pieces of another Split of the same value need another gid",
        )
    axis = split_axis(graph, node)
    others = {a for a in varying_axes(graph.node_of[node.inputs[0]].output) if a != axis}
    mine = set(varying_axes(node.output))
    if not others <= mine or len(mine - others) > 1:
        raise GraphError(
            f"{node.op} {node.name} varies over ({', '.join(sorted(mine))}), allowed are ({', '.join(sorted(others))}) and one axis of its "
            f"own in place of {axis}",
            where=where,
            hint="a Split keeps all axes but the one it splits",
        )
    lengths = [piece_length(graph, piece) for piece in pieces]
    whole = graph.node_of[node.inputs[0]].output.repeat_of(axis)
    if not may_be_equal(add(*lengths), whole):
        raise GraphError(
            f"the pieces of {node.inputs[0]} have {' + '.join(map(to_text, lengths))} elements along {axis}, it has {to_text(whole)}",
            where=where,
            hint="a piece that nobody reads is a node all the same",
        )


def _index(node: Node) -> int:
    return int(str(node.attrs["index"]))
