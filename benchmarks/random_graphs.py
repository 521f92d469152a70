"""Random fused graphs: DAGs of elementwise ops, casts, broadcasts and reduces over a few axes, with strided loads and stores.

Ops and element types are those that have an emission, or get one by casts. What is chosen comes from `Choices`, so that a plain random
generator and a shrinking test library can drive the same code.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from math import prod
from typing import Protocol, TypeVar

from att.chips import load_chip
from att.expr.core import Expr, add, integer, mul
from att.formats.builder import GraphBuilder, Value
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph
from att.ops.registry import OPS
from codegen.cast_types import cast_types
from codegen.coverage import CHIP, TABLE, emitted_types

T = TypeVar("T")
F16, F32, BF16, I16, I32, I64, I8, U8 = (
    DType.FLOAT16, DType.FLOAT32, DType.BFLOAT16, DType.INT16, DType.INT32, DType.INT64, DType.INT8, DType.UINT8,
)  # fmt: skip

LOADED = (F32, F32, F32, F32, F16, F16, BF16, I32, I32, I16, U8, I8, I64)
UNARY = ("Abs", "Neg", "Relu", "Tanh", "Sigmoid", "Sign", "Erf", "LogicalNot")
BINARY = ("Add", "Sub", "Mul", "Maximum", "Minimum", "LogicalAnd", "LogicalOr")
UNBOUNDED = (("Exp", "Sqrt", "Rsqrt", "Reciprocal", "Ln"), ("TrueDiv", "Div"))
"""Unary and binary ops that are not finite everywhere: rare, else few graphs could be compared."""
COMPARISONS = ("Gt", "Ge", "Lt", "Le", "Eq", "Ne")
WHOLE = "whole"
"""An axis whose halves have the length of the last one."""
REDUCES = ("Sum", "Max", "Min", "Prod", "Mean", "Any", "All", "ArgMax")
LENGTHS = (1, 2, 3, 4, 7, 8, 16, 17, 33, 70, 130)

ELEMENTS_MAX = 30_000
"""Largest iteration space: the reference and the walk visit all of it."""


class Choices(Protocol):
    """Where decisions come from."""

    def number(self, low: int, high: int) -> int:
        """A number in `low .. high`."""
        ...

    def one_of(self, options: Sequence[T]) -> T:
        """One of them."""
        ...


class RandomChoices:
    """Decisions of a seeded generator."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)

    def number(self, low: int, high: int) -> int:
        return self._rng.randint(low, high)

    def one_of(self, options: Sequence[T]) -> T:
        return self._rng.choice(options)


@cache
def types_of(op: str) -> tuple[DType, ...]:
    """Element types that kernels have the op for, of their own or by way of casts."""
    return (*emitted_types(OPS[op]), *cast_types(OPS[op], load_chip(CHIP)))


