"""A transform: one rewriting step as a value that can be applied, printed and parsed back.

    Split(axis=z1)        Merge(axes=(z0, z1))        Align(elems=8)

Every transform is a frozen dataclass whose fields are names, numbers and tuples of names, and keeps what the graph computes.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from keyword import iskeyword
from typing import Protocol, cast

import msgspec

from att.errors import ParseError
from att.ir.graph import Graph


class Transform(Protocol):
    """One step of a schedule."""

    def apply(self, graph: Graph) -> Graph:
        """The rewritten graph. Raises ScheduleError where the step does not fit the graph."""
        ...


def to_text(step: Transform) -> str:
    """The printed form, e.g. `Split(axis=z1)`; `from_text` reads it back to an equal value."""
    assert is_dataclass(step)
    arguments = ", ".join(f"{field.name}={_value(getattr(step, field.name))}" for field in fields(step))
    return f"{type(step).__name__}({arguments})"


def _value(value: object) -> str:
    match value:
        case tuple():
            items = [_value(item) for item in cast("tuple[object, ...]", value)]
            return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
        case str():
            return value if value.isascii() and value.isidentifier() and not iskeyword(value) else repr(value)
        case _:
            return repr(value)


def from_text(text: str, kinds: Mapping[str, type[Transform]]) -> Transform:
    """The transform that a text stands for. Raises ParseError for an unknown name, or fields that do not fit."""
    try:
        call = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        call = None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
        raise ParseError(f"{text!r} is no step of a schedule", where="trace", hint="a step looks like Split(axis=z1)")
    kind = kinds.get(call.func.id)
    if kind is None:
        raise ParseError(f"there is no step {call.func.id}", where="trace", hint=f"the steps are {', '.join(sorted(kinds))}")
    values = {keyword.arg or "**": _parsed(keyword.value, text) for keyword in call.keywords}
    expected = [field.name for field in fields(kind)] if is_dataclass(kind) else []
    if list(values) != expected:
        raise ParseError(f"{call.func.id} has the fields ({', '.join(expected)}), got ({', '.join(values)})", where=f"trace: {text}")
    try:
        return msgspec.convert(values, type=kind)
    except msgspec.ValidationError as error:
        raise ParseError(str(error), where=f"trace: {text}") from None


def _parsed(value: ast.expr, text: str) -> object:
    match value:
        case ast.Name():
            return value.id
        case ast.Constant():
            return value.value
        case ast.Tuple():
            return tuple(_parsed(item, text) for item in value.elts)
        case _:
            raise ParseError("a field is a name, a number or a tuple of names", where=f"trace: {text}")
