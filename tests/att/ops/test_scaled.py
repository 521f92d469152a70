"""Sums that follow a maximum, executed tile by tile: the same as written, whatever is infinite or no number, and in which order it comes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from att.chips import load_chip
from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ops.reference import run_reference
from att.ops.tiled import run_tiled
from schedule.generate import schedule_graph

CHIP = load_chip("ascend910b1")
M, N = Size(name="M"), Size(name="N")
INF, NAN = np.inf, np.nan
LOWEST = float(np.finfo(np.float32).min)


def everything():
    """Maximum, sum, log of the sum of exponentials, softmax and its logarithm."""
    g = GraphBuilder("everything", {"m": M.symbol, "n": N.symbol}, (M, N))
    x = g.load("x", ("m", "n"))
    largest = g.reduce("Max", x, "n")
    shifted = g.op("Sub", x, largest)
    powers = g.op("Exp", shifted)
    total = g.reduce("Sum", powers, "n")
    log = g.op("Ln", total)
    results = {"largest": largest, "total": total, "lse": g.op("Add", log, largest), "log_softmax": g.op("Sub", shifted, log)}
    for name, value in {**results, "softmax": g.op("TrueDiv", powers, total)}.items():
        g.store(name, value)
    return g.build()


GRAPH = everything()
ONLINE, CHUNKED = (next(t for t in schedule_graph(GRAPH, CHIP).templates if t.name == name) for name in ("online.z0.z1", "chunked.z0.z1"))


def run(template, rows, tile, rows_per_tile=1):
    m, n = rows.shape
    blanks = [np.zeros(m if name in ("largest", "total", "lse") else m * n, np.float32) for name in names()]
    tiling = {"z0t_size": rows_per_tile, "z1t_size": tile, "z0Tb_size": 1}
    return run_tiled(template, [rows.reshape(-1)], blanks, {"M": m, "N": n}, tiling)


def names():
    return [node.name for node in GRAPH.output_nodes]


def assert_as_written(rows, tile, rows_per_tile=1):
    rows = np.asarray(rows, np.float32)
    expected = run_reference(GRAPH, [rows.reshape(-1)], {"M": rows.shape[0], "N": rows.shape[1]})
    for name, got, want in zip(names(), run(ONLINE, rows, tile, rows_per_tile), expected, strict=True):
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=1e-6, err_msg=name)


SPECIAL = {
    "nothing at first": [-INF, -INF, -INF, -INF, 1.0, 2.0],
    "nothing at last": [1.0, 2.0, -INF, -INF, -INF, -INF],
    "nothing at all": [-INF] * 6,
    "one of few": [-INF, -INF, -INF, 3.0, -INF, -INF],
    "infinite": [1.0, 2.0, INF, 3.0, 4.0, 5.0],
    "infinite at first": [INF, 2.0, 1.0, 3.0, 4.0, 5.0],
    "no number": [1.0, NAN, 2.0, 3.0, 4.0, 5.0],
    "no number after nothing": [-INF, -INF, NAN, 3.0, 4.0, 5.0],
    "no number at last": [1.0, 2.0, 3.0, 4.0, 5.0, NAN],
    "lowest": [LOWEST] * 6,
    "lowest and nothing": [-INF, -INF, LOWEST, LOWEST, -INF, LOWEST],
    "lowest to largest": [LOWEST, LOWEST, 0.0, 1.0, -LOWEST, -LOWEST],
    "largest to lowest": [-LOWEST, -LOWEST, 0.0, 1.0, LOWEST, LOWEST],
    "rising": [0.0, 50.0, 100.0, 150.0, 200.0, 250.0],
    "falling": [250.0, 200.0, 150.0, 100.0, 50.0, 0.0],
}


@pytest.mark.parametrize("tile", [1, 2, 4, 6])
@pytest.mark.parametrize("row", SPECIAL.values(), ids=SPECIAL)
def test_a_special_row_is_what_is_written(row, tile):
    assert_as_written([row], tile)


def test_rows_of_one_tile_do_not_touch_each_other():
    assert_as_written(list(SPECIAL.values()), 2, rows_per_tile=len(SPECIAL))
    assert_as_written(list(SPECIAL.values()), 4, rows_per_tile=4)


@settings(max_examples=40)
@given(data=st.data())
def test_any_order_of_numbers(data):
    rows, columns = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 33))
    seen = st.one_of(st.floats(-90, 90, width=32), st.sampled_from([-INF, INF, NAN, 0.0, LOWEST, 1e30]))
    values = data.draw(st.lists(seen, min_size=rows * columns, max_size=rows * columns))
    tile, rows_per_tile = data.draw(st.integers(1, columns)), data.draw(st.integers(1, rows))
    assert_as_written(np.reshape(values, (rows, columns)), tile, rows_per_tile)


@pytest.mark.parametrize("columns", [12_288, 50_257, 151_936])
def test_long_rows_are_as_exact_as_with_a_walk_for_each_reduce(columns):
    rows = np.random.default_rng(11).normal(0, 6, (2, columns)).astype(np.float32)
    exact = np.exp(rows.astype(np.float64) - rows.max(1, keepdims=True)).sum(1)
    at = names().index("total")
    for template in (ONLINE, CHUNKED):
        np.testing.assert_allclose(run(template, rows, 7_000)[at], exact, rtol=1e-6)


def test_at_a_fixed_scale_it_is_wrong(monkeypatch):
    """What the tests above would see if the sum so far was not brought to the new maximum."""
    from dataclasses import replace

    from att.ops import tiled
    from att.ops.registry import spec_of

    def without(op):
        spec = spec_of(op)
        return replace(spec, reduction=replace(spec.reduction, rescale=())) if op == "ScaledSum" else spec

    monkeypatch.setattr(tiled, "spec_of", without)
    with pytest.raises(AssertionError, match="total"):
        assert_as_written([SPECIAL["rising"]], 2)
