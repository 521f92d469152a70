"""Reductions against numpy: values, indices, summation order, strides, and temporary buffers."""

from __future__ import annotations

import numpy as np
import pytest

VALUE_INDEX, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX = range(4)


def sample(name: str, n: int, seed: int = 9) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-4, 4, n).astype(name)


def tree_sum(x: np.ndarray) -> np.ndarray:
    """Neighbours added pairwise, each level rounded to the type."""
    level = np.concatenate([x, np.zeros(2 ** int(np.ceil(np.log2(len(x)))) - len(x), x.dtype)])
    while len(level) > 1:
        level = (level[0::2].astype(np.float32) + level[1::2].astype(np.float32)).astype(x.dtype)
    return level[0]


@pytest.mark.parametrize("name", ["float32", "float16"])
def test_whole_sum(run_case, name: str) -> None:
    lanes = 256 // np.dtype(name).itemsize
    n = 8 * lanes
    x = sample(name, n)
    run = run_case(
        "reduce", "repeats", inputs={"x": x, "y0": np.zeros(16, name)}, outputs={"y": name}, op="WholeReduceSum", dtype=name, n=n, out=16,
        mask=lanes - 5, repeat=4, dst_rep=2, src_rep=16,
    )  # fmt: skip
    assert run.ok, run.text
    for r in range(4):
        assert run.outputs["y"][2 * r] == tree_sum(x[2 * r * lanes :][: lanes - 5])
        assert run.outputs["y"][2 * r + 1] == 0
    assert run.calls("V") == {"WholeReduceSum": 1}


@pytest.mark.parametrize("name", ["float32", "float16"])
@pytest.mark.parametrize("op", ["WholeReduceMax", "WholeReduceMin"])
@pytest.mark.parametrize("order", [VALUE_INDEX, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX])
def test_whole_extreme(run_case, name: str, op: str, order: int) -> None:
    dtype = np.dtype(name)
    lanes, bits = 256 // dtype.itemsize, np.dtype(f"u{dtype.itemsize}")
    x = np.round(sample(name, 3 * lanes))
    run = run_case(
        "reduce", "repeats", inputs={"x": x, "y0": np.zeros(16, name)}, outputs={"y": name}, op=op, dtype=name, n=3 * lanes, out=16,
        mask=lanes, repeat=3, order=order,
    )  # fmt: skip
    assert run.ok, run.text
    rows = x.reshape(3, lanes)
    value = rows.max(axis=1) if op.endswith("Max") else rows.min(axis=1)
    index = rows.argmax(axis=1) if op.endswith("Max") else rows.argmin(axis=1)
    got = run.outputs["y"]
    if order == ONLY_VALUE:
        np.testing.assert_array_equal(got[:3], value)
    elif order == ONLY_INDEX:
        np.testing.assert_array_equal(got.view(np.uint32)[:3], index)
    else:
        pairs = got[:6].reshape(3, 2)
        np.testing.assert_array_equal(pairs[:, order], value)
        np.testing.assert_array_equal(np.ascontiguousarray(pairs[:, 1 - order]).view(bits), index)


@pytest.mark.parametrize("name", ["float32", "float16"])
@pytest.mark.parametrize(("op", "function"), [("BlockReduceSum", tree_sum), ("BlockReduceMax", np.max), ("BlockReduceMin", np.min)])
def test_block(run_case, name: str, op: str, function) -> None:
    dtype = np.dtype(name)
    lanes, per_block = 256 // dtype.itemsize, 32 // dtype.itemsize
    x = sample(name, 2 * lanes)
    active = 3 * per_block + 2
    run = run_case(
        "reduce",
        "repeats",
        inputs={"x": x, "y0": np.full(32, 77, name)},
        outputs={"y": name},
        op=op,
        dtype=name,
        n=2 * lanes,
        out=32,
        mask=active,
        repeat=2,
    )
    assert run.ok, run.text
    for r in range(2):
        row = x[r * lanes : r * lanes + active]
        expected = [function(row[b * per_block : (b + 1) * per_block]) for b in range(4)]
        np.testing.assert_array_equal(run.outputs["y"][8 * r : 8 * r + 8], np.array([*expected, *[77] * 4], name))


