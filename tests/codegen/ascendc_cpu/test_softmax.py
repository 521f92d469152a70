"""A whole kernel and its mutants: each planted fault is refused or computes something else than numpy."""

from __future__ import annotations

import time

import numpy as np
import pytest

ROWS, COLUMNS, TILE = 23, 45, 4
X = np.random.default_rng(19).normal(0, 2, (ROWS, COLUMNS)).astype(np.float16)
KERNEL = {"rows": ROWS, "columns": COLUMNS, "tile_rows": TILE, "block_dim": 2}


def softmax(x: np.ndarray) -> np.ndarray:
    shifted = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True)


def is_right(run) -> bool:
    return bool(np.allclose(run.outputs["y"].reshape(ROWS, COLUMNS).astype(np.float64), softmax(X), rtol=2.0**-9, atol=2.0**-15))


@pytest.mark.parametrize("reverse", [0, 1])
def test_kernel(run_case, reverse: int) -> None:
    run = run_case("softmax", "softmax", inputs={"x": X}, outputs={"y": "f2"}, reverse_cores=reverse, **KERNEL)
    assert run.ok, run.text
    assert is_right(run)


@pytest.mark.parametrize(("rows", "columns", "tile", "cores"), [(1, 1, 1, 1), (3, 16, 2, 2), (7, 17, 8, 3), (5, 256, 3, 1), (9, 33, 2, 2)])
def test_kernel_at_other_shapes(run_case, rows: int, columns: int, tile: int, cores: int) -> None:
    x = np.random.default_rng(20).normal(0, 2, (rows, columns)).astype(np.float16)
    run = run_case("softmax", "softmax", inputs={"x": x}, outputs={"y": "f2"}, rows=rows, columns=columns, tile_rows=tile, block_dim=cores)
    assert run.ok, run.text
    np.testing.assert_allclose(run.outputs["y"].reshape(rows, columns).astype(np.float64), softmax(x), rtol=2.0**-9, atol=2.0**-15)


def test_report_counts_what_the_kernel_does(run_case) -> None:
    run = run_case("softmax", "softmax", inputs={"x": X}, outputs={"y": "f2"}, **KERNEL)
    bytes_ = X.nbytes
    tiles = 3 + 3
    total = run.report["total"]
    assert total["load"] == {"instructions": tiles, "bytes": bytes_}
    assert total["store"] == {"instructions": tiles, "bytes": bytes_}
    assert run.calls("V") == {
        "Cast": 2 * tiles,
        "ReduceMax": tiles,
        "ReduceSum": tiles,
        "Broadcast": 2 * tiles,
        "Sub": tiles,
        "Exp": tiles,
        "Div": tiles,
    }
    pitch = 48
    assert total["ub_peak_bytes"] == 4 * TILE * pitch * 2 + 2 * TILE * pitch * 4 + 32 + TILE * pitch * 4 + 8192
    assert [buffer["unwritten_bytes"] for buffer in run.report["buffers"]] == [0, 0]


MUTANTS = {
    2: ("input buffer too small", "extent"),
    3: ("temporary too small", "extent"),
    4: ("cores overlap by a row", "core_hazard"),
    5: ("tail ignored", "gm_bounds"),
    6: ("gap in GM where there is none", "gm_bounds"),
    7: ("length in elements instead of bytes", "argument"),
    8: ("no EnQue and DeQue", "hazard"),
    9: ("padding reduced too", "result"),
    10: ("no barrier after the cast", "hazard"),
    11: ("no barrier after the broadcast", "hazard"),
    12: ("last row of each tile not exponentiated", "result"),
    13: ("padding stored too", "hazard"),
    14: ("stride in UB off by a block", "extent"),
    15: ("stored one row too low", "gm_bounds"),
    16: ("output never freed", "queue"),
    17: ("rows not padded, their rest reduced too", "taint"),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_mutants(run_case, mutant: int) -> None:
    _, expected = MUTANTS[mutant]
    run = run_case("softmax", "softmax", inputs={"x": X}, outputs={"y": "f2"}, mutant=mutant, **KERNEL)
    if "result" in expected:
        assert not (run.ok and is_right(run))
    else:
        assert run.failure["fault"] == expected, run.text


def test_one_buffer_instead_of_two_is_slower_but_right(run_case) -> None:
    run = run_case("softmax", "softmax", inputs={"x": X}, outputs={"y": "f2"}, mutant=1, **KERNEL)
    assert run.ok, run.text
    assert is_right(run)


def test_a_large_softmax_runs_in_seconds(run_case, program) -> None:
    program("softmax")
    x = np.random.default_rng(21).normal(0, 2, (1024, 1024)).astype(np.float32)
    started = time.perf_counter()
    run = run_case("softmax", "speed", inputs={"x": x}, outputs={"y": "f4"}, rows=1024, columns=1024, tile_rows=4)
    assert run.ok, run.text
    np.testing.assert_allclose(run.outputs["y"].reshape(1024, 1024), softmax(x), rtol=1e-5, atol=1e-9)
    assert time.perf_counter() - started < 10
