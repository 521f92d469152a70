"""DataCopy and DataCopyPad: units, padding, limits, and the bounds of GM."""

from __future__ import annotations

import numpy as np
import pytest


def test_rows_with_gaps_and_padding(run_case) -> None:
    """Three rows of 5 floats from rows of 7; each padded to 32 B with -1, then one block of gap."""
    x = np.arange(21, dtype=np.float32)
    room = 40
    run = run_case(
        "dma", "load", inputs={"x": x}, outputs={"y": "f4"}, dtype="float32", room=room, blocks=3, len=20, src_gap=8, dst_gap=1,
        is_pad=1, right=3, value=-1, take=8,
    )  # fmt: skip
    assert run.ok, run.text
    np.testing.assert_array_equal(run.outputs["y"][:8], [0, 1, 2, 3, 4, -1, -1, -1])
    third = run_case(
        "dma", "load", inputs={"x": x}, outputs={"y": "f4"}, dtype="float32", room=room, blocks=3, len=20, src_gap=8, dst_gap=1,
        is_pad=1, right=3, value=-1, take=8, **{"from": 32},
    )  # fmt: skip
    np.testing.assert_array_equal(third.outputs["y"][:8], [14, 15, 16, 17, 18, -1, -1, -1])
    assert run.report["total"]["load"] == {"instructions": 1, "bytes": 60}
    assert run.report["total"]["store"] == {"instructions": 1, "bytes": 32}
    assert run.calls("MTE2") == {"DataCopyPad": 1}


@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16", "int8", "int64", "uint16"])
def test_left_and_right_padding(run_case, dtype_of, name: str) -> None:
    dtype = dtype_of(name)
    per_block = 32 // dtype.itemsize
    wide = dtype.itemsize == 8
    x = np.arange(1, 4).astype(dtype)
    run = run_case(
        "dma", "load", inputs={"x": x}, outputs={"y": dtype}, dtype=name, room=2 * per_block, len=3 * dtype.itemsize, is_pad=1, left=1,
        right=1, value=0 if wide else 9, take=2 * per_block if wide else per_block,
    )  # fmt: skip
    assert run.ok, run.text
    expected = np.full(2 * per_block if wide else per_block, 0 if wide else 9, dtype)
    expected[1:4] = x
    np.testing.assert_array_equal(run.outputs["y"][: len(expected)], expected)


def test_fill_without_padding_is_the_first_element_and_counts_as_undefined(run_case) -> None:
    x = np.arange(3, 8, dtype=np.float32)
    good = run_case("dma", "load", inputs={"x": x}, outputs={"y": "f4"}, dtype="float32", room=8, len=20, take=5)
    np.testing.assert_array_equal(good.outputs["y"][:5], x)
    bad = run_case("dma", "load", inputs={"x": x}, dtype="float32", room=8, len=20, take=6)
    assert bad.failure["fault"] == "taint"
    undefined = run_case("dma", "load", inputs={"x": x}, dtype="float32", room=8, len=20, right=3, take=8)
    assert undefined.failure["fault"] == "taint"
    preset = run_case("dma", "load", inputs={"x": x}, outputs={"y": "f4"}, dtype="float32", room=8, len=20, right=3, pad_value=4, take=8)
    np.testing.assert_array_equal(preset.outputs["y"], [3, 4, 5, 6, 7, 4, 4, 4])


LOAD = {"dtype": "float32", "room": 16, "len": 32, "take": 8}


@pytest.mark.parametrize(("change", "fault", "part"), [
    ({"blocks": 4096}, "argument", "blockCount"),
    ({"len": 2097152}, "argument", "blockLen"),
    ({"len": 30}, "argument", "multiple of 4 B"),
    ({"src_gap": -4}, "argument", "gap in GM"),
    ({"src_gap": 2**32}, "argument", "gap in GM"),
    ({"dst_gap": -1}, "argument", "gap in UB"),
    ({"left": 9, "is_pad": 1}, "argument", "leftPadding"),
    ({"right": 9, "is_pad": 1}, "argument", "rightPadding"),
    ({"ub_offset": 1}, "alignment", "multiple of 32 B"),
    ({"ub_offset": 17}, "extent", "offset into the tensor"),
    ({"blocks": 2, "dst_gap": 1}, "extent", "96 B"),
    ({"len": 68, "room": 8}, "extent", "96 B"),
    ({"gm_offset": 13}, "gm_bounds", "bytes 52 to 84"),
    ({"gm_offset": -1}, "gm_bounds", "bytes -4 to 28"),
    ({"declared": 7}, "gm_bounds", "SetGlobalBuffer"),
    ({"declared": 21}, "gm_bounds", "size given to SetGlobalBuffer"),
    ({"blocks": 2, "src_gap": 28}, "gm_bounds", "bytes 0 to 92"),
])  # fmt: skip
def test_load_refuses(run_case, change: dict[str, object], fault: str, part: str) -> None:
    run = run_case("dma", "load", inputs={"x": np.ones(20, np.float32)}, **{**LOAD, **change})
    assert run.failure["fault"] == fault
    assert part in run.text


