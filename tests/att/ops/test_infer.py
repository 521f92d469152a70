"""Element types that follow from inputs."""

from __future__ import annotations

import pytest

from att.errors import GraphError
from att.ir.dtype import DType
from att.ops.infer import infer_dtype

F16, F32, BF16, U8, I32, I64 = DType.FLOAT16, DType.FLOAT32, DType.BFLOAT16, DType.UINT8, DType.INT32, DType.INT64


@pytest.mark.parametrize(
    ("op", "inputs", "output"),
    [
        ("Abs", (F16,), F16),
        ("Add", (BF16, BF16), BF16),
        ("Load", (I32,), I32),
        ("Gt", (F32, F32), U8),
        ("Eq", (I64, I64), U8),
        ("LogicalAnd", (F32, F32), U8),
        ("LogicalNot", (F16,), F16),
        ("Where", (U8, F16, F16), F16),
        ("ArgMax", (F32,), I64),
        ("Sum", (I32,), I32),
        ("TrueDiv", (I32, I32), F32),
        ("TrueDiv", (F16, F16), F16),
        ("Broadcast", (U8,), U8),
        ("Transpose", (F16,), F16),
        ("Output", (F32,), F32),
    ],
)
def test_output_dtypes(op: str, inputs: tuple[DType, ...], output: DType) -> None:
    assert infer_dtype(op, inputs) is output


def test_scalars_do_not_decide() -> None:
    assert infer_dtype("Sub", (F32, F16), scalars=(True, False)) is F16
    assert infer_dtype("Where", (U8, F32, F16), scalars=(False, True, False)) is F32


@pytest.mark.parametrize(("op", "inputs"), [("Cast", (F32,)), ("Data", ()), ("Scalar", ()), ("Add", ())])
def test_what_does_not_follow_must_be_given(op: str, inputs: tuple[DType, ...]) -> None:
    with pytest.raises(GraphError, match=f"dtype of {op} does not follow"):
        infer_dtype(op, inputs)


def test_unknown_ops() -> None:
    with pytest.raises(GraphError, match="op Foo is not known"):
        infer_dtype("Foo", (F32,))
