"""Graph JSON: the interchange form of HintGraphs and templates (design §7).

Strict: an unknown field, a wrong type or an unknown op is a ParseError with its JSON path. What `dumps` writes, `loads` reads back to an
equal graph, and dumping that gives the same bytes.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any, NoReturn, TypeVar

import msgspec
from msgspec.json import schema_components

from att.errors import ParseError
from att.formats.checked import checked
from att.formats.from_wire import hint_from_wire, template_from_wire
from att.formats.layout import pretty
from att.formats.to_wire import to_wire
from att.formats.wire import FORMAT, VERSION, Head, HintFile, TemplateFile
from att.ir.graph import HintGraph, Template

T = TypeVar("T")

_BYTE = re.compile(r" \(byte (\d+)\)$")


def dumps(graph: HintGraph | Template) -> str:
    """JSON text of a graph, indented, with a newline at the end."""
    return pretty(msgspec.to_builtins(to_wire(graph))) + "\n"


def loads(text: str | bytes, where: str = "graph JSON") -> HintGraph | Template:
    """The graph that a JSON text holds. Raises ParseError, or GraphError where it is well formed but structurally wrong."""
    data = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    head = _decode(data, Head, where)
    _refuse_repeated_keys(data, where)
    if head.format != FORMAT:
        raise ParseError(f'format is "{head.format}", expected "{FORMAT}"', where=f"{where} at $.format")
    if head.version != VERSION:
        raise ParseError(f"version {head.version} is not supported, this program reads version {VERSION}", where=f"{where} at $.version")
    if head.kind == "hint":
        return checked(hint_from_wire(_decode(data, HintFile, where), where), where)
    if head.kind == "template":
        return checked(template_from_wire(_decode(data, TemplateFile, where), where), where)
    raise ParseError(f'kind is "{head.kind}", expected hint or template', where=f"{where} at $.kind")


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of what `loads` reads."""
    files, components = schema_components((HintFile, TemplateFile), ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "ascgraph",
        "description": f"Graph JSON, version {VERSION}: a fused operator graph (hint) or a scheduled kernel (template).",
        "oneOf": list(files),
        "$defs": components,
    }


def _decode(data: bytes, kind: type[T], where: str) -> T:
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        _raise_invalid(str(error), where)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ParseError(_malformed(str(error), data), where=where) from None
    except RecursionError:
        raise ParseError("the JSON is nested too deeply", where=where) from None


def _refuse_repeated_keys(data: bytes, where: str) -> None:
    """The decoder takes the last of two equal keys; which one was meant nobody knows."""

    def pairs(items: list[tuple[str, object]]) -> None:
        for key, count in Counter(key for key, _ in items).items():
            if count > 1:
                raise ParseError(f"an object has {count} fields {key!r}", where=where, hint="keep one of them")

    try:
        json.loads(data, object_pairs_hook=pairs)
    except (ValueError, RecursionError):
        return  # the strict decoder says what is wrong, with its path


def _raise_invalid(message: str, where: str) -> NoReturn:
    """Msgspec says `Expected `int`, got `str` - at `$.a[0]``; the path goes to `where`."""
    text, _, path = message.partition(" - at ")
    raise ParseError(text[0].lower() + text[1:], where=f"{where} at {path.strip('`') or '$'}", hint="see the JSON Schema of the format")


def _malformed(message: str, data: bytes) -> str:
    """What is wrong, with line and column (from 1) in place of the byte that msgspec names."""
    if b"\x00" in data:
        return "it is a binary file, not JSON"
    if not data.strip():
        return "it is empty"
    if "truncated" in message:
        return f"the JSON text ends in line {data.count(_NEWLINE) + 1} before it is complete: was the file written only in part?"
    match = _BYTE.search(message)
    if match is None:
        return message[0].lower() + message[1:] if message.startswith("Invalid") else message
    before = data[: int(match[1])]
    line, column = before.count(_NEWLINE) + 1, len(before) - (before.rfind(_NEWLINE) + 1) + 1
    return f"{message[: match.start()]} in line {line}, column {column}"


_NEWLINE = b"\n"
