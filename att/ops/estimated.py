"""Which ops are priced by numbers that nobody published for the chip."""

from __future__ import annotations

from collections.abc import Iterable

from att.expr.core import integer
from att.ir.dtype import DType
from att.ops.call import Call, CostSet, Pipe, View
from att.ops.registry import spec_of
from att.ops.spec import ComputeType, Costs, OpSpec
from hwmodels.model import Chip

SAMPLE_ELEMS = 64


def estimated_ops(ops: Iterable[str], chip: Chip, cost_set: CostSet) -> tuple[str, ...]:
    """The ops, in the order given, that are priced by an estimated or borrowed row of the chip on the dtype they usually work on.

    That is float32 where the op takes it (Cast: float32 to float16). A model says it for the dtypes of its graph.
    """
    costs = Costs(chip=chip, cost_set=cost_set)
    return tuple(op for op in dict.fromkeys(ops) if any(is_estimated(call, costs) for call in _usual(spec_of(op), chip)))


def is_estimated(call: Call, costs: Costs) -> bool:
    """Whether the price of a call rests on an estimated or borrowed row."""
    spec = spec_of(call.op)
    return spec.pipe is not None and spec.price(call, costs).estimated


def _usual(spec: OpSpec, chip: Chip) -> Iterable[Call]:
    """One call on the usual dtype; none for structural ops and for ops that the chip's table lacks."""
    allowed = spec.dtypes.get(chip.cost_table, frozenset())
    if spec.pipe is None or not allowed:
        return
    dtype = DType.FLOAT32 if DType.FLOAT32 in allowed else min(allowed)
    yield sample_call(spec, dtype, spec.output_dtype(_operand_dtypes(spec, dtype)) or DType.FLOAT16)


def sample_call(spec: OpSpec, dtype: DType, output: DType) -> Call:
    """A small call of an op on one dtype: a row of 64 elements, reduced or spread where the op does that."""
    one, n = integer(1), integer(SAMPLE_ELEMS)
    full = View(dtype=dtype, dims=(n,), ub_strides=(one,))
    single = View(dtype=dtype, dims=(one,), ub_strides=(integer(0),))
    inputs = tuple(View(dtype=d, dims=(n,), ub_strides=(one,)) for d in _operand_dtypes(spec, dtype))
    result = View(dtype=output, dims=(n,), ub_strides=(one,), gm_strides=(one,) if spec.pipe is not Pipe.VEC else ())
    match spec.compute:
        case ComputeType.REDUCE:
            inputs, result = (full,), View(dtype=output, dims=(one,), ub_strides=(integer(0),))
        case ComputeType.BROADCAST:
            inputs = (single,)
        case _:
            pass
    return Call(op=spec.name, inputs=inputs, output=result, attrs={}, block_dim=one)


def _operand_dtypes(spec: OpSpec, dtype: DType) -> tuple[DType, ...]:
    special = {spec.mask_operand: DType.UINT8, spec.index_operand: DType.INT32}
    return tuple(special.get(i, dtype) for i in range(len(spec.inputs)))
