"""Reading and writing whole files, with sentences instead of tracebacks and never a partial file."""

from __future__ import annotations

import os
from pathlib import Path
from secrets import token_hex

from att.errors import ParseError, UsageError


def read_bytes(path: Path) -> bytes:
    """The content of a file. Raises UsageError if it cannot be read."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise UsageError("there is no such file", where=str(path)) from None
    except IsADirectoryError:
        raise UsageError("it is a folder, not a file", where=str(path)) from None
    except (OSError, ValueError) as error:
        raise UsageError(f"it cannot be read: {_reason(error)}", where=str(path)) from None


def as_text(data: bytes, where: str) -> str:
    """The text in UTF-8 data, with or without a byte order mark. Raises ParseError if it is binary or empty."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ParseError("it is not UTF-8 text", where=where, hint="is it a binary file?") from None
    if "\x00" in text:
        raise ParseError("it is a binary file", where=where)
    if not text.strip():
        raise ParseError("it is empty", where=where)
    return text


def write_text(path: Path, text: str) -> None:
    """Writes a file in one step: readers see the old content or the new, never a part. Raises UsageError if it cannot be written."""
    temporary = path.with_name(f".{path.name}.{token_hex(4)}.tmp")
    try:
        try:
            with temporary.open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise UsageError(f"it cannot be written: {_reason(error)}", where=str(path)) from None


def _reason(error: OSError | ValueError) -> str:
    return os.strerror(error.errno).lower() if isinstance(error, OSError) and error.errno else str(error)