def test_padding_of_64_bit_types_is_zero(run_case) -> None:
    run = run_case("dma", "load", inputs={"x": np.ones(8, np.int64)}, dtype="int64", room=8, len=24, is_pad=1, right=1, value=5)
    assert run.failure["fault"] == "argument"
    assert "64-bit" in run.text


def test_nothing_to_do_is_no_instruction(run_case) -> None:
    run = run_case("dma", "load", inputs={"x": np.ones(8, np.float32)}, dtype="float32", room=8, len=0, take=0)
    assert run.ok, run.text
    assert run.report["total"]["load"] == {"instructions": 0, "bytes": 0}


def test_store_with_gaps(run_case) -> None:
    """Rows of 5 halves, one block each plus one of gap, to rows of 7 in GM."""
    x = np.arange(96, dtype=np.float16)
    run = run_case("dma", "store", inputs={"x": x}, outputs={"y": "f2"}, n=96, out=21, blocks=3, len=10, src_gap=1, dst_gap=4)
    assert run.ok, run.text
    rows = run.outputs["y"].reshape(3, 7)
    np.testing.assert_array_equal(rows[:, :5], np.array([0, 32, 64])[:, None] + np.arange(5))
    assert run.report["total"]["store"] == {"instructions": 1, "bytes": 30}
    (buffer,) = [b for b in run.report["buffers"] if b["name"] == "y"]
    assert (buffer["written_bytes"], buffer["unwritten_bytes"]) == (30, 12)


@pytest.mark.parametrize(("change", "fault"), [
    ({"len": 11}, "argument"),
    ({"blocks": 4, "len": 10, "src_gap": 2}, "extent"),
    ({"blocks": 3, "len": 10, "dst_gap": 12}, "gm_bounds"),
    ({"len": 10, "to_input": 1}, "gm_bounds"),
])  # fmt: skip
def test_store_refuses(run_case, change: dict[str, object], fault: str) -> None:
    run = run_case("dma", "store", inputs={"x": np.ones(96, np.float16)}, **{"n": 96, "out": 21, "blocks": 1, **change})
    assert run.failure["fault"] == fault


def test_plain_copies(run_case) -> None:
    x = np.arange(64, dtype=np.float32)
    whole = run_case("dma", "plain", inputs={"x": x}, outputs={"y": "f4"}, n=64, count=64)
    np.testing.assert_array_equal(whole.outputs["y"], x)
    strided = run_case("dma", "plain", inputs={"x": x}, outputs={"y": "f4"}, n=64, form="blocks", blocks=2, len=2, gm_gap=1)
    assert strided.ok, strided.text
    np.testing.assert_array_equal(strided.outputs["y"][:16], x[:16])
    np.testing.assert_array_equal(strided.outputs["y"][24:40], x[24:40])
    for change in ({"count": 63}, {"form": "blocks", "blocks": 4096, "len": 1}, {"form": "blocks", "len": 1, "gm_gap": 65536}):
        assert run_case("dma", "plain", inputs={"x": x}, n=64, **change).failure["fault"] == "argument"


def test_scalar_access_to_gm(run_case) -> None:
    x = np.arange(8, dtype=np.int32) * 10
    good = run_case("dma", "scalar_gm", inputs={"x": x}, outputs={"y": "i4"}, index=3)
    assert good.ok, good.text
    assert good.outputs["y"][1] == 31
    assert run_case("dma", "scalar_gm", inputs={"x": x}, index=8).failure["fault"] == "gm_bounds"
    assert run_case("dma", "scalar_gm", inputs={"x": x}, index=3, clean=0).failure["fault"] == "leftover"
    assert run_case("dma", "scalar_gm", inputs={"x": x}, index=3, unwritten=1).failure["fault"] == "taint"


def test_tensors_without_a_buffer(run_case) -> None:
    assert run_case("dma", "no_address").failure["fault"] == "gm_bounds"
    assert run_case("dma", "no_address", stray=1).failure["fault"] == "gm_bounds"
