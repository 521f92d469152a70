"""Substitution and free symbols."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from att.errors import ModelError
from att.expr.choice import minimum, where
from att.expr.compare import le
from att.expr.core import Int, ceil_div, integer, mod, symbol
from att.expr.evaluate import compile_program, evaluate_all
from att.expr.logic import TRUE, conj
from att.expr.substitute import free_symbols, name_parts, substitute, substitute_all
from att.expr.text import to_text

A = symbol("a", 1, 100)
B = symbol("b", 1, 64)
C = symbol("c", 16, 4096, 16)


@given(data=st.data())
def test_constants_give_the_value(cases, data):
    case = data.draw(cases)
    for point in case.points:
        constants = {name: integer(value) for name, value in point.items()}
        *exprs, cond = substitute_all(case.nodes, constants)
        assert all(isinstance(e, Int) for e in exprs)
        assert (*(e.value for e in exprs), cond is TRUE) == case.meaning(point)


@given(data=st.data(), kept=st.sets(st.sampled_from(["a", "b", "c", "z0t_size"])))
def test_binding_some_symbols_keeps_the_meaning(cases, data, kept):
    case = data.draw(cases)
    for point in case.points:
        bound = {name: integer(value) for name, value in point.items() if name not in kept}
        nodes = substitute_all(case.nodes, bound)
        assert set(free_symbols(*nodes)) <= kept
        assert evaluate_all(nodes, point) == case.meaning(point)


@given(data=st.data())
def test_without_replacements_nothing_changes(cases, data):
    nodes = data.draw(cases).nodes
    assert all(x is y for x, y in zip(nodes, substitute_all(nodes, {"other": A}), strict=True))


def test_replacement_is_simultaneous_and_simplified_anew():
    expr = A + 2 * B
    assert substitute(expr, {"a": B, "b": A}) is B + 2 * A
    assert substitute(expr, {"a": 2 * B}) is 4 * B
    assert substitute(minimum(A, B), {"b": symbol("b", 1, 1)}) is symbol("b", 1, 1)
    assert to_text(substitute(ceil_div(A * B, 4), {"b": symbol("b", 4, 64, 4)})) == "a*b // 4"
    assert substitute(where(le(A, B), A, C), {"a": integer(3), "b": integer(2)}) is C
    assert substitute_all((conj(le(A, B), le(B, 9)),), {"b": integer(7)})[0] is le(A, 7)


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"a": integer(0)}, r"symbol a cannot be 0; its domain is 1\.\.100"),
        ({"a": integer(101)}, r"symbol a cannot be 101"),
        ({"c": integer(40)}, r"symbol c cannot be 40; its domain is 16\.\.4096 in steps of 16"),
        ({"a": A + 200}, None),
        ({"b": A + 64}, r"symbol b cannot be 65\.\.164"),
        ({"b": A - 1}, r"which can be 0"),
    ],
)
def test_replacement_outside_the_domain_is_refused(mapping, message):
    expr = ceil_div(A * C, B)
    if message is None:
        message = "symbol a cannot be 201..300"
    with pytest.raises(ModelError, match=message):
        substitute(expr, mapping)


def test_deep_expressions():
    deep = A
    for i in range(5_000):
        deep = mod(deep * 3 + B + i, 10_007)
    assert evaluate_all((substitute(deep, {"b": integer(5)}),), {"a": 9}) == evaluate_all((deep,), {"a": 9, "b": 5})


def test_free_symbols_come_first_seen_first():
    assert list(free_symbols(B + A, le(C, A))) == ["b", "a", "c"]
    assert free_symbols(integer(3)) == {}
    assert free_symbols(where(le(C, B), A, 1)) == {"c": C, "b": B, "a": A}


def test_one_name_with_two_domains_is_refused():
    with pytest.raises(ModelError, match=r"symbol a has two domains, 1\.\.100 in steps of 1 and 1\.\.7 in steps of 1"):
        free_symbols(A + symbol("a", 1, 7) * B)


def test_a_named_part_is_replaced_as_a_whole():
    x, y, part = symbol("x", 1, 100), symbol("y", 1, 100), symbol("part", 1, 100)
    cores = ceil_div(x, y)
    (whole,) = name_parts((300 * cores + x,), {cores: part})
    assert whole == 300 * part + x
    assert compile_program((whole,)).run({"part": Fraction(1, 3), "x": 5}) == (105,)
