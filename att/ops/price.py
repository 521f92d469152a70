"""Exact amounts of time: rational cycles over integer expressions, rounded down once to ticks of 10^-6 cycle.

A formula adds up `fraction * expression` terms; only `ticks` rounds, so no order of evaluation and no float can change a result
(design §4, Exactness).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

from att.expr.choice import maximum, where
from att.expr.core import Expr, floor_div, integer, mul, weighted
from att.expr.logic import Cond

TICKS_PER_CYCLE = 10**6
"""The model's unit of time."""

RATE_UNIT = Fraction(1, 10**10)
"""Resolution of tabulated rates, cycles per byte: at 2^18 bytes a call is at most 27 ticks below the exact quotient."""


@dataclass(frozen=True, slots=True)
class Cycles:
    """An exact number of cycles: the sum of `fraction * expression`."""

    terms: tuple[tuple[Fraction, Expr], ...] = ()
    estimated: bool = False
    """Whether a constant in it is an estimate or borrowed from another chip."""

    def __add__(self, other: Cycles) -> Cycles:
        return Cycles((*self.terms, *other.terms), self.estimated or other.estimated)

    def times(self, factor: Expr | Fraction | int) -> Cycles:
        """The amount, a number of times."""
        if isinstance(factor, Expr):
            return Cycles(tuple((c, mul(e, factor)) for c, e in self.terms), self.estimated)
        return Cycles(tuple((c * factor, e) for c, e in self.terms), self.estimated)

    @property
    def ticks(self) -> Expr:
        """Rounded down to ticks, once: terms with whole ticks stay outside the division, which changes nothing."""
        scaled = [(*_in_ticks(c), e) for c, e in self.terms]
        whole = [(n, e) for n, d, e in scaled if d == 1]
        broken = [(n, d, e) for n, d, e in scaled if d != 1]
        if not broken:
            return weighted(whole)
        denominator = lcm(*(d for _, d, _ in broken))
        numerator = weighted((denominator // d * n, e) for n, d, e in broken)
        return weighted((*whole, (1, floor_div(numerator, denominator))))


def _in_ticks(coefficient: Fraction) -> tuple[int, int]:
    """A number of cycles as a quotient of whole ticks in lowest terms."""
    shared = gcd(TICKS_PER_CYCLE, coefficient.denominator)
    return TICKS_PER_CYCLE // shared * coefficient.numerator, coefficient.denominator // shared


def cycles(coefficient: Fraction | int, amount: Expr | int = 1, *, estimated: bool = False) -> Cycles:
    """`coefficient * amount` cycles."""
    expr = amount if isinstance(amount, Expr) else integer(amount)
    exact = coefficient if isinstance(coefficient, Fraction) else Fraction(coefficient)
    return Cycles(((exact, expr),), estimated)


def total(parts: Sequence[Cycles]) -> Cycles:
    """Sum of several amounts."""
    return Cycles(tuple(t for p in parts for t in p.terms), any(p.estimated for p in parts))


def linear(k: Fraction, b: Fraction, n: Expr) -> Expr:
    """`floor((k*n + b) * 10^6)` ticks for n elements; k in cycles/element, b in cycles."""
    return (cycles(k, n) + cycles(b)).ticks


@dataclass(frozen=True, slots=True)
class Price:
    """What one call costs."""

    ticks: Expr
    estimated: bool = False
    """Whether a constant in it is an estimate or borrowed from another chip."""

    @classmethod
    def of(cls, amount: Cycles) -> Price:
        """The amount, rounded down once."""
        return cls(amount.ticks, amount.estimated)


def choose(cond: Cond, then: Price, orelse: Price) -> Price:
    """`then` where the condition holds, else `orelse`."""
    return Price(where(cond, then.ticks, orelse.ticks), then.estimated or orelse.estimated)


def dearest(*prices: Price) -> Price:
    """The largest."""
    return Price(maximum(*(p.ticks for p in prices)), any(p.estimated for p in prices))
