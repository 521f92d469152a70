"""What z3 is told means what Python computes: every node kind, at every point of small domains."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from att.errors import ModelError
from att.expr.compare import eq, le, lt
from att.expr.core import Expr, symbol
from att.expr.evaluate import evaluate, holds
from att.expr.logic import negate
from att.expr.node import intern
from att.expr.ranges import exactly
from att.verify.prove import Answer, Judge, Limits
from tests.small_models import random_conds, random_exprs, random_symbols

LIMITS = Limits(units=20_000_000, seconds=30.0)
SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much]


def _ask(conditions, symbols, limits=LIMITS):
    return Judge().ask((conditions,), symbols, limits)


@settings(max_examples=60, suppress_health_check=SLOW)
@given(data=st.data())
def test_an_expression_has_its_value_and_no_other(data):
    symbols = data.draw(random_symbols())
    expr = data.draw(random_exprs(symbols))
    point = {s.name: s.lo + data.draw(st.integers(0, (s.hi - s.lo) // s.multiple)) * s.multiple for s in symbols}
    value = evaluate(expr, point)
    here = [eq(s, point[s.name]) for s in symbols]
    assert _ask([*here, eq(expr, value)], symbols).answer is Answer.HOLDS
    assert _ask([*here, negate(eq(expr, value))], symbols).answer is Answer.NEVER


@settings(max_examples=60, suppress_health_check=SLOW)
@given(data=st.data())
def test_a_condition_holds_for_z3_where_it_holds_for_some_point(data):
    symbols = data.draw(random_symbols())
    cond = data.draw(random_conds(symbols))
    names = [s.name for s in symbols]
    points = [dict(zip(names, p, strict=True)) for p in product(*(range(s.lo, s.hi + 1, s.multiple) for s in symbols))]
    reply = _ask([cond], symbols)
    assert (reply.answer is Answer.HOLDS) == any(holds(cond, p) for p in points)
    if reply.answer is Answer.HOLDS:
        assert reply.values in points
        assert holds(cond, reply.values)


def test_a_later_stage_is_asked_only_where_the_first_can_hold():
    x = symbol("x", 1, 10)
    judge = Judge()
    assert judge.ask(((lt(x, 1 * x),), (le(x, 5),)), (x,), LIMITS).answer is Answer.NEVER
    assert judge.questions == 1
    assert judge.ask(((le(x, 5),), (le(5, x),)), (x,), LIMITS).values == {"x": 5}
    assert judge.questions == 3


def test_a_limit_is_an_answer():
    x, y, z = (symbol(n, 1, 10**9) for n in "xyz")
    hard = [eq(x * x * x + y * y * y, z * z * z), lt(x, y)]
    assert _ask(hard, (x, y, z), Limits(units=2_000, seconds=30.0)).answer is Answer.UNKNOWN


class Strange(Expr):
    """A kind that no consumer knows."""

    __slots__ = __match_args__ = ("label",)
    label: str


def test_an_unknown_kind_is_refused():
    x = symbol("x", 1, 3)
    with pytest.raises(ModelError, match="no z3 form of Strange"):
        _ask([le(x, intern(Strange, ("strange",), exactly(2)))], (x,))
