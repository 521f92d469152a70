"""Instructions and library functions that make or move data: Duplicate, Copy, Brcb, Broadcast, index vectors."""

from __future__ import annotations

import numpy as np
import pytest

TYPES_16_32 = ("float32", "float16", "bfloat16", "int16", "uint16", "int32", "uint32")
OTHER_TYPES = ("int8", "uint8", "int64", "uint64")


@pytest.mark.parametrize("name", TYPES_16_32)
def test_duplicate(run_case, dtype_of, name: str) -> None:
    dtype, n = dtype_of(name), 100
    run = run_case("fill", "duplicate", inputs={"y0": np.zeros(n, dtype)}, outputs={"y": dtype}, dtype=name, n=n, count=77, scalar=3)
    assert run.ok, run.text
    np.testing.assert_array_equal(run.outputs["y"], np.where(np.arange(n) < 77, 3, 0).astype(dtype))


def test_duplicate_by_iterations(run_case) -> None:
    n = 512
    run = run_case(
        "fill",
        "duplicate",
        inputs={"y0": np.zeros(n, "f4")},
        outputs={"y": "f4"},
        dtype="float32",
        n=n,
        style="mask",
        mask=20,
        repeat=3,
        scalar=7,
    )
    assert run.ok, run.text
    expected = np.zeros(n, np.float32)
    for r in range(3):
        for lane in range(20):
            expected[r * 128 + lane // 8 * 16 + lane % 8] = 7
    np.testing.assert_array_equal(run.outputs["y"], expected)


@pytest.mark.parametrize("name", OTHER_TYPES)
def test_types_without_an_instruction(run_case, dtype_of, name: str) -> None:
    data = np.ones(256, dtype_of(name))
    for case, params in [
        ("duplicate", {"count": 4}),
        ("copy", {"form": "copy", "mask": 1, "repeat": 1}),
        ("brcb", {"out_blocks": 8, "repeat": 1}),
    ]:
        run = run_case("fill", case, inputs={"y0": data, "x": data}, dtype=name, n=256, scalar=1, **params)
        assert run.failure["fault"] == "dtype", case


@pytest.mark.parametrize("name", ["float32", "float16", "int16", "int32"])
@pytest.mark.parametrize("step", [None, 3])
def test_index_vectors(run_case, name: str, step: int | None) -> None:
    n = 60
    params = {} if step is None else {"step": step}
    run = run_case("fill", "index", outputs={"y": name}, dtype=name, n=n, first=5, **params)
    assert run.ok, run.text
    np.testing.assert_array_equal(run.outputs["y"], (5 + np.arange(n) * (step or 1)).astype(name))
    assert run.calls("V") == {"CreateVecIndex" if step is None else "ArithProgression": 1}


def test_index_vectors_write_their_first_block_through_the_scalar_pipe(run_case) -> None:
    run = run_case("fill", "index", dtype="int32", n=60, first=5, busy=1)
    assert run.failure["fault"] == "hazard"
    assert "V_S" in run.text
    assert run_case("fill", "index", dtype="uint8", n=60, first=5).failure["fault"] == "dtype"


def test_copy_with_wide_repeat_strides(run_case) -> None:
    n = 4096
    x = np.arange(n, dtype=np.int32)
    run = run_case(
        "fill", "copy", inputs={"x": x, "y0": np.zeros(n, "i4")}, outputs={"y": "i4"}, dtype="int32", n=n, form="copy", mask=48,
        repeat=2, dst_rep=300, src_rep=10,
    )  # fmt: skip
    assert run.ok, run.text
    expected = np.zeros(n, np.int32)
    expected[:48], expected[2400:2448] = x[:48], x[80:128]
    np.testing.assert_array_equal(run.outputs["y"], expected)
    short = x.astype(np.int16)
    narrow = run_case(
        "fill",
        "copy",
        inputs={"x": short, "y0": 0 * short},
        outputs={"y": "i2"},
        dtype="int16",
        n=n,
        form="copy",
        mask=100,
        repeat=1,
        dst_rep=8,
        src_rep=8,
    )
    np.testing.assert_array_equal(narrow.outputs["y"], np.where(np.arange(n) < 100, short, 0))
    too_far = run_case(
        "fill", "copy", inputs={"x": x, "y0": x}, dtype="int32", n=n, form="copy", mask=48, repeat=1, dst_rep=4096, src_rep=8
    )
    assert too_far.failure["fault"] == "argument"


def test_copies_inside_ub_run_on_the_vector_pipe(run_case) -> None:
    n = 256
    x = np.arange(n, dtype=np.uint8)
    inputs = {"x": x, "y0": np.zeros(n, "u1")}
    plain = run_case("fill", "copy", inputs=inputs, outputs={"y": "u1"}, dtype="uint8", n=n, count=96)
    np.testing.assert_array_equal(plain.outputs["y"], np.where(np.arange(n) < 96, x, 0))
    assert plain.calls("V") == {"DataCopy": 1}
    strided = run_case(
        "fill", "copy", inputs=inputs, outputs={"y": "u1"}, dtype="uint8", n=n, form="blocks", blocks=2, len=1, src_gap=3, dst_gap=1
    )
    expected = np.zeros(n, np.uint8)
    expected[:32], expected[64:96] = x[:32], x[128:160]
    np.testing.assert_array_equal(strided.outputs["y"], expected)


@pytest.mark.parametrize(("params", "fault"), [
    ({"count": 40}, "argument"),
    ({"form": "blocks", "blocks": 4096, "len": 1}, "argument"),
    ({"form": "blocks", "blocks": 1, "len": 65536}, "argument"),
    ({"form": "blocks", "blocks": 1, "len": 9}, "extent"),
    ({"form": "overlap", "count": 64}, "alignment"),
])  # fmt: skip
def test_copies_inside_ub_refuse(run_case, params: dict[str, object], fault: str) -> None:
    data = np.ones(256, np.uint8)
    assert run_case("fill", "copy", inputs={"x": data, "y0": data}, dtype="uint8", n=256, **params).failure["fault"] == fault


def test_overlapping_copy(run_case) -> None:
    data = np.ones(256, np.float32)
    run = run_case("fill", "copy", inputs={"x": data, "y0": data}, dtype="float32", n=256, form="overlap", count=64)
    assert run.failure["fault"] == "overlap"


@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16", "int32"])
def test_brcb(run_case, dtype_of, name: str) -> None:
    dtype = dtype_of(name)
    x = np.arange(16).astype(dtype)
    run = run_case("fill", "brcb", inputs={"x": x}, outputs={"y": dtype}, dtype=name, n=16, out_blocks=16, repeat=2)
    assert run.ok, run.text
    np.testing.assert_array_equal(run.outputs["y"].reshape(16, -1), np.repeat(x[:, None], 32 // dtype.itemsize, axis=1))


def test_brcb_refuses(run_case) -> None:
    x = np.arange(12, dtype=np.float32)
    assert run_case("fill", "brcb", inputs={"x": x}, dtype="float32", n=12, out_blocks=16, repeat=2).failure["fault"] == "extent"
    assert run_case("fill", "brcb", inputs={"x": x}, dtype="float32", n=12, out_blocks=16, repeat=1, blk=0).failure["fault"] == "argument"
    assert run_case("fill", "brcb", inputs={"x": x}, dtype="float32", n=12, out_blocks=16, repeat=256).failure["fault"] == "argument"


@pytest.mark.parametrize("name", ["float32", "float16", "int8", "uint8"])
@pytest.mark.parametrize(("m", "k"), [(8, 32), (5, 7), (13, 40)])
def test_broadcast_of_a_column(run_case, name: str, m: int, k: int) -> None:
    room = (m + 31) // 32 * 32
    x = (np.arange(room) % 50 + 1).astype(name)
    run = run_case(
        "fill", "broadcast", inputs={"x": x}, outputs={"y": name}, dtype=name, n=room, out=m * k, m=m, k=k, src_m=m, src_k=1, dim=2, axis=1
    )
    assert run.ok, run.text
    np.testing.assert_array_equal(run.outputs["y"].reshape(m, k), np.broadcast_to(x[:m, None], (m, k)))


@pytest.mark.parametrize("name", ["float32", "float16", "uint8"])
def test_broadcast_of_a_row_and_of_a_scalar(run_case, name: str) -> None:
    x = (np.arange(32) + 1).astype(name)
    row = run_case(
        "fill", "broadcast", inputs={"x": x}, outputs={"y": name}, dtype=name, n=32, out=96, m=3, k=32, src_m=1, src_k=32, dim=2, axis=0
    )
    assert row.ok, row.text
    np.testing.assert_array_equal(row.outputs["y"].reshape(3, 32), np.broadcast_to(x, (3, 32)))
    fill = run_case("fill", "broadcast", inputs={"x": x}, outputs={"y": name}, dtype=name, n=32, out=77, m=77, src_m=1, dim=1, tmp=32)
    assert fill.ok, fill.text
    np.testing.assert_array_equal(fill.outputs["y"], np.full(77, x[0]))


COLUMN = {"dtype": "float32", "n": 8, "out": 40, "m": 8, "k": 5, "src_m": 8, "src_k": 1, "dim": 2, "axis": 1}


@pytest.mark.parametrize(("change", "fault", "part"), [
    ({"tmp": 480}, "extent", "512 B"),
    ({"m": 7, "out": 35, "src_m": 7, "room": 7}, "extent", "32 B"),
    ({"axis": 0, "src_m": 1, "src_k": 5}, "argument", "multiple of 32 B"),
    ({"src_m": 3}, "argument", "srcShape"),
    ({"dim": 1}, "argument", "axis of Broadcast"),
    ({"dtype": "int32"}, "dtype", "half, float"),
])  # fmt: skip
def test_broadcast_refuses(run_case, change: dict[str, object], fault: str, part: str) -> None:
    params = {**COLUMN, **change}
    x = np.ones(int(params["n"]), str(params["dtype"]))
    run = run_case("fill", "broadcast", inputs={"x": x}, **params)
    assert run.failure["fault"] == fault
    assert part in run.text


def test_broadcast_to_the_same_shape_copies(run_case) -> None:
    x = np.arange(40, dtype=np.float32)
    run = run_case("fill", "broadcast", inputs={"x": x}, outputs={"y": "f4"}, **{**COLUMN, "n": 40, "src_k": 5, "tmp": 1})
    assert run.ok, run.text
    np.testing.assert_array_equal(run.outputs["y"], x)


def test_broadcast_without_a_temporary_needs_free_ub(run_case) -> None:
    x = np.arange(8, dtype=np.float32)
    enough = run_case("fill", "broadcast", inputs={"x": x}, outputs={"y": "f4"}, no_tmp=1, ub_bytes=1312, tmp=512, **COLUMN)
    assert enough.ok, enough.text
    np.testing.assert_array_equal(enough.outputs["y"].reshape(8, 5), np.broadcast_to(x[:, None], (8, 5)))
    short = run_case("fill", "broadcast", inputs={"x": x}, no_tmp=1, ub_bytes=1280, tmp=512, **COLUMN)
    assert short.failure["fault"] == "capacity"
