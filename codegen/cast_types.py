"""Element types that an op is computed for by way of others: the scheduler casts there and back (`schedule.legalize`)."""

from __future__ import annotations

from typing import Any

from att.errors import AttError
from att.formats.builder import GraphBuilder
from att.ir.dtype import DType
from att.ir.graph import HintGraph
from att.ops.spec import ComputeType, OpSpec
from att.ops.verify import check_dtypes
from hwmodels.model import Chip
from schedule.steps import cleaned, legal

_TRIED = frozenset({ComputeType.ELEMENTWISE, ComputeType.REDUCE})


def cast_types(spec: OpSpec, chip: Chip) -> tuple[DType, ...]:
    """The types that the chip's op table lacks for an elementwise op or a reduce and that casts bring, by name."""
    lacking = sorted(d for d in DType if d not in spec.dtypes.get(chip.cost_table, ()))
    return tuple(d for d in lacking if spec.compute in _TRIED and spec.conversions is None and _is_computed(spec, d, chip))


def _is_computed(spec: OpSpec, dtype: DType, chip: Chip) -> bool:
    try:
        check_dtypes(legal(cleaned(_graph_of(spec, dtype)), chip).graph, chip)
    except AttError:
        return False
    return True


def _graph_of(spec: OpSpec, dtype: DType) -> HintGraph:
    """The op alone, over rows and columns."""
    g = GraphBuilder(spec.name, {"m": 8, "n": 8})
    types = [DType.UINT8 if i == spec.mask_operand else dtype for i in range(len(spec.inputs))]
    loads = [g.load(f"x{i}", ("m", "n"), t) for i, t in enumerate(types)]
    if spec.compute is ComputeType.REDUCE:
        g.store("y", g.reduce(spec.name, loads[0], "n"))
    else:
        numbers: dict[str, Any] = dict.fromkeys(spec.attrs, 0.5)
        g.store("y", g.op(spec.name, *loads, **numbers))
    return g.build()
