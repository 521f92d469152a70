"""The CP-SAT form of an expression has its value, wherever it is defined; a literal is its condition, both ways."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ortools.sat.python import cp_model

from att.errors import ModelError
from att.expr.choice import lookup, maximum
from att.expr.core import floor_div, integer, mod, mul, symbol
from att.expr.evaluate import evaluate_all
from att.expr.node import topological
from att.expr.ranges import Range
from att.model.bind import bind
from att.model.intervals import value_of
from att.model.tiling import Divides, Leq, Member, VarRole
from att.ops.call import Pipe
from att.solve.base import SolveOptions, SolveStatus
from att.solve.bounds import bounds_under
from att.solve.cpsat import CpSatSolver, configure
from att.solve.cpsat_model import FULL, Technique, lexicographic_groups, state
from att.solve.lowering import Lowering
from benchmarks import waist_models as waist
from tests.small_models import ORIGIN, model_of, random_conds, random_exprs, random_symbols


def solved(model):
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.cp_model_presolve = False
    return solver, solver.solve(model)


def lowered(exprs, symbols, caps=None):
    known = bounds_under((*exprs, *symbols), caps or {})
    return Lowering(cp_model.CpModel(), {s.name: s for s in symbols}, known)


@settings(max_examples=120, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(st.data())
def test_the_lowered_value_is_the_value(data):
    symbols = data.draw(random_symbols())
    exprs = [data.draw(random_exprs(symbols)) for _ in range(2)]
    cond = data.draw(random_conds(symbols))
    point = {s.name: max(s.lo, data.draw(st.integers(s.lo, s.hi)) // s.multiple * s.multiple) for s in symbols}
    lowering = lowered(exprs, symbols)
    columns = [lowering.linear(e) for e in exprs]
    literal = lowering.literals.of(cond)
    for s in symbols:
        lowering.model.add(lowering.linear(s) == point[s.name])
    solver, status = solved(lowering.model)
    assert status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    *values, holds = evaluate_all((*exprs, cond), point)
    assert [solver.value(c) for c in columns] == values
    assert solver.boolean_value(literal) == holds


@settings(max_examples=120, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(st.data())
def test_what_caps_say_of_a_node_is_enforced_and_not_assumed(data):
    """A node that a cap narrows, even to one number, must still be tied to its operands."""
    symbols = data.draw(random_symbols())
    exprs = tuple(data.draw(random_exprs(symbols)) for _ in range(3))
    points = [{s.name: max(s.lo, data.draw(st.integers(s.lo, s.hi)) // s.multiple * s.multiple) for s in symbols} for _ in range(2)]
    inside, other = (evaluate_all(exprs, point) for point in points)
    caps = {e: v + data.draw(st.integers(0, 3)) for e, v in zip(exprs, inside, strict=True)}
    forgotten = data.draw(st.randoms(use_true_random=False))
    for point, values in zip(points, (inside, other), strict=True):
        known = bounds_under((*exprs, *symbols), caps)
        for node in topological(*exprs, *symbols):
            if forgotten.random() < 0.5:
                known[node] = value_of(node, {}, known)
        lowering = Lowering(cp_model.CpModel(), {s.name: s for s in symbols}, known)
        for expr, cap in caps.items():
            lowering.model.add(lowering.linear(expr) <= cap)
        for s in symbols:
            lowering.model.add(lowering.linear(s) == point[s.name])
        _, status = solved(lowering.model)
        legal = all(v <= caps[e] for e, v in zip(exprs, values, strict=True))
        assert (status in (cp_model.OPTIMAL, cp_model.FEASIBLE)) == legal


def test_a_product_whose_factors_know_less_than_itself_is_still_a_product():
    t, n = symbol("t", 1, 8), symbol("n", 1, 5)
    area = 64 * t * n
    known = bounds_under((area - 680, t, n), {})
    known |= {t: Range(2, 3, 1), n: Range(5, 5, 1), area: Range(640, 640, 64)}
    lowering = Lowering(cp_model.CpModel(), {"t": t, "n": n}, known)
    lowering.model.add(lowering.linear(area - 680) <= 0)
    lowering.model.maximize(lowering.linear(t))
    solver, _ = solved(lowering.model)
    assert solver.value(lowering.linear(t)) == 2


@pytest.mark.parametrize("table", [(3, 5, 5, 9), (9, 5, 5, 3), (4, 9, 1, 1)])
def test_a_table_has_its_entries_and_one_that_only_rises_or_falls_no_variable_for_each(table):
    n = symbol("n", 0, 3)
    for value, entry in enumerate(table):
        lowering = lowered((lookup(table, n),), (n,))
        entries = lowering.linear(lookup(table, n))
        lowering.model.add(lowering.linear(n) == value)
        solver, status = solved(lowering.model)
        assert status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
        assert solver.value(entries) == entry
        elements = [c for c in lowering.model.proto.constraints if c.has_element()]
        assert bool(elements) == (table == (4, 9, 1, 1))


def test_an_argument_that_just_reaches_what_is_known_of_a_maximum_may_be_it():
    x, y = symbol("x", 1, 5), symbol("y", 2, 9)
    largest = maximum(x, y)
    known = bounds_under((largest,), {}) | {largest: Range(5, 9, 1)}
    lowering = Lowering(cp_model.CpModel(), {"x": x, "y": y}, known)
    value = lowering.linear(largest)
    lowering.model.add(lowering.linear(x) == 5)
    lowering.model.add(lowering.linear(y) == 3)
    solver, status = solved(lowering.model)
    assert status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    assert solver.value(value) == 5


def test_equal_products_are_stated_once():
    x, y, z = (symbol(name, 1, 9) for name in "xyz")
    lowering = lowered((x * y * z, y * x + z, 3 * x * y), (x, y, z))
    for expr in (x * y * z, y * x + z, 3 * x * y):
        lowering.linear(expr)
    assert sum(c.has_int_prod() for c in lowering.model.proto.constraints) == 2


def test_quotients_and_remainders_of_negative_numbers_round_down():
    x, y = symbol("x", 1, 9), symbol("y", 2, 4)
    exprs = [floor_div(x - 20, y), mod(x - 20, y), floor_div(x - 20, 3), mod(x - 20, 4)]
    for value in range(1, 10):
        lowering = lowered(exprs, (x, y))
        columns = [lowering.linear(e) for e in exprs]
        lowering.model.add(lowering.linear(x) == value)
        lowering.model.add(lowering.linear(y) == 3)
        solver, _ = solved(lowering.model)
        assert [solver.value(c) for c in columns] == [(value - 20) // 3, (value - 20) % 3, (value - 20) // 3, (value - 20) % 4]


@pytest.mark.parametrize(
    ("rule", "allowed"),
    [
        (Divides(divisor=integer(4), dividend=symbol("x", 1, 20), origin=ORIGIN), {4, 8, 12, 16, 20}),
        (Divides(divisor=symbol("x", 1, 20), dividend=integer(18), origin=ORIGIN), {1, 2, 3, 6, 9, 18}),
        (Divides(divisor=integer(7), dividend=symbol("x", 1, 20) + 1, origin=ORIGIN), {6, 13, 20}),
        (Member(var="x", values=(3, 5, 99), origin=ORIGIN), {3, 5}),
        (Leq(lhs=3 * symbol("x", 1, 20), rhs=integer(10), origin=ORIGIN), {1, 2, 3}),
    ],
)
def test_each_constraint_allows_what_it_says(rule, allowed):
    x = symbol("x", 1, 20)
    found = set()
    for value in range(1, 21):
        lowering = lowered((), (x,))
        lowering.require(rule)
        lowering.model.add(lowering.linear(x) == value)
        if solved(lowering.model)[1] in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            found.add(value)
    assert found == allowed


def test_numbers_that_cp_sat_cannot_hold_are_refused_with_a_note():
    x, y = symbol("x", 1, 2**40), symbol("y", 1, 2**40)
    lowering = lowered((x * y,), (x, y))
    with pytest.raises(ModelError, match=r"2\^62"):
        lowering.linear(mul(x, y))
    problem = bind(model_of([(x, VarRole.TILE), (y, VarRole.BLOCK)], [], integer(0), [x * y]), {})
    result = CpSatSolver().solve(problem, SolveOptions())
    assert result.status is SolveStatus.UNSUPPORTED
    assert "2^62" in result.note
    assert CpSatSolver().solve(problem, SolveOptions(upper_bound_ticks=77)).objective_ticks == 1


def test_a_work_bound_that_cp_sat_cannot_hold_is_left_out(monkeypatch):
    problem = bind(waist.reduce_rows(), {"A": 48, "R": 300})
    huge = problem.objective - sum((2**61 // v.symbol.hi) * (v.symbol - v.symbol.lo) for v in problem.variables)
    plain = CpSatSolver(technique=FULL).solve(problem, SolveOptions())
    monkeypatch.setattr("att.solve.cpsat_model.relaxed_time", lambda *_: huge)
    assert not state(problem, None, None, FULL).model.validate()
    result = CpSatSolver(technique=FULL).solve(problem, SolveOptions())
    assert (result.status, result.tiling) == (SolveStatus.OPTIMAL, plain.tiling)


def test_where_the_work_bound_is_too_large_the_slowest_pipe_that_fits_is_stated(monkeypatch):
    problem = bind(waist.reduce_rows(), {"A": 48, "R": 300})
    huge = problem.objective - sum((2**61 // v.symbol.hi) * (v.symbol - v.symbol.lo) for v in problem.variables)
    bounds = {None: huge, Pipe.MTE2: integer(5), Pipe.VEC: integer(7), Pipe.MTE3: huge}
    without = state(problem, None, None, replace(FULL, work_bound=False)).lower_bound
    higher = {pipe: integer(without + 10 + bound.value) if bound is not huge else huge for pipe, bound in bounds.items()}
    monkeypatch.setattr("att.solve.cpsat_model.relaxed_time", lambda _, only=None: higher[only])
    assert state(problem, None, None, FULL).lower_bound == without + 17


@pytest.mark.parametrize("ceiling", [None, 2**61, 2**64, 2**100])
def test_ceilings_and_bounds_beyond_64_bits_are_refused_with_a_note(ceiling):
    x, y = symbol("x", 1, 2**30), symbol("y", 1, 2**30)
    for objective in (2**64 * x + y, x + 2**64, 2**40 * (2**19 * x + y) + x):
        problem = bind(model_of([(x, VarRole.TILE), (y, VarRole.BLOCK)], [], integer(0), [objective]), {})
        result = CpSatSolver().solve(problem, SolveOptions(upper_bound_ticks=ceiling, work_limit=0.01))
        if ceiling is not None and ceiling < objective.lo:
            assert (result.status, result.bound_ticks) == (SolveStatus.TIMEOUT, ceiling + 1)
        elif ceiling == 2**61:
            assert result.status is not SolveStatus.UNSUPPORTED
        else:
            assert result.status is SolveStatus.UNSUPPORTED
            assert "2^62" in result.note


def test_coefficients_never_leave_64_bits_unseen():
    """OR-Tools multiplies them modulo 2^64: `2^32*(2^32*x + y)` would be `2^32*y`."""
    x, y = symbol("x", 0, 1000), symbol("y", 0, 2**32)
    inner = mul(2**32, x) + y
    known = bounds_under((inner, x, y), {})
    known[inner] = Range(0, 2**20, 1)
    lowering = Lowering(cp_model.CpModel(), {"x": x, "y": y}, known)
    with pytest.raises(ModelError, match=r"2\^62"):
        lowering.linear(mul(floor_div(mul(2**32, inner), integer(3)), integer(5)))


@pytest.mark.parametrize(
    "technique",
    [
        Technique(cap=False),
        Technique(hint=False),
        Technique(work_cuts=False),
        Technique(work_bound=False),
        Technique(linearization_level=1),
        Technique(factored=False),
        Technique(tiles_first=False),
        Technique(hint=False, presolve_from=0),
        Technique(hint=False, presolve_from=0, probing_level=2, presolve_iterations=3),
    ],
    ids=["no cap", "no hint", "no cuts", "no work bound", "linear", "products as they are", "free branching", "presolve", "full presolve"],
)
def test_no_technique_changes_the_answer(technique):
    problem = bind(waist.reduce_rows(), {"A": 48, "R": 300})
    plain = CpSatSolver().solve(problem, SolveOptions())
    ceiling = plain.objective_ticks * 11 // 10
    other = CpSatSolver(technique=technique).solve(problem, SolveOptions(upper_bound_ticks=ceiling), plain.tiling)
    assert (other.status, other.tiling, other.objective_ticks) == (SolveStatus.OPTIMAL, plain.tiling, plain.objective_ticks)


def test_the_tie_break_needs_few_solves_and_keeps_its_order():
    problem = bind(waist.reduce_rows(), {"A": 48, "R": 300})
    stated = state(problem, None, None, Technique())
    groups = list(lexicographic_groups(stated))
    assert 1 <= len(groups) <= 2
    assert len(stated.ties) < len(problem.tie_break)


@pytest.mark.parametrize("presolve", [False, True])
@pytest.mark.parametrize("factor", [2**20, 2**27, 2**35, 2**45])
def test_large_factors_in_enforced_equalities_give_no_false_bounds(factor, presolve):
    """With its defaults 9.15 takes 782 for the smallest x: it reads `t == factor*x` as a bound of x that holds by itself."""
    model = cp_model.CpModel()
    x, small = model.new_int_var(515, 980, "x"), model.new_bool_var("small")
    t = model.new_int_var(398 * factor, 980 * factor, "t")
    model.add(-32 * x <= -25_000).only_enforce_if(~small)
    model.add(t == factor * x).only_enforce_if(small)
    model.minimize(x)
    solver = cp_model.CpSolver()
    configure(solver.parameters, Technique())
    solver.parameters.cp_model_presolve = presolve
    assert solver.solve(model) == cp_model.OPTIMAL
    assert solver.value(x) == 515


def test_a_model_that_9_15_solved_wrongly():
    problem = bind(waist.fused_rows(cores=20, vec_ops=25), {"M": 263, "N": 16_479})
    result = CpSatSolver().solve(problem, SolveOptions(upper_bound_ticks=459_964_670_000))
    assert (result.objective_ticks, dict(result.tiling)) == (455_511_070_000, {"z0z1Tb_size": 40, "z1t_size": 5496})
