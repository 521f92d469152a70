"""No value leaves its span, of whatever size; and a span of small numbers is no wider than it has to be where nothing is open."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from att.errors import ModelError
from att.expr.choice import lookup, maximum, minimum, where
from att.expr.compare import eq, le, lt
from att.expr.core import Expr, add, ceil_div, floor_div, integer, mod, mul, symbol
from att.expr.evaluate import evaluate_all
from att.expr.logic import FALSE, TRUE, Cond, conj, disj, negate
from att.expr.node import Node, intern, topological
from att.expr.spans import Bounding, Span, enclosing

A = symbol("a", 1, 100)
B = symbol("b", 1, 64)


def _boxes(ends):
    """Spans from integer ends, a box for each pair."""
    spans = {s: [enclosing(lo, hi) for lo, hi in pairs] for s, pairs in ends.items()}
    return {s: Span(np.array([x.lo for x in found]), np.array([x.hi for x in found])) for s, found in spans.items()}


def _at(array, box):
    """What holds in one box, as a plain number: numpy would round the integer it is compared with."""
    return array.item() if np.ndim(array) == 0 else array[box].item()


def _span(node, **ends):
    """Bounds of one node in one box."""
    found = Bounding((node,))(_boxes({s: [ends[s.name]] for s in topological(node) if s in (A, B)}))
    return tuple(_at(end, 0) for end in found.exprs[node])


@given(data=st.data())
def test_every_value_lies_in_its_span(cases, data):
    """Boxes are the points alone, what lies between two of them, and everything."""
    case = data.draw(cases)
    nodes = tuple(topological(*case.nodes))
    hulls = [(p, q) for p in case.points for q in case.points]
    ends = {s: [(min(p[n], q[n]), max(p[n], q[n])) for p, q in hulls] + [(s.lo, s.hi)] for n, s in case.symbols.items()}
    found = Bounding(nodes)(_boxes(ends))
    for box, inside in enumerate([*hulls, case.points]):
        for point in inside:
            for node, value in zip(nodes, evaluate_all(nodes, point), strict=True):
                if isinstance(node, Expr):
                    assert _at(found.exprs[node].lo, box) <= value <= _at(found.exprs[node].hi, box)
                else:
                    assert isinstance(node, Cond)
                    assert _at(found.conds[node].may_hold if value else found.conds[node].may_fail, box)


@settings(max_examples=30)
@given(a=st.integers(1, 100), b=st.integers(1, 64))
def test_a_point_has_its_value(a, b):
    table = tuple((-7) ** (i % 5) * i for i in range(100))
    nodes = (
        3 * A * B - A - 500, (A - 2 * B) // B, ceil_div(A - 2 * B, B), mod(A * 7 - 300, B), minimum(A, B, 9), maximum(A - B, B - A),
        where(le(A, B), A * A, B - 7), where(conj(lt(A, B), negate(eq(A, 5))), A, -B), where(disj(eq(A, B), lt(B, 9)), A, B), lookup(table, A - 1),
    )  # fmt: skip
    found = Bounding(nodes)(_boxes({A: [(a, a)], B: [(b, b)]}))
    for node, value in zip(nodes, evaluate_all(nodes, {"a": a, "b": b}), strict=True):
        assert [_at(end, 0) for end in found.exprs[node]] == [value, value]


def test_spans_are_as_narrow_as_their_operands_allow():
    assert _span(mod(A, 8), a=(17, 22)) == (1, 6)
    assert _span(mod(A, 8), a=(17, 25)) == (0, 7)
    assert _span(mod(A, B), a=(13, 17), b=(9, 10)) == (3, 8)
    assert _span(A * (B - 10), a=(2, 3), b=(5, 20)) == (-15, 30)
    assert _span((A - 50) // B, a=(10, 70), b=(3, 4)) == (-14, 6)
    assert _span(lookup((5, 1, 9, 2, 7), minimum(A - 1, 4)), a=(2, 4)) == (1, 9)
    assert _span(where(lt(A, 10), B, 100), a=(3, 9), b=(2, 5)) == (2, 5)


def test_what_doubles_cannot_hold_is_enclosed():
    """Sums of 2^53 and odd numbers are rounded, and products of many large numbers are beyond every double."""
    big = symbol("big", 1, 2**200)
    product = mul(*[big + i for i in range(8)])
    nodes = (
        add(big, 2**53 + 1),
        product,
        floor_div(product, big + 7),
        mod(product, 1000 + big),
        add(product, mul(-1, big)),
        integer(10**400),
    )
    points = (1, 2, 2**53 - 1, 2**53 + 1, 2**100 + 1, 2**200)
    found = Bounding(nodes)(_boxes({big: [(p, p) for p in points]}))
    for box, point in enumerate(points):
        for node, value in zip(nodes, evaluate_all(nodes, {"big": point}), strict=True):
            lo, hi = (_at(end, box) for end in found.exprs[node])
            assert lo <= value <= hi


def test_constants_hold_for_every_box():
    found = Bounding((TRUE, FALSE))({})
    assert tuple(map(bool, found.conds[TRUE])) == (True, False)
    assert tuple(map(bool, found.conds[FALSE])) == (False, True)


def test_an_unknown_kind_is_refused():
    class Other(Expr):
        __slots__ = __match_args__ = ("value",)

    class Unclear(Cond):
        __slots__ = __match_args__ = ("value",)

    for node in (intern(Other, (1,), A.range), intern(Unclear, (1,))):
        assert isinstance(node, Node)
        with pytest.raises(ModelError, match=type(node).__name__):
            Bounding((node,))({})
