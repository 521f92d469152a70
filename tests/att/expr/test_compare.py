"""Comparisons and connectives: simplified only where they hold (or fail) for every value of the symbols."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from att.expr.choice import maximum
from att.expr.compare import Eq, Le, Lt, eq, known_eq, known_le, le, lt
from att.expr.core import integer, symbol
from att.expr.evaluate import evaluate, holds
from att.expr.logic import FALSE, TRUE, And, conj, disj, negate

A = symbol("a", 1, 10)
B = symbol("b", 5, 20)


@given(data=st.data())
def test_known_relations_are_sound(cases, data):
    case = data.draw(cases)
    x, y, _ = case.nodes
    for point in case.points:
        small, large = evaluate(x, point), evaluate(y, point)
        assert not known_le(x, y) or small <= large
        assert not known_eq(x, y) or small == large
        assert holds(le(x, y), point) == (small <= large)
        assert holds(lt(x, y), point) == (small < large)
        assert holds(eq(x, y), point) == (small == large)


@given(data=st.data())
def test_what_is_known_of_shifted_expressions(cases, data):
    x, y, _ = data.draw(cases).nodes
    assert known_eq(x + y - x, y)
    assert known_le(x, x + 1)
    assert not known_le(x + 1, x)
    assert le(x, x + 3) is TRUE
    assert lt(x, x) is FALSE
    assert eq(y * x, x * y) is TRUE


@pytest.mark.parametrize(
    ("cond", "expected"),
    [
        (le(A, 10), TRUE),
        (le(A, 9), Le),
        (le(11, A), FALSE),
        (lt(A, 11), TRUE),
        (lt(A, 10), Lt),
        (lt(10, A), FALSE),
        (lt(A, A), FALSE),
        (eq(A, A), TRUE),
        (eq(A, 11), FALSE),
        (eq(A, B), Eq),
        (eq(symbol("one", 3, 3), 3), TRUE),
        (le(2 * A + B, A + B + 10), TRUE),
    ],
)
def test_decided_comparisons(cond, expected):
    assert cond is expected or type(cond) is expected


def test_known_relations():
    assert known_le(A, 10)
    assert known_le(3, integer(3))
    assert not known_le(A, B)
    assert not known_eq(A, B)
    assert known_eq(A * B - B * A, 0)
    assert known_le(A * B, B * A + 1)
    assert not known_le(maximum(A, B), A)


def test_connectives_flatten_and_decide():
    x, y, z = le(A, B), lt(B, A), eq(A, 7)
    assert conj() is TRUE
    assert disj() is FALSE
    assert conj(x, TRUE, x) is x
    assert disj(y, FALSE) is y
    assert conj(x, FALSE, y) is FALSE
    assert disj(x, TRUE) is TRUE
    assert conj(conj(x, y), z) is conj(x, conj(y, z))
    assert isinstance(conj(x, y), And)
    assert negate(negate(x)) is x
    assert negate(TRUE) is FALSE
    assert negate(FALSE) is TRUE
