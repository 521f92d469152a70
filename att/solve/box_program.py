"""The waist's expressions over thousands of boxes at once: a tiling model compiled to interval steps on numpy arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from att.expr.core import Expr, Sym
from att.expr.node import Node
from att.model.intervals import Knowledge, learn
from att.solve.box_kernels import Step, Values
from att.solve.box_steps import Steps
from att.solve.saturating import Rows, Truth


@dataclass(frozen=True, slots=True)
class VarBounds:
    """A variable, with expressions in earlier variables that bound it wherever the constraints hold."""

    symbol: Sym
    lower: tuple[Expr, ...] = ()
    upper: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class BoxValues:
    """What one run found for every box."""

    roots: tuple[Any, ...]
    """Rows of each root (or its truth value)."""
    variables: tuple[Rows, ...]
    """Rows of the variables after their implied bounds have cut them."""
    empty: Truth
    """Boxes that the implied bounds emptied."""


class BoxProgram:
    """Expressions and conditions compiled to numpy steps. Immutable once built; threads may share it."""

    def __init__(self, roots: Sequence[Node], bounds: Sequence[VarBounds]) -> None:
        """Bounds of a variable may mention only variables before it. Raises ModelError for a model that int64 rows cannot hold."""
        order = _order((*roots, *(b.symbol for b in bounds)), {b.symbol: (*b.lower, *b.upper) for b in bounds})
        slots = {node: i for i, node in enumerate(order)}
        known: Knowledge = {}
        learn(order, {}, known)
        makers = Steps(slots, known)
        inputs = {b.symbol: _input(i - len(bounds) - 1, b, slots) for i, b in enumerate(bounds)}
        self._steps = tuple(inputs[n] if isinstance(n, Sym) else makers.of(n) for n in order)
        self._roots = tuple(slots[r] for r in roots)
        self._variables = tuple(slots[b.symbol] for b in bounds)

    def run(self, boxes: Sequence[Rows]) -> BoxValues:
        """Evaluates boxes given by the rows of each variable, in the order of `bounds`."""
        count = boxes[0].shape[1] if boxes else 1
        empty = np.zeros(count, dtype=np.bool_)
        values: Values = [None] * len(self._steps)
        values += [*boxes, empty]
        for slot, step in enumerate(self._steps):
            values[slot] = step(values)
        roots = tuple(np.broadcast_to(values[r], (2, count)) for r in self._roots)
        return BoxValues(roots, tuple(values[v] for v in self._variables), empty)


def _order(roots: Sequence[Node], implied: Mapping[Node, tuple[Expr, ...]]) -> tuple[Node, ...]:
    """Operands before users, and what bounds a variable before the variable."""
    order: dict[Node, None] = {}
    stack: list[tuple[Node, bool]] = [(root, False) for root in reversed(roots)]
    while stack:
        node, expanded = stack.pop()
        if expanded:
            order[node] = None
        elif node not in order:
            stack.append((node, True))
            stack.extend((operand, False) for operand in reversed((*node.operands, *implied.get(node, ()))) if operand not in order)
    return tuple(order)


def _input(column: int, bounds: VarBounds, slots: Mapping[Node, int]) -> Step:
    """The rows of a variable, cut by its implied bounds; an emptied box is marked and keeps a value so that arithmetic goes on."""
    lower, upper = [slots[e] for e in bounds.lower], [slots[e] for e in bounds.upper]
    if not lower and not upper:
        return lambda v: v[column]

    def run(v: Values) -> Rows:
        rows = v[column].copy()
        for s in lower:
            np.maximum(rows[0], v[s][0], out=rows[0])
        for s in upper:
            np.minimum(rows[1], v[s][1], out=rows[1])
        empty = rows[0] > rows[1]
        np.logical_or(v[-1], empty, out=v[-1])
        rows[:, empty] = v[column][:, empty]
        return rows

    return run
