"""How much of UB an operand covers: element counts, padded dims and runs of broadcast axes."""

from __future__ import annotations

from dataclasses import dataclass

from att.expr.compare import known_eq
from att.expr.core import Expr, add, integer, mul
from att.ir.dtype import DType
from att.ops.call import Call, View

ONE = integer(1)
ZERO = integer(0)
BLOCK_BYTES = 32
"""One data block of UB."""
REPEAT_BYTES = 256
"""What one repeat of a vector instruction handles."""
MAX_REPEATS = 255
"""Most repeats of one vector instruction (8-bit field; ascendc_api_facts §5)."""


def block_elems(dtype: DType) -> int:
    """Elements in one 32-byte block."""
    return BLOCK_BYTES // dtype.bytes


def repeat_elems(dtype: DType) -> int:
    """Elements in one 256-byte repeat."""
    return REPEAT_BYTES // dtype.bytes


def elements(view: View) -> Expr:
    """Elements from the first to the last of an operand in UB, row padding between them included: `1 + sum((dim - 1) * stride)`.

    That is the count one instruction over the whole operand takes (schedule_codegen_facts §5.5); it grows with every dim and equals the
    product of the dims where the operand is dense. 1 for a scalar.
    """
    steps = [(d, s) for d, s in zip(view.dims, view.ub_strides, strict=True) if s is not ZERO and d is not ONE]
    return add(1, *[mul(add(dim, -1), stride) for dim, stride in steps])


def occupied(view: View) -> Expr:
    """Elements up to the end of the last padded row: dim times stride of the outermost varying axis (att_facts §2.1). 1 for a scalar."""
    for dim, stride in zip(view.dims, view.ub_strides, strict=True):
        if stride != ZERO:
            return mul(dim, stride)
    return ONE


def padded_dims(view: View) -> tuple[Expr, ...]:
    """Dims with the innermost varying one replaced by the stride of the next outer varying one, so that row padding counts.

    Source: att_facts §1.2 (`PPE:36-50`).
    """
    varying = [i for i, stride in enumerate(view.ub_strides) if stride != ZERO]
    dims = list(view.dims)
    if len(varying) > 1:
        dims[varying[-1]] = view.ub_strides[varying[-2]]
    return tuple(dims)


def joined_dims(view: View) -> tuple[Expr, ...]:
    """Dims of the varying axes with gapless neighbours joined, the innermost with its row padding; at least one (att_facts §3.4)."""
    varying = [i for i, stride in enumerate(view.ub_strides) if stride != ZERO]
    dims: list[Expr] = []
    strides: list[Expr] = []
    for i in varying:
        if dims and known_eq(strides[-1], mul(view.dims[i], view.ub_strides[i])):
            dims[-1], strides[-1] = mul(dims[-1], view.dims[i]), view.ub_strides[i]
        else:
            dims.append(view.dims[i])
            strides.append(view.ub_strides[i])
    if len(dims) > 1:
        dims[-1] = strides[-2]
    return tuple(dims) or (ONE,)


def count(view: View) -> Expr:
    """Product of the padded dims; 1 for a scalar."""
    return mul(1, *padded_dims(view))


def data_view(call: Call) -> View:
    """The first operand that is no scalar, else the output."""
    return next((view for view in call.inputs if view.dims), call.output)


def is_scalar(view: View) -> bool:
    """Whether an operand is a Scalar, which lies in no buffer."""
    return not view.dims


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Adjacent axes that a broadcast treats alike and that lie without gaps between them."""

    broadcast: bool
    """Whether the source has one element where the output has `elems`."""
    elems: Expr


def broadcast_runs(source: View, output: View) -> tuple[Run, ...]:
    """The runs of a broadcast, outermost first; axes of one element are left out, row padding belongs to the innermost run."""
    dims = padded_dims(output)
    varying = [i for i, stride in enumerate(output.ub_strides) if stride != ZERO]
    kept = {i for i in varying if source.dims and source.ub_strides[i] != ZERO}
    runs: list[Run] = []
    for at, i in enumerate(varying):
        run = Run(broadcast=i not in kept, elems=dims[i])
        outer = varying[at - 1] if at else None
        if outer is not None and runs[-1].broadcast == run.broadcast and _adjacent(source, output, dims, outer, i):
            runs[-1] = Run(broadcast=run.broadcast, elems=mul(runs[-1].elems, run.elems))
        else:
            runs.append(run)
    return tuple(runs)


def _adjacent(source: View, output: View, dims: tuple[Expr, ...], outer: int, inner: int) -> bool:
    """Whether stepping along `outer` continues where `inner` ends, in the output and (where it varies) in the source."""
    if not known_eq(output.ub_strides[outer], mul(dims[inner], output.ub_strides[inner])):
        return False
    if not source.dims or source.ub_strides[outer] == ZERO:
        return True
    return known_eq(source.ub_strides[outer], mul(padded_dims(source)[inner], source.ub_strides[inner]))


def reduced_runs(source: View, output: View) -> int:
    """How many separate runs of adjacent axes a reduce folds: `[r, a, r]` has two."""
    gone = [output.ub_strides[i] == ZERO for i, stride in enumerate(source.ub_strides) if stride != ZERO]
    return sum(here and not before for before, here in zip([False, *gone], gone, strict=False))


def folded_extents(call: Call) -> tuple[Expr, Expr, bool]:
    """Elements folded into one result, padded elements of everything else in one 2-D API call, and whether the last axis is reduced.

    A call that reduces the last axis is told the row with its padding, which it wants to be that long; leading kept axes are a loop of
    calls when a middle axis is reduced.
    """
    source, output = data_view(call), call.output
    dims = padded_dims(source) if reduces_last(source, output) else source.dims
    axes = [(d, s, o == ZERO) for d, s, o in zip(dims, source.ub_strides, output.ub_strides, strict=True) if s != ZERO]
    if not axes:
        return ONE, ONE, False
    last_reduced = axes[-1][2]
    folded = mul(1, *(d for d, _, gone in axes if gone))
    if last_reduced:
        return folded, mul(1, *(d for d, _, gone in axes if not gone)), True
    innermost = max((i for i, (_, _, gone) in enumerate(axes) if gone), default=-1)
    rest = axes[innermost][1] if innermost >= 0 else elements(source)
    return folded, rest, False


def reduces_last(source: View, output: View) -> bool:
    """Whether the innermost axis of the source is reduced."""
    varying = [i for i, stride in enumerate(source.ub_strides) if stride != ZERO]
    return bool(varying) and output.ub_strides[varying[-1]] == ZERO
