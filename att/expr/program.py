"""Expressions compiled to one Python function, for thousands of evaluations.

The function's source is made from the node kinds alone: integers, and names that this file chooses (`s0`, `v0`, `t0`), never from a text
that somebody wrote. What is used once is written in place, what is shared is computed once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import prod
from typing import Final

from att.errors import ModelError
from att.expr.compare import Eq, Le, Lt
from att.expr.core import Add, CeilDiv, FloorDiv, Int, Lookup, Max, Min, Mod, Mul, Sym, Where
from att.expr.logic import And, Cond, Not, Or
from att.expr.node import Node, topological

Values = tuple[int | bool, ...]

_MAX_INLINE: Final = 15
"""Levels of operations written in one statement: Python's own parser has a limit."""

_MAX_CHAIN: Final = 30
"""Operands joined by `+` or `*`: longer chains are calls of `sum` or `prod`, which do not nest in the compiler."""


class Program:
    """Compiled expressions and conditions. Pickles as their nodes."""

    __slots__ = ("_function", "nodes", "symbols")
    nodes: tuple[Node, ...]
    symbols: tuple[str, ...]
    """Names of the symbols that need a value, first seen first."""

    def __init__(self, nodes: tuple[Node, ...], symbols: tuple[str, ...], function: Callable[..., Values]) -> None:
        self.nodes = nodes
        self.symbols = symbols
        self._function = function

    def run(self, env: Mapping[str, int | Fraction]) -> Values:
        """Values of the nodes, in their order; fractions are computed with exactly.

        Raises ModelError naming a symbol without a value, or for a division by 0.
        """
        try:
            return self._function(*[env[name] for name in self.symbols])
        except KeyError:
            raise missing_symbol(next(name for name in self.symbols if name not in env), env) from None
        except (ZeroDivisionError, IndexError):
            raise ModelError("division by 0 or index outside a table", hint="a symbol's value is outside its domain") from None

    def __reduce__(self) -> tuple[object, ...]:
        return compile_program, (self.nodes,)


def compile_program(nodes: tuple[Node, ...]) -> Program:
    """The nodes as a function of their symbols (about 10 us a node; worth it from about ten evaluations on)."""
    writer = _Writer(nodes)
    source, tables = writer.source()
    namespace: dict[str, object] = {"sum": sum, "prod": prod, "min": min, "max": max, "__builtins__": {}, **tables}
    exec(compile(source, "<expressions>", "exec"), namespace)
    function: Callable[..., Values] = namespace["program"]  # pyright: ignore[reportAssignmentType]
    return Program(nodes, tuple(writer.parameters), function)


def missing_symbol(name: str, env: Mapping[str, object]) -> ModelError:
    """The error for a symbol without a value."""
    given = ", ".join(sorted(env)) or "none"
    return ModelError(f"symbol {name} has no value", hint=f"values are given for: {given}")


class _Writer:
    """Writes the body of the function, one statement for each node that is shared, wanted or deep."""

    def __init__(self, nodes: tuple[Node, ...]) -> None:
        self.nodes = nodes
        self.parameters: dict[str, str] = {}
        self.tables: dict[str, tuple[int, ...]] = {}
        self.texts: dict[Node, str] = {}
        self.levels: dict[Node, int] = {}

    def source(self) -> tuple[str, dict[str, tuple[int, ...]]]:
        """Source of the function `program`, and the tables it needs by name."""
        order = list(topological(*self.nodes))
        uses = _uses(order)
        body: list[str] = []
        for node in order:
            text = self._text(node)
            self.levels[node] = 1 + max((self.levels[o] for o in node.operands), default=-1)
            if self.levels[node] and (uses[node] > 1 or self.levels[node] >= _MAX_INLINE):
                name = f"v{len(body)}"
                body.append(f"    {name} = {text}")
                text, self.levels[node] = name, 0
            self.texts[node] = text
        results = "".join(f"{self.texts[node]}, " for node in self.nodes)
        head = f"def program({', '.join(self.parameters.values())}):"
        return "\n".join([head, *body, f"    return ({results})"]), self.tables

    def _text(self, node: Node) -> str:
        t = self.texts
        match node:
            case Int(value):
                return f"({value:#x})" if value < 0 else f"{value:#x}"
            case Sym(name):
                return self.parameters.setdefault(name, f"s{len(self.parameters)}")
            case Add(terms):
                return _chain(" + ", "sum", [t[x] for x in terms])
            case Mul(factors):
                return _chain(" * ", "prod", [t[x] for x in factors])
            case FloorDiv(n, d):
                return f"({t[n]} // {t[d]})"
            case CeilDiv(n, d):
                return f"(-(-{t[n]} // {t[d]}))"
            case Mod(n, d):
                return f"({t[n]} % {t[d]})"
            case Cond():
                return self._condition(node)
            case _:
                return self._choice(node)

    def _choice(self, node: Node) -> str:
        t = self.texts
        match node:
            case Min((a, b)):
                return f"({t[a]} if {t[a]} < {t[b]} else {t[b]})"
            case Max((a, b)):
                return f"({t[a]} if {t[a]} > {t[b]} else {t[b]})"
            case Min(args):
                return f"min({', '.join(t[x] for x in args)})"
            case Max(args):
                return f"max({', '.join(t[x] for x in args)})"
            case Where(cond, then, orelse):
                return f"({t[then]} if {t[cond]} else {t[orelse]})"
            case Lookup(table, index):
                name = f"t{len(self.tables)}"
                self.tables[name] = table
                return f"{name}[{t[index]} if {t[index]} >= 0 else {len(table)}]"
            case _:
                raise ModelError(f"cannot compile a {type(node).__name__}")

    def _condition(self, node: Cond) -> str:
        t = self.texts
        match node:
            case Le(a, b):
                return f"({t[a]} <= {t[b]})"
            case Lt(a, b):
                return f"({t[a]} < {t[b]})"
            case Eq(a, b):
                return f"({t[a]} == {t[b]})"
            case And(conds):
                return f"({' and '.join(t[c] for c in conds) or True})"
            case Or(conds):
                return f"({' or '.join(t[c] for c in conds) or False})"
            case Not(cond):
                return f"(not {t[cond]})"
            case _:
                raise ModelError(f"cannot compile a {type(node).__name__}")


def _uses(order: list[Node]) -> Counter[Node]:
    """How often the source mentions a node; the two-argument minimum and maximum and a lookup mention theirs twice."""
    uses: Counter[Node] = Counter()
    for node in order:
        twice = isinstance(node, Lookup) or (isinstance(node, (Min, Max)) and len(node.args) == 2)
        for operand in node.operands:
            uses[operand] += 1 + twice
    return uses


def _chain(operator: str, function: str, parts: list[str]) -> str:
    return f"({operator.join(parts)})" if len(parts) <= _MAX_CHAIN else f"{function}(({', '.join(parts)}))"
