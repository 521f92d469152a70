"""Results that lie where an operand lay: every op that allows it, in every form, against numpy on the CPU model."""

from __future__ import annotations

from typing import Any

import pytest

from att.formats.builder import GraphBuilder, Value
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.graph import ImplGraph
from att.ir.layout import blocks, is_guest
from att.ir.tensor import Position
from att.ops.registry import OPS
from codegen.coverage import TABLE

OPERATIONS = [op for op, spec in OPS.items() if spec.in_place]
TYPES = (DType.FLOAT32, DType.FLOAT16, DType.INT32, DType.UINT8)


def _first(g: GraphBuilder, x: Value) -> Value:
    """A value in a TBuf; at least 1 for floats."""
    if x.dtype is DType.UINT8:
        return g.op("LogicalOr", x, x)
    value = g.op("Abs", x)
    return g.op("Add", value, 1.0) if x.dtype.is_float else value


def _last(g: GraphBuilder, value: Value) -> Value:
    """Keeps it from being the stored value itself, which would lie in a queue."""
    return g.op("LogicalAnd", value, 1) if value.dtype is DType.UINT8 else g.op("Relu", value)


def _forms(g: GraphBuilder, op: str, x: Value, y: Value) -> list[Value]:
    if len(OPS[op].inputs) == 1:
        return [g.op(op, _first(g, x), **dict.fromkeys(OPS[op].attrs, 0.25))]
    number = 2.0 if x.dtype.is_float else 1
    both = [g.op(op, _first(g, x), _first(g, y)), g.op(op, y, _first(g, x))]
    return [*both, g.op(op, _first(g, x), number), *([] if op in ("LogicalAnd", "LogicalOr") else [g.op(op, number, _first(g, y))])]


def _ops_in_place(graph: ImplGraph) -> set[str]:
    """Ops of which some result lies where an operand lay: in its TBuf, or with it in the buffer of what is stored."""
    shared = (b for b in blocks(graph) if b.position is Position.VECCALC or any(is_guest(graph, name) for name in b.tensors))
    block_of = {name: b.name for b in shared for name in b.tensors}
    return {n.op for n in graph.nodes if n.name in block_of and block_of[n.name] in {block_of.get(name) for name in n.inputs}}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("part", [0, 1])
def test_every_op_in_place_is_right(bench: Any, dtype: DType, part: int) -> None:
    ops = [op for op in OPERATIONS if dtype in OPS[op].dtypes[TABLE] and op.startswith("Logical") == (dtype is DType.UINT8)][part::2]
    sizes = (Size(name="m", maximum=10_000), Size(name="n", maximum=10_000))
    g = GraphBuilder(f"in_place_{dtype}_{part}", {"row": sizes[0].symbol, "col": sizes[1].symbol}, sizes)
    x, y = (g.load(name, ("row", "col"), dtype, strides=(sizes[1].symbol + 5, 1)) for name in "xy")
    y = _first(g, y) if dtype.is_float else y
    for op in ops:
        for i, value in enumerate(_forms(g, op, x, y)):
            g.store(f"{op.lower()}{i}_out", _last(g, value))
    graph = g.build()
    candidates, _ = bench.build(graph)
    assert _ops_in_place(candidates.templates[0].phases[0]) >= set(ops)
    for shape in ({"m": 3, "n": 141}, {"m": 1, "n": 1}):
        assert bench.demand(graph, shape, tilings=1) >= 1


def test_what_a_loop_accumulated_is_overwritten_after_it(bench: Any) -> None:
    sizes = (Size(name="m", maximum=10_000), Size(name="n", maximum=10_000))
    g = GraphBuilder("in_place_tail", {"row": sizes[0].symbol, "col": sizes[1].symbol}, sizes)
    total = g.reduce("Sum", g.op("Abs", g.load("x", ("row", "col"))), "col")
    g.store("y", g.op("Relu", g.op("Exp", g.op("Neg", g.op("Mul", total, 0.01)))))
    graph = g.build()
    candidates, _ = bench.build(graph)
    assert {"Mul", "Neg", "Exp"} <= _ops_in_place(candidates.templates[0].phases[0])
    for shape in ({"m": 3, "n": 141}, {"m": 65, "n": 9}):
        assert bench.demand(graph, shape, tilings=4) >= 4
