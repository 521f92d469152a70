"""Chips, and short ways to write operands and calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

import hwmodels.load
from att.expr.core import Expr, add, integer, mul
from att.ir.dtype import DType
from att.ops.call import Call, CostSet, View
from att.ops.registry import spec_of
from att.ops.spec import Costs
from hwmodels.model import Chip

F32 = DType.FLOAT32


@dataclass(frozen=True, slots=True)
class Maker:
    """Builds operands, calls and prices."""

    def dense(self, *dims: Expr | int, dtype: DType = F32, pitch: int = 1, gm: Sequence[Expr | int] | None = None) -> View:
        """A tile whose rows start at multiples of `pitch` elements; axes of one element have stride 0."""
        exprs = [add(d) for d in dims]
        strides: list[Expr] = []
        running: Expr = integer(1)
        varying = [i for i, d in enumerate(exprs) if d != integer(1)]
        for i in reversed(range(len(exprs))):
            strides.insert(0, running if i in varying else integer(0))
            if i in varying:
                is_row = i == varying[-1] and len(varying) > 1
                running = mul(running, mul(add(exprs[i], pitch - 1) // pitch, pitch) if is_row else exprs[i])
        return View(
            dtype=dtype, dims=tuple(exprs), ub_strides=tuple(strides), gm_strides=tuple(add(g) for g in gm) if gm is not None else ()
        )

    def scalar(self, dtype: DType = F32) -> View:
        """A Scalar operand."""
        return View(dtype=dtype)

    def call(self, op: str, inputs: Sequence[View], output: View, block_dim: Expr | int = 1) -> Call:
        """One call."""
        return Call(op=op, inputs=tuple(inputs), output=output, attrs={}, block_dim=add(block_dim))

    def unary(self, op: str, *dims: int, dtype: DType = F32, pitch: int = 1, operands: int = 1) -> Call:
        """A call whose operands all look alike."""
        view = self.dense(*dims, dtype=dtype, pitch=pitch)
        return self.call(op, [view] * operands, view)

    def ticks(self, call: Call, costs: Costs) -> int:
        """The price of a call whose sizes are all known."""
        (price,) = spec_of(call.op).cost(call, costs).values()
        assert price.lo == price.hi, price
        return price.lo

    def cycles(self, call: Call, costs: Costs) -> float:
        """The same in cycles."""
        return self.ticks(call, costs) / 10**6


@pytest.fixture(scope="session")
def make() -> Maker:
    return Maker()


@pytest.fixture(scope="session")
def v1() -> Chip:
    return hwmodels.load.load("ascend910b1")


@pytest.fixture(scope="session")
def v2() -> Chip:
    return hwmodels.load.load("ascend950pr")


@pytest.fixture(scope="session")
def published(v1: Chip) -> Costs:
    return Costs(chip=v1, cost_set=CostSet.PUBLISHED)


@pytest.fixture(scope="session")
def mended(v1: Chip) -> Costs:
    return Costs(chip=v1, cost_set=CostSet.MENDED)


@pytest.fixture(scope="session")
def published_v2(v2: Chip) -> Costs:
    return Costs(chip=v2, cost_set=CostSet.PUBLISHED)


@pytest.fixture(scope="session")
def mended_v2(v2: Chip) -> Costs:
    return Costs(chip=v2, cost_set=CostSet.MENDED)
