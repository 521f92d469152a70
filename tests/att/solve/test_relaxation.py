"""The work bound is never above the time, and close to it where work decides."""

from __future__ import annotations

from itertools import product
from math import prod

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from att.expr.choice import lookup, maximum, minimum, where
from att.expr.compare import lt
from att.expr.core import ceil_div, floor_div, integer, mod, mul, symbol
from att.expr.evaluate import evaluate_all
from att.model.bind import bind
from att.ops.call import Pipe
from att.solve.base import SolveOptions
from att.solve.bounds import lower_bound
from att.solve.polynomial import Expander, never_below
from att.solve.relaxation import _Relaxation, relaxed_time
from att.solve.run import run
from benchmarks import waist_models as waist
from tests.small_models import is_legal, random_exprs, random_problems, random_symbols
from tests.strategies import plausible_tilings

SHAPES = {
    "elementwise": (waist.elementwise(vec_ops=3, loads=2), {"Z": st.integers(1, 2**31 - 1)}),
    "fused_rows": (waist.fused_rows(), {"M": st.integers(1, 20_000), "N": st.integers(1, 200_000)}),
    "reduce_rows": (waist.reduce_rows(), {"A": st.integers(1, 20_000), "R": st.integers(1, 200_000)}),
    "two_phases": (waist.two_phases(), {"R": st.integers(1, 2**31 - 1)}),
}


