"""Rounding: every price is the exact rational number of cycles, rounded down once to ticks."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from att.expr.compare import le
from att.expr.core import integer, symbol
from att.expr.evaluate import evaluate
from att.ops.price import Cycles, Price, choose, cycles, dearest, linear, total

decimals = st.fractions(min_value=-1000, max_value=1000, max_denominator=10**4)
amounts = st.integers(min_value=0, max_value=2**18)


@given(st.lists(st.tuples(decimals, amounts), min_size=1, max_size=6))
def test_ticks_round_the_exact_sum_down_once(terms: list[tuple[Fraction, int]]) -> None:
    exact = sum((c * n for c, n in terms), Fraction(0)) * 10**6
    amount = total([cycles(c, n) for c, n in terms])
    assert amount.ticks == integer(exact.numerator // exact.denominator)


@given(st.lists(st.tuples(decimals, amounts), min_size=1, max_size=4))
def test_symbols_give_the_same_ticks_as_their_values(terms: list[tuple[Fraction, int]]) -> None:
    symbols = [symbol(f"n{i}", 0, 2**18) for i in range(len(terms))]
    amount = total([cycles(c, s) for (c, _), s in zip(terms, symbols, strict=True)])
    env = {s.name: n for s, (_, n) in zip(symbols, terms, strict=True)}
    exact = sum((c * n for c, n in terms), Fraction(0)) * 10**6
    assert evaluate(amount.ticks, env) == exact.numerator // exact.denominator


@given(decimals, decimals, amounts)
def test_linear_is_the_floor_of_k_n_plus_b(k: Fraction, b: Fraction, n: int) -> None:
    exact = (k * n + b) * 10**6
    assert linear(k, b, integer(n)) == integer(exact.numerator // exact.denominator)


def test_six_decimals_need_no_division() -> None:
    n = symbol("n", 1, 1000)
    assert linear(Fraction("0.0147"), Fraction("20.0592"), n) == n * 14700 + 20059200


def test_times_scales_by_numbers_and_expressions() -> None:
    n = symbol("n", 1, 100)
    amount = cycles(Fraction(1, 3), n) + cycles(2)
    assert evaluate(amount.times(3).ticks, {"n": 7}) == 13 * 10**6
    assert evaluate(amount.times(n).ticks, {"n": 7}) == (49 * 10**6) // 3 + 14 * 10**6


def test_prices_remember_estimates() -> None:
    known, guess = Price.of(cycles(1)), Price.of(cycles(2, estimated=True))
    assert not known.estimated
    assert dearest(known, guess) == Price(integer(2 * 10**6), estimated=True)
    assert choose(le(symbol("n", 0, 9), 5), known, guess).estimated
    assert (cycles(1) + cycles(1, estimated=True)).times(2).estimated


def test_nothing_costs_nothing() -> None:
    assert Cycles().ticks == integer(0)