def test_block_with_bits_and_pairs(run_case) -> None:
    x = sample("float32", 64)
    run = run_case(
        "reduce", "repeats", inputs={"x": x, "y0": np.full(8, 77, "f4")}, outputs={"y": "f4"}, op="BlockReduceSumBits",
        dtype="float32", n=64, out=8, low=0xFF00FF,
    )  # fmt: skip
    np.testing.assert_array_equal(run.outputs["y"], [tree_sum(x[:8]), 77, tree_sum(x[16:24]), *[77] * 5])
    pairs = run_case(
        "reduce",
        "repeats",
        inputs={"x": x, "y0": np.full(32, 77, "f4")},
        outputs={"y": "f4"},
        op="PairReduceSum",
        dtype="float32",
        n=64,
        out=32,
        mask=41,
    )
    assert pairs.ok, pairs.text
    expected = np.full(32, 77, np.float32)
    expected[:20], expected[20] = x[0:40:2] + x[1:40:2], x[40]
    np.testing.assert_array_equal(pairs.outputs["y"], expected)


WHOLE = {"op": "WholeReduceSum", "dtype": "float32", "n": 128, "out": 16, "mask": 64}


@pytest.mark.parametrize(("change", "fault", "part"), [
    ({"repeat": 256}, "argument", "repeatTime"),
    ({"repeat": 300, "src_rep": 0}, "argument", "300"),
    ({"mask": 65}, "argument", "mask"),
    ({"repeat": 3}, "extent", "src"),
    ({"repeat": 2, "dst_rep": 16}, "extent", "dst"),
    ({"repeat": 2, "dst_rep": 0}, "argument", "dstRepStride"),
    ({"dst_rep": 65536}, "argument", "dstRepStride"),
    ({"in_place": 1}, "overlap", "dst and src"),
    ({"op": "BlockReduceSum", "dst_offset": 1}, "alignment", "32 B"),
    ({"op": "WholeReduceMax", "dst_offset": 1}, "alignment", "8 B"),
    ({"dtype": "int32"}, "dtype", "half, float"),
])  # fmt: skip
def test_repeat_reductions_refuse(run_case, change: dict[str, object], fault: str, part: str) -> None:
    params = {**WHOLE, **change}
    inputs = {"x": np.ones(128, str(params["dtype"])), "y0": np.zeros(16, str(params["dtype"]))}
    run = run_case("reduce", "repeats", inputs=inputs, **params)
    assert run.failure["fault"] == fault
    assert part in run.text


@pytest.mark.parametrize("name", ["float32", "float16"])
@pytest.mark.parametrize("count", [1, 63, 200, 1000])
def test_first_elements(run_case, name: str, count: int) -> None:
    lanes = 256 // np.dtype(name).itemsize
    n = 1024
    x = np.round(sample(name, n), 1)
    total = run_case("reduce", "first", inputs={"x": x}, outputs={"y": name}, op="ReduceSum", dtype=name, n=n, count=count)
    assert total.ok, total.text
    expected = None
    for start in range(0, count, lanes):
        part = np.float32(tree_sum(x[start : min(start + lanes, count)]))
        expected = part if expected is None else np.float32(np.array(np.float32(expected) + part).astype(name))
    assert total.outputs["y"][0] == np.array(expected).astype(name)
    for op, value, index in [("ReduceMax", x[:count].max(), x[:count].argmax()), ("ReduceMin", x[:count].min(), x[:count].argmin())]:
        run = run_case("reduce", "first", inputs={"x": x}, outputs={"y": name}, op=op, dtype=name, n=n, count=count, index=1)
        assert run.ok, run.text
        assert run.outputs["y"][0] == value
        assert run.outputs["y"].view(f"u{np.dtype(name).itemsize}")[1] == index


