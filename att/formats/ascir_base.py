"""Objects with a fixed set of attributes, as the builder API has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, cast

from att.errors import GraphError


class UnknownAttributeError(GraphError, AttributeError):
    """An attribute the API does not have; also an AttributeError, so that `hasattr` works in scripts."""


Convert = Callable[[Any, object], object]
"""Checks and converts a value that is set on an object."""


class Strict:
    """Only the attributes in `settable` can be set, each through its converter; anything else is refused by name."""

    settable: ClassVar[Mapping[str, Convert]] = MappingProxyType({})
    title: ClassVar[str] = "the object"

    def __setattr__(self, name: str, value: object) -> None:
        convert = self.settable.get(name)
        if convert is None:
            raise self.unknown(name)
        object.__setattr__(self, name, convert(self, value))

    def __getattr__(self, name: str) -> Any:
        raise self.unknown(name)

    def unknown(self, name: str) -> UnknownAttributeError:
        """The error for an attribute it does not have."""
        return unknown_attribute(self.title, name, self.settable)

    def keep(self, **values: object) -> None:
        """Sets attributes that a script may read but not set."""
        for name, value in values.items():
            object.__setattr__(self, name, value)


def unknown_attribute(title: str, name: str, settable: Mapping[str, object] | Sequence[str]) -> UnknownAttributeError:
    """The error for an attribute that an object does not have."""
    return UnknownAttributeError(f"{title} has no attribute {name!r}", hint=f"it has: {', '.join(settable) or 'none that can be set'}")


def text(_: object, value: object) -> str:
    """Converter for texts."""
    if not isinstance(value, str):
        raise GraphError(f"expected a text, got {value!r}")
    return value


def items(value: object, what: str) -> tuple[object, ...]:
    """The entries of a list or tuple."""
    if not isinstance(value, list | tuple):
        raise GraphError(f"expected a list of {what}, got {value!r}")
    return tuple(cast("Sequence[object]", value))
