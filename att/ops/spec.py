"""What a record says of one op. Forgetting a part is a missing argument or a failing registry test, never silence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from att.expr.core import Expr, add, integer
from att.ir.dtype import DType
from att.ir.node import AttrValue
from att.ops.call import Call, CostSet, Pipe
from att.ops.price import Price
from hwmodels.model import Chip

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


class ComputeType(StrEnum):
    """How an op relates its input axes to its output axes (S1 §3.1.1; the Scatter there has no op, see `att.ops.refused`)."""

    STRUCTURAL = "structural"
    """Data, Output, Scalar, Workspace: no call."""
    LOAD = "load"
    STORE = "store"
    ELEMENTWISE = "elementwise"
    BROADCAST = "broadcast"
    REDUCE = "reduce"
    TRANSPOSE = "transpose"
    CONCAT = "concat"
    SPLIT = "split"
    GATHER = "gather"


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What a cost or temporary-buffer rule may look at besides the call."""

    chip: Chip
    cost_set: CostSet


class TmpLifetime(StrEnum):
    """How long a temporary buffer is in use."""

    CALL = "call"
    """During one call: all such buffers of a kernel share one area."""
    LOOP = "loop"
    """Across the loop of a cut reduce: an accumulator that nothing else may overwrite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TmpBuffer:
    """UB that an op needs besides its operands."""

    bytes: Expr
    lifetime: TmpLifetime = TmpLifetime.CALL


PriceRule = Callable[[Call, Costs], Price]
"""What one call costs on the pipe of its op."""

TmpRule = Callable[[Call, Costs], tuple[TmpBuffer, ...]]
"""UB that one call needs for itself; () for none. Views are those of a full tile."""

DTypeRule = Callable[[tuple[DType, ...]], DType | None]
"""Output dtype from input dtypes where the graph does not say; None if they do not decide it (Cast) or are not allowed."""

Reference = Callable[[tuple["Array", ...], Mapping[str, AttrValue]], "Array"]
"""numpy meaning of an elementwise op: computed in float32 (integers exactly), rounded once by the caller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerance:
    """How far a kernel may be from the reference: `ulps` of the output dtype, plus for reduces `eps * sqrt(n) * sum|x|`."""

    ulps: float = 0.0
    accumulates: bool = False


EXACT = Tolerance()

