"""Ops of integers that the op table lacks: their kernels compute in another type and give what numpy gives, to the last bit."""

from __future__ import annotations

from typing import Any

import pytest

from att.chips import load_chip
from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ops.registry import OPS
from att.ops.spec import ComputeType
from codegen.cast_types import cast_types
from codegen.coverage import CHIP, INTERNAL, is_emitted

I8, U8, I16, U16, I32, U32, I64, BOOL = (DType(d) for d in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "bool"))
ROWS = ("row", "col")

AT_ONCE = 9
"""Ops in one kernel."""


def elementwise() -> list[tuple[DType, tuple[str, ...]]]:
    """Every op with every integer type that casts bring, some ops at a time; TrueDiv apart, because it wants operands that are not 0."""
    chip = load_chip(CHIP)
    of_type: dict[DType, list[str]] = {}
    for op, spec in OPS.items():
        if is_emitted(spec) and op not in INTERNAL and spec.compute is ComputeType.ELEMENTWISE:
            for dtype in (d for d in cast_types(spec, chip) if not d.is_float):
                of_type.setdefault(dtype, []).append(op)
    found: list[tuple[DType, tuple[str, ...]]] = []
    for dtype, ops in of_type.items():
        others = [op for op in ops if op != "TrueDiv"]
        parts = [others[i : i + AT_ONCE] for i in range(0, len(others), AT_ONCE)]
        found += [(dtype, tuple(part)) for part in (*parts, ["TrueDiv"] if "TrueDiv" in ops else []) if part]
    return found


def dynamic(name: str) -> GraphBuilder:
    sizes = tuple(Size(name=s, maximum=10_000) for s in "mn")
    return GraphBuilder(name, dict(zip(ROWS, (s.symbol for s in sizes), strict=True)), sizes)


@pytest.mark.parametrize(("dtype", "ops"), elementwise(), ids=lambda x: x if isinstance(x, str) else x[0])
def test_elementwise(bench: Any, dtype: DType, ops: tuple[str, ...]) -> None:
    """One operand is multiplied until it wraps around, so that its type's lowest value is among its values."""
    g = dynamic(f"{dtype}_{ops[0].lower()}")
    operands = [g.load(x, ROWS, dtype) for x in "abc"]
    mask = g.load("mask", ROWS, U8)
    if dtype in (I8, U8, I16):
        operands[0] = g.op("Mul", operands[0], 2 ** (8 * dtype.bytes - 3))
    for i, op in enumerate(ops):
        at, others = OPS[op].mask_operand, iter(operands)
        g.store(f"y{i}", g.op(op, *(mask if k == at else next(others) for k in range(len(OPS[op].inputs)))))
    assert bench.demand(g.build(), {"m": 3, "n": 141}, tilings=2) >= 1


def test_masked_fill(bench: Any) -> None:
    g = dynamic("fill")
    mask = g.load("mask", ROWS, U8)
    for dtype in (I8, U16, I32, I64, BOOL):
        g.store(f"y_{dtype}", g.op("MaskedFill", g.load(f"x_{dtype}", ROWS, dtype), mask, g.load(f"v_{dtype}", ROWS, dtype)))
    g.store("y", g.op("MaskedFill", g.load("x", ROWS, I32), mask, 7))
    assert bench.demand(g.build(), {"m": 5, "n": 20}, tilings=2) >= 1


@pytest.mark.parametrize("axis", ROWS)
def test_reduces(bench: Any, axis: str) -> None:
    """Sums wrap around, however they are cut: every element is at least 40, and there are 300 of them."""
    g = dynamic(f"reduced_{axis}")
    for dtype, factor in ((I8, 1), (U8, 1), (I16, 100)):
        large = g.op("Mul", g.op("Maximum", g.load(f"x_{dtype}", ROWS, dtype), 40), factor)
        g.store(f"y_{dtype}", g.reduce("Sum", large, axis))
        for op in ("Max", "Min", "ArgMax"):
            g.store(f"{op.lower()}_of_{dtype}", g.reduce(op, large, axis))
    g.store("y_uint32", g.reduce("Sum", g.op("Mul", g.load("x_uint32", ROWS, U32), 2**31 - 1), axis))
    g.store("y_any", g.reduce("Any", g.load("x_int32", ROWS, I32), axis))
    g.store("y_all", g.reduce("All", g.load("w_int32", ROWS, I32), axis))
    assert bench.demand(g.build(), {"m": 300, "n": 9} if axis == "row" else {"m": 9, "n": 300}, tilings=2) >= 2


def test_a_sum_of_bytes_shared_among_cores(bench: Any) -> None:
    g = GraphBuilder("shared_sum", {"n": 100_000})
    g.store("y", g.reduce("Sum", g.load("x", ("n",), I8), "n"))
    assert "r_split.z0" in {t.name for t in bench.build(g.build())[0].templates}
    assert bench.demand(g.build(), {}, tilings=2) >= 3


def test_truth_values_side_by_side(bench: Any) -> None:
    g = GraphBuilder("joined_truth", {"row": 9, "left": 32, "right": 64, "both": 96})
    g.store("y", g.concat("both", *((g.load(f"{part}_in", ("row", part), BOOL), part) for part in ("left", "right"))))
    assert bench.demand(g.build(), {}, tilings=2) >= 2
