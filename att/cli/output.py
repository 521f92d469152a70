"""What a command hands over: text on stdout, whole files, sentences on stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from att.errors import UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

PLAIN_WIDTH = 120
"""Columns of a table where stdout is not a terminal."""

_SEVERITY = {0: 0, 1: 1, 3: 2, 2: 3, 4: 4}


def worst(codes: Iterable[int]) -> int:
    """The exit code of several jobs: 4 before 2 before 3 before 1 (design §8)."""
    return max(codes, key=lambda code: _SEVERITY[code], default=0)


def complain(sentence: object) -> None:
    """Prints a sentence on stderr."""
    sys.stderr.write(f"att: {sentence}\n")


def print_text(text: str) -> None:
    """Prints text on stdout, with exactly one final newline."""
    sys.stdout.write(text.rstrip("\n") + "\n")


def print_table(*renderables: RenderableType) -> None:
    """Prints tables for a person: fixed width and no colour where stdout is not a terminal."""
    from att.report.console import to_text

    sys.stdout.write(to_text(*renderables, terminal=sys.stdout.isatty(), width=PLAIN_WIDTH))


def write_file(path: str, text: str) -> None:
    """Writes a whole file or none. Raises UsageError where that is not possible."""
    from att.formats.files import write_text

    write_text(Path(path), text)


def make_folder(path: str) -> Path:
    """The folder, made if it does not exist. Raises UsageError where that is not possible."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot make the folder: {error.strerror}", where=path, hint="choose another -o") from None
    return folder
