"""C++ text of expressions: golden texts, and compiled values equal to Python's."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from att.errors import EmitError
from att.expr.choice import lookup, maximum, minimum, where
from att.expr.compare import eq, le, lt
from att.expr.core import Expr, add, ceil_div, floor_div, integer, mod, mul, symbol
from att.expr.evaluate import evaluate
from att.expr.logic import conj, disj, negate
from codegen.cxx_expr import HELPERS, CxxPrinter

A, B, T = symbol("a", 0, 1000), symbol("b", 0, 1000), symbol("t", 1, 64)

TEXTS = {
    "a + b * 3 - 1": add(A, mul(3, B), -1),
    "a * b": mul(A, B),
    "(a + 1) * b": mul(add(A, 1), B),
    "DivideUp(a, t) * 8": mul(8, ceil_div(A, T)),
    "a / t": floor_div(A, T),
    "(a + b) / t": floor_div(add(A, B), T),
    "a % t": mod(A, T),
    "FloorDivide(a - 5, t)": floor_div(add(A, -5), T),
    "FloorRemainder(a - 5, t)": mod(add(A, -5), T),
    "4 - a * t": add(mul(-1, A, T), 4),
    "-a * t": mul(-1, A, T),
    "Smaller(a, Smaller(b, t))": minimum(A, B, T),
    "Larger(a, b)": maximum(A, B),
    "a < b && t <= a ? a : b": where(conj(lt(A, B), le(T, A)), A, B),
    "!(a == b) || a < 7 ? 1 : t": where(disj(negate(eq(A, B)), lt(A, 7)), 1, T),
    "kTable0[t - 1] + 4294967296LL": add(lookup(range(64), add(T, -1)), 2**32),
}


@pytest.mark.parametrize("text", TEXTS)
def test_texts(text: str) -> None:
    assert CxxPrinter().text(TEXTS[text]) == text


def test_named_expressions_and_products() -> None:
    pitch = mul(8, ceil_div(A, 8))
    printer = CxxPrinter(names={pitch: "pitch"})
    assert printer.text(mul(B, pitch)) == "b * pitch"
    assert printer.text(mul(16, B, ceil_div(A, 8))) == "b * pitch * 2"
    assert printer.text(mul(4, B, ceil_div(A, 8))) == "b * DivideUp(a, 8) * 4"
    assert set(printer.used_names) == {"a", "b", "pitch"}
    assert list(printer.used_helpers) == ["DivideUp"]


def test_what_cannot_be_printed_is_refused() -> None:
    with pytest.raises(EmitError, match="does not fit int64_t"):
        CxxPrinter().text(add(A, 2**63))
    with pytest.raises(EmitError, match="numerator that can be negative"):
        CxxPrinter().text(ceil_div(add(A, -5), T))


def _expressions() -> st.SearchStrategy[Expr]:
    leaves = st.sampled_from([A, B, T, integer(3), integer(-7), integer(2**33)])

    def grow(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
        pair = st.tuples(inner, inner)
        small = inner.map(lambda e: add(mod(e, 97), 1))
        return st.one_of(
            pair.map(lambda p: add(*p)),
            st.tuples(inner, st.integers(-4, 4)).map(lambda p: mul(*p)),
            pair.map(lambda p: minimum(*p)),
            pair.map(lambda p: maximum(*p)),
            st.tuples(inner, small).map(lambda p: floor_div(*p)),
            st.tuples(inner, small).map(lambda p: mod(*p)),
            st.tuples(inner, small).map(lambda p: ceil_div(maximum(p[0], 0), p[1])),
            st.tuples(inner, inner, inner, inner).map(lambda p: where(lt(p[0], p[1]), p[2], p[3])),
            inner.map(lambda e: lookup((5, -2, 9), mod(e, 3))),
        )

    return st.recursive(leaves, grow, max_leaves=8)


CASES: list[tuple[Expr, dict[str, int]]] = []


@settings(max_examples=150)
@given(_expressions(), st.integers(0, 1000), st.integers(0, 1000), st.integers(1, 64))
def test_cases_for_the_compiled_comparison_are_collected(expr: Expr, a: int, b: int, t: int) -> None:
    assert CxxPrinter().text(expr)
    CASES.append((expr, {"a": a, "b": b, "t": t}))


def test_compiled_values_are_python_s(tmp_path: Path) -> None:
    """All cases in one program: one compilation."""
    cases = CASES or [(expr, {"a": 17, "b": 4, "t": 5}) for expr in TEXTS.values()]
    printer = CxxPrinter()
    texts = [printer.text(expr) for expr, _ in cases]
    lines = ["#include <cstdint>", "#include <cstdio>"]
    lines += [f"static int64_t {name}(int64_t a, int64_t b) {{ return {HELPERS[name]}; }}" for name in printer.used_helpers]
    lines += [f"static const int64_t {name}[] = {{{', '.join(map(str, table))}}};" for table, name in printer.tables.items()]
    lines += ["int main() {", "  int64_t a = 0, b = 0, t = 0;", "  (void)a, (void)b, (void)t;"]
    for text, (_, env) in zip(texts, cases, strict=True):
        lines.append(f"  a = {env['a']}; b = {env['b']}; t = {env['t']};")
        lines.append(f'  std::printf("%lld ", static_cast<long long>({text}));')
    lines.append("}")
    (tmp_path / "values.cpp").write_text("\n".join(lines))
    subprocess.run(["g++", "-std=c++17", "-O0", "values.cpp", "-o", "values"], cwd=tmp_path, check=True)
    out = subprocess.run([tmp_path / "values"], capture_output=True, text=True, check=True).stdout
    assert [int(word) for word in out.split()] == [evaluate(expr, env) for expr, env in cases]
