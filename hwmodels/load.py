"""Chips by name or file.

`load("ascend910b1")` reads a shipped chip, `load("my.toml")` a file of one's own; both name a shipped cost table. Parsing is cached by the
text that was read, so an edited file is seen and equal texts give the same Chip.
"""

from __future__ import annotations

from functools import lru_cache
from os import PathLike, fspath
from pathlib import Path

from hwmodels.build import Table, build_chip, build_table
from hwmodels.decode import decode, read_text
from hwmodels.errors import ChipFileError, suggestion
from hwmodels.model import Chip
from hwmodels.wire import ChipFile, TableFile

CHIPS = Path(__file__).with_name("chips")
TABLES = Path(__file__).with_name("tables")
SUFFIX = ".toml"


def names() -> tuple[str, ...]:
    """Names of the shipped chips, sorted."""
    return _stems(CHIPS)


def load(name_or_path: str | PathLike[str]) -> Chip:
    """The chip of a shipped name, or of a TOML file if the argument ends in `.toml`, has a path separator or names a file.

    Raises ChipFileError, naming the file and the place in it, if there is none or it is wrong.
    """
    shown = fspath(name_or_path)
    if isinstance(name_or_path, str) and name_or_path in names():
        path = CHIPS / f"{name_or_path}{SUFFIX}"
        return _chip(read_text(path, path.name), path.name, _table_texts())
    if not _is_path(shown):
        known = ", ".join(names())
        raise ChipFileError(f"no such chip, known: {known}", file=shown or "chip", hint=suggestion(shown.lower(), names()))
    return _chip(read_text(Path(shown), shown), shown, _table_texts())


def _is_path(text: str) -> bool:
    if text.endswith(SUFFIX) or "/" in text or "\\" in text:
        return True
    try:
        return bool(text) and Path(text).exists()
    except (OSError, ValueError):
        return False


def _stems(folder: Path) -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in folder.glob(f"*{SUFFIX}")))


def _table_texts() -> tuple[tuple[str, str], ...]:
    return tuple((name, read_text(TABLES / f"{name}{SUFFIX}", f"{name}{SUFFIX}")) for name in _stems(TABLES))


@lru_cache(maxsize=64)
def _chip(text: str, shown: str, tables: tuple[tuple[str, str], ...]) -> Chip:
    file = decode(text, ChipFile, shown)
    if file.table not in dict(tables):
        known = [name for name, _ in tables if _table(name, tables).family is not None]
        message = f"no such table {file.table!r}, known: {', '.join(known)}"
        raise ChipFileError(message, file=shown, path="table", hint=suggestion(file.table, known))
    return build_chip(file, _table(file.table, tables), shown)


@lru_cache(maxsize=16)
def _table(name: str, tables: tuple[tuple[str, str], ...]) -> Table:
    shown = f"{name}{SUFFIX}"
    file = decode(dict(tables)[name], TableFile, shown)
    base = None if file.extends is None else _table(file.extends, tables)
    return build_table(name, file, base, shown)
