"""The text form of expressions and conditions: what a person reads, and what graph files hold.

`3*a + 1`, `a // b`, `Ceiling(a / b)` (the documents' form of CeilDiv), `a % b`, `Min(a, b)`, `Max(a, b)`, `Where(a <= b, x, y)`,
`Lookup([1, 2], i)`; conditions with `<=`, `<`, `==`, `and`, `or`, `not`, and `true` and `false`. Parentheses only where needed, except
that a quotient or remainder inside a product or quotient always has them. `parse(to_text(e), symbols)` is `e` itself, up to the depth
that the parser allows (`att.expr.parser`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from att.errors import ModelError
from att.expr.compare import Eq, Le, Lt
from att.expr.core import Add, CeilDiv, Expr, FloorDiv, Int, Lookup, Max, Min, Mod, Mul, Sym, Where
from att.expr.logic import And, Cond, Not, Or
from att.expr.meaning import Slash
from att.expr.node import Node, topological
from att.expr.parser import read
from att.expr.tokens import parse_error

_OR: Final = 1
_AND: Final = 2
_NOT: Final = 3
_COMPARISON: Final = 4
_SUM: Final = 5
_QUOTIENT: Final = 6
_PRODUCT: Final = 7
_ATOM: Final = 8

_Printed = tuple[str, int]
"""Text, and how tightly it holds together."""


def to_text(node: Node) -> str:
    """One line of text for an expression or a condition."""
    printed: dict[Node, _Printed] = {}
    for part in topological(node):
        printed[part] = _print(part, printed)
    return printed[node][0]


def parse(text: str, symbols: Mapping[str, Sym], *, slash: Slash = "ceil") -> Expr:
    """The expression that a text means.

    Besides the printed form: `a / b` (exact where that can be proven, else rounded up or down as `slash` says: `ceil` for the documents'
    repeats of split axes, `floor` for builder scripts), `a**2`, `Mod(a, b)`, `Floor(a / b)`, `>=`, `>`, `!=`. Inside `Ceiling( )` and
    `Floor( )` the outermost `/` is rounded as they say. Raises ParseError with the place and what to write instead.
    """
    value = read(text, symbols, slash)
    if isinstance(value, Expr):
        return value
    raise parse_error("expected an integer expression, got a condition", text, 0, len(text))


def parse_condition(text: str, symbols: Mapping[str, Sym], *, slash: Slash = "ceil") -> Cond:
    """The condition that a text means. Raises ParseError as `parse`."""
    value = read(text, symbols, slash)
    if isinstance(value, Cond):
        return value
    raise parse_error("expected a condition such as `a <= b`, got an integer expression", text, 0, len(text))


def _print(node: Node, printed: Mapping[Node, _Printed]) -> _Printed:
    match node:
        case Int(value):
            return str(value), _ATOM if value >= 0 else _PRODUCT
        case Sym(name):
            return name, _ATOM
        case Add(terms):
            return _sum(terms, printed), _SUM
        case Mul(factors):
            return _product(factors, printed), _PRODUCT
        case FloorDiv(n, d):
            return f"{_within(_PRODUCT, n, printed)} // {_within(_ATOM, d, printed)}", _QUOTIENT
        case Mod(n, d):
            return f"{_within(_PRODUCT, n, printed)} % {_within(_ATOM, d, printed)}", _QUOTIENT
        case Cond():
            return _print_condition(node, printed)
        case _:
            return _call(node, printed), _ATOM


def _call(node: Node, printed: Mapping[Node, _Printed]) -> str:
    texts = [printed[operand][0] for operand in node.operands]
    match node:
        case CeilDiv(n, d):
            return f"Ceiling({_within(_PRODUCT, n, printed)} / {_within(_ATOM, d, printed)})"
        case Min() | Max() | Where():
            return f"{type(node).__name__}({', '.join(texts)})"
        case Lookup(table):
            return f"Lookup([{', '.join(map(str, table))}], {texts[0]})"
        case _:
            raise ModelError(f"cannot print a {type(node).__name__}")


def _print_condition(cond: Cond, printed: Mapping[Node, _Printed]) -> _Printed:
    match cond:
        case Le(lhs, rhs):
            return f"{printed[lhs][0]} <= {printed[rhs][0]}", _COMPARISON
        case Lt(lhs, rhs):
            return f"{printed[lhs][0]} < {printed[rhs][0]}", _COMPARISON
        case Eq(lhs, rhs):
            return f"{printed[lhs][0]} == {printed[rhs][0]}", _COMPARISON
        case And(conds):
            return (" and ".join(_within(_NOT, c, printed) for c in conds), _AND) if conds else ("true", _ATOM)
        case Or(conds):
            return (" or ".join(_within(_AND, c, printed) for c in conds), _OR) if conds else ("false", _ATOM)
        case Not(inner):
            return f"not {_within(_COMPARISON, inner, printed)}", _NOT
        case _:
            raise ModelError(f"cannot print a {type(cond).__name__}")


def _within(level: int, node: Node, printed: Mapping[Node, _Printed]) -> str:
    """The text, in parentheses if it holds together less tightly than `level`."""
    text, own = printed[node]
    return text if own >= level else f"({text})"


def _sum(terms: tuple[Expr, ...], printed: Mapping[Node, _Printed]) -> str:
    return printed[terms[0]][0] + "".join(_signed(term, printed[term][0]) for term in terms[1:])


def _signed(term: Expr, text: str) -> str:
    """A further term with the sign before it; the minus of a numerator is not the sign of the term."""
    if not text.startswith("-"):
        return f" + {text}"
    return f" - {text[1:]}" if isinstance(term, (Int, Mul)) else f" + ({text})"


def _product(factors: tuple[Expr, ...], printed: Mapping[Node, _Printed]) -> str:
    rest = "*".join(_within(_ATOM, f, printed) for f in factors[1:])
    if isinstance(factors[0], Int):
        return f"-{rest}" if factors[0].value == -1 else f"{factors[0].value}*{rest}"
    return f"{_within(_ATOM, factors[0], printed)}*{rest}"
