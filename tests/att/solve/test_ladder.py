"""Ladders: exactly the values that the constraints on one variable allow, however they are put together."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from att.expr.choice import where
from att.expr.compare import eq
from att.expr.core import integer, symbol
from att.expr.evaluate import evaluate
from att.model.tiling import Divides, Leq, Member
from att.solve.ladder import ladder_of
from tests.small_models import ORIGIN


def values_of(ladder):
    return [ladder.value(i) for i in range(ladder.size)]


@st.composite
def rules(draw, x):
    """A constraint on x alone, of each form that a ladder understands, and one that it does not."""
    kind = draw(st.sampled_from(["member", "multiple", "whole", "divisor", "bound"]))
    n = draw(st.integers(1, 60))
    match kind:
        case "member":
            return Member(var="x", values=tuple(draw(st.lists(st.integers(-2, 60), max_size=12))), origin=ORIGIN)
        case "multiple":
            return Divides(divisor=integer(draw(st.integers(1, 6))), dividend=x, origin=ORIGIN)
        case "whole":
            loose, strict = draw(st.integers(1, 3)), draw(st.integers(1, 8))
            return Divides(divisor=where(eq(x, n), loose, strict), dividend=x, origin=ORIGIN)
        case "divisor":
            return Divides(divisor=x, dividend=integer(n), origin=ORIGIN)
        case _:
            return Leq(lhs=x, rhs=integer(n), origin=ORIGIN)


def allows(rule, value):
    match rule:
        case Member(values=values):
            return value in values
        case Divides(divisor=divisor, dividend=dividend):
            env = {"x": value}
            return evaluate(dividend, env) % evaluate(divisor, env) == 0
        case _:
            return True


@given(st.data())
def test_a_ladder_holds_what_every_rule_allows(data):
    lo, step = data.draw(st.integers(1, 20)), data.draw(st.integers(1, 4))
    hi = lo + data.draw(st.integers(0, 50))
    assume(-(-lo // step) * step <= hi)
    x = symbol("x", lo, hi, step)
    own = data.draw(st.lists(rules(x), max_size=3))
    ladder = ladder_of(x, own)
    assert values_of(ladder) == [v for v in range(x.lo, x.hi + 1, step) if all(allows(rule, v) for rule in own)]


@given(st.data())
def test_rungs_are_found_by_value(data):
    x = symbol("x", 3, 70)
    ladder = ladder_of(x, data.draw(st.lists(rules(x), max_size=2)))
    assume(ladder.size)
    values = values_of(ladder)
    sought = data.draw(st.integers(0, 80))
    assert ladder.at_most(sought) == max((i for i, v in enumerate(values) if v <= sought), default=0)
    assert ladder.at_least(sought) == min((i for i, v in enumerate(values) if v >= sought), default=ladder.size - 1)


def test_the_whole_axis_is_a_rung_between_multiples_and_above_them():
    x = symbol("x", 1, 40)
    aligned = Divides(divisor=where(eq(x, 37), 1, 8), dividend=x, origin=ORIGIN)
    assert values_of(ladder_of(x, [aligned])) == [8, 16, 24, 32, 37, 40]
    y = symbol("x", 1, 37)
    assert values_of(ladder_of(y, [Divides(divisor=where(eq(y, 37), 1, 8), dividend=y, origin=ORIGIN)])) == [8, 16, 24, 32, 37]


def test_a_huge_axis_has_a_ladder_at_once():
    x = symbol("x", 1, 2**31 - 1)
    ladder = ladder_of(x, [Divides(divisor=where(eq(x, x.hi), 1, 16), dividend=x, origin=ORIGIN)])
    assert ladder.size == 2**31 // 16
    assert (ladder.value(0), ladder.value(ladder.size - 1)) == (16, 2**31 - 1)


def test_what_relates_two_variables_is_left_to_the_search():
    x, y = symbol("x", 1, 5), symbol("y", 1, 5)
    rules = [Divides(divisor=y, dividend=x, origin=ORIGIN), Member(var="y", values=(1,), origin=ORIGIN)]
    assert values_of(ladder_of(x, rules)) == [1, 2, 3, 4, 5]
