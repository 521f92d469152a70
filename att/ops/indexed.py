"""GatherRows: a transfer that loads rows of a table by index; the scheduler makes it of a Load and a Gather.

    y[n, d] = x[i[n], d]      for each index one DataCopyPad of d elements, from `offset + i[n] * row_stride`

Its view is the table's, with stride 0 along the axes of the indices: where a row lies there is known at run time only.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from att.errors import GraphError
from att.expr.core import Expr
from att.ir.graph import Graph, HintGraph
from att.ir.node import Node
from att.ops import dtypes, mended_dma, published_dma
from att.ops.call import Pipe
from att.ops.gm import Region, window
from att.ops.pricing import no_tmp, priced
from att.ops.spec import EXACT, ApiCall, ComputeType, OpSpec

ROWS_OP: Final = "GatherRows"

GATHERED: Final = "int16 uint16 int32 uint32 float16 bfloat16 float32"
"""Element types of tables (schedule_codegen_facts §2, Gather)."""

ROWS: Final = OpSpec(
    name=ROWS_OP,
    compute=ComputeType.LOAD,
    inputs=("x1", "x2"),
    dtypes=dtypes.listed(GATHERED, GATHERED),
    output_dtype=dtypes.first_data,
    pipe=Pipe.MTE2,
    price=priced(
        published_v1=published_dma.load_v1,
        published_v2=published_dma.load_v2,
        mended_v1=mended_dma.load_v1,
        mended_v2=mended_dma.load_v2,
    ),
    tmp=no_tmp,
    reference=None,
    tolerance=EXACT,
    api=ApiCall(form="load_rows", name="DataCopyPad"),
    attrs=MappingProxyType({"row_stride": (Expr, int)}),
    optional_attrs=MappingProxyType({"offset": (Expr, int)}),
    index_operand=1,
)


def refuse_in_hints(graph: Graph, node: Node) -> None:
    """Raises GraphError where a graph that is not scheduled has one."""
    if isinstance(graph, HintGraph):
        raise GraphError(
            f"{node.op} is made by the scheduler", where=f"graph {graph.name}, node {node.name}", hint="use Load and Gather instead"
        )


def rows_by_index(buffer: NDArray[Any], region: Region, indices: NDArray[Any], row_stride: int, where: str) -> NDArray[Any]:
    """What such a load brings: `region` with one row of the buffer for each index; the indices have its dims, 1 where they do not vary."""
    result = np.empty(region.repeats, buffer.dtype)
    picks = [n > 1 or (m == 1 and s == 0) for n, m, s in zip(indices.shape, region.repeats, region.strides, strict=True)]
    for at in np.ndindex(*(n if pick else 1 for n, pick in zip(region.repeats, picks, strict=True))):
        row = int(indices[tuple(i if n > 1 else 0 for i, n in zip(at, indices.shape, strict=True))])
        repeats = tuple(1 if pick else n for n, pick in zip(region.repeats, picks, strict=True))
        moved = Region(offset=region.offset + row * row_stride, repeats=repeats, strides=region.strides)
        place = tuple(slice(i, i + 1) if pick else slice(None) for i, pick in zip(at, picks, strict=True))
        result[place] = window(buffer, moved, where)
    return result
