"""Exact evaluation, step by step and compiled."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from att.errors import ModelError
from att.expr.choice import lookup, maximum, minimum, where
from att.expr.compare import le
from att.expr.core import add, ceil_div, floor_div, integer, mod, mul, symbol
from att.expr.evaluate import compile_program, evaluate, evaluate_all, holds
from att.expr.logic import FALSE, TRUE, conj, disj
from att.expr.node import Node, intern

A = symbol("a", 1, 100)
B = symbol("b", 1, 64)


@given(data=st.data())
def test_program_and_evaluation_mean_the_same(cases, data):
    case = data.draw(cases)
    program = compile_program(case.nodes)
    again = pickle.loads(pickle.dumps(program))
    assert again.nodes == program.nodes
    for point in case.points:
        assert program.run(point) == evaluate_all(case.nodes, point) == again.run(point) == case.meaning(point)


def test_rounding_of_negative_numbers():
    difference = A - 50
    nodes = (floor_div(difference, 8), ceil_div(difference, 8), mod(difference, 8), mod(difference, B))
    for run in (lambda env: evaluate_all(nodes, env), compile_program(nodes).run):
        assert run({"a": 37, "b": 5}) == (-2, -1, 3, 2)
        assert run({"a": 42, "b": 8}) == (-1, -1, 0, 0)
        assert run({"a": 53, "b": 3}) == (0, 1, 3, 0)


def test_results_keep_their_type():
    nodes = (le(A, B), A, TRUE, FALSE, conj(le(A, B), le(B, 7)), disj(le(A, B), le(B, 7)))
    for values in (evaluate_all(nodes, {"a": 3, "b": 2}), compile_program(nodes).run({"a": 3, "b": 2})):
        assert values == (False, 3, True, False, False, True)
        assert [type(v) for v in values] == [bool, int, bool, bool, bool, bool]
    assert holds(le(A, B), {"a": 1, "b": 2}) is True


def test_missing_symbol_is_named():
    with pytest.raises(ModelError, match=r"symbol b has no value; values are given for: a"):
        evaluate(A + B, {"a": 1})
    with pytest.raises(ModelError, match=r"symbol a has no value; values are given for: none"):
        compile_program((A + B,)).run({})


def test_values_outside_the_domain_that_leave_an_operation_undefined():
    quotient, entry = 7 // A, lookup([5, 6, 7], minimum(A - 1, 2))
    for node, env, text in [(quotient, {"a": 0}, "division by 0"), (entry, {"a": 0}, "index"), (entry, {"a": -5}, "index")]:
        with pytest.raises(ModelError, match=text):
            evaluate(node, env)
        with pytest.raises(ModelError, match=text):
            compile_program((node,)).run(env)


def test_wide_expressions():
    wide = add(*(symbol(f"s{i}", 1, 9) for i in range(5_000)))
    tall = mul(*(symbol(f"s{i}", 1, 9) for i in range(500)))
    env = {f"s{i}": 1 + i % 2 for i in range(5_000)}
    assert compile_program((wide, tall)).run(env) == evaluate_all((wide, tall), env) == (7_500, 2**250)


def test_deep_expressions():
    deep, growing, residue, size = A, A, 99, 99
    for i in range(3_000):
        deep, residue = mod(deep * 3 + i, 1009), (residue * 3 + i) % 1009
        growing, size = ceil_div(growing * 3 + 1, 2), -(-(size * 3 + 1) // 2)
    assert compile_program((deep, growing)).run({"a": 99}) == evaluate_all((deep, growing), {"a": 99}) == (residue, size)


def test_program_lists_its_symbols_once():
    program = compile_program((B * A, where(le(A, B), B, 3), integer(5), maximum(A, B, 2)))
    assert program.symbols == ("b", "a")
    assert program.run({"a": 2, "b": 9}) == (18, 9, 5, 9)


def test_unknown_kinds_are_refused():
    class Alien(Node):
        __slots__ = __match_args__ = ("value",)

    with pytest.raises(ModelError, match="cannot evaluate a Alien"):
        evaluate_all((intern(Alien, (1,)),), {})
    with pytest.raises(ModelError, match="cannot compile a Alien"):
        compile_program((intern(Alien, (1,)),))
