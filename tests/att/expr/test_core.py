"""Smart constructors: they keep the value, know sound bounds, intern, and refuse what is undefined."""

from __future__ import annotations

import copy
import gc
import pickle
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from att.errors import ModelError
from att.expr.choice import lookup, maximum, minimum, where
from att.expr.compare import le
from att.expr.core import Expr, Int, add, align_up, ceil_div, exact_quotient, floor_div, integer, mod, mul, symbol, weighted
from att.expr.evaluate import evaluate_all
from att.expr.node import Node, intern, topological
from att.expr.ranges import Range
from att.expr.substitute import rebuild
from att.expr.text import to_text

A = symbol("a", 1, 100)
B = symbol("b", 1, 64)
C = symbol("c", 16, 4096, 16)


@given(data=st.data())
def test_value_is_kept_and_lies_in_the_range(cases, data):
    case = data.draw(cases)
    nodes = case.nodes
    for point in case.points:
        assert evaluate_all(nodes, point) == case.meaning(point)
        parts = [n for n in topological(*nodes) if isinstance(n, Expr)]
        for part, value in zip(parts, evaluate_all(tuple(parts), point), strict=True):
            assert part.lo <= value <= part.hi, to_text(part)
            assert value == 0 if part.multiple == 0 else value % part.multiple == 0, to_text(part)


@given(data=st.data())
def test_normal_form_is_stable(cases, data):
    for node in topological(*data.draw(cases).nodes):
        assert rebuild(node, node.operands) is node if node.operands else True


@given(data=st.data())
def test_equal_structure_is_the_same_object_also_after_pickling(cases, data):
    case = data.draw(cases)
    assert all(x is y for x, y in zip(case.nodes, case.nodes, strict=True))
    assert all(x is y for x, y in zip(case.nodes, pickle.loads(pickle.dumps(case.nodes)), strict=True))
    assert copy.deepcopy(case.nodes[0]) is case.nodes[0]


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (A + 2 * A - 3 * A, "0"),
        (A * B - B * A, "0"),
        (2 * A * B + B * A, "3*a*b"),
        (A * A * B - A * B * B, "a*a*b - a*b*b"),
        (5 + A + 3, "a + 8"),
        (3 * (A + 2 * B - 1), "3*a + 6*b - 3"),
        ((2 * A + 4 * B) * C, "2*(a + 2*b)*c"),
        ((A + B) * 2 * (A - 2), "2*(a + b)*(a - 2)"),
        ((B - A) * C - (A - B) * C, "(b - a)*c - (a - b)*c"),
        (-(A - B) * C, "-(a - b)*c"),
        ((101 - A) * C * 6, "6*(-a + 101)*c"),
        (add(mul(-1, A), -5) * C, "-(a + 5)*c"),
        (add(mul(-2, A), 202) * C, "2*(-a + 101)*c"),
        (symbol("zero", 0, 0) + symbol("nil", 0, 0), "0"),
        ((6 * A + 4 * B) // 2, "3*a + 2*b"),
        ((A * B + A) // A, "b + 1"),
        (ceil_div(A * B, B), "a"),
        (ceil_div(C, 16), "c // 16"),
        (ceil_div(C, 32), "Ceiling(c / 32)"),
        (floor_div(B, 65), "0"),
        (ceil_div(B, 64), "1"),
        (mod(C, 8), "0"),
        (mod(C * A, A), "0"),
        (mod(B, 65), "b"),
        (minimum(A, 7, 100, A), "Min(a, 7)"),
        (minimum(100, A), "a"),
        (minimum(A, minimum(B, A, 3)), "Min(a, b, 3)"),
        (maximum(1, A), "a"),
        (maximum(A, 0, B), "Max(a, b)"),
        (where(le(A, 100), A, B), "a"),
        (where(le(A, B), C, C), "c"),
        (lookup([4, 5, 6], minimum(A, 2) - 1 + 1), "Lookup([4, 5, 6], Min(a, 2))"),
        (lookup([9, 7, 7], minimum(A, 2)), "7"),
        (align_up(A, 8), "8*Ceiling(a / 8)"),
    ],
)  # fmt: skip
def test_simplified_form(expr, text):
    assert to_text(expr) == text


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (C, Range(16, 4096, 16)),
        (symbol("d", 1, 100, 16), Range(16, 96, 16)),
        (3 * A, Range(3, 300, 3)),
        (C * A + 32, Range(48, 409632, 16)),
        (floor_div(A, B), Range(0, 100, 1)),
        (ceil_div(A - 50, 7), Range(-7, 8, 1)),
        (C % 24, Range(0, 16, 8)),
        ((B + 128) % 64, Range(0, 63, 1)),
        (mod(A + 1000, B + 1000), Range(0, 1063, 1)),
        (integer(0), Range(0, 0, 0)),
        (lookup([8, 12, 400], minimum(A - 1, 1)), Range(8, 12, 4)),
        (where(le(A, B), C, 24), Range(16, 4096, 8)),
    ],
)  # fmt: skip
def test_range_of_known_expressions(expr, expected):
    assert expr.range == expected


