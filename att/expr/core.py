"""Integer expressions: a closed set of immutable, interned node kinds and their smart constructors.

Numbers are exact integers of any size. Nodes are made by the functions at the end of this file (or the operators), never directly:
they simplify, keep operands in the order given, and refuse what is not defined over the whole domain of the symbols. Every node
knows its `range` (`att.expr.ranges`), computed once. Extremes, choices and tables are made in `att.expr.choice`, comparisons in
`att.expr.compare`, connectives in `att.expr.logic`.
A consumer (evaluation, lowering, printing) is one `match` over these kinds that refuses what it does not know.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import gcd
from operator import index as plain_index
from typing import Final

from att.errors import ModelError
from att.expr import ranges
from att.expr.logic import Cond
from att.expr.names import is_symbol_name
from att.expr.node import Bounded, entered, intern, interned


class Expr(Bounded):
    """An integer expression."""

    __slots__ = ()

    def __add__(self, other: Expr | int) -> Expr:
        return add(self, other)

    def __radd__(self, other: int) -> Expr:
        return add(other, self)

    def __sub__(self, other: Expr | int) -> Expr:
        return weighted(((1, self), (-1, other)))

    def __rsub__(self, other: int) -> Expr:
        return weighted(((1, other), (-1, self)))

    def __mul__(self, other: Expr | int) -> Expr:
        return mul(self, other)

    def __rmul__(self, other: int) -> Expr:
        return mul(other, self)

    def __neg__(self) -> Expr:
        return mul(-1, self)

    def __floordiv__(self, other: Expr | int) -> Expr:
        return floor_div(self, other)

    def __rfloordiv__(self, other: int) -> Expr:
        return floor_div(other, self)

    def __mod__(self, other: Expr | int) -> Expr:
        return mod(self, other)

    def __rmod__(self, other: int) -> Expr:
        return mod(other, self)


class Int(Expr):
    """An integer constant."""

    __slots__ = __match_args__ = ("value",)
    value: int


class Sym(Expr):
    """A named unknown (shape symbol or tiling variable); its `range` is its domain, and part of its identity."""

    __slots__ = __match_args__ = ("name", "domain")
    name: str
    domain: ranges.Range


class Add(Expr):
    """Sum of two or more terms, no two of which differ in their constant factor alone; a constant, if any, comes last."""

    __slots__ = __match_args__ = ("terms",)
    terms: tuple[Expr, ...]


class Mul(Expr):
    """Product of two or more factors; a constant, if any, comes first, and no sum among the factors has a constant divisor left."""

    __slots__ = __match_args__ = ("factors",)
    factors: tuple[Expr, ...]


class FloorDiv(Expr):
    """Quotient rounded down; the denominator is at least 1."""

    __slots__ = __match_args__ = ("numerator", "denominator")
    numerator: Expr
    denominator: Expr


class CeilDiv(Expr):
    """Quotient rounded up, not known to be exact; the denominator is at least 1."""

    __slots__ = __match_args__ = ("numerator", "denominator")
    numerator: Expr
    denominator: Expr


class Mod(Expr):
    """Remainder in `0 .. denominator - 1`; the denominator is at least 1."""

    __slots__ = __match_args__ = ("numerator", "denominator")
    numerator: Expr
    denominator: Expr


class Min(Expr):
    """Smallest of two or more."""

    __slots__ = __match_args__ = ("args",)
    args: tuple[Expr, ...]


class Max(Expr):
    """Largest of two or more."""

    __slots__ = __match_args__ = ("args",)
    args: tuple[Expr, ...]


class Where(Expr):
    """`then` if the condition holds, else `orelse`; both are defined everywhere."""

    __slots__ = __match_args__ = ("cond", "then", "orelse")
    cond: Cond
    then: Expr
    orelse: Expr


class Lookup(Expr):
    """Entry of a constant table at a 0-based index that is always in range."""

    __slots__ = __match_args__ = ("table", "index")
    table: tuple[int, ...]
    index: Expr


def integer(value: int) -> Int:
    """A constant. Also integers of numpy and booleans; floats are a TypeError."""
    value = value if type(value) is int else int(plain_index(value))
    return _SMALL[value + 1] if -1 <= value <= 256 else interned(Int, (value,)) or entered(Int, (value,), ranges.exactly(value))


_SMALL: Final = tuple(intern(Int, (value,), ranges.exactly(value)) for value in range(-1, 257))


def symbol(name: str, lo: int, hi: int, multiple: int = 1) -> Sym:
    """An unknown whose domain is the multiples of `multiple` in `lo..hi`. Raises ModelError if there is none, or for a bad name."""
    if not is_symbol_name(name):
        raise ModelError(f"{name!r} cannot name a symbol", hint="use letters, digits and _, not first a digit, and no reserved word")
    domain = ranges.domain(lo, hi, max(1, multiple))
    if domain.lo > domain.hi or multiple < 1:
        raise ModelError(f"symbol {name} has the empty domain {lo}..{hi} in steps of {multiple}")
    return intern(Sym, (name, domain), domain)


def lift(value: Expr | int) -> Expr:
    """The expression itself, or the constant."""
    return value if isinstance(value, Expr) else integer(value)


def add(*terms: Expr | int) -> Expr:
    """Sum; terms that are equal up to a constant factor (in any order of factors) are collected, constants folded."""
    return lift(terms[0]) if len(terms) == 1 else weighted([(1, term) for term in terms])


def weighted(scaled: Iterable[tuple[int, Expr | int]]) -> Expr:
    """Sum of `factor * term`, as `add` of the products; none of the products is made on the way."""
    constant = 0
    collected: dict[object, tuple[int, Expr]] = {}
    for factor, given in scaled:
        if type(given) is int:
            constant += factor * given
            continue
        for term in given.terms if type(given) is Add else (lift(given),):
            if type(term) is Int:
                constant += factor * term.value
            else:
                key, scale = _like(term) if type(term) is Mul else (term, 1)
                known = collected.get(key)
                collected[key] = (factor * scale, term) if known is None else (known[0] + factor * scale, known[1])
    parts = [term if scale == 1 and type(term) is not Mul else _rescaled(term, scale) for scale, term in collected.values() if scale]
    if constant or not parts:
        parts.append(integer(constant))
    return parts[0] if len(parts) == 1 else _sum(parts)


def _like(term: Mul) -> tuple[object, int]:
    """A key that like products share, and the constant factor: `3*a*b` and `b*a` have one key."""
    scale, factors = _split(term)
    return factors[0] if len(factors) == 1 else tuple(sorted(factors, key=id)), scale


def _split(term: Expr) -> tuple[int, tuple[Expr, ...]]:
    """Constant factor and other factors of a term."""
    if type(term) is Mul:
        head = term.factors[0]
        return (head.value, term.factors[1:]) if type(head) is Int else (1, term.factors)
    return (term.value, ()) if type(term) is Int else (1, (term,))


def _rescaled(term: Expr, scale: int) -> Expr:
    """The term with another constant factor."""
    head, factors = _split(term)
    return term if head == scale else _product(scale, factors)


def _sum(parts: Sequence[Expr]) -> Expr:
    if found := interned(Add, fields := (tuple(parts),)):
        return found
    known = ranges.sum_of([p.range for p in parts])
    return entered(Add, fields, known) if known.lo or known.hi else integer(0)


def _product(scale: int, factors: Sequence[Expr]) -> Expr:
    parts = (*factors,) if scale == 1 and factors else (integer(scale), *factors)
    return parts[0] if len(parts) == 1 else interned(Mul, (parts,)) or entered(Mul, (parts,), ranges.product_of([p.range for p in parts]))


def mul(*factors: Expr | int) -> Expr:
    """Product; constants are folded, multiplied into a sum that stands alone and drawn out of sums that do not."""
    scale = 1
    parts: list[Expr] = []
    for factor in factors:
        if type(factor) is int:
            scale *= factor
        elif type(factor) is Mul:
            head, rest = _split(factor)
            scale *= head
            parts += rest
        elif type(term := lift(factor)) is Int:
            scale *= term.value
        else:
            parts.append(term)
    if scale == 0 or not parts:
        return integer(scale)
    if len(parts) == 1 and type(only := parts[0]) is Add:
        return only if scale == 1 else _sum([_rescaled(t, _split(t)[0] * scale) for t in only.terms])
    for i, part in enumerate(parts):
        if type(part) is Add:
            content, parts[i] = _primitive(part)
            scale *= content
    return _product(scale, parts)


def _primitive(part: Add) -> tuple[int, Expr]:
    """The largest constant that divides every term of a sum, and the sum without it, not negative where the bounds tell; else 1."""
    heads = [_split(term)[0] for term in part.terms]
    negative = part.lo < 0 and (part.hi <= 0 or heads[0] < 0)
    content = -gcd(*heads) if negative else gcd(*heads)
    if content == 1:
        return 1, part
    return content, _sum([_rescaled(term, head // content) for term, head in zip(part.terms, heads, strict=True)])


def exact_quotient(numerator: Expr, denominator: Expr) -> Expr | None:
    """`numerator / denominator` where the factors of every term show that it is exact (the denominator is not 0), else None."""
    if numerator is denominator:
        return integer(1)
    divisor, wanted = _split(denominator)
    if numerator.multiple % divisor or (wanted and not isinstance(numerator, (Add, Mul))):
        return None
    terms = numerator.terms if isinstance(numerator, Add) else (numerator,)
    parts = [_divided(term, divisor, wanted) for term in terms]
    return add(*(p for p in parts if p is not None)) if None not in parts else None


def _divided(term: Expr, divisor: int, wanted: tuple[Expr, ...]) -> Expr | None:
    scale, factors = _split(term)
    left = list(factors)
    for factor in wanted:
        if factor not in left:
            return None
        left.remove(factor)
    return None if scale % divisor else mul(scale // divisor, *left)


def _quotient(kind: type[FloorDiv] | type[CeilDiv], numerator: Expr | int, denominator: Expr | int) -> Expr:
    n, d = lift(numerator), lift(denominator)
    if d.lo < 1:
        raise ModelError(f"division by {d!r}, which can be {d.lo}")
    if (exact := exact_quotient(n, d)) is not None:
        return exact
    rounds = d.lo != d.hi or n.multiple % d.lo
    known = ranges.ceil_quotient(n.range, d.range) if kind is CeilDiv else ranges.floor_quotient(n.range, d.range)
    return integer(known.lo) if known.lo == known.hi else intern(kind if rounds else FloorDiv, (n, d), known)


def floor_div(numerator: Expr | int, denominator: Expr | int) -> Expr:
    """Quotient rounded down. Raises ModelError if the denominator can be less than 1."""
    return _quotient(FloorDiv, numerator, denominator)


def ceil_div(numerator: Expr | int, denominator: Expr | int) -> Expr:
    """Quotient rounded up; a FloorDiv where it is known to be exact. Raises ModelError if the denominator can be less than 1."""
    return _quotient(CeilDiv, numerator, denominator)


def mod(numerator: Expr | int, denominator: Expr | int) -> Expr:
    """Remainder. Raises ModelError if the denominator can be less than 1."""
    n, d = lift(numerator), lift(denominator)
    if d.lo < 1:
        raise ModelError(f"remainder by {d!r}, which can be {d.lo}")
    if n.lo >= 0 and n.hi < d.lo:
        return n
    if (d.lo == d.hi and n.multiple % d.lo == 0) or exact_quotient(n, d) is not None:
        return integer(0)
    known = ranges.remainder(n.range, d.range)
    return integer(known.lo) if known.lo == known.hi else intern(Mod, (n, d), known)


def align_up(value: Expr | int, step: int) -> Expr:
    """The smallest multiple of `step` that is not below `value`."""
    return mul(ceil_div(value, step), step)
