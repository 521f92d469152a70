"""What the parser accepts beyond the printed form, and the sentences it answers with."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from att.errors import ParseError
from att.expr.choice import maximum
from att.expr.core import ceil_div, floor_div, integer, symbol
from att.expr.text import parse, parse_condition, to_text

KS0 = symbol("ks0", 1, 8192)
KS1 = symbol("ks1", 1, 8192)
KS2 = symbol("ks2", 2, 8192, 2)
TILE = symbol("z0z1t_size", 1, 40000)
BLOCK = symbol("z0z1Tb_size", 1, 40000)
SYMBOLS = {s.name: s for s in (KS0, KS1, KS2, TILE, BLOCK)}


@pytest.mark.parametrize(
    ("text", "ceil", "floor"),
    [
        ("(40000 / (z0z1Tb_size * z0z1t_size))", ceil_div(40000, BLOCK * TILE), floor_div(40000, BLOCK * TILE)),
        ("((ks1 + 1)/2)", ceil_div(KS1 + 1, 2), (KS1 + 1) // 2),
        ("Max(1, ((ks1 + 1)/2) - 1)", maximum(1, ceil_div(KS1 + 1, 2) - 1), maximum(1, (KS1 + 1) // 2 - 1)),
        ("(ks2/2)", KS2 // 2, KS2 // 2),
        ("ks0*ks1/ks1", KS0, KS0),
        ("4*ks0/2", 2 * KS0, 2 * KS0),
        ("ks0/3/5", ceil_div(KS0, 15), KS0 // 15),
        ("(ks0/3)/5*ks1", ceil_div(KS0, 15) * KS1, KS0 // 15 * KS1),
        ("ks0/3 <= 5 and true", None, None),
        ("Ceiling((Ceiling((40000 / (z0z1t_size))) / (z0z1Tb_size)))", ceil_div(ceil_div(40000, TILE), BLOCK), ...),
        ("Ceiling(ks0 / 3)*ks1", ceil_div(KS0, 3) * KS1, ...),
        ("Floor(ks0 / 3)", KS0 // 3, ...),
        ("Ceiling(ks0)", KS0, ...),
        ("ks0**2*ks1", KS0 * KS0 * KS1, ...),
        ("2**3**2", integer(512), ...),
        ("-ks0**2", -(KS0 * KS0), ...),
        ("ks0**0", integer(1), ...),
        ("Mod(ks0, ks1)", KS0 % KS1, ...),
        ("- - ks0 - -3", KS0 + 3, ...),
        ("ks0 - -ks1*2", KS0 + 2 * KS1, ...),
        ("  ( ( ks0 ) )\n", KS0, ...),
        ("ks0 % 7 // 2 * 3", KS0 % 7 // 2 * 3, ...),
        ("ks0 // 2 % 7", KS0 // 2 % 7, ...),
        ("12", integer(12), ...),
    ],
)  # fmt: skip
def test_accepted_forms(text, ceil, floor):
    if ceil is None:
        assert to_text(parse_condition(text, SYMBOLS)) == "Ceiling(ks0 / 3) <= 5"
        assert to_text(parse_condition(text, SYMBOLS, slash="floor")) == "ks0 // 3 <= 5"
        return
    assert parse(text, SYMBOLS) is ceil
    assert parse(text, SYMBOLS, slash="floor") is (ceil if floor is ... else floor)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("ks0 >= ks1", "ks1 <= ks0"),
        ("ks0 > ks1", "ks1 < ks0"),
        ("ks0 != ks1", "not ks0 == ks1"),
        ("not not ks0 < ks1", "ks0 < ks1"),
        ("not ks0 < ks1 and (ks0 == 3 or ks1 == 3)", "not ks0 < ks1 and (ks0 == 3 or ks1 == 3)"),
        ("ks0 < 0 or false", "false"),
    ],
)
def test_accepted_conditions(text, printed):
    assert to_text(parse_condition(text, SYMBOLS)) == printed


def test_function_names_are_no_reserved_words():
    names = {"Min": symbol("Min", 1, 9), "Ceiling": symbol("Ceiling", 1, 9)}
    assert to_text(parse("Min(Min, Ceiling) + Min", names)) == "Min(Min, Ceiling) + Min"


ERRORS = [
    ("", "expected a number, a symbol or an opening bracket, the text ends", "", "^"),
    ("ks0 +", "expected a number, a symbol or an opening bracket, the text ends", "ks0 +", "     ^"),
    ("ks0 * )", "expected a number, a symbol or an opening bracket, got ')'", "ks0 * )", "      ^"),
    ("Min()", "expected a number, a symbol or an opening bracket, got ')'", "Min()", "    ^"),
    ("and", "expected a number, a symbol or an opening bracket, got 'and'", "and", "^^^"),
    ("(ks0", "this bracket is never closed", "(ks0", "^"),
    ("2*Max(ks0, 1", "this bracket is never closed", "2*Max(ks0, 1", "  ^^^"),
    ("ks0)", "this bracket is never opened", "ks0)", "   ^"),
    ("ks0, ks1", "a comma belongs between the arguments of a function", "ks0, ks1", "   ^"),
    ("ks0 ks1", "expected an operator, got 'ks1'", "ks0 ks1", "    ^^^"),
    ("2ks0", "expected an operator, got 'ks0'", "2ks0", " ^^^"),
    ("ks9", "unknown symbol ks9; known symbols: ks0, ks1, ks2, z0z1Tb_size, z0z1t_size", "ks9", "^^^"),
    ("f(ks0)", "unknown function f; known functions: Min, Max, Mod, Ceiling, Floor, Where, Lookup", "f(ks0)", "^"),
    ("__import__(ks0)", "unknown function __import__; known functions: Min, Max, Mod, Ceiling, Floor, Where, Lookup", None, None),
    ("open('x')", 'unexpected character "\'"', "open('x')", "     ^"),
    ("ks0.real", "unexpected character '.'; sizes are integers", "ks0.real", "   ^"),
    ("1.5*ks0", "unexpected character '.'; sizes are integers", "1.5*ks0", " ^"),
    ("ks0 = 1", "unexpected character '='", "ks0 = 1", "    ^"),
    ("Mod(ks0)", "Mod takes 2 arguments, got 1", "Mod(ks0)", "^^^"),
    ("Ceiling(ks0, 2)", "Ceiling takes 1 argument, got 2", "Ceiling(ks0, 2)", "^^^^^^^"),
    ("ks0 / (ks1 - 1)", "division by Add([ks1, -1]), which can be 0", "ks0 / (ks1 - 1)", "^^^^^^^^^^^^^^^"),
    ("1 + ks0 % 0", "remainder by 0, which can be 0", "1 + ks0 % 0", "    ^^^^^^^"),
    ("ks0**-1", "an exponent must be a constant from 0 to 64", "ks0**-1", "^^^^^^^"),
    ("ks0**ks1", "an exponent must be a constant from 0 to 64", "ks0**ks1", "^^^^^^^^"),
    ("2**65", "an exponent must be a constant from 0 to 64", "2**65", "^^^^^"),
    ("ks0 < ks1 < ks2", "comparisons do not chain; join two of them with `and`", "ks0 < ks1 < ks2", "^^^^^^^^^^^^^^^"),
    ("Where(ks0, 1, 2)", "expected a condition such as `a <= b`, got an integer expression", "Where(ks0, 1, 2)", "      ^^^"),
    ("1 + (ks0 < 2)", "expected an integer expression, got a condition", "1 + (ks0 < 2)", "    ^^^^^^^^^"),
    ("ks0 < 2", "expected an integer expression, got a condition", "ks0 < 2", "^^^^^^^"),
    ("ks0 and 1 < 2", "expected a condition such as `a <= b`, got an integer expression", "ks0 and 1 < 2", "^^^"),
    ("[1, 2]", "expected an integer expression, got a table", "[1, 2]", "^^^^^^"),
    ("Lookup(ks0, 1)", "expected a table such as [1, 2]", "Lookup(ks0, 1)", "       ^^^"),
    ("Lookup([1, ks0], 1)", "a table holds integers", "Lookup([1, ks0], 1)", "           ^^^"),
    ("Lookup([1 2], 1)", "expected `,` or `]` in a table", "Lookup([1 2], 1)", "          ^"),
    ("Lookup([1, -", "a table holds integers", "Lookup([1, -", "            ^"),
    ("Lookup([1, 2], ks0)", "lookup index ks0 ranges over 1..8192, the table has 2 entries, counted from 0", None, None),
    (
        "Ceiling(ks0/3 + 1)",
        "only the outermost `/` inside Ceiling( ) or Floor( ) has a meaning; write Ceiling( ) around the inner one",
        "Ceiling(ks0/3 + 1)",
        "        ^^^^^^^^^",
    ),
]


@pytest.mark.parametrize(("text", "sentence", "shown", "caret"), ERRORS, ids=[text for text, *_ in ERRORS])
def test_error_points_at_the_place(text, sentence, shown, caret):
    with pytest.raises(ParseError) as caught:
        parse(text, SYMBOLS)
    lines = str(caught.value).split("\n")
    assert lines[0] == sentence
    if shown is not None:
        assert [line.rstrip() for line in lines[1:]] == [f"  {shown}".rstrip(), f"  {caret}"]


def test_condition_is_asked_for():
    with pytest.raises(ParseError, match="expected a condition such as `a <= b`, got an integer expression"):
        parse_condition("ks0 + 1", SYMBOLS)


def test_long_texts_are_shown_around_the_place():
    with pytest.raises(ParseError) as caught:
        parse("ks0 + " * 1000 + "?" + " + ks1" * 1000, SYMBOLS)
    _, shown, caret = str(caught.value).split("\n")
    assert len(shown) < 140
    assert shown[caret.index("^")] == "?"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("(" * 200_000, "the text ends"),
        ("(" * 50_000 + "ks0" + ")" * 50_000 + "+", "the text ends"),
        ("ks0 + (" * 300 + "1" + ")" * 300, "nested more than 200 levels deep"),
        ("Min(ks1, 2*" * 300 + "1" + ")" * 300, "nested more than 200 levels deep"),
        ("-" * 100_000 + "ks0", "nested more than 200 levels deep"),
        ("not " * 1000 + "ks0 < 1", "nested more than 200 levels deep"),
        ("(((ks0 + 1)**64 + 1)**64 + 1)**64", "more than 10000 factors"),
        ("((2**64)**64)**64", "more than 1000 digits"),
        ("9" * 1001, "a number of 1001 digits"),
        ("9" * 900 + "*" + "9" * 900, "more than 1000 digits"),
    ],
)
def test_hostile_texts_get_a_sentence(text, sentence):
    with pytest.raises(ParseError, match=sentence) as caught:
        parse(text, SYMBOLS)
    assert len(str(caught.value)) < 500


def test_long_flat_texts_are_read():
    total = parse(" + ".join(["ks0*ks1", "ks1"] * 5_000), SYMBOLS)
    assert total is 5_000 * (KS0 * KS1) + 5_000 * KS1
    assert parse("(" * 5_000 + "ks0" + ")" * 5_000, SYMBOLS) is KS0


def test_nesting_up_to_the_limit_reads_back():
    deep = KS0
    for _ in range(90):
        deep = (deep + 1) // 2
    assert parse(to_text(deep), SYMBOLS) is deep


SIGNS = [*"()[],+-*/%<>=!. ", "**", "//", "<=", "=="]
WORDS = ["ks0", "ks1", "3", "64", "Min(", "Where(", "Lookup([", "Ceiling(", "not ", " and "]


def _read_or_refused(text, slash):
    """The expression, or the error; anything but a ParseError goes through."""
    try:
        return parse(text, SYMBOLS, slash=slash)
    except ParseError as error:
        return error


@given(pieces=st.lists(st.sampled_from(SIGNS + WORDS), max_size=14), slash=st.sampled_from(["ceil", "floor"]))
def test_any_text_is_read_or_refused(pieces, slash):
    found = _read_or_refused("".join(pieces), slash)
    if isinstance(found, ParseError):
        assert 0 <= found.span[0] <= found.span[1] <= len(found.text)
    else:
        assert parse(to_text(found), SYMBOLS) is found
