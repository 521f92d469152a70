"""Which names a symbol may bear, so that its expressions can be printed, read back and emitted as C++."""

from __future__ import annotations

from typing import Final

RESERVED: Final = frozenset({"and", "or", "not", "true", "false"})
"""Words of the text form (`att.expr.text`)."""


def is_symbol_name(name: str) -> bool:
    """Whether it consists of ASCII letters, digits and `_`, does not start with a digit and is no reserved word."""
    return name.isascii() and name.isidentifier() and name not in RESERVED