def test_first_elements_by_iterations(run_case) -> None:
    x = sample("float32", 512)
    rows = np.stack([x[r * 128 : r * 128 + 50] for r in range(4)])
    for op, expected in [("ReduceMax", rows.max()), ("ReduceMin", rows.min())]:
        run = run_case(
            "reduce", "first", inputs={"x": x}, outputs={"y": "f4"}, op=op, dtype="float32", n=512, mask=50, repeat=4, src_rep=16
        )
        assert run.ok, run.text
        assert run.outputs["y"][0] == expected
    run = run_case(
        "reduce", "first", inputs={"x": x}, outputs={"y": "f4"}, op="ReduceSum", dtype="float32", n=512, mask=50, repeat=4, src_rep=16
    )
    np.testing.assert_allclose(run.outputs["y"][0], rows.sum(), rtol=1e-5)


# Temporary elements of ReduceMax and ReduceMin on arch 2201 (ascendc_api_facts §7.2), computed by hand.
@pytest.mark.parametrize(("name", "count", "index", "elements"), [
    ("float32", 64, 0, 8), ("float32", 1000, 0, 32), ("float32", 1000, 1, 40), ("float32", 8192, 1, 256 + 8 + 8),
    ("float16", 1000, 0, 16), ("float16", 1000, 1, 32),
])  # fmt: skip
def test_temporaries(run_case, name: str, count: int, index: int, elements: int) -> None:
    x = sample(name, count)
    params = {"op": "ReduceMax", "dtype": name, "n": count, "count": count, "index": index}
    assert run_case("reduce", "first", inputs={"x": x}, outputs={"y": name}, tmp=elements, **params).ok
    short = run_case("reduce", "first", inputs={"x": x}, tmp=elements - 1, **params)
    assert short.failure["fault"] == "extent"
    assert "sharedTmpBuffer" in short.text


def test_the_temporary_may_be_the_source_which_is_spent_then(run_case) -> None:
    x = sample("float32", 256)
    params = {"op": "ReduceMax", "dtype": "float32", "n": 256, "count": 256, "tmp_is_source": 1}
    good = run_case("reduce", "first", inputs={"x": x}, outputs={"y": "f4"}, **params)
    assert good.ok, good.text
    assert good.outputs["y"][0] == x.max()
    spent = run_case("reduce", "first", inputs={"x": x}, reuse_source=1, **params)
    assert spent.failure["fault"] == "taint"


def test_first_elements_refuse(run_case) -> None:
    x = np.ones(64, np.float32)
    base = {"dtype": "float32", "n": 64}
    assert run_case("reduce", "first", inputs={"x": x}, op="ReduceMax", count=0, **base).failure["fault"] == "argument"
    assert run_case("reduce", "first", inputs={"x": x}, op="ReduceSum", count=65, **base).failure["fault"] == "extent"
    assert (
        run_case("reduce", "first", inputs={"x": x}, op="ReduceSum", mask=64, repeat=300, src_rep=0, **base).failure["fault"] == "argument"
    )
    whole = np.ones(64, np.int32)
    assert run_case("reduce", "first", inputs={"x": whole}, op="ReduceSum", count=64, dtype="int32", n=64).failure["fault"] == "dtype"


MATRIX = {"Sum": np.sum, "Max": np.max, "Min": np.min, "Prod": np.prod, "Mean": np.mean}


@pytest.mark.parametrize("pattern", ["AR", "RA"])
@pytest.mark.parametrize(("op", "name"), [*((op, "float32") for op in MATRIX), ("Max", "float16"), ("Min", "float16")])
@pytest.mark.parametrize(("first", "last"), [(1, 1), (5, 7), (8, 64), (3, 200)])
def test_matrix(run_case, pattern: str, op: str, name: str, first: int, last: int) -> None:
    x = np.random.default_rng(10).uniform(0.9, 1.1, (first, last)).astype(name)
    run = run_case("reduce", "matrix", inputs={"x": x}, outputs={"y": name}, pattern=pattern, op=op, dtype=name, first=first, last=last)
    assert run.ok, run.text
    expected = MATRIX[op](x.astype(np.float64), axis=1 if pattern == "AR" else 0)
    np.testing.assert_allclose(run.outputs["y"].astype(np.float64), expected, rtol=3e-5)
    assert run.calls("V") == {f"Reduce{op}": 1}


