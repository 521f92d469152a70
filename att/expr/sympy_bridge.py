"""The bridge to sympy, for algebra that a person wants to read: LaTeX and simplified formulas.

The only file that imports sympy, and only when used: building `Max` or `ceiling` there takes milliseconds (design §4).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from att.errors import ModelError
from att.expr.compare import Eq, Le, Lt
from att.expr.core import Add, CeilDiv, Expr, FloorDiv, Int, Lookup, Max, Min, Mod, Mul, Sym, Where
from att.expr.logic import And, Cond, Not, Or
from att.expr.node import Node, topological
from att.expr.substitute import free_symbols
from att.expr.text import to_text

_MAX_SIMPLIFIED: Final = 60
"""Nodes of an expression that sympy is asked to simplify; beyond, it can take minutes."""


def _sympy() -> Any:
    """The module, untyped: its own types are partial."""
    import sympy

    return sympy


def to_sympy(node: Node) -> Any:
    """The sympy expression (or Boolean) of equal value; its symbols are integer, and positive where the domain says so."""
    converted: dict[Node, Any] = {}
    for part in topological(node):
        converted[part] = _convert(part, [converted[operand] for operand in part.operands])
    return converted[node]


def latex(node: Node) -> str:
    """LaTeX for an expression or a condition, symbols upright with their full names."""
    names = {to_sympy(s): rf"\mathrm{{{name}}}".replace("_", r"\_") for name, s in free_symbols(node).items()}
    return str(_sympy().latex(to_sympy(node), symbol_names=names))


def simplified_text(expr: Expr) -> str:
    """A short infix form for display, as sympy simplifies it; large expressions as they are."""
    if sum(1 for _ in topological(expr)) > _MAX_SIMPLIFIED:
        return to_text(expr)
    return str(_sympy().simplify(to_sympy(expr)))


def _convert(node: Node, args: Sequence[Any]) -> Any:
    match node:
        case Int(value):
            return _sympy().Integer(value)
        case Sym(name):
            return _sympy().Symbol(name, integer=True, **({"positive": True} if node.lo > 0 else {}))
        case Cond():
            return _convert_condition(node, args)
        case Where():
            return _sympy().Piecewise((args[1], args[0]), (args[2], True))
        case Lookup(table):
            return _sympy().Piecewise(*[(entry, _sympy().Eq(args[0], i)) for i, entry in enumerate(table[:-1])], (table[-1], True))
        case _:
            return _arithmetic(node)(*args)


def _arithmetic(node: Node) -> Callable[..., Any]:
    match node:
        case Add():
            return _sympy().Add
        case Mul():
            return _sympy().Mul
        case FloorDiv():
            return _floor_of_ratio
        case CeilDiv():
            return _ceiling_of_ratio
        case Mod():
            return _sympy().Mod
        case Min():
            return _sympy().Min
        case Max():
            return _sympy().Max
        case _:
            raise ModelError(f"cannot write a {type(node).__name__} for sympy")


def _floor_of_ratio(n: Any, d: Any) -> Any:
    return _sympy().floor(n / d)


def _ceiling_of_ratio(n: Any, d: Any) -> Any:
    return _sympy().ceiling(n / d)


def _convert_condition(cond: Cond, args: Sequence[Any]) -> Any:
    match cond:
        case Le():
            return _sympy().Le(*args)
        case Lt():
            return _sympy().Lt(*args)
        case Eq():
            return _sympy().Eq(*args)
        case And():
            return _sympy().And(*args)
        case Or():
            return _sympy().Or(*args)
        case Not():
            return _sympy().Not(*args)
        case _:
            raise ModelError(f"cannot write a {type(cond).__name__} for sympy")
