"""Which ops have a kernel for which element types on arch 2201, and why the others have none: the table of docs/op_coverage.md.

What an op record allows is emitted, except for `MISSING`; a test runs every pair of the first kind and sees each of the second refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from att.chips import load_chip
from att.ir.dtype import DType
from att.ir.running import SCALED_SUM
from att.ops.refused import REFUSED
from att.ops.registry import OPS
from att.ops.spec import OpSpec
from codegen.calls.registry import FORMS, TRANSFER_FORMS
from codegen.cast_types import cast_types

TABLE: Final = "v1"
"""The op table of arch 2201."""
CHIP: Final = "ascend910b1"
"""A chip with that table."""
INTERNAL: Final = frozenset({SCALED_SUM, "RemovePad"})
"""Ops that are in kernels only where the scheduler put them, in types that need no casts."""

_NO_LOAD: Final = "no Load brings it in: it is not in the op table's types of Load"

MISSING: Final[Mapping[tuple[str, DType], str]] = MappingProxyType(
    {
        ("Broadcast", DType.UINT64): _NO_LOAD,
        ("Cast", DType.UINT64): _NO_LOAD,
        ("Concat", DType.UINT64): _NO_LOAD,
    }
)
"""Pairs of op and element type that schedule and have no complete emission, with the reason."""

_CALLS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "axpy": "Muls, Add; Axpy for float16",
        "broadcast": "Broadcast of columns, Gather of those of int64, DataCopy of rows, Duplicate",
        "clip": "Max, Min",
        "concat": "DataCopy of blocks, TransDataTo5HD there and back",
        "float_kind": "Abs, integer arithmetic on its bits, Cast",
        "logical": "arithmetic on truth values as half",
        "select": "CompareScalar, Select",
        "transpose": "TransDataTo5HD; int64 by the strides of its loads",
    }
)
"""The public calls of forms that make several, or others than the op record names."""

UNSCHEDULED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Square": "arch 3510 only",
    }
)
"""Ops of the registry that no kernel of arch 2201 contains."""


def is_emitted(spec: OpSpec) -> bool:
    """Whether kernels of arch 2201 contain the op."""
    return spec.api is not None and spec.name not in UNSCHEDULED


def emitted_types(spec: OpSpec) -> tuple[DType, ...]:
    """Element types that the op is emitted for, by name."""
    return tuple(sorted(d for d in spec.dtypes.get(TABLE, frozenset()) if (spec.name, d) not in MISSING))


def has_form(spec: OpSpec) -> bool:
    """Whether some family writes the op's calls."""
    return spec.api is not None and (spec.api.form in FORMS or spec.api.form in TRANSFER_FORMS)


