"""The bridge to sympy: equal values, and forms that a person reads."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from att.errors import ModelError
from att.expr.choice import lookup, maximum, minimum, where
from att.expr.compare import eq, le, lt
from att.expr.core import Int, ceil_div, floor_div, integer, mod, symbol
from att.expr.logic import conj, disj, negate
from att.expr.node import Node, intern
from att.expr.substitute import free_symbols
from att.expr.sympy_bridge import latex, simplified_text, to_sympy

A = symbol("a", 1, 100)
B = symbol("b", 1, 64)
TILE = symbol("z0t_size", 1, 4096)


def _value(node, point):
    return to_sympy(node).subs({to_sympy(s): point[name] for name, s in free_symbols(node).items()})


@settings(max_examples=25)
@given(data=st.data())
def test_substituted_values_agree(cases, data):
    case = data.draw(cases)
    for node, expected in zip(case.nodes, case.meaning(case.points[0]), strict=True):
        assert _value(node, case.points[0]) == expected


@pytest.mark.parametrize("point", [{"a": 37, "b": 5}, {"a": 8, "b": 64}, {"a": 42, "b": 42}])
def test_every_kind(point):
    a, b = point["a"], point["b"]
    pairs = [
        (A * 3 - B + 1, 3 * a - b + 1),
        (floor_div(A - 50, B), (a - 50) // b),
        (ceil_div(A - 50, B), -(-(a - 50) // b)),
        (mod(A - 50, B), (a - 50) % b),
        (minimum(A, B, 40), min(a, b, 40)),
        (maximum(A, B, 40), max(a, b, 40)),
        (where(le(A, B), A, 7), a if a <= b else 7),
        (lookup([5, 9, 2], mod(A, 3)), [5, 9, 2][a % 3]),
        (conj(lt(A, B), negate(eq(A, 8))), a < b and a != 8),
        (disj(lt(A, B), eq(A, 37)), a < b or a == 37),
    ]
    assert [_value(node, point) for node, _ in pairs] == [expected for _, expected in pairs]


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (3 * TILE + 1, r"3 \mathrm{z0t\_size} + 1"),
        (ceil_div(A, TILE), r"\left\lceil{\frac{\mathrm{a}}{\mathrm{z0t\_size}}}\right\rceil"),
        (le(A, B), r"\mathrm{a} \leq \mathrm{b}"),
        (integer(7), "7"),
    ],
)
def test_latex(node, text):
    assert latex(node) == text


def test_simplified_text():
    assert simplified_text(A * (B + 1) - A * B) == "a"
    assert simplified_text(A * A + A * B) in {"a*(a + b)", "a**2 + a*b"}


def test_large_expressions_are_shown_as_they_are():
    total = A
    for i in range(60):
        total = total + maximum(A, B + i)
    assert simplified_text(total).startswith("a + Max(a, b) + Max(a, b + 1)")


def test_sympy_is_imported_only_when_used():
    code = "import sys; import att.expr.sympy_bridge; sys.exit('sympy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_unknown_kinds_are_refused():
    class Alien(Node):
        __slots__ = __match_args__ = ("value",)

    with pytest.raises(ModelError, match="cannot write a Alien for sympy"):
        to_sympy(intern(Alien, (1,)))


def test_constants_stay_integers():
    assert to_sympy(integer(2**70)) == 2**70
    assert isinstance(integer(3), Int)