def on_grid(problem, tiling):
    """Rounded to the steps of the domains, outside which the expressions of a bound problem mean nothing."""
    return {v.name: max(v.symbol.lo, tiling[v.name] // v.symbol.multiple * v.symbol.multiple) for v in problem.variables}


def tilings(problem):
    """Values of the domains of a bound problem, legal or not."""
    grids = {v.name: (v.symbol.lo // v.symbol.multiple, v.symbol.hi // v.symbol.multiple, v.symbol.multiple) for v in problem.variables}
    return st.fixed_dictionaries({name: st.integers(lo, hi).map(lambda q, m=m: q * m) for name, (lo, hi, m) in grids.items()})


@pytest.mark.parametrize("case", sorted(SHAPES))
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_it_is_never_above_the_time_of_any_tiling(case, data):
    model, sizes = SHAPES[case]
    problem = bind(model, {name: data.draw(s, label=name) for name, s in sizes.items()})
    relaxed = relaxed_time(problem)
    if problem.contradiction is not None or relaxed is None:
        return
    floor = lower_bound(problem)
    for draws in (tilings(problem), plausible_tilings(problem)) * 4:
        tiling = data.draw(draws.map(lambda t: on_grid(problem, t)))
        time, bound = evaluate_all((problem.objective, relaxed), tiling)
        assert bound <= time
        assert floor <= time or not is_legal(problem, tiling)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(random_problems(), st.data())
def test_it_is_never_above_the_time_of_odd_models(problem, data):
    relaxed = relaxed_time(problem)
    if relaxed is None:
        return
    for _ in range(5):
        time, bound = evaluate_all((problem.objective, relaxed), data.draw(tilings(problem)))
        assert bound <= time


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_a_polynomial_is_never_above_its_expression_and_equal_if_it_says_so(data):
    symbols = data.draw(random_symbols())
    expr = data.draw(random_exprs(symbols))
    found = Expander().lower(expr)
    for _ in range(5):
        point = {s.name: data.draw(st.integers(s.lo, s.hi)) // s.multiple * s.multiple for s in symbols}
        point = {s.name: max(s.lo, point[s.name]) for s in symbols}
        (value,) = evaluate_all((expr,), point)
        total = sum(c * evaluate_all((mul(1, *m),), point)[0] for m, c in found.terms.items())
        assert total <= value
        assert total == value or not found.exact


@pytest.mark.parametrize("case", [c for c in waist.REALISTIC if c.shape.get("Z", 5000) >= 4096], ids=lambda c: c.name)
def test_at_the_optimum_it_leaves_little(case):
    problem = bind(case.model, case.shape)
    relaxed = relaxed_time(problem)
    best = run(problem, "enumerate", SolveOptions())
    if relaxed is not None:
        (bound,) = evaluate_all((relaxed,), best.tiling)
        assert 0.98 * best.objective_ticks <= bound <= best.objective_ticks


def test_the_bound_is_that_of_the_slowest_pipe():
    problem = bind(waist.fused_rows(), {"M": 5000, "N": 3000})
    best = run(problem, "enumerate", SolveOptions())
    whole, *alone = evaluate_all([relaxed_time(problem), *(b for p in Pipe if (b := relaxed_time(problem, p)) is not None)], best.tiling)
    assert len(set(alone)) > 1
    assert whole == max(alone)


def test_a_tile_that_meets_its_count_is_the_whole():
    t = symbol("t", 1, 100)
    n = ceil_div(1000, t)
    cost = (n - 1) * (floor_div(7 * t, 2) + 5) + floor_div(7 * (mod(999, t) + 1), 2) + 5
    bound, _ = _Relaxation(integer(1)).lower(cost)
    for value in (1, 3, 8, 64, 99, 100):
        time, found = evaluate_all((cost, bound), {"t": value})
        assert time - (1000 // value + 1) <= found <= time


def test_rates_by_size_class_compare_through_tables():
    x = symbol("x", 1, 3)
    slow, fast = lookup((9, 8, 7), x - 1), lookup((5, 5, 7), x - 1)
    assert never_below(4 * slow, 4 * fast)
    assert not never_below(fast, slow)
    t = symbol("t", 1, 64)
    tail = mod(999, t) + 1
    small = where(lt(tail, 32), 9, 5) * tail
    terms = Expander().lower(small).terms
    assert all("Mod" not in repr(f.cond) for m in terms for f in m if hasattr(f, "cond"))


def transfer(size_bytes, cores):
    """A load as the chips price it: two bandwidth classes as one maximum (att_facts.md §3.5)."""
    slow, fast = lookup((2629, 1900, 1240), cores - 1), lookup((1550, 1300, 976), cores - 1)
    return maximum(floor_div(slow * minimum(size_bytes, 25_000), 10) + 27, floor_div(fast * size_bytes, 10) + 27)


@settings(max_examples=100)
@given(st.integers(1, 40_000), st.integers(1, 8000), st.integers(1, 3))
def test_two_size_classes_keep_the_rate_of_each(extent, tile, cores):
    t, c = symbol("t", 1, 8000), symbol("c", 1, 3)
    n, tail = ceil_div(extent, t), mod(extent - 1, t) + 1
    padded = where(lt(4 * tail, 32), 512, 4 * tail)
    cost = (n - 1) * transfer(4 * t, c) + transfer(padded, c)
    relaxation = _Relaxation(integer(1))
    bound, _ = relaxation.lower(cost)
    point = {"t": tile, "c": cores}
    time, found, whole = evaluate_all((cost, integer(0) if bound is None else bound, n), point)
    assert found <= time
    if bound is not None and 8 * tile <= extent and tile >= 8:
        assert found >= 0.7 * time - 40 * whole


def value_of(terms, point):
    return sum(c * evaluate_all((mul(1, *m),), point)[0] for m, c in terms.items())


def test_a_limit_with_a_rising_far_side_is_seen():
    x = symbol("x", 1, 100)
    terms = Expander().lower(maximum(9 * minimum(x, 10), 4 * x)).terms
    assert {x: value_of(terms, {"x": x}) for x in (1, 10, 11, 100)} == {1: 9, 10: 90, 11: 44, 100: 400}


def test_a_rate_that_is_never_the_smaller_one_is_the_rate():
    c, t = symbol("c", 1, 4096), symbol("t", 1, 100)
    slow = 5 * minimum(c, 48) * t + 9 * t
    found = Expander().lower(maximum(7 * t, slow))
    assert found.exact
    assert found == Expander().lower(slow)


def test_two_rates_keep_apart_what_they_share():
    x, c = symbol("x", 1, 100), symbol("c", 1, 3)
    slow, fast = lookup((9, 8, 7), c - 1), lookup((5, 5, 6), c - 1)
    cost = where(lt(x, 20), 12 * slow + 5, 12 * fast + 5) * x
    terms = Expander().lower(cost).terms
    assert sorted(terms.values()) == [5, 12]
    for a, b in product((1, 19, 20, 100), (1, 2, 3)):
        point = {"x": a, "c": b}
        assert [value_of(terms, point)] == list(evaluate_all((cost,), point))


@given(st.integers(2, 20_000), st.integers(2, 20_000), st.integers(2, 64), st.data())
def test_bandwidth_that_cores_share_leaves_the_whole_work(rows, extent, most, data):
    t = symbol("t", 1, extent)
    n = ceil_div(extent, t)
    b = symbol("b", 1, rows * extent)
    cores = ceil_div(mul(rows, n), b)
    cost = b * t * (5 * minimum(cores, most) + 9)
    bound, knows_share = _Relaxation(cores).lower(cost)
    assert knows_share
    tile = data.draw(st.integers(1, extent))
    for count in range(1, most + 1):
        share = -(-rows * -(-extent // tile) // count)
        point = {"t": tile, "b": share}
        time, found, used = evaluate_all((cost, bound, cores), point)
        assert 5 * rows * extent + 9 * rows * extent // used <= found <= time


def test_a_limit_that_keeps_an_index_in_its_table_stays():
    cores, rows = symbol("cores", 1, 341), symbol("rows", 1, 100)
    rate = lookup((7, 5, 4), minimum(cores, 3) - 1)
    time = maximum(rows * rate - 40, 0)
    terms = Expander().lower(time).terms
    for env in ({"cores": 1, "rows": 100}, {"cores": 341, "rows": 100}, {"cores": 2, "rows": 1}):
        factors = {factor: value for m in terms for factor, value in zip(m, evaluate_all(m, env), strict=True)}
        bound = sum(c * prod(factors[f] for f in m) for m, c in terms.items())
        assert bound <= evaluate_all((time,), env)[0]
