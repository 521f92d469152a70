"""Pieces that several call families share."""

from __future__ import annotations

from codegen.operands import TMP, Operand, Site


def divide_scalar_by(site: Site, scalar: str, x: Operand) -> None:
    """`dst = scalar / x`: the scalar fills one repeat of the temporary area, which every repeat of the division reads again."""
    site.body.uses("DivideScalarBy")
    repeat = f"{TMP}.ReinterpretCast<{x.cxx_type}>()"
    site.vector(f"DivideScalarBy({site.output.text}, {scalar}, {x.text}, {repeat}, {site.count()});", x, scratch=True)


def divide_by_scalar(site: Site, x: Operand, scalar: str) -> None:
    """`dst = x / scalar`, the scalar as above."""
    site.body.uses("DivideByScalar")
    repeat = f"{TMP}.ReinterpretCast<{x.cxx_type}>()"
    site.vector(f"DivideByScalar({site.output.text}, {x.text}, {scalar}, {repeat}, {site.count()});", x, scratch=True)
