"""The printed form, and that it reads back as the same node."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from att.errors import ModelError
from att.expr.choice import lookup, maximum, minimum, where
from att.expr.compare import eq, le, lt
from att.expr.core import Expr, ceil_div, integer, mod, symbol
from att.expr.logic import FALSE, TRUE, conj, disj, negate
from att.expr.node import Node, intern, topological
from att.expr.text import parse, parse_condition, to_text

A = symbol("a", 1, 100)
B = symbol("b", 1, 64)
C = symbol("c", 1, 4096)
TILE = symbol("z0z1t_size", 1, 40000)
BLOCK = symbol("z0z1Tb_size", 1, 40000)
SYMBOLS = {s.name: s for s in (A, B, C, TILE, BLOCK)}


@given(data=st.data(), slash=st.sampled_from(["ceil", "floor"]))
def test_every_node_reads_back_as_itself(cases, data, slash):
    case = data.draw(cases)
    for node in topological(*case.nodes):
        read = parse if isinstance(node, Expr) else parse_condition
        assert read(to_text(node), case.symbols, slash=slash) is node, to_text(node)


GOLDENS = [
    (integer(-7), "-7"),
    (3 * A + 1, "3*a + 1"),
    (-A - 2 * B - 5, "-a - 2*b - 5"),
    (A * (B + C) * 4, "4*a*(b + c)"),
    (A // B, "a // b"),
    ((A + 1) // (B * C), "(a + 1) // (b*c)"),
    (A * B // C, "a*b // c"),
    (A // B // C, "(a // b) // c"),
    (-(A // B), "-(a // b)"),
    (-A // B, "-a // b"),
    (integer(-7) // A, "-7 // a"),
    (integer(-7) // A + B, "-7 // a + b"),
    (B + integer(-7) // A, "b + (-7 // a)"),
    (B - integer(7) // A, "b - (7 // a)"),
    (B + (-A * C) % 7, "b + (-a*c % 7)"),
    (A // B * C, "(a // b)*c"),
    (C * (A % B), "c*(a % b)"),
    (A % B + C // 3, "a % b + c // 3"),
    (ceil_div(A, B), "Ceiling(a / b)"),
    (ceil_div(A * B + 1, 3 * C), "Ceiling((a*b + 1) / (3*c))"),
    (ceil_div(ceil_div(40000, TILE), BLOCK), "Ceiling(Ceiling(40000 / z0z1t_size) / z0z1Tb_size)"),
    (ceil_div(A, B) * 8, "8*Ceiling(a / b)"),
    (minimum(A, B + 1, 7), "Min(a, b + 1, 7)"),
    (maximum(A, B // 2) - 1, "Max(a, b // 2) - 1"),
    (where(le(A, B), C, 0), "Where(a <= b, c, 0)"),
    (where(conj(lt(A, B), eq(C, 3)), A, mod(C, B)), "Where(a < b and c == 3, a, c % b)"),
    (lookup([4, -2, 9], minimum(A, 2)), "Lookup([4, -2, 9], Min(a, 2))"),
    (lookup([1, 2], A % 2) * B, "Lookup([1, 2], a % 2)*b"),
    (disj(conj(le(A, B), lt(B, C)), eq(A, C)), "a <= b and b < c or a == c"),
    (conj(disj(le(A, B), lt(B, C)), eq(A, C)), "(a <= b or b < c) and a == c"),
    (negate(le(A, B)), "not a <= b"),
    (negate(conj(le(A, B), negate(eq(A, C)))), "not (a <= b and not a == c)"),
    (le(A + 1, 2 * B), "a + 1 <= 2*b"),
    (TRUE, "true"),
    (FALSE, "false"),
]


@pytest.mark.parametrize(("node", "text"), GOLDENS, ids=[text for _, text in GOLDENS])
def test_form_that_a_person_reads(node, text):
    assert to_text(node) == text
    assert (parse if isinstance(node, Expr) else parse_condition)(text, SYMBOLS) is node


def test_deep_expressions_print():
    deep = A
    for _ in range(5_000):
        deep = (deep + 1) // 2 + B
    assert to_text(deep).count("//") == 5_000


def test_unknown_kinds_are_refused():
    class Alien(Node):
        __slots__ = __match_args__ = ("value",)

    with pytest.raises(ModelError, match="cannot print a Alien"):
        to_text(intern(Alien, (1,)))
