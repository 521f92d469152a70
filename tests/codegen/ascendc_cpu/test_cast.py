"""Cast: all conversions of arch 2201 in all rounding modes against numpy, and the conversions and modes it refuses."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

NONE, RINT, FLOOR, CEIL, ROUND, TRUNC, ODD = range(7)
ROUNDING = (RINT, FLOOR, CEIL, ROUND, TRUNC)

# ascendc_api_facts §6.2
MODES: dict[tuple[str, str], tuple[int, ...]] = {
    **dict.fromkeys(
        [("float16", "float32"), ("bfloat16", "float32"), ("int16", "float32"), ("int8", "float16"), ("uint8", "float16"),
         ("int32", "int16"), ("int32", "int64"), ("int64", "int32")], (NONE,)
    ),
    **dict.fromkeys([("int16", "float16"), ("float16", "int8"), ("float16", "uint8"), ("int32", "float32")], (NONE, *ROUNDING)),
    **dict.fromkeys(
        [("float16", "int16"), ("float16", "int32"), ("bfloat16", "int32"), ("float32", "int16"), ("float32", "int32"),
         ("float32", "int64"), ("float32", "bfloat16"), ("float32", "float32"), ("int64", "float32")], ROUNDING
    ),
    ("float32", "float16"): (NONE, *ROUNDING, ODD),
}  # fmt: skip

SPECIAL = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.7, -3.7, 100.25, -127.5, 127.5, 255.5, 300.0, -300.0, 32767.5, 40000.0, -40000.0,
           65519.0, 65520.0, 1e-8, -1e-8, 6.1e-5, 2.0**-24, 3e9, -3e9, 1e19, np.inf, -np.inf, np.nan]  # fmt: skip
INTEGERS = [0, 1, -1, 127, -128, 255, 2047, 2049, 2051, -2049, 32767, -32768, 40000, 2**24 + 1, 2**24 + 3, -(2**24) - 1, 2**31 - 1,
            -(2**31), 2**53 + 1, 2**62 + 12345, 2**63 - 1, -(2**63)]  # fmt: skip


def cpp_name(name: str) -> str:
    return {"float32": "float", "float16": "half"}.get(name, f"{name}_t")


def sample(dtype: np.dtype) -> np.ndarray:
    rng = np.random.default_rng(0)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        fixed = [value for value in INTEGERS if info.min <= value <= info.max]
        return np.concatenate([np.array(fixed, dtype), rng.integers(info.min, info.max, 60, dtype=dtype, endpoint=True)])
    with np.errstate(over="ignore"):
        return np.concatenate(
            [np.array(SPECIAL).astype(dtype), rng.uniform(-70000, 70000, 60).astype(dtype), rng.normal(0, 1, 60).astype(dtype)]
        )


def integral(x: np.ndarray, mode: int) -> np.ndarray:
    if mode == ROUND:
        return np.sign(x) * np.floor(np.abs(x) + 0.5)
    if mode == ODD:
        cut = np.trunc(x)
        return np.where((cut != x) & (np.mod(cut, 2) == 0), cut + np.copysign(1, x), cut)
    return {NONE: np.rint, RINT: np.rint, FLOOR: np.floor, CEIL: np.ceil, TRUNC: np.trunc}[mode](x)


def to_format(x: np.ndarray, mode: int, digits: int, lowest: int, largest: float) -> np.ndarray:
    """Rounds to a binary format with a significand of `digits` bits, in extended precision."""
    out = np.array(x, np.longdouble)
    finite = np.isfinite(out) & (out != 0)
    exponent = np.maximum(np.frexp(out[finite])[1] - 1, lowest) - (digits - 1)
    scaled = np.ldexp(out[finite], -exponent)
    rounded = np.ldexp(integral(scaled, mode), exponent)
    out[finite] = np.where(np.abs(rounded) > largest, np.copysign(np.inf, rounded), rounded)
    return out


def expected(x: np.ndarray, to: np.dtype, mode: int) -> np.ndarray:
    if to.kind in "iu":
        info = np.iinfo(to)
        value = integral(x.astype(np.longdouble), mode) if x.dtype.kind not in "iu" else x.astype(np.longdouble)
        clipped = np.clip(np.where(np.isnan(value), 0, value), np.longdouble(info.min), np.longdouble(info.max))
        return np.array([int(v) for v in clipped], to)
    if x.dtype == to == np.float32:
        return integral(x, mode)
    formats = {"float16": (11, -14, 65504.0), "bfloat16": (8, -126, 3.3895313892515355e38), "float32": (24, -126, 3.4028234663852886e38)}
    return to_format(x, mode, *formats[to.name]).astype(np.float32).astype(to)


@pytest.mark.parametrize(("pair", "mode"), [(pair, mode) for pair, modes in MODES.items() for mode in modes])
def test_conversion(run_case, dtype_of, pair: tuple[str, str], mode: int) -> None:
    source, target = map(dtype_of, pair)
    x = sample(source)
    run = run_case(
        "cast",
        "cast",
        inputs={"x": x, "y0": np.zeros(len(x), target)},
        outputs={"y": target},
        n=len(x),
        mode=mode,
        **{"from": pair[0], "to": pair[1]},
    )
    assert run.ok, run.text
    with np.errstate(invalid="ignore", over="ignore"):
        want = expected(x, target, mode)
    np.testing.assert_array_equal(run.outputs["y"].astype(np.longdouble), want.astype(np.longdouble))


def test_float_to_half_is_correct_for_every_half_and_every_tie(run_case) -> None:
    every = np.arange(2**16, dtype=np.uint16).view(np.float16).astype(np.float32)
    finite = np.sort(every[np.isfinite(every)])
    x = np.concatenate([every, (finite[:-1] + finite[1:]) / 2])
    for start in range(0, len(x), 16384):
        part = x[start : start + 16384]
        run = run_case(
            "cast", "cast", inputs={"x": part, "y0": np.zeros(len(part), "f2")}, outputs={"y": "f2"}, n=len(part), mode=NONE,
            **{"from": "float32", "to": "float16"},
        )  # fmt: skip
        assert run.ok, run.text
        np.testing.assert_array_equal(run.outputs["y"], part.astype(np.float16))


def test_float_to_bfloat_matches_ml_dtypes(run_case) -> None:
    x = np.random.default_rng(1).integers(0, 2**32, 10000, dtype=np.uint32).view(np.float32)
    run = run_case(
        "cast", "cast", inputs={"x": x, "y0": np.zeros(len(x), "u2")}, outputs={"y": ml_dtypes.bfloat16}, n=len(x), mode=RINT,
        **{"from": "float32", "to": "bfloat16"},
    )  # fmt: skip
    assert run.ok, run.text
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(run.outputs["y"].astype(np.float32), x.astype(ml_dtypes.bfloat16).astype(np.float32))


def test_mask_style_counts_lanes_of_the_wider_type(run_case) -> None:
    """Contiguous half to float needs a source repeat stride of 4 blocks."""
    n = 256
    x = np.arange(n, dtype=np.float16)
    run = run_case(
        "cast", "cast", inputs={"x": x, "y0": np.zeros(n, "f4")}, outputs={"y": "f4"}, n=n, mode=NONE, style="mask", mask=50,
        repeat=4, dst_rep=8, src_rep=4, **{"from": "float16", "to": "float32"},
    )  # fmt: skip
    assert run.ok, run.text
    np.testing.assert_array_equal(run.outputs["y"], np.where(np.arange(n) % 64 < 50, x, 0))


def test_64_bit_types_have_32_lanes(run_case) -> None:
    x = np.arange(64, dtype=np.int32)
    run = run_case(
        "cast", "cast", inputs={"x": x, "y0": np.zeros(64, "i8")}, outputs={"y": "i8"}, n=64, mode=NONE, style="bits",
        low=0x700000005, repeat=2, dst_rep=8, src_rep=4, **{"from": "int32", "to": "int64"},
    )  # fmt: skip
    assert run.ok, run.text
    np.testing.assert_array_equal(run.outputs["y"], np.where(np.isin(np.arange(64) % 32, [0, 2]), x, 0))


def test_integer_to_half_needs_a_scale(run_case) -> None:
    x = np.array([100, -7], np.int32)
    inputs = {"x": x, "y0": np.zeros(2, "f2")}
    types = {"from": "int32", "to": "float16"}
    scaled = run_case("cast", "cast", inputs=inputs, outputs={"y": "f2"}, n=2, mode=RINT, scale=0.5, **types)
    np.testing.assert_array_equal(scaled.outputs["y"], [50, -3.5])
    assert "SetDeqScale" in run_case("cast", "cast", inputs=inputs, n=2, mode=RINT, **types).text


def test_in_place(run_case) -> None:
    x = np.linspace(-3, 3, 128).astype(np.float32)
    narrowed = run_case("cast", "in_place", inputs={"x": x}, outputs={"y": "f2"}, n=128)
    assert narrowed.ok, narrowed.text
    np.testing.assert_array_equal(narrowed.outputs["y"][:128], x.astype(np.float16))
    widened = run_case("cast", "in_place", inputs={"x": x}, n=128, widen=1)
    assert widened.failure["fault"] == "overlap"


@pytest.mark.parametrize("pair", [
    ("float32", "int8"), ("float32", "uint8"), ("uint8", "float32"), ("float16", "bfloat16"), ("bfloat16", "float16"), ("int8", "int16"),
    ("int16", "int32"), ("uint32", "float32"), ("float32", "uint32"), ("int64", "float16"), ("uint16", "float16"), ("float16", "float16"),
])  # fmt: skip
def test_conversions_that_the_chip_lacks(run_case, dtype_of, pair: tuple[str, str]) -> None:
    inputs = {"x": np.ones(32, dtype_of(pair[0])), "y0": np.ones(32, dtype_of(pair[1]))}
    run = run_case("cast", "cast", inputs=inputs, n=32, mode=NONE, **{"from": pair[0], "to": pair[1]})
    assert run.failure["fault"] == "dtype"
    assert f"{cpp_name(pair[0])} to {cpp_name(pair[1])}" in run.text


@pytest.mark.parametrize("pair", MODES)
def test_modes_that_a_conversion_lacks(run_case, dtype_of, pair: tuple[str, str]) -> None:
    inputs = {"x": np.ones(32, dtype_of(pair[0])), "y0": np.ones(32, dtype_of(pair[1]))}
    for mode in set(range(7)) - set(MODES[pair]):
        run = run_case("cast", "cast", inputs=inputs, n=32, mode=mode, **{"from": pair[0], "to": pair[1]})
        assert run.failure["fault"] == "argument"
        assert "rounding mode" in run.text
