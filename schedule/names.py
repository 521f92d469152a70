"""Names for new nodes that no other has."""

from __future__ import annotations

from collections.abc import Container


def free_name(wanted: str, taken: Container[str]) -> str:
    """The name, with as many `_` behind it as it takes to be free."""
    while wanted in taken:
        wanted += "_"
    return wanted


def take_name(wanted: str, taken: set[str]) -> str:
    """The same, which is taken then."""
    name = free_name(wanted, taken)
    taken.add(name)
    return name
