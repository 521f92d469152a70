"""Sizes of builder scripts: integers on either side, `/` rounds down, everything else is refused with a sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from att.errors import GraphError
from att.expr.core import Expr, symbol
from att.expr.evaluate import evaluate
from att.formats.size_expr import SizeExpr, ceil_div_of, max_of, min_of, mod_of

KS0 = SizeExpr(symbol("ks0", 1, 4096))
KS1 = SizeExpr(symbol("ks1", 1, 4096))


def value(size: SizeExpr, ks0: int, ks1: int) -> int:
    return evaluate(size.expr, {"ks0": ks0, "ks1": ks1})


@given(st.integers(1, 4096), st.integers(1, 4096), st.integers(1, 99))
def test_it_computes_like_integers(a: int, b: int, n: int) -> None:
    pairs = [
        (KS0 + n, a + n), (n + KS0, n + a), (KS0 + KS1, a + b), (KS0 - n, a - n), (n - KS0, n - a), (KS0 - KS1, a - b),
        (KS0 * n, a * n), (n * KS0, n * a), (KS0 * KS1, a * b), (KS0 // n, a // n), (n // KS0, n // a), (KS0 // KS1, a // b),
        (KS0 / n, a // n), (n / KS0, n // a), (KS0 / KS1, a // b), (KS0 % n, a % n), (n % KS0, n % a), (KS0 % KS1, a % b),
        (KS0**3, a**3), (KS0**0, 1), (-KS0, -a), (+KS0, a), ((KS0 + 1) / 2, (a + 1) // 2), (KS0**2 * KS1, a * a * b),
        (max_of(KS0, KS1, n), max(a, b, n)), (min_of(KS0, KS1, n), min(a, b, n)), (mod_of(KS0, n), a % n),
        (ceil_div_of(KS0, n), -(-a // n)),
    ]  # fmt: skip
    for size, expected in pairs:
        assert value(size, a, b) == expected


def test_equality_is_that_of_expressions() -> None:
    assert KS0 * 2 == 2 * KS0
    assert SizeExpr(3) == 3
    assert KS0 != KS1
    assert KS0 != "ks0"
    assert hash(KS0 * 2) == hash(2 * KS0)


def test_floats_that_are_integers_count_as_such() -> None:
    assert SizeExpr(4 / 2) == 2
    with pytest.raises(GraphError, match=r"a size is an integer or an expression of sizes, got 3\.5"):
        SizeExpr(7 / 2)


@pytest.mark.parametrize("bad", ["4", None, True, [1]])
def test_what_is_no_size(bad: object) -> None:
    with pytest.raises(GraphError, match="a size is an integer or an expression of sizes, got"):
        KS0 * bad  # type: ignore[operator]


def test_what_is_not_defined_everywhere() -> None:
    with pytest.raises(GraphError, match="division by"):
        KS1 // (KS0 - 1)
    with pytest.raises(GraphError, match="remainder by"):
        KS1 % 0


@pytest.mark.parametrize("exponent", [-1, 65, 0.5, KS1, True])
def test_exponents(exponent: object) -> None:
    with pytest.raises(GraphError, match="the exponent of a size is"):
        KS0**exponent  # type: ignore[operator]


def test_only_equality_is_compared() -> None:
    with pytest.raises(TypeError):
        KS0 < 3  # type: ignore[operator]  # noqa: B015


def test_its_text() -> None:
    assert (KS0 * 3 + 1).expression == repr(KS0 * 3 + 1) == "3*ks0 + 1"
    assert isinstance(KS0.expr, Expr)
