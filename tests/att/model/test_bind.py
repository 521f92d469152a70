"""Binding: sizes are checked and named, values stay what they were, domains lose only impossible values."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from att.errors import UsageError
from att.expr.choice import lookup, where
from att.expr.compare import eq
from att.expr.core import ceil_div, integer, symbol
from att.expr.evaluate import evaluate_all
from att.ir.axis import Size
from att.model.bind import bind
from att.model.tighten import tighten
from att.model.tiling import Divides, Leq, Member, VarRole
from benchmarks import waist_models as waist
from tests.small_models import ORIGIN, every_tiling, is_legal, model_of, random_exprs, random_problems, random_symbols, tiny_cases


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ({}, r"no value for sizes M, N; give it as in M=1024,N=1024"),
        ({"M": 4}, r"no value for size N; give it as in N=1024"),
        ({"M": 4, "N": 5, "K": 1, "B": 2}, r"unknown sizes B, K; sizes: M, N"),
        ({"M": 0, "N": 5}, r"M = 0, allowed are 1..2147483647 elements"),
        ({"M": 4, "N": 2**31}, r"N = 2147483648, allowed are"),
    ],
)
def test_sizes_are_checked(shape, message):
    with pytest.raises(UsageError, match=message):
        bind(waist.fused_rows(), shape)


def test_declared_ranges_are_checked_and_examples_lie_in_them():
    model = replace(waist.elementwise(), sizes=(Size(name="Z", minimum=32, maximum=96, multiple_of=32),))
    with pytest.raises(UsageError, match=r"Z = 40, allowed are multiples of 32 elements; the next ones are 32 and 64"):
        bind(model, {"Z": 40})
    with pytest.raises(UsageError, match=r"Z = 128, allowed are 32..96 elements; .*widen the range that the graph declares"):
        bind(model, {"Z": 128})
    with pytest.raises(UsageError, match=r"give it as in Z=96"):
        bind(model, {})


def test_a_model_without_sizes_takes_none():
    with pytest.raises(UsageError, match=r"unknown size Z; sizes: none"):
        bind(waist.constants(), {"Z": 1})
    assert bind(waist.constants(), {}).objective.lo == bind(waist.constants(), {}).objective.hi


@pytest.mark.parametrize(
    ("fixed", "message"),
    [
        ({"z9t_size": 8}, r"no variable z9t_size to fix; variables: z0t_size, z0Tb_size"),
        ({"z0t_size": 0}, r"z0t_size = 0, allowed are 1..4096"),
        ({"z0t_size": 4097}, r"z0t_size = 4097, allowed are 1..4096"),
    ],
)
def test_fixed_values_are_checked(fixed, message):
    with pytest.raises(UsageError, match=message):
        bind(waist.elementwise(), {"Z": 4096}, fixed=fixed)


def test_fixing_a_variable_narrows_the_others():
    problem = bind(waist.elementwise(), {"Z": 4096}, fixed={"z0t_size": 512})
    assert {v.name: v.symbol.domain[:2] for v in problem.variables} == {"z0t_size": (512, 512), "z0Tb_size": (1, 8)}
    assert dict(problem.fixed) == {"z0t_size": 512}


def test_a_fixed_value_that_breaks_a_rule_is_a_contradiction():
    problem = bind(waist.elementwise(), {"Z": 4096}, fixed={"z0t_size": 511})
    assert problem.contradiction.origin.family == "alignment"


def test_domains_are_tight():
    problem = bind(waist.elementwise(), {"Z": 16_777_216})
    assert {v.name: tuple(v.symbol.domain) for v in problem.variables} == {"z0t_size": (8, 11_760, 8), "z0Tb_size": (30, 2_097_152, 1)}
    assert problem.objective.hi < bind(waist.elementwise(), {"Z": 16_777_216}).source.objective.hi


def test_what_intervals_refute_is_named_and_domains_stay_usable():
    problem = bind(waist.impossible(), {"Z": 100})
    assert problem.contradiction in problem.constraints
    assert problem.contradiction.lhs.lo == 8320 > problem.contradiction.rhs.hi == 8319


@pytest.mark.parametrize("case", sorted(tiny_cases()))
def test_bound_values_are_the_model_s_values_with_the_shape(case):
    model, shape = tiny_cases()[case]
    problem = bind(model, shape)
    ours = (problem.objective, *problem.tie_break, problem.workspace_bytes)
    theirs = (model.objective, *model.tie_break, model.workspace_bytes)
    for tiling in list(every_tiling(problem))[::5]:
        assert evaluate_all(ours, tiling) == evaluate_all(theirs, {**shape, **tiling})


@pytest.mark.parametrize("case", sorted(tiny_cases()))
def test_no_legal_tiling_is_lost(case):
    model, shape = tiny_cases()[case]
    problem = bind(model, shape)
    names = [v.name for v in model.variables]
    wide = replace(problem, variables=tuple(replace(v, symbol=symbol(v.name, 1, v.symbol.hi + 9)) for v in problem.variables))
    inside = sum(is_legal(problem, t) for t in every_tiling(problem))
    assert inside == sum(is_legal(problem, t) for t in every_tiling(wide)) > 0
    assert [v.name for v in problem.variables] == names


@settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(st.data())
def test_tightening_keeps_every_point_that_satisfies_the_constraints(data):
    symbols = data.draw(random_symbols())
    sub = random_exprs(symbols)
    rules = [Leq(lhs=data.draw(sub), rhs=data.draw(sub), origin=ORIGIN) for _ in range(2)]
    model = model_of([(s, VarRole.TILE) for s in symbols], rules, integer(0), [integer(0)])
    tight = tighten({s: s.domain for s in symbols}, rules)
    for tiling in every_tiling(bind(model_of([(s, VarRole.TILE) for s in symbols], [], integer(0), [integer(0)]), {})):
        values = [evaluate_all((r.lhs, r.rhs), tiling) for r in rules]
        if all(lhs <= rhs for lhs, rhs in values):
            assert tight.contradiction is None
            assert all(d.lo <= tiling[s.name] <= d.hi and tiling[s.name] % d.multiple == 0 for s, d in tight.domains.items())
    assert model.template == "random"


def test_each_constraint_narrows_as_far_as_intervals_go():
    x, y = symbol("x", 1, 1000), symbol("y", 1, 1000)

    def domains(*rules):
        found = tighten({s: s.domain for s in (x, y)}, rules)
        return tuple(found.domains[x]), tuple(found.domains[y])

    below = Leq(lhs=3 * x + y * y, rhs=integer(100), origin=ORIGIN)
    assert domains(below) == ((1, 33, 1), (1, 9, 1))
    cores = Leq(lhs=ceil_div(1000, y), rhs=integer(10), origin=ORIGIN)
    assert domains(cores) == ((1, 1000, 1), (100, 1000, 1))
    assert domains(Divides(divisor=integer(8), dividend=x, origin=ORIGIN))[0] == (8, 1000, 8)
    assert domains(Divides(divisor=where(eq(x, 1000), 1, 8), dividend=x, origin=ORIGIN))[0] == (8, 1000, 8)
    assert domains(Divides(divisor=where(eq(x, 999), 1, 8), dividend=x, origin=ORIGIN))[0] == (1, 1000, 1)
    assert domains(Member(var="y", values=(0, 7, 40, 2000), origin=ORIGIN))[1] == (7, 40, 1)


def test_two_impossible_ends_are_a_contradiction_although_intervals_allow_the_whole():
    """The tables are 1 apart at both values of x, and by intervals anything in -2..4."""
    x = symbol("x", 1, 2)
    rule = Leq(lhs=lookup((0, 1, 4), x), rhs=lookup((0, 0, 3), x), origin=ORIGIN)
    problem = bind(model_of([(x, VarRole.TILE)], [rule], integer(0), [integer(0)]), {})
    assert problem.contradiction is not None
    assert problem.contradiction.origin is ORIGIN
    assert [tuple(v.symbol.domain) for v in problem.variables] == [(1, 2, 1)]


def test_a_rule_that_is_not_monotone_loses_nothing():
    x = symbol("x", 1, 100)
    dip = Leq(lhs=where(eq(x, 100), 0, x), rhs=integer(10), origin=ORIGIN)
    assert tuple(tighten({x: x.domain}, [dip]).domains[x]) == (1, 100, 1)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(random_problems())
def test_binding_again_changes_nothing(problem):
    if problem.contradiction is None:
        again = bind(problem.source, {})
        assert [v.symbol for v in again.variables] == [v.symbol for v in problem.variables]
        assert again.objective == problem.objective
