"""Gathers, transposes and library mathematics against numpy, with the temporary buffers they ask for."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from att.ir.dtype import DType
from att.ops.tmp_library import LIBRARY_TMP_BYTES, POWER_TMP_BYTES


@pytest.mark.parametrize("name", ["float32", "float16", "int16", "int32"])
def test_gather(run_case, name: str) -> None:
    rng = np.random.default_rng(12)
    size = np.dtype(name).itemsize
    x = rng.integers(-100, 100, 200).astype(name)
    index = rng.integers(0, 190, 77)
    inputs = {"x": x, "i": (index * size).astype(np.uint32)}
    run = run_case("library", "gather", inputs=inputs, outputs={"y": name}, dtype=name, n=200, count=77, base=4 * size)
    assert run.ok, run.text
    np.testing.assert_array_equal(run.outputs["y"], x[index + 4])


def test_gather_by_iterations(run_case) -> None:
    x = np.arange(200, dtype=np.float32)
    index = np.arange(128) % 100
    inputs = {"x": x, "i": (index * 4).astype(np.uint32)}
    run = run_case(
        "library", "gather", inputs=inputs, outputs={"y": "f4"}, dtype="float32", n=200, count=128, style="mask", mask=10, repeat=2
    )
    assert run.ok, run.text
    np.testing.assert_array_equal(run.outputs["y"], np.where(np.arange(128) % 64 < 10, x[index], 0))


@pytest.mark.parametrize(("change", "fault", "part"), [
    ({"offset": 2}, "alignment", "srcOffset[3]"),
    ({"offset": 800}, "extent", "srcOffset[3]"),
    ({"base": 900}, "extent", "srcBaseAddr"),
    ({"entries": 5}, "extent", "srcOffset"),
    ({"in_place": 1}, "overlap", "dst and src"),
    ({"raw": 1}, "taint", "an index"),
    ({"dtype": "uint8"}, "dtype", "(u)int16_t"),
])  # fmt: skip
def test_gather_refuses(run_case, change: dict[str, object], fault: str, part: str) -> None:
    params = {"dtype": "float32", "n": 200, "count": 16, **change}
    offsets = np.zeros(16, np.uint32)
    offsets[3] = params.pop("offset", 0)
    run = run_case("library", "gather", inputs={"x": np.ones(200, str(params["dtype"])), "i": offsets}, **params)
    assert run.failure["fault"] == fault
    assert part in run.text


@pytest.mark.parametrize("name", ["float32", "float16"])
@pytest.mark.parametrize("pattern", range(1, 8))
def test_gather_mask_patterns(run_case, name: str, pattern: int) -> None:
    lanes = 256 // np.dtype(name).itemsize
    x = np.arange(2 * lanes).astype(name)
    taken = {1: x[0::2], 2: x[1::2], 7: x}.get(pattern, x[pattern - 3 :: 4])
    run = run_case(
        "library",
        "gather_mask",
        inputs={"x": x, "m": x},
        outputs={"y": name, "c": "i4"},
        dtype=name,
        n=2 * lanes,
        out=len(taken),
        pattern=pattern,
        repeat=2,
    )
    assert run.ok, run.text
    np.testing.assert_array_equal(run.outputs["y"], taken)
    assert run.outputs["c"][0] == len(taken)


def test_gather_mask_removes_row_padding(run_case) -> None:
    """Rows of 5 in a pitch of 8: pattern 7 with 5 elements of each iteration."""
    x = np.arange(32, dtype=np.float32)
    run = run_case(
        "library",
        "gather_mask",
        inputs={"x": x, "m": x},
        outputs={"y": "f4"},
        dtype="float32",
        n=32,
        out=20,
        pattern=7,
        reduce=1,
        mask=5,
        repeat=4,
        src_rep=1,
    )
    assert run.ok, run.text
    np.testing.assert_array_equal(run.outputs["y"], x.reshape(4, 8)[:, :5].ravel())


@pytest.mark.parametrize("name", ["float32", "float16"])
def test_gather_mask_by_bits(run_case, name: str) -> None:
    lanes, word = 256 // np.dtype(name).itemsize, f"u{np.dtype(name).itemsize}"
    x = np.arange(lanes).astype(name)
    bits = np.random.default_rng(13).integers(0, 2, lanes).astype(bool)
    packed = np.packbits(bits, bitorder="little").view(word)
    inputs = {"x": x, "m": packed}
    run = run_case(
        "library", "gather_mask", inputs=inputs, outputs={"y": name, "c": "i4"}, dtype=name, n=lanes, out=int(bits.sum()), words=len(packed)
    )
    assert run.ok, run.text
    np.testing.assert_array_equal(run.outputs["y"], x[bits])
    raw = run_case("library", "gather_mask", inputs=inputs, dtype=name, n=lanes, out=8, words=len(packed), raw=1)
    assert raw.failure["fault"] == "taint"


@pytest.mark.parametrize(
    ("change", "fault"), [({"pattern": 8}, "argument"), ({"pattern": 7, "repeat": 3}, "extent"), ({"words": 1}, "extent")]
)
def test_gather_mask_refuses(run_case, change: dict[str, object], fault: str) -> None:
    x = np.ones(64, np.float32)
    run = run_case("library", "gather_mask", inputs={"x": x, "m": np.ones(1, "u4")}, **{"dtype": "float32", "n": 64, "out": 8, **change})
    assert run.failure["fault"] == fault


@pytest.mark.parametrize("name", ["float16", "int16"])
@pytest.mark.parametrize("in_place", [0, 1])
def test_transpose(run_case, name: str, in_place: int) -> None:
    x = np.arange(256).astype(name)
    run = run_case("library", "transpose", inputs={"x": x}, outputs={"y": name}, dtype=name, in_place=in_place)
    assert run.ok, run.text
    np.testing.assert_array_equal(run.outputs["y"].reshape(16, 16), x.reshape(16, 16).T)


def test_transpose_of_32_bits_does_not_exist(run_case) -> None:
    assert run_case("library", "transpose", inputs={"x": np.ones(256, "f4")}, dtype="float32").failure["fault"] == "dtype"


@pytest.mark.parametrize("addresses", [0, 1])
@pytest.mark.parametrize("repeat", [1, 3])
def test_trans_data_to_5hd(run_case, repeat: int, addresses: int) -> None:
    x = np.arange(16 * 16 * repeat).astype(np.float16).reshape(16, 16 * repeat)
    run = run_case("library", "lists", inputs={"x": x}, outputs={"y": "f2"}, repeat=repeat, addresses=addresses)
    assert run.ok, run.text
    np.testing.assert_array_equal(run.outputs["y"].reshape(16 * repeat, 16), x.T)


@pytest.mark.parametrize("name", ["float32", "int32"])
@pytest.mark.parametrize("repeat", [1, 5])
def test_trans_data_to_5hd_of_32_bits(run_case, repeat: int, name: str) -> None:
    x = np.arange(16 * 8 * repeat).astype(name).reshape(16, 8 * repeat)
    run = run_case("library", "wide_lists", inputs={"x": x}, outputs={"y": name}, repeat=repeat, dtype=name)
    assert run.ok, run.text
    np.testing.assert_array_equal(run.outputs["y"].reshape(8 * repeat, 16), x.T)


@pytest.mark.parametrize(("dst_stride", "fault"), [(17, "extent"), (70000, "argument")])
def test_trans_data_to_5hd_beyond_its_tensor_or_its_field(run_case, dst_stride: int, fault: str) -> None:
    x = np.zeros((16, 16), np.float32)
    run = run_case("library", "wide_lists", inputs={"x": x}, repeat=2, dtype="float32", dst_stride=dst_stride)
    assert run.failure["fault"] == fault


def test_trans_data_to_5hd_of_8_bits_is_not_modelled(run_case) -> None:
    run = run_case("library", "wide_lists", inputs={"x": np.zeros((16, 32), np.uint8)}, repeat=1, dtype="uint8")
    assert run.failure["fault"] == "dtype"


def test_strides_of_a_single_iteration(run_case) -> None:
    run = run_case("library", "lists", inputs={"x": np.ones(256, np.float16)}, repeat=1, stride=1)
    assert run.failure["fault"] == "argument"
    assert "added once" in run.text


@pytest.mark.parametrize(("stray", "fault"), [(1, "extent"), (2, "lifetime")])
def test_addresses_outside_the_buffers(run_case, stray: int, fault: str) -> None:
    run = run_case("library", "lists", inputs={"x": np.ones(256, np.float16)}, repeat=1, addresses=1, stray=stray)
    assert run.failure["fault"] == fault


MATH = {
    "Tanh": np.tanh, "Sigmoid": lambda x: 1 / (1 + np.exp(-x)), "Erf": np.vectorize(math.erf), "Sin": np.sin, "Cos": np.cos, "Log": np.log,
    "Log2": np.log2, "Log10": np.log10, "Floor": np.floor, "Ceil": np.ceil, "Round": np.rint, "Trunc": np.trunc, "Sign": np.sign,
    "Gelu": lambda x: x / (1 + np.exp(-1.59576912 * (x + 0.044715 * x**3))),
}  # fmt: skip


def _demanded(text: str) -> int:
    """Bytes of the temporary that a refused call asks for."""
    found = re.search(r"at least (\d+) B, got", text)
    return int(found.group(1)) if found else 0


@pytest.mark.parametrize("name", ["float32", "float16"])
@pytest.mark.parametrize("op", MATH)
def test_mathematics(run_case, op: str, name: str) -> None:
    need = LIBRARY_TMP_BYTES[op][DType(name)]
    low = 0.1 if op.startswith("Log") else -5
    x = np.concatenate([np.random.default_rng(14).uniform(low, 5, 90), [0.5, 1.5, 2.5]]).astype(name)
    n = len(x)
    run = run_case("library", "math", inputs={"x": x}, outputs={"y": name}, op=op, dtype=name, n=n, tmp=max(1, need))
    assert run.ok, run.text
    expected = MATH[op](x.astype(np.float64))
    step = 2.0**-10 if name == "float16" else 2.0**-21
    np.testing.assert_allclose(run.outputs["y"].astype(np.float64), expected, rtol=step, atol=step)
    assert run.calls("V") == {op: 1}
    if need:
        short = run_case("library", "math", inputs={"x": x}, op=op, dtype=name, n=n, tmp=need - 1)
        assert short.failure["fault"] == "extent"
        assert _demanded(short.text) == need


def test_the_cost_model_knows_the_temporary_of_every_function() -> None:
    assert set(MATH) == set(LIBRARY_TMP_BYTES)


@pytest.mark.parametrize(("change", "fault"), [({"alias": "dst"}, "overlap"), ({"alias": "tmp"}, "overlap"), ({"dtype": "int32"}, "dtype")])
def test_mathematics_refuses(run_case, change: dict[str, object], fault: str) -> None:
    params = {"op": "Tanh", "dtype": "float32", "n": 64, **change}
    run = run_case("library", "math", inputs={"x": np.ones(64, str(params["dtype"]))}, **params)
    assert run.failure["fault"] == fault


def test_mathematics_without_a_temporary_uses_free_ub(run_case) -> None:
    x = np.linspace(-1, 1, 64).astype(np.float32)
    enough = run_case("library", "math", inputs={"x": x}, outputs={"y": "f4"}, op="TanhNoTmp", dtype="float32", n=64, tmp=32, ub_bytes=800)
    assert enough.ok, enough.text
    np.testing.assert_allclose(enough.outputs["y"], np.tanh(x), rtol=1e-6)
    short = run_case("library", "math", inputs={"x": x}, op="TanhNoTmp", dtype="float32", n=64, tmp=32, ub_bytes=768)
    assert short.failure["fault"] == "capacity"


@pytest.mark.parametrize("form", ["tensors", "exponent", "base"])
@pytest.mark.parametrize("name", ["float32", "float16", "int32"])
def test_power(run_case, form: str, name: str) -> None:
    n, need = 40, POWER_TMP_BYTES[DType(name)][0 if form == "tensors" else 1]
    rng = np.random.default_rng(15)
    a = (rng.integers(-3, 4, n) if name == "int32" else rng.uniform(0.5, 2, n)).astype(name)
    b = (rng.integers(0, 4, n) if name == "int32" else rng.uniform(-2, 2, n)).astype(name)
    run = run_case("library", "power", inputs={"a": a, "b": b}, outputs={"y": name}, dtype=name, n=n, form=form, scalar=2, tmp=need)
    assert run.ok, run.text
    two = np.array(2, name)
    base, exponent = (two if form == "base" else a), (two if form == "exponent" else b)
    expected = base**exponent if name == "int32" else np.power(base.astype(np.float64), exponent.astype(np.float64))
    np.testing.assert_allclose(
        run.outputs["y"].astype(np.float64), np.broadcast_to(expected, n), rtol=2.0**-10 if name == "float16" else 1e-6
    )
    short = run_case("library", "power", inputs={"a": a, "b": b}, dtype=name, n=n, form=form, scalar=2, tmp=need - 1)
    assert short.failure["fault"] == "extent"
    assert _demanded(short.text) == need


def test_xor(run_case) -> None:
    a, b = (np.random.default_rng(seed).integers(-1000, 1000, 50).astype(np.int16) for seed in (16, 17))
    run = run_case("library", "bitwise_xor", inputs={"a": a, "b": b}, outputs={"y": "i2"}, n=50)
    assert run.ok, run.text
    np.testing.assert_array_equal(run.outputs["y"], a ^ b)
    assert run_case("library", "bitwise_xor", inputs={"a": a, "b": b}, n=50, tmp=255).failure["fault"] == "extent"
