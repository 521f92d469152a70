"""Elementwise instructions against numpy, in all calling styles, and the types and parameters they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

LANES_BYTES = 256
F16_ULP = 2.0**-10


def values(rng: np.random.Generator, dtype: np.dtype, n: int, low: float = -8.0, high: float = 8.0) -> np.ndarray:
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, n, dtype=dtype, endpoint=True)
    return rng.uniform(low, high, n).astype(dtype)


def wide(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float32) if array.dtype.kind == "f" else array


UNARY = {
    "Abs": np.abs,
    "Exp": np.exp,
    "Ln": np.log,
    "Sqrt": np.sqrt,
    "Rsqrt": lambda x: 1 / np.sqrt(x),
    "Reciprocal": lambda x: 1 / x,
    "Relu": lambda x: np.maximum(x, 0),
    "Not": np.invert,
}
UNARY_TYPES = {
    **dict.fromkeys(("Abs", "Exp", "Ln", "Sqrt", "Rsqrt", "Reciprocal"), ("float32", "float16")),
    "Relu": ("float32", "float16", "int32"),
    "Not": ("int16", "uint16"),
}
NUMBERS = ("float32", "float16", "int16", "int32")
BITS = ("int16", "uint16", "int32", "uint32")
BINARY = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": np.divide,
    "Max": np.maximum,
    "Min": np.minimum,
    "And": np.bitwise_and,
    "Or": np.bitwise_or,
    "AddRelu": lambda a, b: np.maximum(a + b, 0),
    "SubRelu": lambda a, b: np.maximum(a - b, 0),
}
BINARY_TYPES = {
    **dict.fromkeys(("Add", "Sub", "Mul", "Max", "Min"), NUMBERS),
    "Div": ("float32", "float16"),
    "And": BITS,
    "Or": BITS,
    "AddRelu": ("float32", "float16", "int16"),
    "SubRelu": ("float32", "float16", "int16"),
}
SHIFTABLE = ("int16", "uint16", "int32", "uint32")
SCALAR = {
    "Adds": (np.add, 3),
    "Muls": (np.multiply, -2.5),
    "Maxs": (np.maximum, 1),
    "Mins": (np.minimum, 1),
    "LeakyRelu": (lambda x, s: np.where(x >= 0, x, x * s), 0.125),
    "ShiftLeft": (np.left_shift, 3),
    "ShiftRight": (np.right_shift, 2),
}
SCALAR_TYPES = {
    **dict.fromkeys(("Adds", "Muls", "Maxs", "Mins"), NUMBERS),
    "LeakyRelu": ("float32", "float16"),
    "ShiftLeft": SHIFTABLE,
    "ShiftRight": SHIFTABLE,
}
ALL_TYPES = ("float32", "float16", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


def close(got: np.ndarray, expected: np.ndarray, exact: bool) -> None:
    if exact or got.dtype.kind in "iu":
        np.testing.assert_array_equal(got, expected)
        return
    step = F16_ULP if got.dtype == np.float16 else 2.0**-22
    np.testing.assert_allclose(got.astype(np.float64), expected.astype(np.float64), rtol=step, atol=1e-7)


@pytest.mark.parametrize(("op", "name"), [(op, name) for op, names in UNARY_TYPES.items() for name in names])
def test_unary(run_case, dtype_of, op: str, name: str) -> None:
    n, dtype = 200, dtype_of(name)
    x = values(np.random.default_rng(1), dtype, n, *((0.05, 8.0) if op in {"Ln", "Sqrt", "Rsqrt"} else (-8.0, 8.0)))
    y0 = np.zeros(n, dtype)
    run = run_case("elementwise", "unary", inputs={"x": x, "y0": y0}, outputs={"y": dtype}, op=op, dtype=name, n=n, count=n - 7)
    assert run.ok, run.text
    expected = y0.copy()
    expected[: n - 7] = UNARY[op](wide(x[: n - 7])).astype(dtype)
    close(run.outputs["y"], expected, exact=op in {"Abs", "Relu", "Not"})
    assert run.calls("V") == {op: 1}


@pytest.mark.parametrize(("op", "name"), [(op, name) for op, names in BINARY_TYPES.items() for name in names])
def test_binary(run_case, dtype_of, op: str, name: str) -> None:
    n, dtype = 130, dtype_of(name)
    rng = np.random.default_rng(2)
    a, b = values(rng, dtype, n), values(rng, dtype, n)
    inputs = {"a": a, "b": b, "y0": np.zeros(n, dtype)}
    run = run_case("elementwise", "binary", inputs=inputs, outputs={"y": dtype}, op=op, dtype=name, n=n, count=n)
    assert run.ok, run.text
    with np.errstate(over="ignore"):
        expected = BINARY[op](wide(a), wide(b)).astype(dtype)
    np.testing.assert_array_equal(run.outputs["y"], expected)


@pytest.mark.parametrize(("op", "name"), [(op, name) for op, names in SCALAR_TYPES.items() for name in names])
def test_scalar(run_case, dtype_of, op: str, name: str) -> None:
    n, dtype = 100, dtype_of(name)
    x = values(np.random.default_rng(3), dtype, n)
    function, scalar = SCALAR[op]
    operand = wide(np.array([scalar]).astype(dtype))[0]
    run = run_case("elementwise", "scalar", inputs={"x": x, "y0": x}, outputs={"y": dtype}, op=op, dtype=name, n=n, count=n, scalar=scalar)
    assert run.ok, run.text
    with np.errstate(over="ignore"):
        expected = function(wide(x), operand).astype(dtype)
    np.testing.assert_array_equal(run.outputs["y"], expected)


def test_half_overflows_to_infinity_and_keeps_nan(run_case) -> None:
    x = np.array([60000, -60000, np.nan, 6e-8], np.float16)
    run = run_case(
        "elementwise", "scalar", inputs={"x": x, "y0": x}, outputs={"y": np.float16}, op="Adds", dtype="float16", n=4, count=4, scalar=60000
    )
    assert run.ok, run.text
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(run.outputs["y"], (x.astype(np.float32) + np.float32(60000 - 60000 % 32)).astype(np.float16))


@pytest.mark.parametrize("op", ["Axpy", "MulAddDst"])
@pytest.mark.parametrize(("types", "dst", "src"), [("half_half", "f2", "f2"), ("float_float", "f4", "f4"), ("float_half", "f4", "f2")])
def test_accumulating_instructions_round_once(run_case, op: str, types: str, dst: str, src: str) -> None:
    n, rng = 70, np.random.default_rng(4)
    a, b = rng.uniform(-2, 2, n).astype(src), rng.uniform(-2, 2, n).astype(src)
    y0 = rng.uniform(-2, 2, n).astype(dst)
    run = run_case("elementwise", "mixed", inputs={"a": a, "b": b, "y0": y0}, outputs={"y": dst}, op=op, types=types, n=n, scalar=0.75)
    assert run.ok, run.text
    product = a.astype(np.float64) * (0.75 if op == "Axpy" else b.astype(np.float64))
    # In double the product is exact; a half result is rounded to float first.
    expected = (product + y0.astype(np.float64)).astype(np.float32).astype(dst)
    np.testing.assert_array_equal(run.outputs["y"], expected)


@pytest.mark.parametrize("name", ["float32", "float16"])
@pytest.mark.parametrize("op", ["FusedMulAdd", "FusedMulAddRelu"])
def test_fused(run_case, op: str, name: str) -> None:
    n, rng = 64, np.random.default_rng(5)
    a, b, y0 = (rng.uniform(-2, 2, n).astype(name) for _ in range(3))
    run = run_case("elementwise", "binary", inputs={"a": a, "b": b, "y0": y0}, outputs={"y": name}, op=op, dtype=name, n=n, count=n)
    assert run.ok, run.text
    expected = (a.astype(np.float64) * y0.astype(np.float64) + b.astype(np.float64)).astype(np.float32).astype(name)
    np.testing.assert_array_equal(run.outputs["y"], np.maximum(expected, 0) if op.endswith("Relu") else expected)


def lane_indices(r: int, lane: int, size: int, blk: int, rep: int) -> int:
    """Element index of a lane by the address formula (ascendc_api_facts §5)."""
    per_block = 32 // size
    return ((r * rep + lane // per_block * blk) * 32 + lane % per_block * size) // size


def active_lanes(style: str, mask: int, low: int, high: int, per_repeat: int) -> list[int]:
    if style == "mask":
        return list(range(mask))
    return [lane for lane in range(per_repeat) if ((low if lane < 64 else high) >> (lane % 64)) & 1]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(["float32", "float16", "int32"]),
    style=st.sampled_from(["mask", "bits"]),
    repeat=st.integers(0, 4),
    strides=st.tuples(st.integers(1, 2), st.integers(0, 2), st.integers(0, 2)),
    gaps=st.tuples(st.integers(16, 20), st.integers(0, 20), st.integers(0, 20)),
    mask=st.integers(0, 64),
    bits=st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1)),
)
def test_strided_binary(run_case, dtype_of, name, style, repeat, strides, gaps, mask, bits) -> None:
    dtype, n = dtype_of(name), 4096
    per_repeat = LANES_BYTES // dtype.itemsize
    rng = np.random.default_rng(6)
    a, b, y0 = (rng.integers(-50, 50, n).astype(dtype) for _ in range(3))
    run = run_case(
        "elementwise", "binary", inputs={"a": a, "b": b, "y0": y0}, outputs={"y": dtype}, op="Sub", dtype=name, n=n, style=style,
        repeat=repeat, mask=mask, low=bits[0], high=bits[1], dst_blk=strides[0], src0_blk=strides[1], src1_blk=strides[2],
        dst_rep=gaps[0], src0_rep=gaps[1], src1_rep=gaps[2],
    )  # fmt: skip
    assert run.ok, run.text
    expected = y0.copy()
    for r in range(repeat):
        for lane in active_lanes(style, mask, bits[0], bits[1], per_repeat):
            at = [lane_indices(r, lane, dtype.itemsize, blk, rep) for blk, rep in zip(strides, gaps, strict=True)]
            expected[at[0]] = a[at[1]] - b[at[2]]
    np.testing.assert_array_equal(run.outputs["y"], expected)


def test_accumulation_over_iterations(run_case) -> None:
    """dst = src1 with repeat stride 0 adds all iterations into one."""
    n = 512
    a = np.arange(n, dtype=np.float32)
    y0 = np.full(n, 1, np.float32)
    inputs = {"a": a, "b": a, "y0": y0}
    shape = {"style": "mask", "mask": 64, "repeat": 8, "dst_rep": 0, "src1_rep": 0}
    run = run_case("elementwise", "binary", inputs=inputs, outputs={"y": "f4"}, op="Add", dtype="float32", n=n, accumulate=1, **shape)
    assert run.ok, run.text
    np.testing.assert_array_equal(run.outputs["y"][:64], 1 + a.reshape(8, 64).sum(axis=0))
    refused = run_case("elementwise", "binary", inputs=inputs, op="Div", dtype="float32", n=n, accumulate=1, **shape)
    assert refused.failure["fault"] == "argument"
    assert "dstRepStride" in refused.text


def test_mask_register(run_case) -> None:
    n = 192
    x = np.arange(n, dtype=np.float32)
    inputs = {"x": x, "y0": np.zeros(n, np.float32)}
    counter = run_case("elementwise", "register_mask", inputs=inputs, outputs={"y": "f4"}, n=n, counter=1, elements=100, repeat=1)
    assert counter.ok, counter.text
    np.testing.assert_array_equal(counter.outputs["y"], np.where(x < 100, 2 * x, 0))
    normal = run_case("elementwise", "register_mask", inputs=inputs, outputs={"y": "f4"}, n=n, bits=0b1011, repeat=2)
    assert normal.ok, normal.text
    np.testing.assert_array_equal(normal.outputs["y"], np.where(np.isin(x % 64, [0, 1, 3]) & (x < 128), 2 * x, 0))
    left = run_case("elementwise", "register_mask", inputs=inputs, n=n, counter=1, elements=100, leave=1)
    assert left.failure["fault"] == "leftover"


@pytest.mark.parametrize(("case", "op", "legal"), [
    *(("unary", op, names) for op, names in UNARY_TYPES.items()),
    *(("binary", op, names) for op, names in BINARY_TYPES.items()),
    *(("scalar", op, names) for op, names in SCALAR_TYPES.items()),
])  # fmt: skip
def test_types_that_the_chip_lacks_are_refused(run_case, dtype_of, case: str, op: str, legal: tuple[str, ...]) -> None:
    for name in sorted(set(ALL_TYPES) - set(legal)):
        data = np.ones(64, dtype_of(name))
        inputs = dict.fromkeys(("x", "y0", "a", "b"), data)
        run = run_case("elementwise", case, inputs=inputs, op=op, dtype=name, n=64, count=64, scalar=1)
        assert run.failure["fault"] == "dtype", (op, name)
        assert run.failure["api"] == op
        assert "expected" in run.text


def test_narrow_destinations_are_refused(run_case) -> None:
    data = {"a": np.ones(64, np.float32), "b": np.ones(64, np.float32), "y0": np.ones(64, np.float16)}
    for op in ("Axpy", "MulAddDst"):
        run = run_case("elementwise", "mixed", inputs=data, op=op, types="half_float", n=64, scalar=1)
        assert run.failure["fault"] == "dtype"


BAD_PARAMETERS = [
    ({"count": -1}, "argument", "count"),
    ({"count": 65}, "extent", "at least 260 B"),
    ({"style": "mask", "mask": 65}, "argument", "mask"),
    ({"style": "mask", "mask": 64, "repeat": 256}, "argument", "repeatTime"),
    ({"style": "mask", "mask": 64, "repeat": 300}, "argument", "300"),
    ({"style": "mask", "mask": 64, "repeat": 2}, "extent", "512 B"),
    ({"style": "mask", "mask": 64, "dst_rep": 256}, "argument", "repeat stride of dst"),
    ({"style": "mask", "mask": 64, "src0_blk": 65536}, "argument", "block stride of src"),
    ({"style": "mask", "mask": 64, "dst_blk": 0}, "argument", "dstBlkStride"),
    ({"style": "mask", "mask": 8, "repeat": 2, "dst_rep": 0, "src0_rep": 1}, "argument", "dstRepStride"),
]


@pytest.mark.parametrize(("params", "fault", "part"), BAD_PARAMETERS)
def test_parameters_out_of_range(run_case, params: dict[str, object], fault: str, part: str) -> None:
    data = np.ones(64, np.float32)
    run = run_case("elementwise", "unary", inputs={"x": data, "y0": data}, op="Exp", dtype="float32", n=64, **params)
    assert run.failure["fault"] == fault
    assert part in run.text


def test_negative_shift(run_case) -> None:
    data = np.ones(64, np.int32)
    run = run_case("elementwise", "scalar", inputs={"x": data, "y0": data}, op="ShiftLeft", dtype="int32", n=64, count=64, scalar=-1)
    assert run.failure["fault"] == "argument"


def test_bit_operations_with_a_mask_take_16_bit_types_only(run_case) -> None:
    data = {key: np.ones(64, np.int32) for key in ("a", "b", "y0")}
    run = run_case("elementwise", "binary", inputs=data, op="And", dtype="int32", n=64, style="mask", mask=64)
    assert run.failure["fault"] == "dtype"


def test_bit_operations_keep_bytes_apart(run_case) -> None:
    data = {"a": np.arange(7, dtype=np.uint8)}
    run = run_case("elementwise", "bytes_in_pairs", inputs=data, outputs={"y": "u1"}, n=7)
    assert run.ok, run.text
    np.testing.assert_array_equal(run.outputs["y"][:7], data["a"])
    assert run_case("elementwise", "bytes_in_pairs", inputs=data, n=7, stored=8).failure["fault"] == "taint"
