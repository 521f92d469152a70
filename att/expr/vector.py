"""Evaluation with numpy, over many points at once.

int64 wherever the bounds of the symbols prove that neither a result nor anything on the way to it leaves int64; exact Python integers
(object arrays) elsewhere. Rounding is Python's: quotients toward minus infinity, remainders with the sign of the divisor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import index
from typing import Any, Final, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from att.errors import ModelError
from att.expr.compare import Eq, Le, Lt
from att.expr.core import Add, CeilDiv, Expr, FloorDiv, Int, Lookup, Max, Min, Mod, Mul, Sym, Where
from att.expr.logic import And, Cond, Not, Or
from att.expr.node import Node, topological
from att.expr.program import missing_symbol

Array = NDArray[Any]

_LIMIT: Final = 2**63
"""Magnitudes below it fit int64, and so do their negatives."""


def evaluate_many(nodes: Sequence[Node], env: Mapping[str, Array]) -> tuple[Array, ...]:
    """Values of expressions (int64, or object where they can exceed it) and conditions (bool) at every point.

    `env` gives each symbol's values; shapes broadcast, and results have the common shape. A result may share memory with `env`.
    Raises ModelError for a symbol without values, with values that are no integers, or with values outside its domain.
    """
    shape = np.broadcast_shapes(*(np.shape(array) for array in env.values()))
    order = list(topological(*nodes))
    last_use = {operand: node for node in order for operand in node.operands}
    wanted = set(nodes)
    values: dict[Node, Array] = {}
    for node in order:
        values[node] = _value(node, values, env)
        for operand in set(node.operands):
            if last_use[operand] is node and operand not in wanted:
                del values[operand]
    return tuple(np.broadcast_to(values[node], shape or (1,)).reshape(shape) for node in nodes)


def _value(node: Node, values: Mapping[Node, Array], env: Mapping[str, Array]) -> Array:
    """Value at every point, as an array of at least one dimension: numpy scalars would warn of overflow or lose their type."""
    match node:
        case Int(value):
            return _as(np.array([value], dtype=object), node)
        case Sym(name):
            if name not in env:
                raise missing_symbol(name, env)
            return _as(_symbol_values(node, env[name]), node)
        case Expr():
            exact = not _stays_small(node)
            operands = [_as_object(values[o]) if exact and isinstance(o, Expr) else values[o] for o in node.operands]
            return _as(_apply(node, operands), node)
        case Cond():
            return _truth(node, [values[o] for o in node.operands])
        case _:
            raise ModelError(f"cannot evaluate a {type(node).__name__}")


def _apply(node: Expr, args: list[Array]) -> Array:
    match node:
        case Add():
            return reduce(np.add, args)
        case Mul():
            return reduce(np.multiply, args)
        case FloorDiv():
            return np.floor_divide(args[0], args[1])
        case CeilDiv():
            return np.negative(np.floor_divide(np.negative(args[0]), args[1]))
        case Mod():
            return np.remainder(args[0], args[1])
        case Min():
            return reduce(np.minimum, args)
        case Max():
            return reduce(np.maximum, args)
        case Where():
            return np.where(args[0], args[1], args[2])
        case Lookup(table):
            entries = np.array(table, dtype=np.int64 if max(map(abs, table)) < _LIMIT else object)
            return entries[args[0].astype(np.int64)]
        case _:
            raise ModelError(f"cannot evaluate a {type(node).__name__}")


def _truth(cond: Cond, args: list[Array]) -> Array:
    match cond:
        case Le():
            return _compare(np.less_equal, args)
        case Lt():
            return _compare(np.less, args)
        case Eq():
            return _compare(np.equal, args)
        case And():
            return reduce(np.logical_and, args, np.ones(1, dtype=bool))
        case Or():
            return reduce(np.logical_or, args, np.zeros(1, dtype=bool))
        case Not():
            return np.logical_not(args[0])
        case _:
            raise ModelError(f"cannot evaluate a {type(cond).__name__}")


def _compare(relation: np.ufunc, args: list[Array]) -> Array:
    exact = any(a.dtype == object for a in args)
    return np.asarray(relation(*(_as_object(a) if exact else a for a in args)), dtype=bool)


def _stays_small(node: Expr) -> bool:
    """Whether the operation can be done in int64: operands, partial sums and products, and the result."""
    sizes = [_magnitude(o) for o in node.operands if isinstance(o, Expr)]
    match node:
        case Add():
            return sum(sizes) < _LIMIT
        case Mul():
            return reduce(lambda product, size: product * max(1, size), sizes, 1) < _LIMIT
        case Lookup(table):
            return max(sizes) < _LIMIT and max(map(abs, table)) < _LIMIT
        case _:
            return max(sizes) < _LIMIT


def _magnitude(node: Expr) -> int:
    return max(abs(node.lo), abs(node.hi))


def _as(array: Array, node: Expr) -> Array:
    """The array in the type that every value of the node fits."""
    small = _magnitude(node) < _LIMIT
    return array.astype(np.int64, copy=False) if small else _as_object(array)


def _as_object(array: Array) -> Array:
    """Exact Python integers."""
    return array if array.dtype == object else array.astype(object)


def _symbol_values(node: Sym, array: Array) -> Array:
    values = np.atleast_1d(np.asarray(array))
    if values.dtype == object:
        values = np.atleast_1d(np.frompyfunc(_plain_int, 1, 1)(values))
    elif values.dtype.kind not in "iub":
        raise ModelError(f"symbol {node.name} has {values.dtype} values", hint="give integers")
    if values.size and not (node.lo <= int(values.min()) and int(values.max()) <= node.hi):
        got = f"{int(values.min())}..{int(values.max())}"
        raise ModelError(f"symbol {node.name} has values in {got}, outside its domain {node.lo}..{node.hi}")
    return values


def _plain_int(value: SupportsIndex) -> int:
    try:
        return int(index(value))
    except TypeError:
        raise ModelError(f"{value!r} is no integer", hint="give integers") from None
