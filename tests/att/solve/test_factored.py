"""Drawing out what is shared changes no value and widens no interval."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from att.expr.choice import maximum, minimum, where
from att.expr.compare import lt
from att.expr.core import floor_div, symbol
from att.expr.evaluate import evaluate_all
from att.solve.factored import factored
from tests.small_models import random_exprs, random_symbols

N, A, B = symbol("n", 1, 20), symbol("a", 1, 100), symbol("b", 1, 100)


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(st.data())
def test_the_value_is_the_same_and_its_interval_no_wider(data):
    symbols = data.draw(random_symbols())
    a, b, c = (data.draw(random_exprs(symbols)) for _ in range(3))
    expr = maximum(a * c + b, b * c + b, where(lt(a, b), c + a, c * b + a))
    point = {s.name: max(s.lo, data.draw(st.integers(s.lo, s.hi)) // s.multiple * s.multiple) for s in symbols}
    short = factored(expr)
    plain, same = evaluate_all((expr, short), point)
    assert plain == same
    assert expr.lo <= short.lo <= plain <= short.hi <= expr.hi


@pytest.mark.parametrize(
    ("expr", "short"),
    [
        (N * A + 3 * N * B + 7, N * (A + 3 * B) + 7),
        (maximum(N * A + B, N * A + 5), N * A + maximum(B, 5)),
        (minimum(N + A, N + B), N + minimum(A, B)),
        (maximum(floor_div(N * A, 7), floor_div(N * B, 7)), floor_div(maximum(N * A, N * B), 7)),
        (where(lt(A, B), N + A, N + B), N + where(lt(A, B), A, B)),
    ],
)
def test_what_is_shared_stands_once(expr, short):
    assert factored(expr) is short