class _Maker:
    def __init__(self, choices: Choices, name: str) -> None:
        self.pick = choices
        self.sizes = tuple(Size(name=f"ks{i}", maximum=4096) for i in range(choices.number(0, 2)))
        self.axes: dict[str, Expr] = {}
        for i in range(choices.number(1, 4)):
            self.axes[f"a{i}"] = self._length()
        if self.chance(8):
            self.axes[WHOLE] = mul(self.axes[next(reversed(self.axes))], 2)
        self.g = GraphBuilder(name, self.axes, self.sizes)
        self.values: list[Value] = []
        self.reduced: tuple[str, ...] | None = None

    def _length(self) -> Expr:
        """Numbers and sizes, and now and then what a size is part of; numbers leave room for the axes to come."""
        if self.sizes and self.pick.number(0, 1):
            size = self.pick.one_of(self.sizes).symbol
            return self.pick.one_of((size, size, size, mul(size, 2), add(size, 3)))
        room = ELEMENTS_MAX // prod(length.hi for length in self.axes.values() if length.hi == length.lo)
        return integer(self.pick.one_of([length for length in LENGTHS if length <= max(1, room)]))

    def chance(self, one_in: int) -> bool:
        """True in one of so many cases."""
        return self.pick.number(1, one_in) == 1

    def some_axes(self) -> tuple[str, ...]:
        """Mostly all axes, else some of them; rarely none."""
        names = tuple(axis for axis in self.axes if axis != WHOLE)
        if not self.chance(3):
            return names
        kept = tuple(axis for axis in names if self.pick.number(0, 1))
        return kept or (() if self.chance(2) else names[-1:])

    def strides(self, axes: tuple[str, ...], dtype: DType) -> list[Expr]:
        """Dense, with gaps behind some axes, with single elements apart, or with the first axis innermost."""
        apart = dtype.bytes in (2, 4)  # others cannot be moved one by one
        order = (*axes[1:], *axes[:1]) if apart and self.chance(15) else axes
        running: Expr = integer(2 if apart and self.chance(12) else 1)
        found: dict[str, Expr] = {}
        for axis in reversed(order):
            found[axis] = running
            running = mul(running, self.axes[axis])
            if self.chance(4):
                running = add(running, self.pick.number(1, 9))
        return [found[axis] for axis in axes]

    def load(self) -> None:
        axes = self.some_axes()
        dtype = self.pick.one_of(LOADED)
        strides = self.strides(axes, dtype)
        if len(axes) > 1 and self.chance(15):
            strides[-2:] = [integer(self.pick.number(1, 9)), integer(1)]  # rows that overlap
        value = self.g.load(f"x{len(self.values)}", axes, dtype, strides=strides, offset=self.pick.number(0, 7))
        if dtype is BF16 or (dtype is F16 and self.chance(2)):
            value = self.g.cast(value, F32)
        self.values.append(value)

    def split(self) -> None:
        """Two halves of a loaded value, or of what is computed of it, over the last axis each."""
        if WHOLE not in self.axes:
            return
        *outer, last = (axis for axis in self.axes if axis != WHOLE)
        axes = (*(axis for axis in outer if not self.chance(4)), WHOLE)
        x = self.g.load("whole", axes, F32, strides=self.strides(axes, F32), offset=self.pick.number(0, 7))
        value = self.g.op(self.pick.one_of(UNARY), x) if self.chance(2) else x
        self.values.extend(self.g.split(value, WHOLE, last, last))

    def operand(self, dtypes: Sequence[DType]) -> Value | None:
        """Often one of the last values, so that graphs become deep."""
        found = [v for v in self.values if v.dtype in dtypes]
        if not found:
            return None
        return self.pick.one_of(found[-2:] if self.chance(2) else found)

    def compute(self) -> None:
        kind = self.pick.number(0, 10)
        if kind <= 2:
            self.unary()
        elif kind <= 5:
            self.binary()
        elif kind == 6:
            self.convert()
        elif kind <= 8:
            self.compare() if kind == 7 else self.choose()
        else:
            self.reduce()

    def unary(self) -> None:
        op = self.pick.one_of(UNBOUNDED[0] if self.chance(8) else UNARY)
        x = self.operand(types_of(op))
        if x is not None:
            self.values.append(self.g.op(op, x))

    def binary(self) -> None:
        self._of_two(self.pick.one_of(UNBOUNDED[1] if self.chance(8) else BINARY))

    def compare(self) -> None:
        self._of_two(self.pick.one_of(COMPARISONS))

    def _of_two(self, op: str) -> None:
        x = self.operand(types_of(op))
        if x is None:
            return
        if self.chance(4):
            number = self.constant(x.dtype)
            left = op not in COMPARISONS[:4] and self.chance(2)  # an order is compared with a number on the right
            self.values.append(self.g.op(op, *((number, x) if left else (x, number))))
            return
        y = self.operand((x.dtype,))
        if y is not None:
            self.values.append(self.g.op(op, x, y))

    def constant(self, dtype: DType) -> float:
        if dtype.is_float:
            return self.pick.one_of((0.5, -1.25, 2.0))
        return self.pick.one_of((1, 2, 3) if dtype is U8 else (1, 2, -3))

    def convert(self) -> None:
        pairs = (OPS["Cast"].conversions or {})[TABLE]
        x = self.operand([source for source, _ in pairs])
        if x is not None:
            self.values.append(self.g.cast(x, self.pick.one_of(sorted(target for source, target in pairs if source is x.dtype))))

    def choose(self) -> None:
        mask, x = self.operand((U8,)), self.operand(types_of("Where"))
        if x is None:
            return
        if mask is None:
            self.compare()
            return
        y = self.operand((x.dtype,)) if self.chance(2) else self.constant(x.dtype)
        if y is not None:
            self.values.append(self.g.op("Where", mask, x, y))

    def reduce(self) -> None:
        """Mostly all reduces of a graph reduce the same axes, so that one loop nest can hold them."""
        if self.reduced is None or self.chance(8):
            names = tuple(axis for axis in self.axes if axis != WHOLE)
            self.reduced = tuple(axis for axis in names if self.pick.number(0, 1)) or names[-1:]
        op = self.pick.one_of(REDUCES)
        found = [v for v in self.values if v.dtype in types_of(op) and set(self.reduced) <= set(v.axes)]
        if found:
            self.values.append(self.g.reduce(op, self.pick.one_of(found), *self.reduced))

    def store(self) -> None:
        """The last values, and now and then an earlier one."""
        ends = self.values[-self.pick.number(1, 3) :]
        if self.chance(4):
            ends.append(self.pick.one_of(self.values))
        for i, value in enumerate(dict.fromkeys(ends)):
            if value.dtype is F32 and self.chance(4):
                value = self.g.cast(value, BF16)
            self.g.store(f"y{i}", value, strides=self.strides(value.axes, value.dtype), offset=self.pick.number(0, 5))


def random_graph(choices: Choices, name: str) -> HintGraph:
    """A graph; not every one can be scheduled into one kernel, or emitted. Raises GraphError where the choices make none."""
    maker = _Maker(choices, name)
    for _ in range(choices.number(1, 4)):
        maker.load()
    maker.split()
    for _ in range(choices.number(1, 10)):
        maker.compute()
    maker.store()
    return maker.g.build()


def random_shape(choices: Choices, graph: HintGraph) -> dict[str, int]:
    """A value for every size."""
    return {size.name: choices.one_of((1, 2, 5, 8, 13, 20, 31, 64, 100)) for size in graph.sizes}
