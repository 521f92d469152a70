"""Which function emits a call, by the form that its op record names. An op without a form here fails the registry test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from codegen.calls.arithmetic import axpy, bitwise, clip, power, quotient
from codegen.calls.binary import binary
from codegen.calls.broadcast import broadcast
from codegen.calls.cast import cast
from codegen.calls.compare import compare
from codegen.calls.concat import concat
from codegen.calls.float_kind import float_kind
from codegen.calls.gather import gather
from codegen.calls.logical import logical
from codegen.calls.reduce import reduce
from codegen.calls.remove_pad import remove_pad
from codegen.calls.scaled_sum import scaled_sum
from codegen.calls.select import select
from codegen.calls.transpose import transpose
from codegen.calls.unary import library, unary, unary_scalar
from codegen.operands import Site

Emitter = Callable[[Site], None]
"""Writes the text of one vector call."""

FORMS: Final[Mapping[str, Emitter]] = MappingProxyType(
    {
        "axpy": axpy,
        "binary": binary,
        "bitwise": bitwise,
        "broadcast": broadcast,
        "cast": cast,
        "clip": clip,
        "compare": compare,
        "concat": concat,
        "float_kind": float_kind,
        "gather": gather,
        "library": library,
        "logical": logical,
        "power": power,
        "quotient": quotient,
        "reduce": reduce,
        "remove_pad": remove_pad,
        "scaled_sum": scaled_sum,
        "select": select,
        "transpose": transpose,
        "unary": unary,
        "unary_scalar": unary_scalar,
    }
)
"""Emission families of vector calls. Loads and stores are written with the queues that they hand over to."""

TRANSFER_FORMS: Final = frozenset({"load", "load_rows", "store"})
"""Forms that `codegen.kernel` writes through `codegen.calls.transfer`."""


def emit_call(site: Site) -> None:
    """Writes one vector call. Raises EmitError for an op without a form."""
    form = site.spec.api.form if site.spec.api else ""
    emitter = FORMS.get(form)
    if emitter is None:
        raise site.error(f"calls of the form {form!r} have no emission", "add a family to codegen/calls/registry.py")
    emitter(site)
