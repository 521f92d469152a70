"""Evaluation with numpy agrees with exact evaluation, and is int64 exactly where that is safe."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from att.errors import ModelError
from att.expr.choice import lookup
from att.expr.compare import eq, le
from att.expr.core import Expr, add, ceil_div, integer, mod, mul, symbol
from att.expr.evaluate import evaluate_all
from att.expr.logic import TRUE, conj, negate
from att.expr.node import Node, intern, topological
from att.expr.vector import evaluate_many

A = symbol("a", 1, 100)
B = symbol("b", 1, 64)
BIG = symbol("big", 1, 2**62)


@given(data=st.data())
def test_agrees_with_exact_evaluation(cases, data):
    case = data.draw(cases)
    nodes = tuple(topological(*case.nodes))
    env = {name: np.array([p[name] for p in case.points], dtype=object) for name in case.symbols}
    results = evaluate_many(nodes, env)
    for node, array in zip(nodes, results, strict=True):
        fits = isinstance(node, Expr) and node.lo > -(2**63) and node.hi < 2**63
        assert array.dtype == (bool if not isinstance(node, Expr) else np.int64 if fits else object)
    for i, point in enumerate(case.points):
        assert tuple(int(array[i]) for array in results) == tuple(int(v) for v in evaluate_all(nodes, point))


def test_small_results_of_large_operands_come_back_to_int64():
    product = BIG * BIG
    nodes = (product, product // (2**62 + BIG), mod(product, 1000), BIG + BIG + BIG - 2 * BIG)
    results = evaluate_many(nodes, {"big": np.array([2**62, 3])})
    assert [r.dtype for r in results] == [object, np.int64, np.int64, np.int64]
    assert [r.tolist() for r in results] == [[2**124, 9], [2**61, 0], [2**124 % 1000, 9], [2**62, 3]]
    assert all(type(v) is int for v in results[0])


def test_partial_sums_and_products_never_wrap():
    x, y = symbol("x", 0, 2**62), symbol("y", 0, 2**62)
    total = add(mul(3, x), mul(-3, y), 5)
    env = {"x": np.array([2**62, 0]), "y": np.array([2**62, 2**62])}
    assert evaluate_many((total,), env)[0].tolist() == [5, 5 - 3 * 2**62]


def test_shapes_broadcast():
    env = {"a": np.arange(1, 4).reshape(3, 1), "b": np.arange(1, 6)}
    total, constant, truth = evaluate_many((A + B, integer(7), TRUE), env)
    assert total.shape == constant.shape == truth.shape == (3, 5)
    assert total[2, 4] == 8
    scalar, condition = evaluate_many((ceil_div(A, B), le(A, B)), {"a": np.array(7), "b": np.array(2)})
    assert scalar.shape == condition.shape == ()
    assert scalar == 4
    assert not condition
    assert evaluate_many((A * B, integer(2)), {"a": np.array([], dtype=int), "b": np.array(2)})[1].shape == (0,)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64, object])
def test_integer_types_are_widened_first(dtype):
    (result,) = evaluate_many((A * A * A + 1,), {"a": np.array([100, 7], dtype=dtype)})
    assert result.tolist() == [1_000_001, 344]
    assert result.dtype == np.int64


def test_lookup_with_entries_beyond_int64():
    near, far = lookup([5, 6, 2**70], mod(A, 2)), lookup([5, 2**70], mod(A, 2))
    results = evaluate_many((near, far), {"a": np.array([4, 7])})
    assert [r.dtype for r in results] == [np.int64, object]
    assert [r.tolist() for r in results] == [[5, 6], [5, 2**70]]


def test_conditions():
    env = {"a": np.array([1, 2, 3]), "b": np.array([2, 2, 2]), "big": np.array([2**62, 1, 5])}
    nodes = (conj(le(A, B), negate(eq(A, 1))), le(BIG * BIG, 1), eq(BIG * 4, 4))
    assert [r.tolist() for r in evaluate_many(nodes, env)] == [[False, True, False], [False, True, False], [False, True, False]]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.array([1, 101]), r"symbol a has values in 1\.\.101, outside its domain 1\.\.100"),
        (np.array([0], dtype=object), r"outside its domain"),
        (np.array([1.0]), r"symbol a has float64 values; give integers"),
        (np.array([1, 2.5], dtype=object), r"2\.5 is no integer"),
    ],
)
def test_bad_values_are_refused(values, message):
    with pytest.raises(ModelError, match=message):
        evaluate_many((A + 1,), {"a": values})


def test_missing_symbol_is_named():
    with pytest.raises(ModelError, match="symbol b has no value"):
        evaluate_many((A + B,), {"a": np.array([1])})


def test_unknown_kinds_are_refused():
    class Alien(Node):
        __slots__ = __match_args__ = ("value",)

    with pytest.raises(ModelError, match="cannot evaluate a Alien"):
        evaluate_many((intern(Alien, (1,)),), {})
