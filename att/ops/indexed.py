"""GatherRows: a transfer that loads rows of a table by index; the scheduler makes it of a Load and a Gather.

    y[n, d] = x[i[n], d]      for each index one DataCopyPad of d elements, from `offset + i[n] * row_stride`
    y[m, n] = x[m, i[n]]      one DataCopyPad for each element, from `offset + m * stride + i[n] * row_stride`

Its view is the table's, with stride 0 along the axes of the indices: where a row lies there is known at run time only. Where table and
indices have an axis both, it has the table's stride.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from att.errors import GraphError
from att.expr.core import Expr
from att.ir.graph import Graph, HintGraph
from att.ir.node import Node
from att.ops import dtypes
from att.ops.call import Pipe
from att.ops.movement import LOAD
from att.ops.pricing import no_tmp, requested
from att.ops.spec import EXACT, ApiCall, ComputeType, OpSpec
from att.ops.tmp_mended import element_blocks

ROWS_OP: Final = "GatherRows"

ROWS: Final = OpSpec(
    name=ROWS_OP,
    compute=ComputeType.LOAD,
    inputs=("x1", "x2"),
    dtypes=dtypes.both(dtypes.MOVED_V1, dtypes.MOVED_V2),
    output_dtype=dtypes.first_data,
    pipe=Pipe.MTE2,
    price=LOAD.price,
    tmp=requested(published_v1=no_tmp, published_v2=no_tmp, mended_v1=element_blocks, mended_v2=element_blocks),
    reference=None,
    tolerance=EXACT,
    api=ApiCall(form="load_rows", name="DataCopyPad"),
    attrs=MappingProxyType({"row_stride": (Expr, int)}),
    optional_attrs=MappingProxyType({"offset": (Expr, int)}),
    index_operand=1,
)


def refuse_in_hints(graph: Graph, node: Node, instead: str) -> None:
    """Raises GraphError where a graph that is not scheduled has an op of the scheduler; `instead` names those that it is made of."""
    if isinstance(graph, HintGraph):
        raise GraphError(
            f"{node.op} is made by the scheduler", where=f"graph {graph.name}, node {node.name}", hint=f"use {instead} instead"
        )
