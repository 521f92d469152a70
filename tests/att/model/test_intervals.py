"""What narrowed domains say of an expression holds for every value in them."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from att.expr.core import Expr, ceil_div, floor_div, symbol
from att.expr.evaluate import evaluate_all
from att.expr.node import topological
from att.expr.ranges import Range
from att.model.intervals import kept_share, learn, range_of, truth_of
from tests.small_models import random_conds, random_exprs, random_symbols


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(st.data())
def test_values_lie_in_what_was_learned(data):
    symbols = data.draw(random_symbols())
    nodes = (data.draw(random_exprs(symbols)), data.draw(random_exprs(symbols)), data.draw(random_conds(symbols)))
    domains = {}
    for s in symbols:
        ends = sorted(data.draw(st.integers(s.lo // s.multiple, s.hi // s.multiple)) * s.multiple for _ in range(2))
        domains[s] = Range(ends[0], ends[1], s.multiple)
    known = {}
    learn(tuple(topological(*nodes)), domains, known)
    for _ in range(4):
        point = {s.name: data.draw(st.integers(d.lo // d.multiple, d.hi // d.multiple)) * d.multiple for s, d in domains.items()}
        for node, value in zip(nodes, evaluate_all(nodes, point), strict=True):
            if isinstance(node, Expr):
                low, high, multiple = range_of(node, known)
                assert low <= value <= high
                assert value == 0 if multiple == 0 else value % multiple == 0
            else:
                surely, possibly = truth_of(node, known)
                assert surely <= value <= possibly


def test_what_a_quotient_leaves_is_monotone_in_both():
    b, n = symbol("b", 3, 50), symbol("n", 2, 9)
    for left, ends in ((b - floor_div(b, n), (2, 45)), (b - ceil_div(b, n), (1, 44))):
        assert kept_share(left) == (b, left.terms[1].factors[1])
        known = {}
        learn(tuple(topological(left)), {}, known)
        values = [evaluate_all((left,), {"b": x, "n": d})[0] for x in range(3, 51) for d in range(2, 10)]
        assert range_of(left, known)[:2] == ends == (min(values), max(values))
    assert kept_share(b - floor_div(n, 2)) is None
