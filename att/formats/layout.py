"""JSON as a person likes to read it: what fits on a line stays on a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

LINE_WIDTH = 120
"""Columns."""


def pretty(value: object) -> str:
    """JSON text of a plain value (mappings, sequences, scalars), two blanks a level, without a newline at the end."""
    return _pretty(value, indent=0, used=0)


def _pretty(value: object, indent: int, used: int) -> str:
    """`used`: columns that stand before and after the value on its first line."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) + used <= LINE_WIDTH or not value:
        return flat
    inner = indent + 2
    if isinstance(value, Mapping):
        items = cast("Mapping[str, object]", value).items()
        keys = [(json.dumps(key, ensure_ascii=False) + ": ", item) for key, item in items]
        return _block("{}", indent, (key + _pretty(item, inner, inner + len(key) + 1) for key, item in keys))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return _block("[]", indent, (_pretty(item, inner, inner + 1) for item in cast("Sequence[object]", value)))
    return flat


def _block(brackets: str, indent: int, lines: Iterable[str]) -> str:
    pad = " " * (indent + 2)
    body = ",\n".join(pad + line for line in lines)
    return f"{brackets[0]}\n{body}\n{' ' * indent}{brackets[1]}"
