"""Few long rows that are walked once more after their reduces: cores share them in both phases."""

from __future__ import annotations

import numpy as np
import pytest

from att.chips import load_chip
from att.expr.evaluate import evaluate as value_of
from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType
from att.model.bind import bind
from att.model.build import build_model
from att.model.evaluate import evaluate
from att.model.options import ModelOptions
from att.model.walk import walk
from att.ops.call import CostSet
from att.ops.reference import run_reference
from att.ops.spec import Costs
from att.ops.tiled import run_tiled
from att.solve.base import SolveOptions, SolveStatus
from att.solve.run import run
from benchmarks import library
from schedule.generate import schedule_graph
from schedule.trace import replay

SIZES = (Size(name="M"), Size(name="N"))
"""Of any length: rows that always fit in UB stay there."""
M, N = (size.symbol for size in SIZES)


def clipped():
    """Rows over their norms."""
    g = GraphBuilder("clipped", {"m": M, "n": N}, SIZES)
    x = g.load("x", ("m", "n"))
    g.store("y", g.op("Mul", x, g.op("Rsqrt", g.reduce("Sum", g.op("Mul", x, x), "n"))))
    return g.build()


def standardised():
    """Two reduces that do not wait for each other, a store that waits for neither, and one that varies over rows only."""
    g = GraphBuilder("standardised", {"m": M, "n": N}, SIZES)
    x = g.load("x", ("m", "n"))
    total, squares = g.reduce("Sum", x, "n"), g.reduce("Sum", g.op("Mul", x, x), "n")
    g.store("early", g.op("Abs", x))
    g.store("total", total)
    g.store("y", g.op("Sub", g.op("Mul", x, squares), total))
    return g.build()


def softmax():
    return library.softmax(SIZES, M, N)


def log_softmax():
    return library.log_softmax(SIZES, M, N)


def log_sum_exp():
    """A sum that follows a maximum, and nothing that varies over the row again."""
    g = GraphBuilder("log_sum_exp", {"m": M, "n": N}, SIZES)
    x = g.load("x", ("m", "n"))
    top = g.reduce("Max", x, "n")
    g.store("y", g.op("Add", top, g.op("Ln", g.reduce("Sum", g.op("Exp", g.op("Sub", x, top)), "n"))))
    return g.build()


AGAIN = [clipped, standardised, softmax, log_softmax]
SHARED = [*AGAIN, log_sum_exp]


def shared(graph, chip):
    """The template of two phases whose rows are cut."""
    return next(t for t in schedule_graph(graph, chip).templates if t.name.startswith(("r_split_again", "r_split_online")))


