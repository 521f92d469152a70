"""What the three graph formats share about attributes, dtypes and names of ops."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Final

from att.expr.core import Expr
from att.ir.dtype import DType
from att.ops.refused import REFUSED
from att.ops.registry import OPS
from att.ops.spec import OpSpec

OP_ALIASES: Final[Mapping[str, str]] = MappingProxyType({"Argmax": "ArgMax", "Argmin": "ArgMin"})
"""Names the backend client writes for ops that are registered otherwise (backend_client_contract §5)."""

_DTYPE_ALIASES: Final[Mapping[str, DType]] = MappingProxyType({
    "bf16": DType.BFLOAT16,
    "double": DType.FLOAT64,
    "float": DType.FLOAT32,
    "half": DType.FLOAT16,
})  # fmt: skip

DTYPES: Final[Mapping[str, DType]] = MappingProxyType({**{d.value: d for d in DType}, **_DTYPE_ALIASES})
"""Element types by every name that is read."""


def find_op(name: str) -> OpSpec | None:
    """The record of an op by its own name or an alias, or None."""
    return OPS.get(OP_ALIASES.get(name, name))


def attr_types(spec: OpSpec) -> Mapping[str, tuple[type, ...]]:
    """Types that each attribute of an op takes, required and optional ones."""
    declared = {**spec.attrs, **spec.optional_attrs}
    return MappingProxyType({name: kinds if isinstance(kinds, tuple) else (kinds,) for name, kinds in declared.items()})


def is_expression(op: str, attr: str) -> bool:
    """Whether an attribute of an op is an integer expression rather than a plain value."""
    spec = find_op(op)
    return spec is not None and Expr in attr_types(spec).get(attr, ())


def op_hint(name: str, known: Iterable[str] = OPS) -> str:
    """What to say of an op without a record: why it is refused, else the nearest known name."""
    return f"{name} is {REFUSED[name]}" if name in REFUSED else did_you_mean(name, known)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint that names the nearest known name, or lists all if there are few."""
    names = sorted(known)
    near = [n for n in names if n.lower() == name.lower()] or get_close_matches(name, names, 1)
    if near:
        return f"did you mean {near[0]}?"
    return f"known are: {', '.join(names)}" if len(names) <= 20 else ""