def test_exact_quotient_needs_every_factor():
    assert exact_quotient(A * B * C, B * A) is C
    assert exact_quotient(A * A, A) is A
    assert exact_quotient(A * B + C, A) is None
    assert exact_quotient(3 * A, integer(2)) is None


@pytest.mark.parametrize("divide", [floor_div, ceil_div, mod])
def test_divisor_that_can_be_zero_or_negative_is_refused(divide):
    with pytest.raises(ModelError, match=r"which can be 0"):
        divide(A, B - 1)
    with pytest.raises(ModelError, match=r"which can be -5"):
        divide(A, -5)
    assert isinstance(divide(A, B), Expr)


@pytest.mark.parametrize("name", ["", "2a", "a b", "a-b", "and", "true", "größe"])
def test_symbol_names_are_names(name):
    with pytest.raises(ModelError, match="cannot name a symbol"):
        symbol(name, 1, 2)


@pytest.mark.parametrize(("lo", "hi", "step"), [(2, 1, 1), (1, 15, 16), (0, 8, 0)])
def test_empty_domain_is_refused(lo, hi, step):
    with pytest.raises(ModelError, match=f"empty domain {lo}..{hi} in steps of {step}"):
        symbol("a", lo, hi, step)


def test_other_integers_become_plain_and_floats_are_refused():
    assert add(A, np.int64(3)) is A + 3
    assert integer(True) is integer(1)
    assert type(integer(True).value) is int
    assert mul(np.int32(2), A) is 2 * A
    with pytest.raises(TypeError):
        add(A, 1.5)


@given(data=st.data(), factors=st.lists(st.integers(-3, 3), min_size=1, max_size=4))
def test_weighted_sum_is_the_sum_of_the_products(cases, data, factors):
    exprs = [n for n in topological(*data.draw(cases).nodes) if isinstance(n, Expr)]
    terms = [(factor, exprs[i * 7 % len(exprs)]) for i, factor in enumerate(factors)]
    assert weighted(terms) is add(*(mul(factor, term) for factor, term in terms))
    assert weighted([*terms, (2, 5)]) is add(*(mul(factor, term) for factor, term in terms), 10)


def test_operators_are_the_constructors():
    assert 1 + A is add(1, A)
    assert A - B is add(A, mul(-1, B))
    assert 7 - A is add(7, mul(-1, A))
    assert 3 * A is mul(3, A)
    assert -A is mul(-1, A)
    assert A // B is floor_div(A, B)
    assert 7 // A is floor_div(7, A)
    assert A % B is mod(A, B)
    assert 7 % A is mod(7, A)


def test_nodes_are_immutable():
    with pytest.raises(AttributeError, match="immutable"):
        A.name = "b"


def test_repr_is_short_at_any_depth():
    deep = A
    for i in range(3000):
        deep = (deep + i) // B
    assert len(repr(deep)) < 200
    assert repr(A + 2) == "Add([a, 2])"


def test_dead_nodes_leave_the_table():
    class Probe(Node):
        __slots__ = __match_args__ = ("value",)

    first = intern(Probe, (10**6,))
    assert intern(Probe, (10**6,)) is first
    marker = object()
    del first
    gc.collect()
    second = intern(Probe, (10**6,))
    assert second.value == 10**6
    assert marker is not second


def test_threads_share_nodes():
    found: list[list[Expr]] = []
    barrier = threading.Barrier(4)

    def build() -> None:
        barrier.wait()
        found.append([(A + i) * (B + 7919 + i) // C for i in range(300)])

    threads = [threading.Thread(target=build) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(x is found[0][i] for one in found for i, x in enumerate(one))


def test_order_of_traversal_depends_on_the_roots_alone():
    root = (A + B) * C // (A + 1)
    names = [to_text(n) for n in topological(root)]
    assert names == ["a", "b", "a + b", "c", "(a + b)*c", "1", "a + 1", "(a + b)*c // (a + 1)"]
    assert isinstance(topological(integer(3))[0], Int)
