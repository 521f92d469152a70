"""IsFinite, IsInf, Isnan: one byte, 0 or 1, for every element."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from codegen.calls.chunks import chunked
from codegen.operands import Site

_KINDS: Final[Mapping[str, str]] = MappingProxyType({"IsFinite": "FINITE", "IsInf": "INFINITE", "Isnan": "NOT_A_NUMBER"})


def float_kind(site: Site) -> None:
    """Arithmetic on the bits of the magnitude."""
    (x,) = site.inputs
    chunked(site, f"FloatKind<NumberKind::{_KINDS[site.node.op]}>", bytes_per_elem=x.dtype.bytes)
