"""Graph files by their suffix: `.json`, `.txt` and `.py`. Only a `.py` file is ever executed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, Final

from att.errors import ParseError, UsageError
from att.formats.files import as_text, read_bytes, write_text
from att.ir.graph import HintGraph, Template

STDIN: Final = "-"
"""As a source: standard input, JSON or text."""


def load(source: str | Path | None = None, *, stdin: BinaryIO | None = None) -> HintGraph | Template:
    """The graph in a file, on standard input (`-` or None), or in the text itself (a str that starts with `{` or has several lines).

    The suffix decides how a file is read; other sources are JSON if their first character is `{`, else graph text, and are never
    executed. Raises UsageError, ParseError or GraphError.
    """
    if source is None or str(source) == STDIN:
        return _from_data((sys.stdin.buffer if stdin is None else stdin).read(), "standard input")
    if isinstance(source, str) and (source.lstrip().startswith("{") or "\n" in source):
        return _from_data(source.encode(errors="surrogatepass"), "the text given")
    path = Path(source)
    reader = _READERS.get(path.suffix.lower())
    data = read_bytes(path)
    if reader is None:
        raise UsageError(
            f"unknown suffix {path.suffix!r}" if path.suffix else "it has no suffix",
            where=str(path),
            hint=f"graphs are read from {', '.join(_READERS)} files, or from standard input with `-`",
        )
    return reader(as_text(data, str(path)), path)


def save(graph: HintGraph | Template, path: str | Path) -> None:
    """Writes a graph in the format its suffix names, in one step. Raises UsageError, or EmitError if the format cannot hold it."""
    target = Path(path)
    writer = _WRITERS.get(target.suffix.lower())
    if writer is None:
        raise UsageError(
            f"unknown suffix {target.suffix!r}" if target.suffix else "it has no suffix",
            where=str(target),
            hint=f"graphs are written to {', '.join(_WRITERS)} files",
        )
    write_text(target, writer(graph, target))


def render(graph: HintGraph | Template, form: str) -> str:
    """The text of a graph as `json`, `text` or `script`. Raises UsageError for another form."""
    suffix = {"json": ".json", "text": ".txt", "script": ".py"}.get(form)
    if suffix is None:
        raise UsageError(f"unknown graph format {form!r}", hint="json, text or script")
    return _WRITERS[suffix](graph, Path(f"graph{suffix}"))


def _from_data(data: bytes, where: str) -> HintGraph | Template:
    text = as_text(data, where)
    if text.lstrip().startswith("{"):
        return _load_json(text, Path(where))
    if text.lstrip().startswith(("Graph:", "Template:", "#")):
        return _load_text(text, Path(where))
    raise ParseError("it is neither graph JSON nor graph text", where=where, hint="JSON starts with `{`, text with `Graph: <name>`")


def _load_json(text: str, path: Path) -> HintGraph | Template:
    from att.formats.graph_json import loads

    return loads(text, str(path))


def _load_text(text: str, path: Path) -> HintGraph | Template:
    from att.formats.dump import from_text

    return from_text(text, str(path))


def _load_script(text: str, path: Path) -> HintGraph:
    from att.formats.script import run_script

    return run_script(text, str(path), path.stem)


def _save_json(graph: HintGraph | Template, _: Path) -> str:
    from att.formats.graph_json import dumps

    return dumps(graph)


def _save_text(graph: HintGraph | Template, _: Path) -> str:
    from att.formats.dump import to_text

    return to_text(graph)


def _save_script(graph: HintGraph | Template, path: Path) -> str:
    from att.formats.script import to_script

    if isinstance(graph, Template):
        raise UsageError("a builder script holds a HintGraph, not a scheduled template", where=str(path), hint="write .json or .txt")
    return to_script(graph)


_READERS: Final[Mapping[str, Callable[[str, Path], HintGraph | Template]]] = MappingProxyType({
    ".json": _load_json,
    ".txt": _load_text,
    ".py": _load_script,
})  # fmt: skip

_WRITERS: Final[Mapping[str, Callable[[HintGraph | Template, Path], str]]] = MappingProxyType({
    ".json": _save_json,
    ".txt": _save_text,
    ".py": _save_script,
})  # fmt: skip
