"""What the operators and functions of the text form mean. Operands have been checked to be integers or conditions as each wants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, cast

from att.errors import ModelError
from att.expr.choice import lookup, maximum, minimum, where
from att.expr.compare import eq, le, lt
from att.expr.core import Expr, Int, add, ceil_div, floor_div, mod, mul
from att.expr.logic import Cond, conj, disj, negate

Slash = Literal["ceil", "floor"]
"""How an inexact `/` is rounded."""

MAX_EXPONENT: Final = 64

LEVELS: Final[Mapping[str, int]] = {
    "or": 1, "and": 2, "not": 3, "<=": 4, "<": 4, "==": 4, ">=": 4, ">": 4, "!=": 4, "+": 5, "-": 5, "*": 6, "/": 6, "//": 6, "%": 6,
    "negative": 7, "**": 8,
}  # fmt: skip
"""How tightly an operator binds; `negative` is the minus sign before a value."""

ARITY: Final[Mapping[str, int | None]] = {"Min": None, "Max": None, "Mod": 2, "Ceiling": 1, "Floor": 1, "Where": 3, "Lookup": 2}
"""Number of arguments of a function; None: at least one."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """A quotient that is not known to be exact and has not been rounded yet."""

    numerator: Expr
    denominator: Expr


Number = Expr | Ratio
Value = Number | Cond | tuple[int, ...]
"""What a part of the text stands for; a tuple is a table."""


def is_number(value: Value) -> bool:
    """Whether it is an integer expression, or will be once it is rounded."""
    return isinstance(value, (Expr, Ratio))


def whole(value: Value, slash: Slash | None) -> Expr:
    """The number as an integer. Raises ModelError where rounding is not allowed (`slash` None)."""
    if not isinstance(value, Ratio):
        return cast("Expr", value)
    if slash is None:
        raise ModelError("only the outermost `/` inside Ceiling( ) or Floor( ) has a meaning", hint="write Ceiling( ) around the inner one")
    return (ceil_div if slash == "ceil" else floor_div)(value.numerator, value.denominator)


def combine(operators: Sequence[str], values: Sequence[Value], slash: Slash | None) -> Value:
    """The result of operators of one level between (or before) values."""
    operator = operators[0]
    match LEVELS[operator]:
        case 1:
            return disj(*cast("Sequence[Cond]", values))
        case 2:
            return conj(*cast("Sequence[Cond]", values))
        case 3:
            return negate(cast("Cond", values[0]))
        case 4:
            return _comparison(operators, *(whole(v, slash) for v in values))
        case 5:
            signed = zip(("+", *operators), values, strict=True)
            return add(*(whole(v, slash) if sign == "+" else mul(-1, whole(v, slash)) for sign, v in signed))
        case 6:
            return _product(operators, cast("Sequence[Number]", values), slash)
        case 7:
            return mul(-1, whole(values[0], slash))
        case _:
            return _power(whole(values[0], slash), whole(values[1], slash))


def call(function: str, values: Sequence[Value], slash: Slash | None) -> Value:
    """The result of a function."""
    first = values[0]
    if function in ("Ceiling", "Floor"):
        return whole(first, "ceil" if function == "Ceiling" else "floor")
    if function == "Lookup":
        return lookup(cast("tuple[int, ...]", first), whole(values[1], slash))
    if function == "Where":
        return where(cast("Cond", first), whole(values[1], slash), whole(values[2], slash))
    numbers = [whole(v, slash) for v in values]
    return mod(*numbers) if function == "Mod" else minimum(*numbers) if function == "Min" else maximum(*numbers)


def _comparison(operators: Sequence[str], a: Expr, b: Expr, *more: Expr) -> Cond:
    if more:
        raise ModelError("comparisons do not chain", hint="join two of them with `and`")
    match operators[0]:
        case "<=":
            return le(a, b)
        case "<":
            return lt(a, b)
        case ">=":
            return le(b, a)
        case ">":
            return lt(b, a)
        case "==":
            return eq(a, b)
        case _:
            return negate(eq(a, b))


def _product(operators: Sequence[str], values: Sequence[Number], slash: Slash | None) -> Number:
    """From left to right; factors in a row are one product."""
    left, factors = values[0], list[Expr]()
    for operator, right in zip(operators, values[1:], strict=True):
        factor = whole(right, slash)
        if operator == "*":
            factors.append(factor)
            continue
        if factors:
            left, factors = mul(whole(left, slash), *factors), []
        match operator:
            case "/":
                left = _ratio(left, factor)
            case "//":
                left = floor_div(whole(left, slash), factor)
            case _:
                left = mod(whole(left, slash), factor)
    return mul(whole(left, slash), *factors) if factors else left


def _ratio(n: Number, d: Expr) -> Number:
    """Exact where that is known: then it does not matter how it is rounded."""
    numerator, denominator = (n.numerator, mul(n.denominator, d)) if isinstance(n, Ratio) else (n, d)
    down = floor_div(numerator, denominator)
    return down if down is ceil_div(numerator, denominator) else Ratio(numerator, denominator)


def _power(base: Expr, exponent: Expr) -> Expr:
    if not isinstance(exponent, Int) or not 0 <= exponent.value <= MAX_EXPONENT:
        raise ModelError(f"an exponent must be a constant from 0 to {MAX_EXPONENT}")
    return mul(*([base] * exponent.value))
