"""Every op with every element type of arch 2201 against numpy, one kernel for each family and type.

The operands are read with a row stride, so that rows lie padded in UB.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from att.errors import ScheduleError
from att.formats.builder import GraphBuilder, Value
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.graph import HintGraph
from att.ops.registry import OPS
from att.ops.spec import ComputeType
from codegen.coverage import MISSING, TABLE, emitted_types, has_form, is_emitted

SHAPES = [{"m": 5, "n": 20}, {"m": 3, "n": 141}, {"m": 1, "n": 1}]
POSITIVE = ("Ln", "Sqrt", "Rsqrt", "Reciprocal")
"""Unary ops that want positive operands."""

Body = Callable[[GraphBuilder, Callable[..., Value]], Sequence[Value]]


def _graph(name: str, body: Body) -> HintGraph:
    """A graph over rows and columns; `load(name, dtype)` reads a matrix with gaps between its rows."""
    sizes = (Size(name="m", maximum=10_000), Size(name="n", maximum=10_000))
    rows, columns = (size.symbol for size in sizes)
    axes: dict[str, Any] = {"left": 32, "right": 64, "both": 96} if name.startswith("concat") else {"col": columns}
    if name.startswith("gather"):
        axes = {"table": 37, **axes}
    g = GraphBuilder(name, {"row": rows, **axes}, sizes)

    def load(operand: str, dtype: DType) -> Value:
        return g.load(operand, ("row", "col"), dtype, strides=(columns + 5, 1))

    for i, value in enumerate(body(g, load)):
        g.store(f"y{i}", value)
    return g.build()


def _of(form: str) -> list[str]:
    return [op for op, spec in OPS.items() if is_emitted(spec) and spec.api is not None and spec.api.form == form]


def _for(ops: Sequence[str], dtype: DType) -> list[str]:
    return [op for op in ops if dtype in emitted_types(OPS[op])]


UNARY = [*_of("unary"), *_of("unary_scalar"), *_of("library"), *_of("float_kind")]
ATTRS: dict[str, dict[str, float]] = {"LeakyRelu": {"negative_slope": 0.3}, "Axpy": {"alpha": -1.7}}
BINARY = _of("binary")
DIVISIONS = [op for op in BINARY if OPS[op].api is not None and "Div" in op]
FAMILIES: dict[str, tuple[list[str], DType, Body]] = {}


def _add(name: str, ops: Sequence[str], dtype: DType, make: Callable[[Any, Any, list[str], DType], Sequence[Value]]) -> None:
    chosen = _for(ops, dtype)
    if chosen and dtype in OPS["Load"].dtypes[TABLE]:
        FAMILIES[f"{name}_{dtype}"] = chosen, dtype, lambda g, load: make(g, load, chosen, dtype)


def _joined(g: GraphBuilder, dtype: DType) -> Value:
    """Two parts of 32 and 64 elements, whole blocks in every type."""
    return g.concat("both", *((g.load(f"{part}_in", ("row", part), dtype), part) for part in ("left", "right")))


def _number(dtype: DType) -> float:
    return 1.5 if dtype.is_float else 3


def _clipped(g: GraphBuilder, a: Value, b: Value, c: Value) -> list[Value]:
    """ClipByValue with every choice of Scalars that changes its instructions."""
    operands = [(a, b, c), (a, -0.5, 0.5), (0.25, b, c), (0.25, -0.5, c), (a, b, 0.5)]
    return [g.op("ClipByValue", *chosen) for chosen in operands]


for _dtype in DType:
    _add("signed", [op for op in UNARY if op not in POSITIVE], _dtype, lambda g, load, ops, d: [
         g.op(op, load(f"x{i}", d), **ATTRS.get(op, {})) for i, op in enumerate(ops)])  # fmt: skip
    _add("positive", POSITIVE, _dtype, lambda g, load, ops, d: [g.op(op, load(f"x{i}", d)) for i, op in enumerate(ops)])
    for _kind, _ops in (("arithmetic", [op for op in BINARY if op not in DIVISIONS]), ("division", DIVISIONS)):
        _add(_kind, _ops, _dtype, lambda g, load, ops, d: (lambda a, b: [g.op(op, a, b) for op in ops])(load("a", d), load("b", d)))
        _add(f"{_kind}_left", _ops, _dtype, lambda g, load, ops, d: (lambda a: [g.op(op, _number(d), a) for op in ops])(load("a", d)))
        _add(f"{_kind}_right", _ops, _dtype, lambda g, load, ops, d: (lambda a: [g.op(op, a, _number(d)) for op in ops])(load("a", d)))
    _add(
        "compare", _of("compare"), _dtype, lambda g, load, ops, d: (lambda a, b: [g.op(op, a, b) for op in ops])(load("a", d), load("b", d))
    )
    _add("compare_right", _of("compare"), _dtype, lambda g, load, ops, d: (lambda a: [g.op(op, a, _number(d)) for op in ops])(load("a", d)))
    _add("compare_left", ["Eq", "Ne"], _dtype, lambda g, load, ops, d: (lambda a: [g.op(op, _number(d), a) for op in ops])(load("a", d)))
    _add("logical", ["LogicalAnd", "LogicalOr"], _dtype, lambda g, load, ops, d: (lambda a, b: [g.op(op, a, b) for op in ops]
         + [g.op(op, a, _number(d)) for op in ops] + [g.op(op, 0, a) for op in ops])(load("a", d), load("b", d)))  # fmt: skip
    _add("not", ["LogicalNot"], _dtype, lambda g, load, ops, d: [g.op("LogicalNot", load("a", d))])
    _add("where", ["Where", "Select", "MaskedFill"], _dtype, lambda g, load, ops, d: (lambda m, a, b: [
         g.op("Where", m, a, b), g.op("Where", m, a, _number(d)), g.op("Where", m, 2, b),
         *([] if d.bytes == 8 else [g.op("Where", m, 2, _number(d))]), g.op("Select", m, b, a),
         *([g.op("MaskedFill", a, m, b), g.op("MaskedFill", a, m, _number(d)), g.op("MaskedFill", 2, m, b)]
           if "MaskedFill" in ops else [])])(load("mask", DType.UINT8), load("a", d), load("b", d)))  # fmt: skip
    _add("several", ["Axpy", "BitwiseAnd", "FloorDiv", "Remainder", "ClipByValue"], _dtype, lambda g, load, ops, d: (lambda a, b: [
         *(g.op(op, a, b, **ATTRS.get(op, {})) for op in ops if op != "ClipByValue"),
         *(_clipped(g, a, b, load("c", d)) if "ClipByValue" in ops else ())])(load("a", d), load("b", d)))  # fmt: skip
    _add("power", ["Pow"], _dtype, lambda g, load, ops, d: (lambda a, b: [
         g.op("Pow", a, b), g.op("Pow", a, _number(d)), g.op("Pow", _number(d), b)])(load("a", d), load("b", d)))  # fmt: skip
    _add("cast", ["Cast"], _dtype, lambda g, load, ops, d: (lambda a: [g.cast(a, to) for to in _targets(d)])(load("a", d)))
    _add(
        "transpose", ["Transpose"], _dtype,
        lambda g, load, ops, d: [g.op("Transpose", g.load("x", ("col", "row"), d, in_place=True))],
    )  # fmt: skip
    _add("concat", ["Concat"], _dtype, lambda g, load, ops, d: [_joined(g, d)])
    _add(
        "gather", ["Gather"], _dtype,
        lambda g, load, ops, d: [g.gather(g.load("x", ("row", "table"), d), "table", g.load("i", ("col",), DType.INT32))],
    )  # fmt: skip
    _add("move", ["Load", "Store"], _dtype, lambda g, load, ops, d: [load("a", d)])


def _targets(source: DType) -> list[DType]:
    conversions = OPS["Cast"].conversions
    assert conversions is not None
    return sorted(target for a, target in conversions[TABLE] if a is source)


REDUCES = [op for op, spec in OPS.items() if spec.compute is ComputeType.REDUCE and op != "ScaledSum"]


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.usefixtures("exact_tmp")
def test_a_family_is_right(bench: Any, name: str) -> None:
    graph = _graph(name, FAMILIES[name][2])
    for shape in SHAPES:
        assert bench.demand(graph, shape, tilings=2) >= 1


REDUCED = [(op, axes) for op in REDUCES for axes in (("col",), ("row",), ("row", "col"))]


@pytest.mark.parametrize(("op", "axes"), REDUCED, ids=lambda value: value if isinstance(value, str) else "_".join(value))
@pytest.mark.usefixtures("exact_tmp")
def test_a_reduce_is_right(bench: Any, op: str, axes: tuple[str, ...]) -> None:
    for dtype in emitted_types(OPS[op]):
        graph = _graph(f"{op.lower()}_{'_'.join(axes)}_{dtype}", lambda g, load, d=dtype: [g.reduce(op, load("x", d), *axes)])
        for shape in SHAPES:
            assert bench.demand(graph, shape, tilings=3) >= 1


@pytest.mark.usefixtures("exact_tmp")
@pytest.mark.parametrize("axes", [("row",), ("col",), ()], ids=["column", "row", "one"])
def test_a_broadcast_is_right(bench: Any, axes: tuple[str, ...]) -> None:
    for dtype in emitted_types(OPS["Broadcast"]):

        def body(g: GraphBuilder, load: Callable[..., Value], d: DType = dtype) -> list[Value]:
            del load
            return [g.broadcast(g.load("x", axes, d), ("row", "col"))]

        graph = _graph(f"spread_{'_'.join(axes)}_{dtype}", body)
        for shape in SHAPES[:2]:
            assert bench.demand(graph, shape, tilings=2) >= 1


def test_every_pair_is_run_or_refused() -> None:
    run = {(op, dtype) for ops, dtype, _ in FAMILIES.values() for op in ops}
    run |= {("GatherRows", dtype) for dtype in emitted_types(OPS["GatherRows"])}  # run in test_lookups.py
    run |= {("ScaledSum", dtype) for dtype in emitted_types(OPS["ScaledSum"])}  # run in test_online.py
    run |= {("RemovePad", dtype) for dtype in emitted_types(OPS["RemovePad"])}  # run in test_unaligned.py
    run |= {(op, d) for op in REDUCES for d in emitted_types(OPS[op])} | {("Broadcast", d) for d in emitted_types(OPS["Broadcast"])}
    allowed = {(op, d) for op, spec in OPS.items() if is_emitted(spec) for d in spec.dtypes.get(TABLE, ())}
    assert run | set(MISSING) == allowed
    assert not run & set(MISSING)


@pytest.mark.parametrize("op", [op for op, spec in OPS.items() if is_emitted(spec)])
def test_every_op_has_a_form(op: str) -> None:
    assert has_form(OPS[op]), f"{op} is scheduled, but no family in codegen/calls/registry.py writes its calls"


@pytest.mark.parametrize("dtype", sorted({dtype for _, dtype in MISSING}))
def test_what_is_missing_is_refused_where_it_would_be_loaded(bench: Any, dtype: DType) -> None:
    assert dtype not in OPS["Load"].dtypes[TABLE]
    with pytest.raises(ScheduleError, match=rf"Load takes .* on ascend910b1, got {dtype}") as caught:
        bench.build(_graph(f"missing_{dtype}", lambda g, load: [g.cast(load("x", dtype), DType.FLOAT32)]))
    assert caught.value.hint
