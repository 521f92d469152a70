"""Integer expressions as C++ text over `int64_t`.

Quotients and remainders are exact for every sign: where the numerator cannot be negative C++'s own `/` and `%` are printed, else the
helpers `FloorDivide` and `FloorRemainder`. What a printed text calls is reported, so that only what is used is defined.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from att.errors import EmitError
from att.expr.compare import Eq, Le, Lt
from att.expr.core import Add, CeilDiv, Expr, FloorDiv, Int, Lookup, Max, Min, Mod, Mul, Sym, Where
from att.expr.logic import And, Cond, Not, Or
from att.expr.node import Node

_TERNARY: Final = 0
_OR: Final = 1
_AND: Final = 2
_EQUALITY: Final = 3
_RELATION: Final = 4
_SUM: Final = 5
_PRODUCT: Final = 6
_UNARY: Final = 7
_ATOM: Final = 8

INT64_MAX: Final = 2**63 - 1

_Printed = tuple[str, int]
"""Text, and how tightly it holds together."""

HELPERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "DivideUp": "(a + b - 1) / b",
        "Smaller": "a < b ? a : b",
        "Larger": "a > b ? a : b",
        "FloorDivide": "a / b - (a % b < 0 ? 1 : 0)",
        "FloorRemainder": "a % b + (a % b < 0 ? b : 0)",
    }
)
"""Bodies of the functions that printed text may call, of two `int64_t` each; `DivideUp` takes no negative numerator."""


@dataclass(slots=True)
class CxxPrinter:
    """Prints expressions; remembers what the texts use."""

    names: Mapping[Expr, str] = field(default_factory=dict[Expr, str])
    """Expressions that have a name of their own in the C++ text, printed instead of their structure."""
    used_names: dict[str, None] = field(default_factory=dict[str, None])
    """Names of symbols and named expressions that occurred, in order."""
    used_helpers: dict[str, None] = field(default_factory=dict[str, None])
    """Functions of `HELPERS` that are called, in order."""
    tables: dict[tuple[int, ...], str] = field(default_factory=dict[tuple[int, ...], str])
    """Names of the constant arrays that lookups read."""
    _products: tuple[int, tuple[tuple[Mul, str], ...]] = (0, ())
    """The named products, and of how many names."""

    def text(self, node: Expr | Cond | int) -> str:
        """The C++ text of an expression or condition. Raises EmitError for what does not fit `int64_t` or is unknown."""
        if isinstance(node, int):
            return str(node)
        name = self.names.get(node) if isinstance(node, Expr) else None
        if name is None:
            return self._print(node)[0]
        self.used_names[name] = None
        return name

    def factor(self, node: Expr | int) -> str:
        """The same, in parentheses unless it may stand inside a product."""
        return str(node) if isinstance(node, int) else self._within(_PRODUCT, node)

    def _print(self, node: Node) -> _Printed:
        if isinstance(node, Expr) and (name := self.names.get(node)):
            return self._named(name)
        match node:
            case Int(value):
                return self._integer(value)
            case Sym(name):
                return self._named(name)
            case Add(terms):
                return self._sum(terms), _SUM
            case Mul(factors):
                return self._product(factors)
            case FloorDiv() | Mod() | CeilDiv():
                return self._division(node)
            case Cond():
                return self._condition(node)
            case _:
                return self._choice(node)

    def _division(self, node: FloorDiv | Mod | CeilDiv) -> _Printed:
        match node:
            case FloorDiv(n, d):
                return self._quotient("/", "FloorDivide", n, d)
            case Mod(n, d):
                return self._quotient("%", "FloorRemainder", n, d)
            case CeilDiv(n, d):
                return self._ceil(n, d)

    def _choice(self, node: Node) -> _Printed:
        match node:
            case Min(args):
                return self._folded("Smaller", args)
            case Max(args):
                return self._folded("Larger", args)
            case Where(cond, then, orelse):
                return f"{self._within(_OR, cond)} ? {self._within(_OR, then)} : {self._within(_TERNARY, orelse)}", _TERNARY
            case Lookup(table, index):
                return f"{self._table(table)}[{self.text(index)}]", _ATOM
            case _:
                raise EmitError(f"an expression of kind {type(node).__name__} has no C++ form", hint="add it to codegen/cxx_expr.py")

    def _named(self, name: str) -> _Printed:
        self.used_names[name] = None
        return name, _ATOM

    def _integer(self, value: int) -> _Printed:
        if abs(value) > INT64_MAX:
            raise EmitError(f"the constant {value} does not fit int64_t", hint="declare smaller ranges for the sizes")
        text = f"{value}LL" if abs(value) > 2**31 - 1 else str(value)
        return text, _ATOM if value >= 0 else _UNARY

    def _sum(self, terms: tuple[Expr, ...]) -> str:
        parts = [self._within(_SUM, term) for term in terms]
        first, *rest = sorted(parts, key=lambda part: part.startswith("-"))
        return first + "".join(f" - {part[1:]}" if part.startswith("-") else f" + {part}" for part in rest)

    def _product(self, factors: tuple[Expr, ...]) -> _Printed:
        scale, rest = (factors[0].value, list(factors[1:])) if isinstance(factors[0], Int) else (1, list(factors))
        texts: list[str] = []
        for expr, name in self._named_products():
            if expr.factors[-1] in rest:
                scale, found = _without(expr, scale, rest)
                texts += [self._named(name)[0]] if found else []
        texts = [*(self._within(_UNARY, f) for f in rest), *texts]
        if scale == -1 and texts:
            return f"-{' * '.join(texts)}", _PRODUCT
        number = [self._integer(scale)[0]] if scale != 1 or not texts else []
        return " * ".join([*number, *texts] if scale < 0 else [*texts, *number]), _PRODUCT if len(texts) + len(number) > 1 else _ATOM

    def _named_products(self) -> tuple[tuple[Mul, str], ...]:
        """The products among the names, those of most factors first. Names are only ever added."""
        known = len(self.names)
        if self._products[0] != known:
            found = [(expr, name) for expr, name in self.names.items() if isinstance(expr, Mul)]
            self._products = known, tuple(sorted(found, key=lambda item: -len(item[0].factors)))
        return self._products[1]

    def _quotient(self, operator: str, helper: str, numerator: Expr, denominator: Expr) -> _Printed:
        if numerator.lo < 0:
            return self._call(helper, self.text(numerator), self.text(denominator)), _ATOM
        return f"{self._within(_UNARY, numerator)} {operator} {self._within(_UNARY, denominator)}", _PRODUCT

    def _ceil(self, numerator: Expr, denominator: Expr) -> _Printed:
        if numerator.lo < 0:
            raise EmitError("a quotient rounded up has a numerator that can be negative", hint="it counts tiles, which are 0 or more")
        return self._call("DivideUp", self.text(numerator), self.text(denominator)), _ATOM

    def _folded(self, helper: str, args: tuple[Expr, ...]) -> _Printed:
        text = self.text(args[-1])
        for arg in reversed(args[:-1]):
            text = self._call(helper, self.text(arg), text)
        return text, _ATOM

    def _call(self, helper: str, *args: str) -> str:
        self.used_helpers[helper] = None
        return f"{helper}({', '.join(args)})"

    def _table(self, table: tuple[int, ...]) -> str:
        for value in table:
            self._integer(value)
        return self.tables.setdefault(table, f"kTable{len(self.tables)}")

    def _condition(self, cond: Cond) -> _Printed:
        match cond:
            case Le(lhs, rhs):
                return f"{self._within(_SUM, lhs)} <= {self._within(_SUM, rhs)}", _RELATION
            case Lt(lhs, rhs):
                return f"{self._within(_SUM, lhs)} < {self._within(_SUM, rhs)}", _RELATION
            case Eq(lhs, rhs):
                return f"{self._within(_SUM, lhs)} == {self._within(_SUM, rhs)}", _EQUALITY
            case And(conds):
                return (" && ".join(self._within(_EQUALITY, c) for c in conds), _AND) if conds else ("true", _ATOM)
            case Or(conds):
                return (" || ".join(self._within(_EQUALITY, c) for c in conds), _OR) if conds else ("false", _ATOM)
            case Not(inner):
                return f"!{self._within(_UNARY, inner)}", _UNARY
            case _:
                raise EmitError(f"a condition of kind {type(cond).__name__} has no C++ form", hint="add it to codegen/cxx_expr.py")

    def _within(self, level: int, node: Node) -> str:
        """The text, in parentheses if it holds together less tightly than `level`."""
        text, own = self._print(node)
        return text if own >= level else f"({text})"


def _without(product: Mul, scale: int, factors: list[Expr]) -> tuple[int, bool]:
    """Takes the factors of a named product out of `factors` and `scale` if all are there; the scale left, and whether they were."""
    head = product.factors[0]
    divisor, wanted = (head.value, product.factors[1:]) if isinstance(head, Int) else (1, product.factors)
    left = list(factors)
    for factor in wanted:
        if factor not in left:
            return scale, False
        left.remove(factor)
    if scale % divisor:
        return scale, False
    factors[:] = left
    return scale // divisor, True
