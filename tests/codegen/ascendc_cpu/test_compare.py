"""Compare packs bits, Select spends them; both refuse what arch 2201 cannot do."""

from __future__ import annotations

import numpy as np
import pytest

MODES = [np.less, np.greater, np.equal, np.less_equal, np.greater_equal, np.not_equal]
CMPMASK, SCALAR, TENSOR = range(3)


def operands(name: str, n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    a, b = (rng.integers(-3, 3, n).astype(name) for _ in range(2))
    if a.dtype.kind == "f":
        a[5] = np.nan
    return a, b


@pytest.mark.parametrize("name", ["float32", "float16"])
@pytest.mark.parametrize("mode", range(6))
@pytest.mark.parametrize("form", ["tensor", "scalar"])
def test_compare(run_case, name: str, mode: int, form: str) -> None:
    n = 256
    a, b = operands(name, n)
    run = run_case("compare", "compare", inputs={"a": a, "b": b}, outputs={"m": "u1"}, dtype=name, n=n, mode=mode, form=form, scalar=1)
    assert run.ok, run.text
    right = b if form == "tensor" else np.array(1, a.dtype)
    np.testing.assert_array_equal(run.outputs["m"], np.packbits(MODES[mode](a, right), bitorder="little"))


def test_compare_int32_knows_equality_only(run_case) -> None:
    a, b = operands("int32", 64)
    equal = run_case("compare", "compare", inputs={"a": a, "b": b}, outputs={"m": "u1"}, dtype="int32", n=64, mode=2, form="tensor")
    np.testing.assert_array_equal(equal.outputs["m"], np.packbits(a == b, bitorder="little"))
    less = run_case("compare", "compare", inputs={"a": a, "b": b}, dtype="int32", n=64, mode=0, form="tensor")
    assert less.failure["fault"] == "dtype"


def test_compare_by_iterations_ignores_the_mask_and_packs_results(run_case) -> None:
    n = 384
    a, b = operands("float32", n)
    run = run_case(
        "compare", "compare", inputs={"a": a, "b": b}, outputs={"m": "u1"}, dtype="float32", n=n, mode=0, form="repeat", mask_bytes=24
    )
    assert run.ok, run.text
    rows = [a[r * 128 : r * 128 + 64] < b[:64] for r in range(3)]
    np.testing.assert_array_equal(run.outputs["m"], np.packbits(np.concatenate(rows), bitorder="little"))
    too_many = run_case("compare", "compare", inputs={"a": a, "b": b}, dtype="float32", n=n, mode=0, form="repeat", repeat=256)
    assert too_many.failure["fault"] == "argument"


@pytest.mark.parametrize(("name", "count"), [("float32", 96), ("float16", 64)])
def test_compare_needs_whole_iterations(run_case, name: str, count: int) -> None:
    a, b = operands(name, 128)
    run = run_case("compare", "compare", inputs={"a": a, "b": b}, dtype=name, n=128, mode=0, form="tensor", count=count)
    assert run.failure["fault"] == "argument"
    assert "256 B" in run.text


@pytest.mark.parametrize("name", ["int16", "uint8", "bfloat16", "int64"])
def test_compare_types(run_case, dtype_of, name: str) -> None:
    a = np.ones(256, dtype_of(name))
    assert run_case("compare", "compare", inputs={"a": a, "b": a}, dtype=name, n=256, mode=2, form="tensor").failure["fault"] == "dtype"


@pytest.mark.parametrize("name", ["float32", "float16"])
@pytest.mark.parametrize(("mode", "form"), [(CMPMASK, "tensor"), (SCALAR, "scalar"), (TENSOR, "tensor")])
@pytest.mark.parametrize("n", [300, 17])
def test_select(run_case, name: str, mode: int, form: str, n: int) -> None:
    rng = np.random.default_rng(8)
    a, b = (rng.uniform(-1, 1, n).astype(name) for _ in range(2))
    lanes = 256 // a.dtype.itemsize
    bits = rng.integers(0, 2, max(n, lanes)).astype(bool)
    inputs = {"a": a, "b": b, "m": np.packbits(bits, bitorder="little")}
    run = run_case(
        "compare", "select", inputs=inputs, outputs={"y": name}, dtype=name, n=n, bits=len(bits), mode=mode, form=form, scalar=0.5
    )
    assert run.ok, run.text
    taken = bits[np.arange(n) % lanes] if mode == CMPMASK else bits[:n]
    np.testing.assert_array_equal(run.outputs["y"], np.where(taken, a, b if form == "tensor" else np.array(0.5, name)))


def test_select_by_iterations(run_case) -> None:
    n = 128
    a, b = np.arange(n, dtype=np.float32), -np.arange(n, dtype=np.float32) - 1
    bits = np.arange(n) % 3 == 0
    inputs = {"a": a, "b": b, "m": np.packbits(bits, bitorder="little")}
    run = run_case("compare", "select", inputs=inputs, outputs={"y": "f4"}, dtype="float32", n=n, mode=TENSOR, form="repeat")
    assert run.ok, run.text
    np.testing.assert_array_equal(run.outputs["y"], np.where((np.arange(n) % 64 < 10) & ~bits, b, a))


def test_select_refuses(run_case) -> None:
    def select(**params: object):
        name = str(params.pop("dtype", "float32"))
        data = np.ones(64, name)
        inputs = {"a": data, "b": data, "m": np.ones(8, np.uint8)}
        return run_case("compare", "select", inputs=inputs, n=64, **{"dtype": name, "mode": TENSOR, "form": "tensor", **params}).failure

    assert select(dtype="int32")["fault"] == "dtype"
    assert select(form="scalar")["fault"] == "argument"
    assert select(mode=SCALAR)["fault"] == "argument"
    scratch = select(fill_ub=187904)
    assert scratch["fault"] == "capacity"
    assert "188416" in scratch["text"]


def test_taint_of_single_mask_bits(run_case) -> None:
    x = np.linspace(-1, 1, 40).astype(np.float32)
    good = run_case("compare", "tainted_mask", inputs={"a": x}, outputs={"y": "f4"}, count=40)
    assert good.ok, good.text
    np.testing.assert_array_equal(good.outputs["y"], np.where(x > 0, x, 0))
    bad = run_case("compare", "tainted_mask", inputs={"a": x}, count=41)
    assert bad.failure["fault"] == "taint"
    assert "mask" in bad.text