def coverage_page() -> str:
    """The text of docs/op_coverage.md."""
    lines = [
        "# Op coverage",
        "",
        "Kernels are emitted for arch 2201. This page is written by `python -m benchmarks.make_kernels`; a test keeps it so, "
        "and another runs",
        "every op with every element type in the first table against numpy on the CPU model.",
        "",
        "## Emitted",
        "",
        "| op | AscendC | element types |",
        "|---|---|---|",
        *(_row(spec) for spec in OPS.values() if is_emitted(spec)),
        "",
        "## Computed by way of another type",
        "",
        "The op table lacks these; the scheduler casts there and back where that gives what numpy gives (`schedule/legalize.py`); integers",
        "of 8 and 16 bits wrap around. A test runs every elementwise op with every integer type of this table. All else is refused.",
        "",
        "| op | element types |",
        "|---|---|",
        *(f"| {op} | {', '.join(types)} |" for op, types in _by_casts()),
        "",
        "What stays refused, because no type of the table gives numpy's result:",
        "",
        "- arithmetic and most reduces of int64: nothing that computes holds 64 bits;",
        "- order and magnitude of uint16 and uint32 (Maximum, Gt, Max, Remainder …): casts keep their bits, not their values;",
        "- Max and Min over int32, Prod and Mean of integers: they are reduced in float32, which holds integers up to 2^24;",
        "- arithmetic on bool, which saturates: write LogicalOr, LogicalAnd or Cast;",
        "- functions that leave the integers (Exp, Sqrt, FloorDiv …), of integers: cast the operand to a float;",
        "- float64: no core of these chips computes it.",
        "",
        "## Allowed by the op table, not emitted",
        "",
        "| op | element type | why |",
        "|---|---|---|",
        *(f"| {op} | {dtype} | {why} |" for (op, dtype), why in sorted(MISSING.items())),
        "",
        "Such a graph is refused with an error that names the node and says what to cast.",
        "",
        "## Not in a kernel",
        "",
        "| op | why |",
        "|---|---|",
        *(f"| {op} | {why} |" for op, why in sorted(UNSCHEDULED.items())),
        *(f"| {' '.join(op for op in sorted(REFUSED) if REFUSED[op] == why)} | {why} |" for why in sorted(set(REFUSED.values()))),
        "",
        "`Data`, `Scalar` and `Output` are arguments and constants and make no call.",
        "",
        "## What some names mean",
        "",
        "- `Select(mask, a, b)` is `Where` under another name, `MaskedFill(x, mask, value)` is `Where(mask, value, x)`.",
        "- `Axpy` is `x1 + alpha * x2`, `ClipByValue` the smaller of `x3` and the larger of `x1` and `x2`.",
        "- `RemovePad` returns what it gets: the scheduler leaves it out, and puts it where rows must lie side by side in UB.",
        "- `Gelu` is the approximation by tanh that AscendC documents, at most 5e-4 from the form with erf.",
        "- `FloorDiv` rounds the quotient down; `Remainder` has the sign of `x2`. Of integers it is exact, and `x1` where `x2` is 0.",
        "- `Pow` of integers wraps; a negative exponent leaves 0, except of 1 and -1.",
        "- A piece of a `Split` is made of a slice of what is loaded, so a Split makes no call; its operand may be computed.",
        "- `Axpy`, `ClipByValue`, `Gelu`, `LeakyRelu`, `Nop` and `Select` come from other front ends: no Inductor op becomes one of them.",
        "",
    ]
    return "\n".join(lines)


def _by_casts() -> list[tuple[str, tuple[DType, ...]]]:
    chip = load_chip(CHIP)
    found = ((spec.name, cast_types(spec, chip)) for spec in OPS.values() if is_emitted(spec) and spec.name not in INTERNAL)
    return [(op, types) for op, types in found if types]


def _row(spec: OpSpec) -> str:
    kinds = _casts(spec) if spec.conversions is not None else ", ".join(emitted_types(spec))
    return f"| {spec.name} | {_calls(spec)} | {kinds} |"


def _casts(spec: OpSpec) -> str:
    pairs = (spec.conversions or {}).get(TABLE, frozenset())
    return "; ".join(f"{s} to {', '.join(sorted(t for a, t in pairs if a is s))}" for s in emitted_types(spec))


def _reduces(spec: OpSpec, api: str) -> str:
    match spec.name:
        case "ArgMax":
            return "ReduceMax with index of rows; Max, Compare EQ, Select across rows and of int32; across tiles also Cast, Adds"
        case "Mean":
            return "ReduceSum of rows, Add across rows; Muls"
        case _:
            merging = OPS[spec.reduction.merge].api if spec.reduction else None
            own = "; rows of int32 by Add, BlockReduceSum" if DType.INT32 in emitted_types(spec) else ""
            scale = f"; {', '.join(spec.reduction.rescale)} between turns" if spec.reduction and spec.reduction.rescale else ""
            return f"{api} of rows, {merging.name if merging else ''} across rows{own}{scale}"


def _calls(spec: OpSpec) -> str:
    """The public calls that compute it."""
    assert spec.api is not None
    match spec.api.form:
        case "reduce" | "scaled_sum":
            return _reduces(spec, spec.api.name)
        case "compare":
            wide = "; arithmetic on the halves of int64" if DType.INT64 in emitted_types(spec) else ""
            return f"Compare {spec.api.name}, Select, Cast{wide}"
        case "quotient":
            return "Div, Cast, Mul, Sub" if spec.name == "Remainder" else "Div, Cast"
        case form:
            return _CALLS.get(form, spec.api.name)
