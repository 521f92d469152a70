"""The values that one variable may take by the constraints on it alone, in ascending order and numbered from 0: its ladder.

`multiple of 8 or the whole axis`, `one of a list` and `divides 96` are such constraints. A search that climbs ladders never meets a value
that is illegal by itself.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isqrt, lcm

from att.expr.compare import Eq
from att.expr.core import Int, Sym, Where
from att.expr.evaluate import evaluate_all
from att.model.tiling import Constraint, Divides, Member


@dataclass(frozen=True, slots=True)
class Ladder:
    """Ascending values in one or more pieces, each of which is regular or a table."""

    pieces: tuple[Sequence[int], ...]
    size: int
    """Number of values."""

    def value(self, number: int) -> int:
        """The value of a number in `0 .. size - 1`."""
        for piece in self.pieces:
            if number < len(piece):
                return piece[number]
            number -= len(piece)
        raise IndexError(number)

    def at_most(self, value: int) -> int:
        """Number of the largest value that is not above; 0 if all are."""
        return max(0, self._up_to(value) - 1)

    def at_least(self, value: int) -> int:
        """Number of the smallest value that is not below; the last if all are."""
        return min(self.size - 1, self._up_to(value - 1))

    def _up_to(self, value: int) -> int:
        """How many values are not above."""
        passed = 0
        for piece in self.pieces:
            here = bisect_right(piece, value)
            passed += here
            if here < len(piece):
                break
        return passed


def ladder_of(symbol: Sym, constraints: Sequence[Constraint]) -> Ladder:
    """The ladder of a variable of a bound problem; its size is 0 if no value is left.

    It leaves nothing out that the constraints allow, and only takes away what one constraint forbids whatever the other variables are.
    """
    own = [c for c in constraints if _is_about(c, symbol)]
    table = next((t for c in own if (t := _table(c, symbol)) is not None), None)
    if table is not None:
        return _ladder([tuple(v for v in sorted(set(table)) if _allowed(v, symbol, own))])
    return _regular(symbol, own)


def _is_about(constraint: Constraint, symbol: Sym) -> bool:
    """Whether it is a list for the variable, or a divisibility between it and numbers of a form that is understood here."""
    match constraint:
        case Member(var=var):
            return var == symbol.name
        case Divides(divisor=Int(), dividend=dividend):
            return dividend == symbol
        case Divides(divisor=Where(Eq(x, Int()), Int(), Int()), dividend=dividend):
            return x == dividend == symbol
        case Divides(divisor=divisor, dividend=Int(n)):
            return divisor == symbol and n > 0
        case _:
            return False


def _table(constraint: Constraint, symbol: Sym) -> tuple[int, ...] | None:
    match constraint:
        case Member(values=values):
            return values
        case Divides(divisor=divisor, dividend=Int(n)) if divisor == symbol:
            return tuple(_divisors(n))
        case _:
            return None


def _divisors(n: int) -> Iterator[int]:
    for d in range(1, isqrt(n) + 1):
        if n % d == 0:
            yield from (d, n // d)


def _regular(symbol: Sym, own: Sequence[Constraint]) -> Ladder:
    """The multiples of all steps; a value of which a constraint makes an exception (the whole axis) is tested by itself."""
    lo, hi, step = symbol.domain
    step, exceptions = max(1, step), set[int]()
    for constraint in own:
        match constraint:
            case Divides(divisor=Int(d)):
                step = lcm(step, d)
            case Divides(divisor=Where(Eq(_, Int(c)), _, Int(d))):
                step = lcm(step, d)
                exceptions.add(c)
            case _:
                pass
    pieces: list[Sequence[int]] = []
    start = lo
    for value in sorted(exceptions):
        if start <= value <= hi:
            pieces += [_multiples(start, value - 1, step), (value,) if _allowed(value, symbol, own) else ()]
            start = value + 1
    pieces.append(_multiples(start, hi, step))
    return _ladder(pieces)


def _ladder(pieces: Sequence[Sequence[int]]) -> Ladder:
    return Ladder(tuple(piece for piece in pieces if piece), sum(len(piece) for piece in pieces))


def _multiples(lo: int, hi: int, step: int) -> range:
    return range(-(-lo // step) * step, hi + 1, step)


def _allowed(value: int, symbol: Sym, own: Sequence[Constraint]) -> bool:
    lo, hi, step = symbol.domain
    return lo <= value <= hi and value % max(1, step) == 0 and all(_holds(c, value, symbol) for c in own)


def _holds(constraint: Constraint, value: int, symbol: Sym) -> bool:
    match constraint:
        case Member(values=values):
            return value in values
        case Divides(divisor=divisor, dividend=dividend):
            d, n = evaluate_all((divisor, dividend), {symbol.name: value})
            return n % d == 0
        case _:
            return True