NOTHING: Mapping[str, type | tuple[type, ...]] = MappingProxyType({})
"""No attributes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ByValue:
    """How partial results are joined that are places of largest elements: the larger element wins, the earlier one of equals.

    These elements are kept from turn to turn of the loop that cuts the reduce, beside the result.
    """

    kept_bytes: Callable[[Call], Expr]
    """What is kept for the result of one call with a full tile."""
    price: PriceRule
    """What joining the result of one call costs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reduction:
    """What makes an op a reduce: numpy meaning over axes, the op that merges partial results, and the value of nothing."""

    over: Callable[[Array, tuple[int, ...]], Array]
    """Reduces the axes, keeping them with size 1; accumulates in float64 (integers in int64)."""
    merge: str
    """Elementwise op that joins two partial results, e.g. `Add`; empty: no op can join partial results."""
    neutral: float | None
    """Result over a zero-size axis; None where that is refused."""
    identity: float | None
    """Value that changes no result: fills padding, starts an accumulator; integers clamp infinity to their range. None: there is none."""
    rescale: tuple[str, ...] = ()
    """Elementwise ops on whole results that run before the merge, to bring what has accumulated to the scale of what comes."""
    by_value: ByValue | None = None
    """How partial results are joined where no op can. None, and no `merge`: not at all, so the axis must not be cut."""

    @property
    def merges(self) -> bool:
        """Whether partial results can be joined, so that a loop may cut the axis."""
        return bool(self.merge) or self.by_value is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiCall:
    """Which AscendC call computes the op, as data; `form` names the emission family."""

    form: str
    """`unary`, `binary`, `binary_scalar`, `compare`, `cast`, `reduce`, `broadcast`, `load`, `store` …"""
    name: str
    """Public AscendC API, e.g. `Add`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpSpec:
    """The record of one op."""

    name: str
    compute: ComputeType
    inputs: tuple[str, ...]
    """Operand names, e.g. `("x1", "x2")`."""
    dtypes: Mapping[str, frozenset[DType]]
    """Allowed dtypes of the data operands per cost table (`v1`, `v2`); missing key: not available there."""
    output_dtype: DTypeRule
    pipe: Pipe | None
    """The engine that runs it; None for structural ops."""
    price: PriceRule
    tmp: TmpRule
    reference: Reference | None
    """None for structural, transfer, broadcast and reduce ops, whose meaning is in `att.ops.reference` or `reduction`."""
    tolerance: Tolerance
    api: ApiCall | None
    attrs: Mapping[str, type | tuple[type, ...]]
    """Required typed attributes."""
    optional_attrs: Mapping[str, type | tuple[type, ...]] = field(default_factory=lambda: NOTHING)
    """Typed attributes that may be missing."""
    reduction: Reduction | None = None
    scalar_operands: tuple[int, ...] = ()
    """Operands that may be Scalars."""
    mask_operand: int | None = None
    """Operand that is a uint8 (or bool) mask, whatever the dtype of the others."""
    index_operand: int | None = None
    """Operand that holds indices, int32 or int64, whatever the dtype of the others."""
    conversions: Mapping[str, frozenset[tuple[DType, DType]]] | None = None
    """For ops whose output dtype is free (Cast): the (input, output) pairs per cost table."""
    in_place: bool = False
    """Whether the result may take the place of an operand of its type and layout: no instruction reads an operand after writing there."""
    reads: PriceRule | None = None
    """What one call spends on MTE2 besides; nothing but where the published set lets an op read GM itself."""
    scratch_bytes: int = 0
    """UB at a fixed place that the instruction overwrites; reserved once per kernel, however many nodes need it (att_facts §2.1)."""

    def cost(self, call: Call, costs: Costs) -> Mapping[Pipe, Expr]:
        """Ticks of one call, by pipe; empty for structural ops. Dims must be at least 1."""
        return self.priced(call, costs)[0]

    def priced(self, call: Call, costs: Costs) -> tuple[Mapping[Pipe, Expr], bool]:
        """The same, and whether the op's own price rests on an estimated or borrowed row."""
        if self.pipe is None:
            return {}, False
        price = self.price(call, costs)
        own = {self.pipe: price.ticks}
        nothing = integer(0)
        read = nothing if self.reads is None else self.reads(call, costs).ticks
        return own if read == nothing else {Pipe.MTE2: read, **own}, price.estimated

    def tmp_buffers(self, call: Call, costs: Costs) -> tuple[TmpBuffer, ...]:
        """UB that one call with a full tile needs for itself."""
        return self.tmp(call, costs)

    def tmp_bytes(self, call: Call, costs: Costs) -> Expr:
        """Sum of all temporary buffers of one call, bytes."""
        return add(0, *(buffer.bytes for buffer in self.tmp(call, costs)))


def as_dtype(array: Array, dtype: DType) -> Array:
    """The array rounded once, to nearest even, to a dtype; floats become integers toward zero, clamped to the range, NaN becomes 0.

    Source of the integer rule: AscendC Cast modes (TRUNC, saturating; ascendc_api_facts §6.2).
    """
    import numpy as np

    target = numpy_dtype(dtype)
    if array.dtype == target:
        return array
    if target.kind not in "iu" or array.dtype.kind in "iub":
        with np.errstate(all="ignore"):
            return array.astype(target)
    limits = np.iinfo(target)
    wide = np.trunc(np.nan_to_num(array.astype(np.float64), nan=0.0, posinf=np.inf, neginf=-np.inf))
    inside = np.clip(wide, float(limits.min), float(limits.max))
    with np.errstate(all="ignore"):
        converted = inside.astype(target)
    return np.where(wide >= float(limits.max), np.array(limits.max, target), converted)


def numpy_dtype(dtype: DType) -> Any:
    """The numpy type that stores it (bfloat16 through ml_dtypes)."""
    import numpy as np

    if dtype is DType.BFLOAT16:
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(dtype.value)
