"""The dump as lines: sections, entries and dotted fields, with their line numbers, before any meaning."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NoReturn

from att.errors import ParseError

_NODE: Final = re.compile(r"(\S+)\s*:\s*(\w+)\s*\((\d+)\)")
_AXIS: Final = re.compile(r"(\w+)\s*\((\d+)\)\s*:\s*(.*)")
_OPENERS, _CLOSERS = "({[", ")}]"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the text that is neither blank nor a `#` comment."""

    where: str
    """Source and line number."""
    indent: int
    text: str

    def fail(self, message: str, part: str = "", hint: str = "") -> NoReturn:
        """Raises ParseError at this line, marking `part` of it."""
        start = max(0, self.text.find(part))
        span = (start, start + len(part)) if part else (0, len(self.text))
        raise ParseError(message, text=self.text, span=span, where=self.where, hint=hint)


@dataclass(frozen=True, slots=True)
class Field:
    """`key = value`."""

    line: Line
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RawSize:
    """`name: VAR, max: 8` or `name: 40`."""

    line: Line
    name: str
    value: str
    options: Mapping[str, Field]


@dataclass(frozen=True, slots=True, kw_only=True)
class RawAxis:
    """`name(0) : size, KIND, key: value …`."""

    line: Line
    name: str
    size: str
    kind: str
    options: Mapping[str, Field]


@dataclass(frozen=True, slots=True, kw_only=True)
class RawNode:
    """`name: Op (0)` and its fields by dotted key, e.g. `y.mem.tensor_id`."""

    line: Line
    name: str
    op: str
    fields: Mapping[str, Field]


@dataclass(frozen=True, slots=True, kw_only=True)
class RawGraph:
    """One `Graph:` section."""

    line: Line
    name: str
    sizes: tuple[RawSize, ...]
    axes: tuple[RawAxis, ...]
    nodes: tuple[RawNode, ...]
    trace: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RawHead:
    """The `Template:` section."""

    line: Line
    name: str
    options: Mapping[str, Field]


def read_lines(text: str, where: str) -> list[Line]:
    """The lines that say something."""
    found: list[Line] = []
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.expandtabs(8).rstrip()
        body = line.lstrip()
        if body and not body.startswith("#"):
            found.append(Line(f"{where}, line {number}", len(line) - len(body), body))
    return found


def read_sections(lines: list[Line]) -> tuple[RawHead | None, tuple[RawGraph, ...]]:
    """The `Template:` section, if there is one, and the `Graph:` sections. Raises ParseError."""
    starts = [i for i, line in enumerate(lines) if line.indent == 0 and line.text.startswith(("Template:", "Graph:"))]
    if not starts or starts[0] != 0:
        lines[0].fail("a graph text starts with `Graph: <name>`", hint="is this a dump of a graph?")
    blocks = [lines[a:b] for a, b in zip(starts, [*starts[1:], len(lines)], strict=True)]
    head = _head(blocks.pop(0)) if blocks[0][0].text.startswith("Template:") else None
    for block in blocks:
        if block[0].text.startswith("Template:"):
            block[0].fail("a text holds one template", hint="put each template into its own file")
    return head, tuple(_graph(block) for block in blocks)


def _head(block: list[Line]) -> RawHead:
    line = block[0]
    return RawHead(line=line, name=line.text.removeprefix("Template:").strip(), options=_options(block[1:], [b.text for b in block[1:]]))


def _graph(block: list[Line]) -> RawGraph:
    parts: dict[str, list[Line]] = {}
    current: list[Line] | None = None
    for line in block[1:]:
        if line.indent == 0 and line.text.removesuffix(":") in ("Sizes", "Axis", "Nodes", "Trace"):
            current = _open_part(parts, line)
        elif current is None or line.indent == 0:
            line.fail("expected `Sizes:`, `Axis:`, `Nodes:` or `Trace:`", hint="entries are indented below their section")
        else:
            current.append(line)
    line = block[0]
    return RawGraph(
        line=line,
        name=line.text.removeprefix("Graph:").strip(),
        sizes=tuple(_size(entry) for entry in parts.get("Sizes", [])),
        axes=tuple(_axis(entry) for entry in parts.get("Axis", [])),
        nodes=tuple(_nodes(parts.get("Nodes", []))),
        trace=tuple(entry.text for entry in parts.get("Trace", [])),
    )


def _open_part(parts: dict[str, list[Line]], line: Line) -> list[Line]:
    name = line.text.removesuffix(":")
    if name in parts:
        line.fail(f"a second `{name}:` in one graph", hint="start another graph with `Graph: <name>`")
    return parts.setdefault(name, [])


def _size(line: Line) -> RawSize:
    first, *rest = split_top(line.text)
    name, colon, value = first.partition(":")
    if not colon:
        line.fail("a size is `name: VAR` or `name: 40`")
    return RawSize(line=line, name=name.strip(), value=value.strip(), options=_options([line] * len(rest), rest))


def _axis(line: Line) -> RawAxis:
    match = _AXIS.fullmatch(line.text)
    parts = split_top(match[3]) if match else []
    if match is None or len(parts) < 2:
        line.fail("an axis is `name(0) : size, KIND, from: {…}, align: 1, …`")
    rest = parts[2:]
    return RawAxis(line=line, name=match[1], size=parts[0], kind=parts[1], options=_options([line] * len(rest), rest))


def _options(lines: list[Line], texts: list[str]) -> Mapping[str, Field]:
    found: dict[str, Field] = {}
    for line, text in zip(lines, texts, strict=True):
        key, colon, value = text.partition(":")
        if not colon:
            line.fail("expected `key: value`", text)
        if key.strip() in found:
            line.fail(f"{key.strip()} is given twice", text)
        found[key.strip()] = Field(line, value.strip())
    return found


def _nodes(lines: list[Line]) -> Iterator[RawNode]:
    header: Line | None = None
    body: list[Line] = []
    for line in lines:
        if line.text.startswith("."):
            if header is None:
                line.fail("a field before the first node", hint="a node starts with `name: Op (0)`")
            body.append(line)
        else:
            if header is not None:
                yield _node(header, body)
            header, body = line, []
    if header is not None:
        yield _node(header, body)


def _node(header: Line, body: list[Line]) -> RawNode:
    match = _NODE.fullmatch(header.text)
    if match is None:
        header.fail("a node starts with `name: Op (0)`, its fields with `.`")
    fields: dict[str, Field] = {}
    groups: list[tuple[int, str]] = []
    for line in body:
        while groups and groups[-1][0] >= line.indent:
            groups.pop()
        prefix = f"{groups[-1][1]}." if groups else ""
        if line.text.endswith(":") and "=" not in line.text:
            groups.append((line.indent, prefix + line.text[1:-1]))
            continue
        key, equals, value = line.text.partition("=")
        name = prefix + key.strip()[1:]
        if not equals:
            line.fail("expected `.key = value`")
        if name in fields:
            line.fail(f".{name} is given twice", key.strip())
        fields[name] = Field(line, value.strip())
    return RawNode(line=header, name=match[1], op=match[2], fields=fields)


def split_top(text: str) -> list[str]:
    """Parts between the commas that are outside all brackets, without an empty last one."""
    parts, depth, start = [""] * 0, 0, 0
    for i, char in enumerate(text):
        if char in _OPENERS:
            depth += 1
        elif char in _CLOSERS:
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    last = text[start:].strip()
    return [*parts, last] if last else parts
