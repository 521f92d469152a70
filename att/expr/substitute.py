"""Replacing symbols by expressions, and finding the symbols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar, cast

from att.errors import ModelError
from att.expr.choice import lookup, maximum, minimum, where
from att.expr.compare import Eq, Le, Lt, eq, le, lt
from att.expr.core import Add, CeilDiv, Expr, FloorDiv, Int, Lookup, Max, Min, Mod, Mul, Sym, Where, add, ceil_div, floor_div, mod, mul
from att.expr.logic import And, Cond, Not, Or, conj, disj, negate
from att.expr.node import Node, topological

N = TypeVar("N", bound=Node)


def substitute(expr: Expr, mapping: Mapping[str, Expr]) -> Expr:
    """The expression with symbols replaced by name, simplified and bounded anew. Raises ModelError as `substitute_all`."""
    return substitute_all((expr,), mapping)[0]


def substitute_all(nodes: Sequence[N], mapping: Mapping[str, Expr]) -> tuple[N, ...]:
    """Expressions and conditions with symbols replaced by name, all at once; what they share is rebuilt once.

    Raises ModelError if a replacement has no value in the symbol's domain (what was simplified for the domain would be wrong), or
    if it makes a divisor or an index undefined.
    """
    return _rebuilt(nodes, {n: _replacement(n, mapping) for n in topological(*nodes) if isinstance(n, Sym)})


def name_parts(nodes: Sequence[N], parts: Mapping[Expr, Sym]) -> tuple[N, ...]:
    """Expressions and conditions in which whole subexpressions are replaced by symbols of their own.

    Raises ModelError if a symbol's domain makes a divisor or an index undefined.
    """
    return _rebuilt(nodes, parts)


def _rebuilt(nodes: Sequence[N], known: Mapping[Expr, Expr]) -> tuple[N, ...]:
    """Everything above the known nodes, made anew from what they are replaced by."""
    replaced: dict[Node, Node] = {}
    for node in topological(*nodes):
        if isinstance(node, Expr) and node in known:
            replaced[node] = known[node]
            continue
        operands = node.operands
        new = tuple(replaced[o] for o in operands)
        replaced[node] = node if new == operands else rebuild(node, new)
    return tuple(cast("N", replaced[node]) for node in nodes)


def free_symbols(*nodes: Node) -> dict[str, Sym]:
    """Symbols by name, first seen first. Raises ModelError if one name stands for two domains."""
    found: dict[str, Sym] = {}
    for node in topological(*nodes):
        if isinstance(node, Sym) and found.setdefault(node.name, node) is not node:
            one, other = (f"{s.lo}..{s.hi} in steps of {s.multiple}" for s in (found[node.name], node))
            raise ModelError(f"symbol {node.name} has two domains, {one} and {other}", hint="make it once and use it everywhere")
    return found


def rebuild(node: Node, operands: Sequence[Node]) -> Node:
    """A node of the same kind, made anew from operands in the order of `node.operands`. Raises ModelError where it is undefined."""
    if isinstance(node, Cond):
        return _rebuild_condition(node, operands)
    args = cast("Sequence[Expr]", operands)
    match node:
        case Int() | Sym():
            return node
        case Add():
            return add(*args)
        case Mul():
            return mul(*args)
        case FloorDiv():
            return floor_div(*args)
        case CeilDiv():
            return ceil_div(*args)
        case Mod():
            return mod(*args)
        case Min():
            return minimum(*args)
        case Max():
            return maximum(*args)
        case Where():
            return where(cast("Cond", operands[0]), args[1], args[2])
        case Lookup(table):
            return lookup(table, args[0])
        case _:
            raise ModelError(f"cannot rebuild a {type(node).__name__}")


def _rebuild_condition(node: Cond, operands: Sequence[Node]) -> Cond:
    exprs, conds = cast("Sequence[Expr]", operands), cast("Sequence[Cond]", operands)
    match node:
        case Le():
            return le(*exprs)
        case Lt():
            return lt(*exprs)
        case Eq():
            return eq(*exprs)
        case And():
            return conj(*conds)
        case Or():
            return disj(*conds)
        case Not():
            return negate(*conds)
        case _:
            raise ModelError(f"cannot rebuild a {type(node).__name__}")


def _replacement(symbol: Sym, mapping: Mapping[str, Expr]) -> Expr:
    new = mapping.get(symbol.name, symbol)
    lo, hi, multiple = symbol.domain
    if new.hi < lo or new.lo > hi or (isinstance(new, Int) and new.value % multiple):
        steps = f" in steps of {multiple}" if multiple > 1 else ""
        got = f"{new.lo}" if new.lo == new.hi else f"{new.lo}..{new.hi}"
        raise ModelError(f"symbol {symbol.name} cannot be {got}; its domain is {lo}..{hi}{steps}")
    return new
