"""Splits the text of an expression into numbers, names and operators."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from att.errors import ParseError

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>[0-9]+)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<operator>\*\*|//|[<>=!]=|[-+*/%()\[\],<>])|(?P<end>\Z))"
)

MAX_DIGITS: Final = 1000
"""Digits of one number; the largest that mean anything here have 20."""

_EXCERPT: Final = 60
"""Characters of a long text that an error shows on each side."""


class Token(NamedTuple):
    """A piece of the text with its half-open character range; `kind` is `number`, `name`, `operator` or `end`."""

    kind: str
    text: str
    start: int
    stop: int


def tokenize(text: str) -> list[Token]:
    """The pieces in order, the last of kind `end`. Raises ParseError for a character that begins none of them."""
    tokens: list[Token] = []
    position = 0
    while not tokens or tokens[-1].kind != "end":
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            start = position + len(text[position:]) - len(text[position:].lstrip())
            hint = "sizes are integers" if text[start] == "." else ""
            raise parse_error(f"unexpected character {text[start]!r}", text, start, start + 1, hint=hint)
        kind = match.lastgroup
        tokens.append(Token(kind, match[kind], match.start(kind), match.end(kind)))
        if kind == "number" and len(match[kind]) > MAX_DIGITS:
            raise parse_error(f"a number of {len(match[kind])} digits; at most {MAX_DIGITS} are read", text, *tokens[-1][2:])
        position = match.end()
    return tokens


def parse_error(message: str, text: str, start: int, stop: int, *, hint: str = "") -> ParseError:
    """An error about `text[start:stop]`, showing the text around it on one line."""
    first, last = max(0, start - _EXCERPT), min(len(text), min(stop, start + _EXCERPT) + _EXCERPT)
    shown = re.sub(r"\s", " ", text[first:last])
    span = (start - first, min(stop, last) - first)
    return ParseError(message, text=shown or " ", span=span, hint=hint)
