"""What the reference takes the tail call of a single cut to be (att_facts §3.1; measured on the recorded templates).

It puts the size of every axis in UB in the place of its dim, the tail's for the cut axis, also where the operand does not vary. So

    Load        of a row that is broadcast along the cut axis moves as many elements as the tile; rows keep the gap they have in a full tile
    Store       behind a reduce writes the reduced axis too, as one row, with the length of the tail as its stride
    Broadcast   along the cut axis reads a source that has it already

Nothing is recorded of a Gather: its tail is what it is.
"""

from __future__ import annotations

from dataclasses import replace

from att.expr.core import Expr, add, integer, mul
from att.ir.graph import ImplGraph
from att.ir.loops import Tile
from att.ir.node import Node
from att.model.calls import call_of
from att.ops.call import Call, View
from att.ops.registry import spec_of
from att.ops.spec import ComputeType

ONE = integer(1)
ZERO = integer(0)


def reference_tail(graph: ImplGraph, node: Node, cut: Tile, full: Call) -> Call:
    """The call that is charged for a tail; `full` is the call of a whole tile."""
    call = call_of(graph, node, {cut.inner: cut.tail}, full.block_dim)
    compute = spec_of(node.op).compute
    if compute is ComputeType.GATHER:
        return call
    layout = graph.node_of[node.inputs[0]].output if compute is ComputeType.STORE else node.output
    sizes = [cut.tail if axis == cut.inner else graph.axis_of[axis].size for axis in layout.vectorized_axes]
    output = _sized(call.output, sizes)
    if compute is ComputeType.LOAD and output.dims:
        output = _same_gaps(_lengthened(call.output, output), full.output)
    if compute is ComputeType.STORE and output.dims != call.output.dims:
        output = _one_row(output)
    return replace(full, inputs=tuple(_sized(view, sizes) for view in call.inputs), output=output)


def _sized(view: View, sizes: list[Expr]) -> View:
    return replace(view, dims=tuple(sizes)) if view.dims else view


def _same_gaps(tail: View, full: View) -> View:
    """Strides that leave the gaps of the full tile between the tail's rows."""
    by = add(tail.dims[-1], mul(-1, full.dims[-1]))
    return replace(tail, gm_strides=_moved(full.gm_strides, by), ub_strides=_moved(full.ub_strides, by))


def _lengthened(view: View, sized: View) -> View:
    """The last dim so much longer that the view has as many elements as `sized`."""
    more = (size for size, stride in zip(sized.dims, view.ub_strides, strict=True) if stride == ZERO)
    return replace(view, dims=(*view.dims[:-1], mul(view.dims[-1], *more)))


def _moved(strides: tuple[Expr, ...], by: Expr) -> tuple[Expr, ...]:
    return tuple(s if s == ZERO else add(s, by) for s in strides[:-1]) + strides[-1:]


def _one_row(view: View) -> View:
    length, last = mul(1, *view.dims), view.dims[-1]
    row = (ONE, length)
    return replace(view, dims=row, gm_strides=(add(length, last), ONE), ub_strides=(length, ONE))