@pytest.mark.parametrize("pattern", ["AR", "RA"])
@pytest.mark.parametrize("name", ["float32", "uint8"])
@pytest.mark.parametrize(("op", "function"), [("Any", np.any), ("All", np.all)])
def test_logic(run_case, pattern: str, name: str, op: str, function) -> None:
    x = np.random.default_rng(11).integers(0, 2, (4, 3)).astype(name)
    run = run_case("reduce", "matrix", inputs={"x": x}, outputs={"y": name}, pattern=pattern, op=op, dtype=name, first=4, last=3)
    assert run.ok, run.text
    np.testing.assert_array_equal(run.outputs["y"], function(x, axis=1 if pattern == "AR" else 0).astype(name))
    odd = run_case("reduce", "matrix", inputs={"x": x + 2}, pattern=pattern, op=op, dtype=name, first=4, last=3)
    assert odd.failure["fault"] == "numeric"


# Temporary bytes on arch 2201 (ascendc_api_facts §7.3; asc-devkit, reduce_tiling.cpp), computed by hand.
@pytest.mark.parametrize(("op", "pattern", "name", "first", "last", "need"), [
    ("Sum", "AR", "float32", 4, 64, 0), ("Sum", "AR", "float32", 4, 100, 4 * 64 * 4), ("Sum", "AR", "float32", 4, 128, 4 * 64 * 4),
    ("Sum", "AR", "float32", 1, 128, 128 * 4), ("Mean", "RA", "float32", 5, 7, 4 * 32), ("Sum", "RA", "float32", 8, 7, 4 * 32),
    ("Max", "AR", "float32", 6, 8, 0), ("Max", "AR", "float32", 6, 9, 6 * 32), ("Max", "AR", "float32", 6, 64, 6 * 256),
    ("Min", "AR", "float16", 6, 17, 6 * 32), ("Min", "RA", "float16", 6, 17, 4 * 64), ("Prod", "AR", "float32", 4, 20, (16 + 32) * 4 + 256),
    ("Prod", "RA", "float32", 4, 20, 2 * 96), ("Any", "AR", "uint8", 4, 40, 2 * 64 + 4 * 32), ("All", "RA", "uint8", 4, 40, 2 * 64),
])  # fmt: skip
def test_matrix_temporaries(run_case, op: str, pattern: str, name: str, first: int, last: int, need: int) -> None:
    x = np.ones((first, last), name)
    params = {"op": op, "pattern": pattern, "dtype": name, "first": first, "last": last}
    assert run_case("reduce", "matrix", inputs={"x": x}, outputs={"y": name}, tmp=max(need, 1), **params).ok
    if need:
        short = run_case("reduce", "matrix", inputs={"x": x}, tmp=need - 1, **params)
        assert short.failure["fault"] == "extent"
        assert f"{need} B" in short.text


def test_reused_source_is_spent(run_case) -> None:
    x = np.ones((4, 100), np.float32)
    params = {"op": "Sum", "pattern": "AR", "dtype": "float32", "first": 4, "last": 100, "reuse": 1}
    good = run_case("reduce", "matrix", inputs={"x": x}, outputs={"y": "f4"}, tmp=1, **params)
    assert good.ok, good.text
    np.testing.assert_array_equal(good.outputs["y"], [100] * 4)
    assert run_case("reduce", "matrix", inputs={"x": x}, tmp=1, read_source=1, **params).failure["fault"] == "taint"


@pytest.mark.parametrize(("change", "fault", "part"), [
    ({"inner_pad": 0}, "argument", "srcInnerPad"),
    ({"dtype": "float16"}, "dtype", "float"),
    ({"dtype": "int32", "op": "Max"}, "dtype", "half, float"),
    ({"alias": 1}, "overlap", "sharedTmpBuffer"),
    ({"missing": 1}, "taint", "a reduction"),
])  # fmt: skip
def test_matrix_reductions_refuse(run_case, change: dict[str, object], fault: str, part: str) -> None:
    params = {"op": "Sum", "pattern": "AR", "dtype": "float32", "first": 4, "last": 100, **change}
    run = run_case("reduce", "matrix", inputs={"x": np.ones((4, 100), str(params["dtype"]))}, **params)
    assert run.failure["fault"] == fault
    assert part in run.text
