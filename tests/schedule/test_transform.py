"""Transforms as texts: what is printed is parsed back, and what is no step says so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from att.errors import ParseError, ScheduleError
from schedule.axes import MergeAxes
from schedule.order import Reorder
from schedule.split import Split
from schedule.trace import KINDS
from schedule.transform import from_text, to_text
from schedule.vectorize import Align

NAMES = st.one_of(st.from_regex(r"[a-z][a-z0-9_]{0,6}", fullmatch=True), st.sampled_from(["None", "if"]), st.text(min_size=1, max_size=6))


def test_it_is_printed_with_its_fields():
    assert to_text(Split("z1")) == "Split(axis=z1)"
    assert to_text(Align(8)) == "Align(elems=8)"
    assert to_text(Reorder(("z0TB", "z0Tb"), ("z0t",))) == "Reorder(loops=(z0TB, z0Tb), vectorized=(z0t,))"
    assert to_text(Reorder((), ("z 0",))) == "Reorder(loops=(), vectorized=('z 0',))"


@given(st.lists(NAMES, max_size=4).map(tuple), st.lists(NAMES, max_size=4).map(tuple), st.integers(1, 10**6))
def test_it_is_parsed_back(loops, vectorized, number):
    for step in (Reorder(loops, vectorized), MergeAxes(loops), Align(number)):
        assert from_text(to_text(step), KINDS) == step


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Split(axis=", "is no step of a schedule"),
        ("z0", "is no step of a schedule"),
        ("Split('z0')", "is no step of a schedule"),
        ("Cut(axis=z0)", "there is no step Cut"),
        ("Split(axes=z0)", "Split has the fields (axis), got (axes)"),
        ("Split(axis=z0, size=3)", "Split has the fields (axis), got (axis, size)"),
        ("Align(elems=z0)", "Expected `int`, got `str`"),
        ("Align(elems=exit())", "a field is a name, a number or a tuple of names"),
        ("Align(**{})", "is no step of a schedule|a field is a name|has the fields"),
        ("(" * 5000, "is no step of a schedule"),
    ],
)
def test_what_is_no_step_says_so(text, message):
    import re

    with pytest.raises(ParseError, match=message if "|" in message else re.escape(message)):
        from_text(text, KINDS)


def test_a_step_that_does_not_fit_says_so(padded):
    with pytest.raises(ScheduleError, match="not known to be contiguous over m and n"):
        MergeAxes(("m", "n")).apply(padded)
    with pytest.raises(ScheduleError, match="there is no axis k to order"):
        Reorder(("m",), ("k",)).apply(padded)
