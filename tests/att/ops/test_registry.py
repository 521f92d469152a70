"""Every op record is complete on every chip: priced, with temporaries, a meaning, an API and dtypes. Forgetting a part fails here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hwmodels.load
from att.errors import GraphError
from att.expr.core import integer
from att.ir.dtype import DType
from att.ops.call import Call, CostSet, Pipe
from att.ops.estimated import estimated_ops, sample_call
from att.ops.reference import apply
from att.ops.refused import REFUSED
from att.ops.registry import OPS, spec_of
from att.ops.spec import ComputeType, Costs, OpSpec, TmpLifetime, numpy_dtype

CHIPS = ("ascend910b1", "ascend950pr", "ascend310p3", "toy")
CALLED = sorted(op for op, spec in OPS.items() if spec.pipe is not None)
NAMES = {
    "FLOAT": "float32", "FLOAT16": "float16", "BF16": "bfloat16", "INT8": "int8", "INT16": "int16", "INT32": "int32", "INT64": "int64",
    "UINT8": "uint8", "UINT16": "uint16", "UINT32": "uint32", "UINT64": "uint64", "BOOL": "bool",
}  # fmt: skip


def _calls(spec: OpSpec, table: str) -> Iterator[Call]:
    if spec.conversions is not None:
        yield from (sample_call(spec, source, target) for source, target in sorted(spec.conversions.get(table, ())))
        return
    for dtype in sorted(spec.dtypes.get(table, ())):
        operands = tuple(DType.UINT8 if i == spec.mask_operand else dtype for i in range(len(spec.inputs)))
        yield sample_call(spec, dtype, spec.output_dtype(operands) or dtype)


@pytest.mark.parametrize("name", CHIPS)
@pytest.mark.parametrize("op", CALLED)
def test_every_dtype_has_a_price_and_temporaries(op: str, name: str) -> None:
    chip = hwmodels.load.load(name)
    spec = spec_of(op)
    for cost_set in CostSet:
        costs = Costs(chip=chip, cost_set=cost_set)
        for call in _calls(spec, chip.cost_table):
            price = spec.cost(call, costs)[spec.pipe]
            assert price.lo == price.hi >= 0
            if cost_set is CostSet.MENDED:
                assert price.lo > 0, f"{op} on {call.output.dtype} is free"
            assert spec.tmp_bytes(call, costs).lo >= 0
            assert all(t.lifetime in TmpLifetime and t.bytes.lo >= 0 for t in spec.tmp_buffers(call, costs))


@pytest.mark.parametrize("op", CALLED)
def test_every_call_has_an_api_and_dtypes(op: str) -> None:
    spec = spec_of(op)
    assert spec.api is not None
    assert spec.api.name
    assert spec.api.form
    assert spec.dtypes
    assert spec.inputs
    assert spec.pipe is {ComputeType.LOAD: Pipe.MTE2, ComputeType.STORE: Pipe.MTE3}.get(spec.compute, Pipe.VEC)
    assert all(0 <= i < len(spec.inputs) for i in spec.scalar_operands)
    if spec.compute is ComputeType.ELEMENTWISE:
        assert spec.reference is not None
    assert (spec.reduction is not None) is (spec.compute is ComputeType.REDUCE)


def test_ops_that_overwrite_a_fixed_place_say_so(shared_data: Path) -> None:
    reserved = {op for op, spec in OPS.items() if spec.scratch_bytes}
    assert reserved == {"Where", "Select", "MaskedFill", "Ge", "Eq", "Ne", "Gt", "Le", "Lt", "ArgMax"}
    constants = json.loads((shared_data / "att_perf_params.json").read_text())["common"]
    assert {OPS[op].scratch_bytes for op in reserved} == {constants["reserved_ub_bytes_if_compare_select_gather"]}


@pytest.mark.parametrize("op", sorted(set(OPS) - set(CALLED)))
def test_structural_ops_cost_nothing(op: str, make: Any, mended: Costs) -> None:
    spec = spec_of(op)
    assert spec.cost(make.unary(op, 8), mended) == {}
    assert spec.tmp_bytes(make.unary(op, 8), mended) == integer(0)


@pytest.mark.parametrize("op", sorted(op for op, spec in OPS.items() if spec.reduction))
def test_partial_results_merge_into_the_whole(op: str) -> None:
    reduction = spec_of(op).reduction
    assert reduction is not None
    rng = np.random.default_rng(7)
    x = rng.integers(0, 3, (4, 12)).astype(np.float32)
    whole = apply(op, [x], {}, axes_reduced=(1,), out_dtype=DType.FLOAT32, out_shape=(4, 1))
    if reduction.identity is not None:
        padded = np.concatenate([x, np.full((4, 3), reduction.identity, np.float32)], axis=1)
        scale = 15 / 12 if op == "Mean" else 1
        assert np.allclose(apply(op, [padded], {}, axes_reduced=(1,), out_dtype=DType.FLOAT32, out_shape=(4, 1)) * scale, whole)
    if not reduction.merge:
        return
    parts = [
        apply(op, [part], {}, axes_reduced=(1,), out_dtype=DType.FLOAT32, out_shape=(4, 1)) for part in (x[:, :5], x[:, 5:11], x[:, 11:])
    ]
    merged = parts[0]
    for part in parts[1:]:
        merged = apply(reduction.merge, [merged, part], {}, out_dtype=DType.FLOAT32, out_shape=(4, 1))
    assert np.array_equal(merged, whole)


def test_unknown_ops_are_refused_with_the_nearest_name() -> None:
    with pytest.raises(GraphError, match="did you mean ArgMax"):
        spec_of("Argmax")
    with pytest.raises(GraphError, match="did you mean Maximum"):
        spec_of("Maximun")
    with pytest.raises(GraphError, match="known ops are"):
        spec_of("zzz")


def test_every_op_of_the_table_is_known_or_refused_in_words(shared_data: Path) -> None:
    listed = {op["name"] for op in json.loads((shared_data / "loop_ir_ops.json").read_text())["ops"] if "v1" in op["platforms"]}
    of_front_ends = {op for op in REFUSED if op == "ArgMin" or op.startswith("Scatter")}
    assert listed - set(OPS) == set(REFUSED) - of_front_ends, "these are in no table, but front ends have them"
    assert not set(OPS) & set(REFUSED)
    for op, why in REFUSED.items():
        with pytest.raises(GraphError, match=f"op {op} is ") as caught:
            spec_of(op)
        assert why in caught.value.message


def test_every_op_of_the_backend_graphs_is_known(shared_data: Path) -> None:
    used = {
        word
        for path in sorted((shared_data / "hint_graphs").glob("*.py"))
        for line in path.read_text().splitlines()
        for word in line.split("ascir.ops.")[1:2]
    }
    names = {word.split("(")[0] for word in used} - {"AscBackend"}
    assert len(names) >= 24
    assert {"ArgMax" if name == "Argmax" else name for name in names} <= set(OPS)


OURS = {"GatherRows": "Load", "ScaledSum": "Sum"}
"""Ops that the scheduler makes, and those of the list that they are made of."""
MOVED_IN_PARTS = {(op, "v1"): frozenset({DType.INT64}) for op in ("Broadcast", "Concat", "Transpose")}
"""Types that the list lacks: values move as their halves, as blocks, or through loads and stores."""


def test_dtypes_are_those_of_the_op_list(shared_data: Path) -> None:
    listed = {op["name"]: op for op in json.loads((shared_data / "loop_ir_ops.json").read_text())["ops"]}
    for name, spec in OPS.items():
        for table in ("v1", "v2"):
            platform = listed[OURS.get(name, name)]["platforms"].get(table)
            if platform is None:
                assert table not in spec.dtypes, f"{name} is not registered for {table}"
            elif name == "ScaledSum":
                assert spec.dtypes[table] == {DType.FLOAT32}, "narrower differences round differently for each exponent"
            elif spec.compute is ComputeType.SPLIT:
                assert spec.dtypes[table] == spec_of("Load").dtypes[table], "its pieces are loaded, whatever the chip can split"
            elif spec.conversions is not None:
                assert spec.conversions[table] == _pairs(platform["dtypes"]), f"{name} {table}"
            else:
                ours = MOVED_IN_PARTS.get((name, table), frozenset())
                assert not ours & _data_dtypes(platform["dtypes"], spec), f"{name} {table} is in the list"
                assert spec.dtypes[table] - ours == _data_dtypes(platform["dtypes"], spec), f"{name} {table}"


def _pairs(dtypes: Mapping[str, list[str]]) -> frozenset[tuple[DType, DType]]:
    known = [(a, b) for a, b in zip(dtypes["T1"], dtypes["T2"], strict=True) if a in NAMES and b in NAMES]
    return frozenset((DType(NAMES[a]), DType(NAMES[b])) for a, b in known)


def _data_dtypes(dtypes: Mapping[str, list[str]], spec: OpSpec) -> frozenset[DType]:
    key = "T2" if spec.mask_operand is not None else "T1" if "T1" in dtypes else "T"
    return frozenset(DType(NAMES[name]) for name in dtypes[key])


def test_estimates_are_reported(v1: Any, v2: Any) -> None:
    ops = ("Add", "TrueDiv", "Transpose", "Load", "Data", "ArgMax", "Add")
    assert estimated_ops(ops, v1, CostSet.MENDED) == ("TrueDiv", "Transpose", "ArgMax")
    assert estimated_ops(ops, v1, CostSet.PUBLISHED) == ()
    assert estimated_ops(("Add", "Sum", "Exp"), v2, CostSet.MENDED) == ()
    borrowed = hwmodels.load.load("ascend310p3")
    assert estimated_ops(("Add", "Load"), borrowed, CostSet.MENDED) == ("Add", "Load")


def test_numpy_stores_every_dtype() -> None:
    for dtype in DType:
        assert numpy_dtype(dtype).itemsize == dtype.bytes


def test_ops_in_place_are_those_of_the_op_table(shared_data: Path) -> None:
    table = {op["name"]: op for op in json.loads((shared_data / "loop_ir_ops.json").read_text())["ops"]}
    allowed = {name for name in OPS if name in table and table[name]["platforms"].get("v1", {}).get("inplace")}
    assert {name for name, spec in OPS.items() if spec.in_place} == allowed - {"Axpy"}, "Axpy writes its product before it reads x1"
