"""Sizes as builder scripts compute with them: `ks0*ks1`, `(ks2 + 1)/2`, `ks0**2`, with ints on either side.

`/` and `//` both round down: the backend client prints its floor division as `/` (backend_client_contract §3.4).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeGuard

from att.errors import AttError, GraphError
from att.expr.choice import maximum, minimum
from att.expr.core import Expr, add, ceil_div, floor_div, integer, mod, mul
from att.expr.text import to_text

MAX_EXPONENT: Final = 64
"""Of `**`; a size has far fewer factors."""


class SizeExpr:
    """An integer expression over the sizes of a graph. Compares equal by structure; other comparisons are refused, as in the real API."""

    __slots__ = ("expr",)
    expr: Expr

    def __init__(self, value: object) -> None:
        self.expr = lift(value)

    @property
    def expression(self) -> str:
        """Its text."""
        return to_text(self.expr)

    def __repr__(self) -> str:
        return self.expression

    def __hash__(self) -> int:
        return hash(self.expr)

    def __eq__(self, other: object) -> bool:
        return is_size(other) and lift(other) == self.expr

    def __add__(self, other: object) -> SizeExpr:
        return _apply(add, self, other)

    def __radd__(self, other: object) -> SizeExpr:
        return _apply(add, other, self)

    def __sub__(self, other: object) -> SizeExpr:
        return _apply(_subtract, self, other)

    def __rsub__(self, other: object) -> SizeExpr:
        return _apply(_subtract, other, self)

    def __mul__(self, other: object) -> SizeExpr:
        return _apply(mul, self, other)

    def __rmul__(self, other: object) -> SizeExpr:
        return _apply(mul, other, self)

    def __floordiv__(self, other: object) -> SizeExpr:
        return _apply(floor_div, self, other)

    def __rfloordiv__(self, other: object) -> SizeExpr:
        return _apply(floor_div, other, self)

    def __truediv__(self, other: object) -> SizeExpr:
        return _apply(floor_div, self, other)

    def __rtruediv__(self, other: object) -> SizeExpr:
        return _apply(floor_div, other, self)

    def __mod__(self, other: object) -> SizeExpr:
        return _apply(mod, self, other)

    def __rmod__(self, other: object) -> SizeExpr:
        return _apply(mod, other, self)

    def __pow__(self, exponent: object) -> SizeExpr:
        if not isinstance(exponent, int) or isinstance(exponent, bool) or not 0 <= exponent <= MAX_EXPONENT:
            raise GraphError(f"the exponent of a size is {exponent!r}", hint=f"allowed are the integers 0..{MAX_EXPONENT}")
        return SizeExpr(mul(*([self.expr] * exponent)))

    def __neg__(self) -> SizeExpr:
        return SizeExpr(mul(-1, self.expr))

    def __pos__(self) -> SizeExpr:
        return self


Size = int | float | Expr | SizeExpr


def is_size(value: object) -> TypeGuard[Size]:
    """Whether it is an integer (also one that Python's `/` made a float, such as `4/2`) or an expression."""
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int | Expr | SizeExpr) and not isinstance(value, bool)


def lift(value: object) -> Expr:
    """The expression of a size. Raises GraphError if it is none."""
    if not is_size(value):
        raise GraphError(f"a size is an integer or an expression of sizes, got {value!r}", hint="create sizes with create_size")
    if isinstance(value, SizeExpr):
        return value.expr
    return value if isinstance(value, Expr) else integer(int(value))


def max_of(*sizes: object) -> SizeExpr:
    """The largest of several sizes (`Max` in scripts)."""
    return _apply(maximum, *sizes)


def min_of(*sizes: object) -> SizeExpr:
    """The smallest of several sizes (`Min` in scripts)."""
    return _apply(minimum, *sizes)


def mod_of(numerator: object, denominator: object) -> SizeExpr:
    """The remainder (`Mod` in scripts)."""
    return _apply(mod, numerator, denominator)


def ceil_div_of(numerator: object, denominator: object) -> SizeExpr:
    """The quotient rounded up (`CeilDiv` in scripts, which the real API does not have)."""
    return _apply(ceil_div, numerator, denominator)


def _subtract(a: Expr, b: Expr) -> Expr:
    return add(a, mul(-1, b))


def _apply(function: Callable[..., Expr], *operands: object) -> SizeExpr:
    try:
        return SizeExpr(function(*(lift(o) for o in operands)))
    except GraphError:
        raise
    except AttError as error:
        raise GraphError(error.message, hint=error.hint) from None
