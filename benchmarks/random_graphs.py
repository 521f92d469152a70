"""Random fused graphs: DAGs of elementwise ops, casts, broadcasts and reduces over a few axes, with strided loads and stores.

What is chosen comes from `Choices`, so that a plain random generator and a shrinking test library can drive the same code.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol, TypeVar

from att.expr.core import Expr, add, integer, mul
from att.formats.builder import GraphBuilder, Value
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph

T = TypeVar("T")
F16, F32, BF16, I32 = DType.FLOAT16, DType.FLOAT32, DType.BFLOAT16, DType.INT32

UNARY = ("Abs", "Neg", "Relu", "Tanh", "Sigmoid", "Sign")
BINARY = ("Add", "Sub", "Mul", "Maximum", "Minimum")
COMPARISONS = ("Gt", "Le", "Eq")
REDUCES = ("Sum", "Max", "Min", "Prod", "Mean", "Any")


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


class _Maker:
    def __init__(self, choices: Choices, name: str) -> None:
        self.pick = choices
        self.sizes = tuple(Size(name=f"ks{i}", maximum=4096) for i in range(choices.number(0, 2)))
        self.axes = {f"a{i}": self._size() for i in range(choices.number(1, 4))}
        self.g = GraphBuilder(name, self.axes, self.sizes)
        self.values: list[Value] = []
        self.reduced: tuple[str, ...] | None = None

    def _size(self) -> Expr:
        if self.sizes and self.pick.number(0, 1):
            return self.pick.one_of(self.sizes).symbol
        return integer(self.pick.one_of((1, 2, 3, 4, 7, 8, 16, 17, 33, 70, 130)))

    def chance(self, one_in: int) -> bool:
        """True in one of so many cases."""
        return self.pick.number(1, one_in) == 1

    def some_axes(self) -> tuple[str, ...]:
        """Mostly all axes, else some of them; at least one."""
        names = tuple(self.axes)
        if not self.chance(3):
            return names
        kept = tuple(axis for axis in names if self.pick.number(0, 1))
        return kept or names[-1:]

    def strides(self, axes: tuple[str, ...]) -> list[Expr]:
        """Dense, with gaps behind some axes, or with single elements apart."""
        running: Expr = integer(2 if self.chance(12) else 1)
        found: list[Expr] = []
        for axis in reversed(axes):
            found.append(running)
            running = mul(running, self.axes[axis])
            if self.chance(4):
                running = add(running, self.pick.number(1, 9))
        return found[::-1]

    def load(self) -> None:
        axes = self.some_axes()
        dtype = self.pick.one_of((F32, F32, F32, F16, BF16, I32))
        value = self.g.load(f"x{len(self.values)}", axes, dtype, strides=self.strides(axes), offset=self.pick.number(0, 7))
        if dtype is BF16 or (dtype is F16 and self.chance(2)):
            value = self.g.cast(value, F32)
        self.values.append(value)

    def operand(self, *dtypes: DType) -> Value | None:
        found = [v for v in self.values if v.dtype in dtypes]
        return self.pick.one_of(found) if found else None

    def compute(self) -> None:
        kind = self.pick.number(0, 9)
        if kind <= 2:
            self.unary()
        elif kind <= 6:
            self.binary()
        elif kind == 7:
            self.convert()
        elif kind == 8:
            self.choose()
        else:
            self.reduce()

    def unary(self) -> None:
        x = self.operand(F32, F16)
        if x is not None:
            self.values.append(self.g.op(self.pick.one_of(UNARY), x))

    def binary(self) -> None:
        x = self.operand(F32, F16, I32)
        if x is None:
            return
        op = self.pick.one_of(BINARY)
        if self.chance(4):
            number = self.pick.one_of((1, 2, -3)) if x.dtype is I32 else self.pick.one_of((0.5, -1.25, 2.0))
            self.values.append(self.g.op(op, *((number, x) if self.chance(2) else (x, number))))
            return
        y = self.operand(x.dtype)
        if y is not None:
            self.values.append(self.g.op(op, x, y))

    def convert(self) -> None:
        x = self.operand(F32, F16, I32)
        if x is not None:
            targets = {F32: (F16, I32), F16: (F32, I32), I32: (F32,)}
            self.values.append(self.g.cast(x, self.pick.one_of(targets[x.dtype])))

    def choose(self) -> None:
        x, y = self.operand(F32), self.operand(F32)
        if x is None or y is None:
            return
        mask = self.g.op(self.pick.one_of(COMPARISONS), x, y)
        self.values.append(self.g.op("Where", mask, x, 0.5 if self.chance(3) else y))

    def reduce(self) -> None:
        """All reduces of a graph reduce the same axes, so that one loop nest can hold them."""
        full = [v for v in self.values if v.dtype is F32 and set(v.axes) == set(self.axes)]
        if not full:
            return
        if self.reduced is None:
            names = tuple(self.axes)
            chosen = tuple(axis for axis in names if self.pick.number(0, 1))
            self.reduced = chosen or names[-1:]
        self.values.append(self.g.reduce(self.pick.one_of(REDUCES), self.pick.one_of(full), *self.reduced))

    def store(self) -> None:
        ends = [v for v in self.values[-3:] if v.axes] or self.values[-1:]
        for i, value in enumerate(ends):
            if value.dtype is F32 and self.chance(3):
                value = self.g.cast(value, BF16)
            self.g.store(f"y{i}", value, strides=self.strides(value.axes), offset=self.pick.number(0, 5))


def random_graph(choices: Choices, name: str) -> HintGraph:
    """A graph that is well formed; not every one can be scheduled into one kernel."""
    maker = _Maker(choices, name)
    for _ in range(choices.number(1, 3)):
        maker.load()
    for _ in range(choices.number(1, 8)):
        maker.compute()
    maker.store()
    return maker.g.build()


def random_shape(choices: Choices, graph: HintGraph) -> dict[str, int]:
    """A value for every size."""
    return {size.name: choices.one_of((1, 2, 5, 8, 13, 20, 31, 64, 100)) for size in graph.sizes}
