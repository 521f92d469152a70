"""Several reduces that do not wait for each other share the rows among cores in two phases."""

from __future__ import annotations

import numpy as np
import pytest

from att.expr.core import integer
from att.expr.substitute import substitute
from att.formats.builder import GraphBuilder
from att.ir.dtype import DType
from att.model.bind import bind
from att.model.build import build_model
from att.model.evaluate import evaluate
from att.model.options import ModelOptions
from att.model.walk import walk
from att.model.workspace import workspace_bytes
from att.ops.call import CostSet
from att.ops.reference import run_reference
from att.ops.spec import Costs
from att.ops.tiled import run_tiled
from schedule.generate import schedule_graph
from schedule.trace import replay


def moments(m, n, axis="n"):
    """Sum and sum of squares, and what both make."""
    g = GraphBuilder("moments", {"m": m, "n": n})
    x = g.load("x", ("m", "n"))
    total, squares = g.reduce("Sum", x, axis), g.reduce("Sum", g.op("Mul", x, x), axis)
    g.store("total", total)
    g.store("y", g.op("Sub", squares, g.op("Mul", total, total)))
    return g.build()


def shared(graph, chip):
    return next(t for t in schedule_graph(graph, chip).templates if t.name.startswith("r_split"))


def reasons(graph, chip):
    return {d.name: d.reason for d in schedule_graph(graph, chip).dropped}


TILINGS = [
    ("n", 5, 101, {"z1t_size": 16, "z1Tt_size": 2, "z0t_size": 2, "z0p1t_size": 3, "z0p1Tb_size": 1}),
    ("n", 2, 37, {"z1t_size": 5, "z1Tt_size": 1, "z0t_size": 1, "z0p1t_size": 2, "z0p1Tb_size": 1}),
    ("m", 101, 12, {"z0t_size": 7, "z0Tt_size": 3, "z1t_size": 8, "z1p1t_size": 4, "z1p1Tb_size": 2}),
]


@pytest.mark.parametrize(("axis", "m", "n", "tiling"), TILINGS)
def test_both_phases_compute_what_the_graph_means(chip, axis, m, n, tiling):
    graph = moments(m, n, axis)
    x = np.random.default_rng(2).uniform(-2, 2, m * n).astype(np.float32)
    blanks = [np.zeros(n if axis == "m" else m, np.float32) for _ in range(2)]
    got, expected = run_tiled(shared(graph, chip), [x], blanks, {}, tiling), run_reference(graph, [x], {})
    for mine, theirs in zip(got, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("axis", "m", "n", "tiling"), TILINGS)
def test_the_price_is_the_walks(chip, axis, m, n, tiling):
    template = shared(moments(m, n, axis), chip)
    priced = evaluate(bind(build_model(template, chip, ModelOptions(align_bytes=None)), {}), tiling).phases
    walked = walk(template, {}, tiling, Costs(chip=chip, cost_set=CostSet.MENDED))
    assert [{p.pipe: p.ticks for p in phase.pipes} for phase in priced] == [dict(phase.pipe_ticks) for phase in walked]


def test_partial_results_lie_one_behind_the_other(chip):
    template = shared(moments(5, 101), chip)
    first, second = template.phases
    assert [n.name for n in first.nodes if n.op == "Workspace"] == [n.name for n in second.nodes if n.op == "Workspace"]
    sizes = {"z1t_size": integer(16), "z1Tt_size": integer(2), "z0t_size": integer(1)}
    chunks = 4
    for phase, op in ((first, "Store"), (second, "Load")):
        moves = [n for n in phase.nodes if n.op == op and "sum" in n.name]
        assert [substitute(n.attrs["offset"], sizes).lo if "offset" in n.attrs else 0 for n in moves] == [0, 5 * chunks]
    assert substitute(workspace_bytes(template), sizes).lo == 2 * 5 * chunks * 4


def test_it_is_worth_it_where_rows_are_few(chip):
    graph, options = moments(4, 262144), ModelOptions(align_bytes=None)
    split = {"z0t_size": 1, "z1t_size": 4096, "z1Tt_size": 6, "z0p1t_size": 4, "z0p1Tb_size": 1}
    one_core_a_row = {"z0t_size": 1, "z0Tb_size": 1, "z1t_size": 8176}
    templates = {t.name: t for t in schedule_graph(graph, chip).templates}
    ticks = [
        evaluate(bind(build_model(templates[name], chip, options), {}), tiling).objective_ticks
        for name, tiling in (("r_split.z0.z1", split), ("chunked.z0.z1", one_core_a_row))
    ]
    assert ticks[0] * 2 < ticks[1]


def test_a_reduce_that_waits_for_another_is_not_shared(chip):
    g = GraphBuilder("variance", {"m": 4, "n": 999})
    x = g.load("x", ("m", "n"))
    centred = g.op("Sub", x, g.reduce("Max", x, "n"))
    g.store("y", g.reduce("Sum", g.op("Mul", centred, centred), "n"))
    assert not any(t.name.startswith("r_split") for t in schedule_graph(g.build(), chip).templates)


def test_partial_results_have_one_type(chip):
    g = GraphBuilder("types", {"m": 4, "n": 999})
    g.store("a", g.reduce("Max", g.load("x", ("m", "n")), "n"))
    g.store("b", g.reduce("Max", g.load("z", ("m", "n"), DType.FLOAT16), "n"))
    assert reasons(g.build(), chip)["r_split"] == "Max max is float32, Max max1 float16; partial results in workspace have one element type"


def test_general_says_that_one_walk_does_it(chip):
    assert reasons(moments(5, 101), chip)["general"] == "sum, sum1 are 2 reduces, and general has one; chunked accumulates them in one walk"


def test_its_trace_makes_both_phases_again(chip):
    graph = moments(5, 101)
    for phase in shared(graph, chip).phases:
        assert replay(graph, phase.trace, phase.name) == phase
