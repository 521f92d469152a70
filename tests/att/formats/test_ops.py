"""Every elementwise op is the same graph in all three formats; a refused one says why in each."""

from __future__ import annotations

import pytest

from att.errors import AttError
from att.formats.builder import GraphBuilder, Value
from att.formats.dump import from_text, to_text
from att.formats.graph_json import dumps, loads
from att.formats.script import run_script, to_script
from att.ir.dtype import DType
from att.ir.graph import HintGraph
from att.ops.refused import REFUSED
from att.ops.registry import OPS
from att.ops.spec import ComputeType, OpSpec

ATTRS = {"Axpy": {"alpha": 0.5}, "LeakyRelu": {"negative_slope": 1.0}}
ELEMENTWISE = sorted(op for op, spec in OPS.items() if spec.compute is ComputeType.ELEMENTWISE and "v1" in spec.dtypes)


def _graph(spec: OpSpec) -> HintGraph:
    g = GraphBuilder("g", {"a": 8})
    dtype = DType.FLOAT32 if DType.FLOAT32 in spec.dtypes["v1"] else DType.INT32

    def operand(i: int, name: str) -> Value:
        return g.load(f"{name}_in", ("a",), DType.UINT8 if i == spec.mask_operand else dtype)

    operands = [operand(i, name) for i, name in enumerate(spec.inputs)]
    result = g.cast(operands[0], DType.FLOAT16) if spec.conversions else g.op(spec.name, *operands, **ATTRS.get(spec.name, {}))
    g.store("y", result)
    return g.build()


@pytest.mark.parametrize("op", ELEMENTWISE)
def test_every_op_survives_every_format(op: str) -> None:
    graph = _graph(OPS[op])
    assert loads(dumps(graph)) == graph
    assert from_text(to_text(graph)) == graph
    assert run_script(to_script(graph), "written.py", "written") == graph


@pytest.mark.parametrize("op", sorted(REFUSED))
def test_a_refused_op_says_why(op: str) -> None:
    graph = _graph(OPS["Abs"])
    for read, text in ((loads, dumps(graph)), (from_text, to_text(graph)), (lambda t: run_script(t, "f.py", "f"), to_script(graph))):
        assert "Abs" in text
        with pytest.raises(AttError) as caught:
            read(text.replace("Abs", op))
        assert f"{op} is {REFUSED[op]}" in f"{caught.value.message} {caught.value.hint}"
