"""Means are sums divided once: which templates that gives them, by what is divided, and what is left alone."""

from __future__ import annotations

import numpy as np
import pytest

from att.errors import GraphError
from att.formats import dump, graph_json
from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType
from att.model.bind import bind
from att.model.build import build_model
from att.model.options import ModelOptions
from att.ops.reference import run_reference
from att.ops.spec import numpy_dtype
from att.ops.verify import scalar_value, verify_graph
from att.solve.base import SolveOptions, SolveStatus
from att.solve.run import run
from schedule.generate import schedule_graph
from schedule.means import MeanAsSum
from schedule.steps import cleaned, legal

M, N = Size(name="M"), Size(name="N")


def mean(dtype=DType.FLOAT32, *, m=M.symbol, n=N.symbol, over=("n",)):
    g = GraphBuilder("mean", {"m": m, "n": n}, (M, N))
    g.store("y", g.reduce("Mean", g.load("x", ("m", "n"), dtype), *over))
    return g.build()


def centred(dtype=DType.FLOAT32):
    """x - Mean(x)"""
    g = GraphBuilder("centred", {"m": M.symbol, "n": N.symbol}, (M, N))
    x = g.load("x", ("m", "n"), dtype)
    g.store("y", g.op("Sub", x, g.reduce("Mean", x, "n")))
    return g.build()


def divided(graph, chip):
    """The Scalar that its only Mean multiplies by."""
    return next(n for n in legal(cleaned(graph), chip).graph.nodes if n.op == "Scalar")


def kinds(graph, chip):
    return {t.name.split(".")[0] for t in schedule_graph(graph, chip).templates}


def test_what_is_only_summed_may_be_cut_and_shared(chip):
    assert kinds(mean(), chip) == {"general", "full_load", "r_split"}
    assert kinds(centred(), chip) == {"full_load", "chunked", "r_split_again"}


@pytest.mark.parametrize(("graph", "shape"), [(mean(), (4, 100_000)), (mean(), (1, 1_000_000)), (centred(), (48, 12_288))])
def test_rows_that_do_not_fit_have_a_tiling(chip, graph, shape):
    templates = schedule_graph(graph, chip).templates
    sizes = dict(zip(("M", "N"), shape, strict=True))
    solved = {t.name: run(bind(build_model(t, chip, ModelOptions()), sizes), "enumerate", SolveOptions()).status for t in templates}
    assert {name for name, status in solved.items() if status is SolveStatus.INFEASIBLE} == {
        t.name for t in templates if t.name.startswith("full_load.z0") or (t.name.startswith("r_split") and shape[0] >= chip.vector_cores)
    }
    assert SolveStatus.OPTIMAL in solved.values()


def test_a_known_length_is_a_number_another_one_is_divided_by(chip):
    assert dict(divided(mean(n=40), chip).attrs) == {"value": repr(1 / 40)}
    assert dict(divided(mean(), chip).attrs) == {"value": "1.0", "divisor": N.symbol}
    assert divided(mean(over=("m", "n")), chip).attrs["divisor"] == M.symbol * N.symbol


def test_where_there_may_be_no_elements_nothing_is_divided_by_0(chip):
    empty = Size(name="E", minimum=0)
    g = GraphBuilder("empty", {"m": 3, "n": empty.symbol}, (empty,))
    g.store("y", g.reduce("Mean", g.load("x", ("m", "n")), "n"))
    share = divided(g.build(), chip)
    assert [scalar_value(share, {"E": n}) for n in (0, 1, 4)] == [1, 1, 0.25]


@pytest.mark.parametrize("dtype", [DType.FLOAT16, DType.BFLOAT16])
def test_narrow_floats_are_summed_and_divided_in_float32(chip, dtype):
    nodes = {n.op: n for n in legal(cleaned(mean(dtype)), chip).graph.nodes}
    assert nodes["Sum"].output.dtype is nodes["Mul"].output.dtype is nodes["Scalar"].output.dtype is DType.FLOAT32
    assert nodes["Store"].output.dtype is dtype


@pytest.mark.parametrize("dtype", [DType.FLOAT32, DType.FLOAT16, DType.BFLOAT16])
def test_it_is_the_same_mean(chip, dtype):
    graph = mean(dtype, m=3)
    x = np.random.default_rng(1).standard_normal(111).astype(numpy_dtype(dtype))
    (before,), (after,) = (run_reference(g, [x], {"M": 1, "N": 37}) for g in (graph, legal(cleaned(graph), chip).graph))
    np.testing.assert_allclose(before.astype(np.float64), after.astype(np.float64), rtol=2**-7 if dtype.bytes == 2 else 1e-6)


def test_integers_have_no_mean_here_and_keep_it_to_be_refused():
    graph = mean(DType.INT32)
    assert MeanAsSum("v1").apply(graph) == graph


def test_names_that_are_taken_stay(chip):
    g = GraphBuilder("taken", {"m": M.symbol, "n": N.symbol}, (M, N))
    x = g.load("mean_sum", ("m", "n"))
    g.store("mean_share", g.reduce("Mean", x, "n"))
    names = [n.name for n in legal(cleaned(g.build()), chip).graph.nodes]
    assert len(names) == len(set(names))
    assert {"mean", "mean_sum_", "mean_share_"} <= set(names)


def test_a_template_with_a_divisor_is_written_and_read(chip):
    template = schedule_graph(mean(), chip).templates[0]
    text = graph_json.dumps(template)
    assert '"divisor": "N"' in text
    assert graph_json.loads(text) == template
    assert dump.from_text(dump.to_text(template)) == template
    assert scalar_value(divided(mean(), chip), {"N": 4}) == 0.25


def test_a_graph_that_is_not_scheduled_has_no_divisor(chip):
    nodes = legal(cleaned(mean()), chip).graph
    with pytest.raises(GraphError, match="a Scalar with a divisor is made by the scheduler"):
        verify_graph(nodes)
