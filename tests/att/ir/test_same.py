"""Expressions are told apart only where some values of their symbols tell them apart."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from att.expr.choice import maximum
from att.expr.core import Expr, add, ceil_div, floor_div, integer, mul, symbol
from att.ir.same import may_be_equal

N = symbol("n", 1, 2**31 - 1)
T = symbol("t", 1, 40000)
B = symbol("b", 1, 40000)


def test_equal_for_all_values_but_written_differently() -> None:
    assert may_be_equal(ceil_div(ceil_div(N, T), B), ceil_div(N, mul(T, B)))
    assert may_be_equal(mul(add(T, 1), 2), add(mul(2, T), 2))


def test_different() -> None:
    assert not may_be_equal(ceil_div(N, T), floor_div(N, T))
    assert not may_be_equal(N, T)
    assert not may_be_equal(integer(3), integer(4), integer(5))
    assert not may_be_equal(T, B)


def test_any_candidate_will_do_at_each_point() -> None:
    assert may_be_equal(maximum(T, B), T, B)


def test_a_symbol_with_one_value() -> None:
    fixed = symbol("f", 48, 48, 16)
    assert may_be_equal(fixed, integer(48))
    assert not may_be_equal(fixed, integer(32))


@given(st.integers(1, 10**6), st.integers(0, 10**6), st.sampled_from([1, 2, 16, 64]))
def test_a_symbol_differs_from_its_successor_and_equals_itself(lo: int, width: int, multiple: int) -> None:
    first = -(-lo // multiple) * multiple
    s: Expr = symbol("s", first, first + width * multiple, multiple)
    assert may_be_equal(s, s)
    assert not may_be_equal(s, add(s, 1))
