"""Puts together a function body that was written with places kept free.

While the calls are written it is not known which locals they will use; a marker line holds the place for them. Other markers say where the
text of a node begins and ends and which lines are counted calls, so that what a run counts by line can be told by node. No marker is left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from codegen.body import BEGIN, COUNT, END
from codegen.scope import Level, Scope

_MARK = "@"
_LOCALS = "@locals "


def locals_of(level: Level, part: int | None = None) -> str:
    """Marker: the locals of a level that a part of the text (`Scope.part`) or all of it uses."""
    return f"{_LOCALS}{level.name}" + ("" if part is None else f" {part}")


@dataclass(frozen=True, slots=True)
class Assembled:
    """Lines without markers, which belong to which node (first and last, counted from 1), and the line of every counted call."""

    lines: tuple[str, ...]
    node_lines: tuple[tuple[str, int, int], ...]
    counted_lines: Mapping[int, int]


def assemble(written: Sequence[str], scope: Scope) -> Assembled:
    """Replaces the markers in the lines of a text."""
    lines: list[str] = []
    spans: list[tuple[str, int, int]] = []
    begun: dict[str, int] = {}
    counted: dict[int, int] = {}
    for line in written:
        word = line.lstrip() if _MARK in line else ""
        if not line:
            if lines and lines[-1] and not lines[-1].endswith("{"):
                lines.append(line)
        elif not word.startswith(_MARK):
            lines.append(line)
        elif word.startswith(_LOCALS):
            indent = line[: len(line) - len(word)]
            level, _, part = word.removeprefix(_LOCALS).partition(" ")
            found = scope.definitions(Level[level], int(part) if part else None)
            lines.extend(f"{indent}{definition}" for definition in found)
        elif word.startswith(BEGIN):
            begun[word.removeprefix(BEGIN)] = len(lines) + 1
        elif word.startswith(END):
            node = word.removeprefix(END)
            spans.append((node, begun.pop(node), len(lines)))
        elif word.startswith(COUNT):
            counted[int(word.removeprefix(COUNT))] = len(lines) + 1
    return Assembled(tuple(lines), tuple(spans), counted)
