"""Calls of one operand: plain instructions, library functions, and the few ops that are several instructions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, cast

from att.ir.dtype import DType
from codegen.calls.flat import divide_scalar_by
from codegen.literals import literal
from codegen.operands import TMP, Site


def unary(site: Site) -> None:
    """`Api(dst, src, count)`, or the recipe of an op that has no single instruction for its type."""
    recipe = _RECIPES.get(site.node.op)
    if recipe is not None:
        recipe(site)
    else:
        _plain(site)


def unary_scalar(site: Site) -> None:
    """An instruction with a constant: that of the op, or its attribute."""
    (x,) = site.inputs
    site.vector(f"{site.api}({site.output.text}, {x.text}, {literal(_constant(site), x.dtype)}, {site.count()});")


def _constant(site: Site) -> float:
    """Neg multiplies by -1, which is exact; LeakyRelu takes its slope."""
    return -1 if site.node.op == "Neg" else cast("float", site.node.attrs["negative_slope"])


def library(site: Site) -> None:
    """`Api(dst, src, tmp, count)` of the math library; Gelu of half in its precise form."""
    (x,) = site.inputs
    precise = f"<{x.cxx_type}, true>" if site.api == "Gelu" and x.dtype is DType.FLOAT16 else ""
    site.vector(f"{site.api}{precise}({site.output.text}, {x.text}, {TMP}, {site.count()});", scratch=True)


def _plain(site: Site) -> None:
    (x,) = site.inputs
    site.vector(f"{site.api}({site.output.text}, {x.text}, {site.count()});")


def _abs(site: Site) -> None:
    """Integers: the larger of x and -x."""
    (x,) = site.inputs
    if x.dtype.is_float:
        _plain(site)
        return
    negative = f"{TMP}.ReinterpretCast<{x.cxx_type}>()"
    site.body.vector(f"Muls({negative}, {x.text}, {literal(-1, x.dtype)}, {site.count()});", reads={x.storage}, writes={TMP})
    site.vector(f"Max({site.output.text}, {x.text}, {negative}, {site.count()});", scratch=True)


def _sign(site: Site) -> None:
    """Integers: clamped to -1 .. 1."""
    (x,) = site.inputs
    if x.dtype.is_float:
        site.vector(f"Sign({site.output.text}, {x.text}, {TMP}, {site.count()});", scratch=True)
        return
    site.vector(f"Maxs({site.output.text}, {x.text}, {literal(-1, x.dtype)}, {site.count()});")
    site.again(f"Mins({site.output.text}, {site.output.text}, {literal(1, x.dtype)}, {site.count()});")


def _reciprocal(site: Site) -> None:
    """A division: the Reciprocal instruction is an approximation on arch 2201."""
    divide_scalar_by(site, literal(1.0, site.output.dtype), site.inputs[0])


def _rsqrt(site: Site) -> None:
    """Root and division: the Rsqrt instruction is an approximation on arch 2201."""
    (x,) = site.inputs
    site.vector(f"Sqrt({site.output.text}, {x.text}, {site.count()});")
    divide_scalar_by(site, literal(1.0, site.output.dtype), site.output)


_RECIPES: Final[Mapping[str, Callable[[Site], None]]] = MappingProxyType(
    {"Abs": _abs, "Sign": _sign, "Reciprocal": _reciprocal, "Rsqrt": _rsqrt}
)
"""Ops of the form `unary` that are more than their instruction."""
