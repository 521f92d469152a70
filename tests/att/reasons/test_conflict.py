"""The reported origins alone leave no tiling, and without any one of them there is one: checked by trying every tiling."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from att.expr.core import integer, symbol
from att.model.bind import bind
from att.model.tiling import Divides, Leq, Member, Origin, VarRole
from att.reasons.conflict import FIXED, smallest_core
from att.solve.base import SolveOptions
from tests.small_models import every_tiling, is_legal, model_of, random_symbols

FAMILIES = ("ub_capacity", "core_count", "axis_bounds", "alignment", "divisibility", "dma_limits")


def _origin(number):
    return Origin(family=FAMILIES[number % len(FAMILIES)], subject=f"s{number}", text=f"rule {number}")


@st.composite
def contradictory_models(draw):
    """A model without a legal tiling: random rules, and two that cannot hold together."""
    symbols = draw(random_symbols())
    rules = []
    for _ in range(draw(st.integers(0, 4))):
        x, y = draw(st.sampled_from(symbols)), draw(st.sampled_from(symbols))
        bound = draw(st.integers(0, 60))
        kind = draw(st.sampled_from(["at most", "at least", "divides", "member"]))
        if kind == "at most":
            rules.append(lambda o, x=x, y=y, b=bound: Leq(lhs=x * y, rhs=integer(b), origin=o))
        elif kind == "at least":
            rules.append(lambda o, x=x, y=y, b=bound: Leq(lhs=integer(b), rhs=x + y, origin=o))
        elif kind == "divides":
            rules.append(lambda o, x=x, b=bound: Divides(divisor=integer(b % 7 + 1), dividend=x, origin=o))
        else:
            rules.append(lambda o, x=x, b=bound: Member(var=x.name, values=(b % 11 + 1, b % 13 + 1), origin=o))
    x, y, limit = symbols[0], symbols[1], draw(st.integers(2, 40))
    rules.append(lambda o: Leq(lhs=x + y, rhs=integer(limit - 1), origin=o))
    rules.append(lambda o: Leq(lhs=integer(limit), rhs=x + y, origin=o))
    order = draw(st.permutations(range(len(rules))))
    constraints = [rules[i](_origin(number)) for number, i in enumerate(order)]
    roles = [(s, VarRole.TILE) for s in symbols]
    return model_of(roles, constraints, integer(0), [symbols[0]])


def _feasible(model, origins, fixed=None):
    problem = bind(replace(model, constraints=()), {})
    kept = tuple(c for c in model.constraints if c.origin in origins)
    problem = replace(problem, source=replace(model, constraints=kept), fixed=fixed or {})
    return any(is_legal(problem, tiling) for tiling in every_tiling(problem))


@settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(model=contradictory_models())
def test_the_core_is_infeasible_and_nothing_in_it_can_be_left_out(model):
    core = smallest_core(model, {}, {}, SolveOptions())
    assert core.irreducible
    assert core.origins
    assert not _feasible(model, core.origins)
    for origin in core.origins:
        assert _feasible(model, [o for o in core.origins if o != origin])


@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(data=st.data())
def test_a_held_variable_is_a_reason_where_it_takes_part(data):
    symbols = data.draw(random_symbols())
    x = symbols[0]
    value = x.hi
    limit = Leq(lhs=x + integer(1), rhs=integer(value), origin=_origin(0))
    model = model_of([(s, VarRole.TILE) for s in symbols], [limit], integer(0), [x])
    core = smallest_core(model, {}, {x.name: value}, SolveOptions())
    assert core.irreducible
    families = {o.family for o in core.origins}
    assert families == ({"ub_capacity", FIXED} if _feasible(model, [limit.origin]) else {"ub_capacity"})


def test_soft_rules_are_left_out_first():
    """x <= 4 (soft or hard, twice) against x >= 5: the reason is the hard one."""
    x = symbol("x", 1, 9)
    soft, hard = (Leq(lhs=x, rhs=integer(4), origin=_origin(number)) for number in (3, 0))
    high = Leq(lhs=integer(5), rhs=x, origin=_origin(1))
    model = model_of([(x, VarRole.TILE)], [hard, soft, high], integer(0), [x])
    assert {o.family for o in smallest_core(model, {}, {}, SolveOptions()).origins} == {"ub_capacity", "core_count"}
