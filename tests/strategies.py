"""Hypothesis strategies that several test files draw from."""

from __future__ import annotations

from hypothesis import strategies as st

from att.expr.evaluate import evaluate
from att.model.tiling import VarRole


@st.composite
def plausible_tilings(draw, problem):
    """Values within the bounds of each variable: tiles first, then a share of the work they leave. Mostly legal; check before use."""
    values = dict(problem.shape)
    ordered = sorted(problem.variables, key=lambda v: v.role is VarRole.BLOCK)
    for var in ordered:
        upper = min(var.symbol.hi, evaluate(var.upper, values))
        values[var.name] = draw(st.integers(min(var.symbol.lo, upper), upper))
    return {v.name: values[v.name] for v in problem.variables}
