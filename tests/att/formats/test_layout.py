"""JSON layout: short values stay on a line, long ones are broken, and it is always the same JSON."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from att.formats.layout import LINE_WIDTH, pretty

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=12), inner, max_size=6),
    max_leaves=40,
)


def test_what_fits_stays_on_a_line() -> None:
    assert pretty({"a": [1, 2], "b": {"c": "d"}}) == '{"a": [1, 2], "b": {"c": "d"}}'


def test_what_does_not_fit_is_broken_by_level() -> None:
    value = {"list": ["x" * 60, "y" * 60], "short": []}
    assert pretty(value) == '{\n  "list": [\n    "' + "x" * 60 + '",\n    "' + "y" * 60 + '"\n  ],\n  "short": []\n}'


@given(VALUES)
def test_it_is_the_same_json(value: object) -> None:
    assert json.loads(pretty(value)) == value


@given(st.lists(st.lists(st.integers(0, 999), max_size=20), max_size=20))
def test_lines_keep_to_the_width(value: list[list[int]]) -> None:
    assert all(len(line) <= LINE_WIDTH for line in pretty(value).splitlines())
