"""Exact evaluation in Python integers, of any size and at any depth of nesting.

Values outside the domains of the symbols evaluate as written, except that a divisor of 0 and an index outside its table are refused.
For many evaluations of the same expressions see `compile_program`, for many points at once `att.expr.vector`.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from att.errors import ModelError
from att.expr.compare import Eq, Le, Lt
from att.expr.core import Add, CeilDiv, Expr, FloorDiv, Int, Lookup, Max, Min, Mod, Mul, Sym, Where
from att.expr.logic import And, Cond, Not, Or
from att.expr.node import Node, topological
from att.expr.program import Program, compile_program, missing_symbol

__all__ = ["Program", "compile_program", "evaluate", "evaluate_all", "holds"]


def evaluate(expr: Expr, env: Mapping[str, int]) -> int:
    """Value of an expression where `env` gives the symbols' values. Raises ModelError naming a symbol that has none."""
    return evaluate_all((expr,), env)[0]


def holds(cond: Cond, env: Mapping[str, int]) -> bool:
    """Whether a condition holds where `env` gives the symbols' values. Raises ModelError naming a symbol that has none."""
    return bool(evaluate_all((cond,), env)[0])


def evaluate_all(nodes: tuple[Node, ...], env: Mapping[str, int]) -> tuple[int | bool, ...]:
    """Values of expressions and conditions in the order given; what they share is computed once. Raises ModelError as `evaluate`."""
    values: dict[Node, int] = {}
    for node in topological(*nodes):
        values[node] = _value(node, values, env)
    return tuple(values[node] for node in nodes)


def _value(node: Node, values: Mapping[Node, int], env: Mapping[str, int]) -> int:
    match node:
        case Int(value):
            return value
        case Sym(name):
            if name not in env:
                raise missing_symbol(name, env)
            return env[name]
        case Expr():
            return _result(node, values)
        case Cond():
            return _truth(node, values)
        case _:
            raise ModelError(f"cannot evaluate a {type(node).__name__}")


def _result(node: Expr, values: Mapping[Node, int]) -> int:
    match node:
        case Add(terms):
            return sum([values[term] for term in terms])
        case Mul(factors):
            return prod([values[factor] for factor in factors])
        case FloorDiv(numerator, denominator):
            return values[numerator] // _divisor(node, values[denominator])
        case CeilDiv(numerator, denominator):
            return -(-values[numerator] // _divisor(node, values[denominator]))
        case Mod(numerator, denominator):
            return values[numerator] % _divisor(node, values[denominator])
        case Min(args):
            return min([values[arg] for arg in args])
        case Max(args):
            return max([values[arg] for arg in args])
        case Where(cond, then, orelse):
            return values[then] if values[cond] else values[orelse]
        case Lookup(table, index):
            return _entry(table, values[index])
        case _:
            raise ModelError(f"cannot evaluate a {type(node).__name__}")


def _truth(cond: Cond, values: Mapping[Node, int]) -> bool:
    match cond:
        case Le(lhs, rhs):
            return values[lhs] <= values[rhs]
        case Lt(lhs, rhs):
            return values[lhs] < values[rhs]
        case Eq(lhs, rhs):
            return values[lhs] == values[rhs]
        case And(conds):
            return all(values[c] for c in conds)
        case Or(conds):
            return any(values[c] for c in conds)
        case Not(inner):
            return not values[inner]
        case _:
            raise ModelError(f"cannot evaluate a {type(cond).__name__}")


def _divisor(node: Node, value: int) -> int:
    if value == 0:
        raise ModelError(f"division by 0 in {node!r}", hint="a symbol's value is outside its domain")
    return value


def _entry(table: tuple[int, ...], index: int) -> int:
    if not 0 <= index < len(table):
        raise ModelError(f"lookup index {index} in a table of {len(table)} entries", hint="a symbol's value is outside its domain")
    return table[index]
