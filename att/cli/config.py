"""`--config FILE.toml`: defaults for options, as if they stood before the flags, so that flags win.

Keys are the long names of options without dashes; one file may serve several commands, a key that no command has is an error:

    chip = "ascend910b1"
    shape = { ks0 = 64, ks1 = 1024 }
    range = { ks0 = [1, 8192, 16] }
    solvers = ["cpsat", "axis_sort"]
    json = true
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import cast

from att.errors import ParseError, UsageError

NOT_IN_A_FILE = frozenset({"config", "help"})


def requested(arguments: Sequence[str]) -> str | None:
    """The file named by `--config` among the arguments, None if there is none."""
    finder = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    finder.add_argument("--config", nargs="?")
    return finder.parse_known_args(list(arguments))[0].config


def read_toml(path: str) -> Mapping[str, object]:
    """The table in a TOML file. Raises UsageError if it cannot be read, ParseError if it is not TOML."""
    from att.formats.files import as_text, read_bytes

    try:
        return tomllib.loads(as_text(read_bytes(Path(path)), path))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ParseError(f"it is not TOML: {error}", where=path) from None


def option_names(parser: argparse.ArgumentParser) -> frozenset[str]:
    """Long names of a parser's options, without dashes."""
    found = (text[2:] for action in parser._actions for text in action.option_strings if text.startswith("--"))
    return frozenset(found) - NOT_IN_A_FILE


def to_arguments(table: Mapping[str, object], path: str, here: Collection[str], known: Collection[str]) -> list[str]:
    """The options of `table` as arguments: those that this command has (`here`). Raises UsageError for a key that no command has."""
    unknown = sorted(set(table) - set(known))
    if unknown:
        raise UsageError(f"unknown key {unknown[0]}", where=path, hint=f"keys are {', '.join(sorted(known))}")
    arguments: list[str] = []
    for key in here:
        if key in table:
            arguments += _option(key, table[key], path)
    return arguments


def _option(key: str, value: object, path: str) -> list[str]:
    match value:
        case bool():
            return [f"--{key}"] if value else []
        case {}:
            return [] if not value else [f"--{key}={_pairs(cast('Mapping[str, object]', value), key, path)}"]
        case list():
            return [f"--{key}={','.join(_scalar(item, key, path) for item in cast('list[object]', value))}"]
        case _:
            return [f"--{key}={_scalar(value, key, path)}"]


def _pairs(table: Mapping[str, object], key: str, path: str) -> str:
    return ",".join(f"{name}={_value(value, f'{key}.{name}', path)}" for name, value in table.items())


def _value(value: object, key: str, path: str) -> str:
    if isinstance(value, list):
        return ":".join(_scalar(item, key, path) for item in cast("list[object]", value))
    return _scalar(value, key, path)


def _scalar(value: object, key: str, path: str) -> str:
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return str(value)
    raise UsageError(f"the value of {key} is a {type(value).__name__}", where=path, hint="write a text, a number, a list or a table")
