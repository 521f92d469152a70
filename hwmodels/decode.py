"""From the bytes of a TOML file to its wire form, with errors that name the place in the file."""

from __future__ import annotations

import re
import tomllib
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from hwmodels import wire
from hwmodels.errors import ChipFileError, suggestion

FILE_MAX_BYTES = 4 * 1024 * 1024
"""A chip file is a page of text; anything larger is another kind of file."""

NUMBER_MAX = 10**12
DECIMALS_MAX = 9
"""Numbers of a cost table lie within these: larger ones would overflow the integer models built from them."""

T = TypeVar("T", bound=Struct)


def read_text(path: Path, shown: str) -> str:
    """The text of a file. Raises ChipFileError if it is missing, a directory, unreadable, too large or not UTF-8."""
    try:
        with path.open("rb") as file:
            raw = file.read(FILE_MAX_BYTES + 1)
    except FileNotFoundError:
        raise ChipFileError("no such file", file=shown) from None
    except IsADirectoryError:
        raise ChipFileError("is a directory, expected a TOML file", file=shown) from None
    except (OSError, ValueError) as error:
        raise ChipFileError(f"cannot be read: {getattr(error, 'strerror', None) or error}", file=shown) from None
    if len(raw) > FILE_MAX_BYTES:
        raise ChipFileError(f"got more than {FILE_MAX_BYTES} B, which no chip file has", file=shown)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ChipFileError(f"is not a text file: byte {error.start} is not UTF-8", file=shown) from None


def decode(text: str, kind: type[T], shown: str) -> T:
    """The wire form of a TOML text. Raises ChipFileError if it is not TOML or not of this form."""
    try:
        tree = tomllib.loads(text, parse_float=Decimal)
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise ChipFileError(f"is not TOML: {error}", file=shown) from None
    try:
        return msgspec.convert(tree, kind, builtin_types=(Decimal,))
    except msgspec.ValidationError as error:
        raise _explained(str(error), kind, shown) from None


def exact(value: wire.Number, file: str, path: str) -> Fraction:
    """A number of a file without loss. Raises ChipFileError if it is not finite or beyond what models can hold."""
    decimal = Decimal(value)
    _, digits, exponent = decimal.as_tuple()
    if not isinstance(exponent, int):
        raise ChipFileError(f"got {value}, expected a finite number", file=file, path=path)
    if decimal.copy_abs() > NUMBER_MAX:
        raise ChipFileError(f"got {value!s:.20}, allowed at most {NUMBER_MAX} in size", file=file, path=path)
    trailing_zeros = len(digits) - len("".join(map(str, digits)).rstrip("0"))
    decimals = -exponent - trailing_zeros if any(digits) else 0
    if decimals > DECIMALS_MAX:
        raise ChipFileError(f"got {decimals} decimals, allowed at most {DECIMALS_MAX}", file=file, path=path)
    return Fraction(decimal)


def _explained(message: str, kind: type[Struct], shown: str) -> ChipFileError:
    body, _, place = message.partition(" - at `$")
    path = place.rstrip("`").lstrip(".")
    if unknown := re.fullmatch(r"Object contains unknown field `(.*)`", body, re.DOTALL):
        word = unknown[1]
        return ChipFileError(f"unknown field `{word}`", file=shown, path=path, hint=suggestion(word, _field_names(kind, path) - {word}))
    if missing := re.fullmatch(r"Object missing required field `(.*)`", body):
        needed = ", ".join(name for struct in _structs_at(kind, path) for name in _required(struct))
        return ChipFileError(f"missing field `{missing[1]}`", file=shown, path=path, hint=f"needed here: {needed}" if needed else "")
    if path.endswith(".shape"):
        return ChipFileError(f"unknown shape: {body}", file=shown, path=path, hint=f"allowed: {', '.join(_shape_names())}")
    return ChipFileError(body[:1].lower() + body[1:].replace("`int | decimal`", "a number"), file=shown, path=path)


def _structs() -> tuple[Any, ...]:
    return tuple(v for v in vars(wire).values() if isinstance(v, type) and issubclass(v, Struct))


def _field_names(kind: type[Struct], path: str) -> set[str]:
    """Fields that stand at a place: those of the file or of its `[dma]`, and for entries of groups those of any."""
    return {name for struct in _structs_at(kind, path) or _structs() for name in struct.__struct_fields__}


def _structs_at(kind: type[Struct], path: str) -> tuple[Any, ...]:
    return {"": (kind,), "dma": (wire.DmaEntry,)}.get(path, ())


def _required(struct: Any) -> list[str]:
    return [field.name for field in msgspec.structs.fields(struct) if field.required]


def _shape_names() -> list[str]:
    return sorted(tag for struct in _structs() if (tag := struct.__struct_config__.tag) is not None)
