"""Times with cores that are not rounded."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from att.chips import load_chip
from att.expr.core import symbol
from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.model.bind import bind
from att.model.build import build_model
from att.model.evaluate import evaluate
from att.model.options import ModelOptions
from att.ops.call import CostSet
from att.solve.axis_fractional import Fractional, _rate
from schedule.generate import schedule_graph

CHIP = load_chip("ascend910b1")


def model():
    n = symbol("n", 1, 10**6)
    g = GraphBuilder("abs", {"n": n}, (Size(name="n", maximum=10**6),))
    g.store("y", g.op("Abs", g.load("x", ("n",))))
    (template,) = schedule_graph(g.build(), CHIP).templates
    return build_model(template, CHIP, ModelOptions(cost_set=CostSet.PUBLISHED, align_bytes=None))


ABS = model()


@settings(max_examples=20)
@given(st.integers(1, 48), st.integers(1, 8), st.integers(1, 200))
def test_whole_cores_cost_what_the_model_says(cores, share, tile):
    problem = bind(ABS, {"n": cores * share * tile})
    tiling = {"z0t_size": tile, "z0Tb_size": share}
    fractional = Fractional(problem)
    assert fractional.cores(tiling) == cores
    assert fractional.time(tiling) == evaluate(problem, tiling).objective_ticks


def test_a_fraction_of_a_core_is_launched_for_a_fraction():
    """x[100] at tile 56, two tiles a core: 100 / 112 cores, at 300 cycles each and with more bandwidth for each."""
    problem, tiling = bind(ABS, {"n": 100}), {"z0t_size": 56, "z0Tb_size": 2}
    fractional = Fractional(problem)
    assert fractional.cores(tiling) == 1
    saved = evaluate(problem, tiling).objective_ticks - fractional.time(tiling)
    assert saved > 300 * 10**6 * 12 // 112


@given(st.fractions(min_value=Fraction(1, 50), max_value=60))
def test_a_rate_between_the_cores_of_its_table(cores):
    """Rates are 1 / (a + b/cores): here a = 4, b = 12 in units of 10^-9."""
    table = tuple(10**9 // (4 + 12 // k) if 12 % k == 0 else int(Fraction(10**9) / (4 + Fraction(12, k))) for k in range(1, 13))
    assert float(_rate(table, cores)) == pytest.approx(float(Fraction(10**9) / (4 + 12 / cores)), rel=1e-6)


def test_a_rate_that_never_changes():
    assert _rate((7,), Fraction(5, 3)) == 7
