"""What the dump says of the engine behind an op: compute type and unit, derived from its record, checked when a dump is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from att.ops.call import Pipe
from att.ops.spec import ComputeType, OpSpec


@dataclass(frozen=True, slots=True)
class Api:
    """The `.api` lines of a node."""

    compute_type: str
    units: tuple[str, ...]
    """The unit that is written, then others that are accepted."""


_COMPUTE_TYPES: Final[Mapping[ComputeType, str]] = MappingProxyType({ComputeType.ELEMENTWISE: "elewise"})
"""Names in dumps where they differ from ours (S2 §text dump)."""

_UNITS: Final[Mapping[Pipe, tuple[str, ...]]] = MappingProxyType({
    Pipe.MTE2: ("MTE2",),
    Pipe.VEC: ("Vector",),
    Pipe.MTE3: ("MTE3", "MTE2"),
})  # fmt: skip
"""The reference counts a Store as MTE2 (schedule_codegen_facts §1.1), the documents' dump as MTE3."""


def api_of(spec: OpSpec) -> Api | None:
    """What `.api` says of an op; None for structural ops, which make no call."""
    if spec.pipe is None:
        return None
    return Api(_COMPUTE_TYPES.get(spec.compute, spec.compute.value), _UNITS[spec.pipe])
