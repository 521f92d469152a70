"""Rows of a table loaded by index: the scalar unit reads each index and issues the load of its row (schedule_codegen_facts §5.7).

The indices have been loaded into a queue of their own. Scalar reads wait for their load, and the next load into their place for the reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from att.errors import EmitError
from att.expr.core import Expr, integer
from att.ops.dma import one_by_one
from codegen.calls import transfer
from codegen.memory import QueueText
from codegen.storage import Value


def load_rows(move: transfer.Move, indices: Value, queues: Mapping[str, QueueText]) -> None:
    """The loads of all rows of a tile. Raises EmitError where the indices lie in the same queue buffer as the rows."""
    queue = queues.get(indices.block)
    if queue is None or any(value.node is move.node for value in queue.holder.values):
        raise EmitError(
            f"the indices {indices.node.name} of {move.node.op} {move.node.name} lie in no queue of their own",
            where=move.scope.graph.name,
            hint="load them for this Gather alone, and use fewer kernel inputs",
        )
    if not queue.ready:
        queue.receive()
    row_stride = move.node.attrs["row_stride"]
    call = move.scope.call(move.node)
    found = transfer.IndexedRows(
        indices=indices.name,
        strides=tuple(call.inputs[0].ub_strides[i] for i in one_by_one(call.output)),
        row_stride=row_stride if isinstance(row_stride, Expr) else integer(int(row_stride)),
    )
    move.body.uses("Handshake")
    move.body.line("Handshake<HardEvent::MTE2_S>(pipe);")
    transfer.load(replace(move, rows=found))
    move.body.line("Handshake<HardEvent::S_MTE2>(pipe);")