def tiling_of(template, shape, rows, row, chunk, again):
    """Tiles of rows and along them, tiles a chunk, tiles of the second walk; shares of the last phase such that three cores work."""
    wanted = {"z0t_size": rows, "z1t_size": row, "z1Tt_size": chunk, "z0p1t_size": rows, "z1p1t_size": again}
    first, second = template.phases
    found = {v.name: wanted.get(v.name, 1) for v in (*first.variables, *second.variables)}
    share = next(v for v in second.variables if v.name.endswith("b_size"))
    tiles = value_of(second.axis_of[second.axis_of[share.axis].parents[0]].size, {**shape, **found})
    return {**found, share.name: -(-tiles // 3)}


TILINGS = [(5, 101, (2, 16, 2, 8)), (3, 37, (1, 5, 1, 37))]


@pytest.mark.parametrize(("m", "n", "wanted"), TILINGS)
@pytest.mark.parametrize("build", SHARED)
def test_both_phases_compute_what_the_graph_means(chip, build, m, n, wanted):
    graph, shape = build(), {"M": m, "N": n}
    template = shared(graph, chip)
    x = np.random.default_rng(3).uniform(-2, 2, m * n).astype(np.float32)
    outputs = [node for node in graph.nodes if node.op == "Output"]
    expected = run_reference(graph, [x], shape)
    blanks = [np.zeros(len(value), np.float32) for value in expected]
    got = run_tiled(template, [x], blanks, shape, tiling_of(template, shape, *wanted))
    assert len(got) == len(outputs)
    for mine, theirs in zip(got, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("m", "n", "wanted"), TILINGS)
@pytest.mark.parametrize("build", SHARED)
def test_the_price_is_the_walks(chip, build, m, n, wanted):
    template, shape = shared(build(), chip), {"M": m, "N": n}
    tiling = tiling_of(template, shape, *wanted)
    priced = evaluate(bind(build_model(template, chip, ModelOptions(align_bytes=None)), shape), tiling).phases
    walked = walk(template, shape, tiling, Costs(chip=chip, cost_set=CostSet.MENDED))
    for phase, literal in zip(priced, walked, strict=True):
        for pipe in phase.pipes:
            assert pipe.ticks >= literal.pipe_ticks[pipe.pipe], "the model never promises more than a core can do"


@pytest.mark.parametrize("build", [softmax, log_sum_exp])
def test_chunks_that_hold_minus_infinity_only_do_not_count(chip, build):
    """A chunk of its own maximum, -inf, has a sum of 0; a row of them has none, as written."""
    m, n, wanted = TILINGS[0]
    graph, shape = build(), {"M": m, "N": n}
    template = shared(graph, chip)
    x = np.random.default_rng(4).uniform(-2, 2, (m, n)).astype(np.float32)
    x[0, :32], x[1] = -np.inf, -np.inf
    with np.errstate(invalid="ignore"):
        (expected,) = run_reference(graph, [x.ravel()], shape)
        tiling = tiling_of(template, shape, *wanted)
        (got,) = run_tiled(template, [x.ravel()], [np.zeros(len(expected), np.float32)], shape, tiling)
    assert np.isnan(expected).any()
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("build", "times"), [(clipped, 3), (softmax, 4)])
def test_all_cores_work_on_few_rows(chip, build, times):
    """[8, 1000000] on one core a row takes 4.2 and 4.9 times as long."""
    found = {}
    for template in schedule_graph(build(), chip).templates:
        problem = bind(build_model(template, chip, ModelOptions()), {"M": 8, "N": 1_000_000})
        if problem.contradiction is None:
            found[template.name] = run(problem, "enumerate", SolveOptions())
    fastest = min(found, key=lambda name: found[name].objective_ticks)
    rest = min(result.objective_ticks for name, result in found.items() if not name.startswith("r_split"))
    assert fastest.startswith("r_split")
    assert found[fastest].status is SolveStatus.OPTIMAL
    assert rest > times * found[fastest].objective_ticks


def test_where_rows_keep_all_cores_busy_it_is_left_out(chip):
    problem = bind(build_model(shared(clipped(), chip), chip, ModelOptions()), {"M": 48, "N": 100_000})
    assert problem.contradiction.origin.family == "few_rows"
    graph = library.softmax((), 64, 100_000)
    assert "64 rows, which keep 48 cores busy" in reasons(graph, chip)["r_split_online.z0.z1"]


@pytest.mark.parametrize(("chip_name", "is_made"), [("ascend910b1", False), ("ascend310p3", False), ("ascend950pr", True)])
def test_rows_that_fit_in_ub_stay_there_by_the_prices_of_v1(chip_name, is_made):
    names = {t.name for t in schedule_graph(library.rms_norm((), 2, 6000), load_chip(chip_name)).templates}
    assert ("r_split_again.z0.z1" in names) == is_made


def reasons(graph, chip):
    return {d.name: d.reason for d in schedule_graph(graph, chip).dropped}


def test_what_waits_for_a_reduce_would_need_another_meeting(chip):
    reason = "Sum sum1 waits for Sum sum, and cores would have to meet once for each of them"
    assert reasons(library.layer_norm((), 4, 999), chip)["r_split_again"] == reason


def test_places_are_no_partial_results(chip):
    g = GraphBuilder("places", {"m": 4, "n": 999})
    x = g.load("x", ("m", "n"))
    g.store("y", g.op("Add", x, g.cast(g.cast(g.reduce("ArgMax", x, "n"), DType.INT32), DType.FLOAT32)))
    reason = "ArgMax argmax yields places only, and a second phase would need the largest elements beside them"
    assert reasons(g.build(), chip)["r_split_again"] == reason


@pytest.mark.parametrize("build", SHARED)
def test_its_trace_makes_both_phases_again(chip, build):
    graph = build()
    for phase in shared(graph, chip).phases:
        assert replay(graph, phase.trace, phase.name) == phase
