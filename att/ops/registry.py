"""All ops by name."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Final

from att.errors import GraphError
from att.ops import arithmetic, choice, compare, elementwise, indexed, movement, reduce, scaled, structural
from att.ops.refused import REFUSED
from att.ops.spec import OpSpec

_RECORDS = (
    *structural.RECORDS,
    *movement.RECORDS,
    indexed.ROWS,
    *elementwise.RECORDS,
    *arithmetic.RECORDS,
    *choice.RECORDS,
    *compare.RECORDS,
    *reduce.RECORDS,
    scaled.SCALED,
)

OPS: Final[Mapping[str, OpSpec]] = MappingProxyType({record.name: record for record in sorted(_RECORDS, key=lambda record: record.name)})
"""Every op record, in order of names."""


def spec_of(op: str) -> OpSpec:
    """The record of an op. Raises GraphError for an unknown or a refused one."""
    record = OPS.get(op)
    if record is None and op in REFUSED:
        raise GraphError(f"op {op} is {REFUSED[op]}", hint="docs/op_coverage.md lists what is supported")
    if record is None:
        near = get_close_matches(op, OPS, 1) or get_close_matches(op.lower(), [name.lower() for name in OPS], 1)
        raise GraphError(f"op {op} is not known", hint=_hint(near))
    return record


def _hint(near: list[str]) -> str:
    if not near:
        return f"known ops are {', '.join(OPS)}"
    return f"did you mean {next(name for name in OPS if name.lower() == near[0].lower())}?"
