"""Bounds under caps keep every tiling that satisfies the caps."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from att.expr.choice import maximum
from att.expr.core import Expr, ceil_div, integer, symbol
from att.expr.evaluate import evaluate_all
from att.expr.node import topological
from att.model.bind import bind
from att.model.intervals import range_of, truth_of
from att.solve.base import SolveOptions
from att.solve.bounds import bounds_under
from att.solve.run import run
from benchmarks import waist_models as waist
from tests.small_models import random_conds, random_exprs, random_symbols


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(st.data())
def test_no_value_within_the_caps_is_lost(data):
    symbols = data.draw(random_symbols())
    exprs = [data.draw(random_exprs(symbols)) for _ in range(3)]
    cond = data.draw(random_conds(symbols))
    point = {s.name: max(s.lo, data.draw(st.integers(s.lo, s.hi)) // s.multiple * s.multiple) for s in symbols}
    values = evaluate_all(tuple(exprs), point)
    caps = {e: v + data.draw(st.integers(0, 5)) for e, v in zip(exprs, values, strict=True)}
    known = bounds_under(exprs, caps)
    assert known is not None
    nodes = [n for n in topological(*exprs) if isinstance(n, Expr)]
    for node, value in zip(nodes, evaluate_all(tuple(nodes), point), strict=True):
        low, high, multiple = range_of(node, known)
        assert low <= value <= high
        assert multiple == 0 or value % multiple == 0
    if cond in known:
        surely, possibly = truth_of(cond, known)
        assert surely <= evaluate_all((cond,), point)[0] <= possibly


def test_a_cap_reaches_the_variables():
    t, b = symbol("t", 1, 1000), symbol("b", 1, 1000)
    time = 50 * b * t + maximum(3 * t, 900)
    known = bounds_under([time], {time: 29_000, ceil_div(4000, b) - 10: 0})
    assert (range_of(b, known)[:2], range_of(t, known)[:2]) == ((400, 562), (1, 1))


def test_caps_that_nothing_satisfies_are_seen():
    t = symbol("t", 4, 1000)
    assert bounds_under([t * t], {t * t: 15}) is None
    assert bounds_under([t * t], {t * t: 16}) is not None
    assert bounds_under([integer(3)], {integer(3): 2}) is None


def test_the_time_of_the_heuristic_keeps_products_inside_64_bits():
    problem = bind(waist.reduce_rows(), {"A": 16_384, "R": 151_936})
    start = run(problem, "axis_sort", SolveOptions())
    free, capped = bounds_under([problem.objective], {}), bounds_under([problem.objective], {problem.objective: start.objective_ticks})
    largest = [max(range_of(n, known).hi for n in known if isinstance(n, Expr)) for known in (free, capped)]
    assert largest[0] > 2**62
    assert largest[1] < 2**59
