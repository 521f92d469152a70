"""Every template of the scheduler, executed tile by tile with random legal tilings, computes what its HintGraph means."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from att.chips import load_chip
from att.model.bind import bind
from att.model.build import build_model
from att.model.check import check
from att.model.options import ModelOptions
from att.ops.gm import input_elements, output_elements
from att.ops.reference import run_reference
from att.ops.spec import numpy_dtype
from att.ops.tiled import run_tiled
from benchmarks.make_graphs import OPERATORS, dynamic_graph
from schedule.generate import schedule_graph
from tests.strategies import plausible_tilings

CHIP = load_chip("ascend910b1")
NO_SHAPE = MappingProxyType({})
SIZES = st.sampled_from([1, 2, 3, 5, 7, 8, 9, 16, 17, 31, 33, 40])


def arrays(graph, seed, shape=NO_SHAPE):
    rng = np.random.default_rng(seed)
    found = []
    for node, elements in zip(graph.data_nodes, input_elements(graph, shape), strict=True):
        found.append(rng.uniform(-2, 2, elements).astype(numpy_dtype(node.output.dtype)))
    return found


def blanks(graph, shape=NO_SHAPE):
    return [np.zeros(n, numpy_dtype(node.output.dtype)) for node, n in zip(graph.output_nodes, output_elements(graph, shape), strict=True)]


@pytest.mark.parametrize("name", OPERATORS)
@settings(max_examples=25, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(data=st.data())
def test_tile_by_tile_equals_the_whole(name, data):
    graph = OPERATORS[name]((), data.draw(SIZES), data.draw(SIZES))
    template = data.draw(st.sampled_from(schedule_graph(graph, CHIP).templates))
    problem = bind(build_model(template, CHIP, ModelOptions(align_bytes=None)), {})
    tiling = data.draw(plausible_tilings(problem))
    if check(problem, tiling):
        return
    inputs = arrays(graph, seed=7)
    expected = run_reference(graph, inputs, {})
    got = run_tiled(template, inputs, blanks(graph), {}, tiling)
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_allclose(a.astype(np.float64), b.astype(np.float64), rtol=2e-2 if a.dtype.itemsize == 2 else 1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "layer_norm", "rms_norm"])
@settings(max_examples=15, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(data=st.data())
def test_rows_walked_once_per_reduce_equal_the_whole(name, data):
    graph, shape = dynamic_graph(name), {"ks0": data.draw(SIZES), "ks1": data.draw(SIZES)}
    template = next(t for t in schedule_graph(graph, CHIP).templates if t.name == "chunked.z0.z1")
    problem = bind(build_model(template, CHIP, ModelOptions(align_bytes=None)), shape)
    tiling = data.draw(plausible_tilings(problem))
    if check(problem, tiling):
        return
    inputs = arrays(graph, seed=3, shape=shape)
    expected = run_reference(graph, inputs, shape)
    got = run_tiled(template, inputs, blanks(graph, shape), shape, tiling)
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_allclose(a.astype(np.float64), b.astype(np.float64), rtol=2e-2 if a.dtype.itemsize == 2 else 1e-4, atol=1e-5)


def test_a_tail_on_every_axis_and_several_cores():
    graph = OPERATORS["amax_keep"]((), 37, 101)
    general = schedule_graph(graph, CHIP).templates[0]
    inputs = arrays(graph, seed=1)
    got = run_tiled(general, inputs, blanks(graph), {}, {"z0t_size": 5, "z1t_size": 16, "z0Tb_size": 3})
    assert np.array_equal(got[0], run_reference(graph, inputs, {})[0])
    assert np.array_equal(got[0], inputs[0].reshape(37, 101).max(axis=1))


def test_sums_of_integers_are_exact_however_they_are_cut():
    from att.formats.builder import GraphBuilder
    from att.ir.dtype import DType

    g = GraphBuilder("sum", {"m": 13, "n": 57})
    g.store("y", g.reduce("Sum", g.load("x", ("m", "n"), DType.INT32), "m"))
    graph = g.build()
    rng = np.random.default_rng(3)
    x = rng.integers(-1000, 1000, 13 * 57).astype(np.int32)
    for template in schedule_graph(graph, CHIP).templates:
        tiling = {v.name: min(4, v.maximum) for phase in template.phases for v in phase.variables}
        got = run_tiled(template, [x], blanks(graph), {}, tiling)
        assert np.array_equal(got[0], x.reshape(13, 57).sum(axis=0)), template.name


@settings(max_examples=60, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(data=st.data())
def test_places_of_largest_elements_are_found_tile_by_tile(data):
    """Elements are few, so many are equal; some are no numbers, which numpy takes for the largest."""
    from att.formats.builder import GraphBuilder

    sizes = {axis: data.draw(SIZES) for axis in "abc"}
    over = data.draw(st.sampled_from(["a", "b", "c", "ab", "bc", "ac", "abc"]))
    g = GraphBuilder("places", sizes)
    g.store("y", g.reduce("ArgMax", g.load("x", ("a", "b", "c")), *over))
    graph = g.build()
    template = data.draw(st.sampled_from(schedule_graph(graph, CHIP).templates))
    problem = bind(build_model(template, CHIP, ModelOptions(align_bytes=None)), {})
    tiling = data.draw(plausible_tilings(problem))
    if check(problem, tiling):
        return
    rng = np.random.default_rng(5)
    x = rng.choice(
        np.array(data.draw(st.sampled_from([[1, 2], [1, 2, np.nan], [-np.inf]])), np.float32), sizes["a"] * sizes["b"] * sizes["c"]
    )
    kept = tuple("abc".index(axis) for axis in "abc" if axis not in over)
    rows = x.reshape(tuple(sizes.values())).transpose(*kept, *("abc".index(axis) for axis in over))
    expected = rows.reshape(*(rows.shape[: len(kept)]), -1).argmax(axis=-1).reshape(-1)
    np.testing.assert_array_equal(run_tiled(template, (x,), blanks(graph), {}, tiling)[0], expected)


@pytest.mark.parametrize("order", ["ba", "acb", "cba", "bac"])
@settings(max_examples=20, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(data=st.data())
def test_transposed_tiles_make_the_transposed_whole(order, data):
    from tests.moves import transposed

    sizes = tuple(data.draw(SIZES) for _ in order)
    graph = transposed(order, sizes, added=True)
    template = data.draw(st.sampled_from(schedule_graph(graph, CHIP).templates))
    problem = bind(build_model(template, CHIP, ModelOptions(align_bytes=None)), {})
    tiling = data.draw(plausible_tilings(problem))
    if check(problem, tiling):
        return
    x, row = arrays(graph, seed=3)
    (got,) = run_tiled(template, (x, row), blanks(graph), {}, tiling)
    lies = [sizes["abc".index(axis)] for axis in order]
    expected = x.reshape(lies).transpose([order.index(axis) for axis in sorted(order)]) + row
    np.testing.assert_array_equal(got.reshape(sizes), expected)


@settings(max_examples=40, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(data=st.data())
def test_parts_make_the_joined_whole(data):
    from tests.moves import joined

    rows, p, q, tail = (data.draw(SIZES) for _ in range(4))
    lies = data.draw(st.sampled_from(["rows", "tail", "first"]))
    graph = joined((p, q), rows=() if lies == "first" else (rows,), tail=() if lies == "rows" else (tail,), behind=data.draw(st.booleans()))
    template = data.draw(st.sampled_from(schedule_graph(graph, CHIP).templates))
    problem = bind(build_model(template, CHIP, ModelOptions(align_bytes=None)), {})
    tiling = data.draw(plausible_tilings(problem))
    if check(problem, tiling):
        return
    inputs = arrays(graph, seed=3)
    expected = run_reference(graph, inputs, {})
    for a, b in zip(run_tiled(template, inputs, blanks(graph), {}, tiling), expected, strict=True):
        np.testing.assert_array_equal(a, b)


@settings(max_examples=30, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(data=st.data())
def test_pieces_are_cut_out_of_the_whole(data):
    from tests.moves import cut

    p, q, rows, tail = (data.draw(SIZES) for _ in range(4))
    lies = data.draw(st.sampled_from(["rows", "tail", "first"]))
    shared = {"rows": () if lies == "first" else (rows,), "tail": () if lies == "rows" else (tail,)}
    graph = cut((p, q), **shared, scaled=True)
    template = data.draw(st.sampled_from(schedule_graph(graph, CHIP).templates))
    problem = bind(build_model(template, CHIP, ModelOptions(align_bytes=None)), {})
    tiling = data.draw(plausible_tilings(problem))
    if check(problem, tiling):
        return
    (x,) = arrays(graph, seed=3)
    got = run_tiled(template, (x,), blanks(graph), {}, tiling)
    whole = np.abs(x).reshape(*shared["rows"], p + q, *shared["tail"]) * 2
    for a, b in zip(got, np.split(whole, [p], axis=len(shared["rows"])), strict=True):
        np.testing.assert_array_equal(a, b.ravel())


@settings(max_examples=25, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(data=st.data())
def test_picked_tiles_make_the_picked_whole(data):
    from tests.moves import picked

    rows, length, count = (data.draw(SIZES) for _ in range(3))
    count += 1  # a single index is no run of elements
    graph = picked((rows, length), (count,), scaled=True)
    template = data.draw(st.sampled_from(schedule_graph(graph, CHIP).templates))
    problem = bind(build_model(template, CHIP, ModelOptions(align_bytes=None)), {})
    tiling = data.draw(plausible_tilings(problem))
    if check(problem, tiling):
        return
    rng = np.random.default_rng(1)
    x, i = rng.standard_normal((rows, length)).astype(np.float32), rng.integers(0, length, count).astype(np.int32)
    (got,) = run_tiled(template, (x, i), blanks(graph), {}, tiling)
    np.testing.assert_array_equal(got.reshape(rows, count), x[:, i] * 2)


@settings(max_examples=25, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(data=st.data())
def test_rows_loaded_by_index_make_the_picked_whole(data):
    from tests.moves import rows_picked

    outer, length, count, row = (data.draw(SIZES) for _ in range(4))
    graph = rows_picked(length, (count,), (row + 1,), outer=(outer,), scaled=True)
    template = data.draw(st.sampled_from(schedule_graph(graph, CHIP).templates))
    problem = bind(build_model(template, CHIP, ModelOptions(align_bytes=None)), {})
    tiling = data.draw(plausible_tilings(problem))
    if check(problem, tiling):
        return
    rng = np.random.default_rng(1)
    x, i = rng.standard_normal((outer, length, row + 1)).astype(np.float32), rng.integers(0, length, count).astype(np.int32)
    (got,) = run_tiled(template, (x, i), blanks(graph), {}, tiling)
    np.testing.assert_array_equal(got.reshape(outer, count, row + 1), x[:, i] * 2)
