"""C++ identifiers for the names of a graph: readable, unique in one function, never a word that C++ or AscendC needs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

_WORDS: Final = (
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t class compl "
    "const constexpr const_cast continue decltype default delete do double dynamic_cast else enum explicit export "
    "extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr "
    "operator or or_eq private protected public register reinterpret_cast return short signed sizeof static "
    "static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename "
    "union unsigned using virtual void volatile wchar_t while xor xor_eq half bfloat16_t int8_t int16_t int32_t "
    "int64_t uint8_t uint16_t uint32_t uint64_t pipe tiling tilingData workspace tmp tmpBuf main "
)

RESERVED: Final = frozenset(_WORDS.split())
"""Keywords of C++17, element types, and what a kernel function calls its own."""

_SEPARATORS: Final = re.compile(r"[^A-Za-z0-9]+")


def identifier(text: str) -> str:
    """The last part of a path-like name, as a C++ identifier."""
    word = _SEPARATORS.sub("_", text.rsplit("/", 1)[-1]).strip("_") or "value"
    return f"v{word}" if word[0].isdigit() else word


def camel(text: str) -> str:
    """`full_load.z0` as `FullLoadZ0`."""
    return "".join(part[:1].upper() + part[1:] for part in _SEPARATORS.split(text) if part) or "Kernel"


def lower_camel(text: str) -> str:
    """`row_scale` as `rowScale`."""
    word = camel(text)
    return word[:1].lower() + word[1:]


@dataclass(frozen=True, slots=True)
class Label:
    """How a node is called in the text."""

    plain: str
    """In comments."""
    local: str
    """The `LocalTensor` of its value, unless the name is taken."""


Labels = Mapping[str, Label]
"""By node."""


def labels(nodes: Iterable[str]) -> Labels:
    """The labels of some nodes; templates of one graph share most of theirs."""
    plain = {node: identifier(node) for node in nodes}
    return {node: Label(text, f"{lower_camel(text)}Local") for node, text in plain.items()}


class Names:
    """Hands out identifiers, each once."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {*RESERVED, *taken}

    def fresh(self, wanted: str) -> str:
        """The wanted identifier, or it with the first free number behind it."""
        name, serial = wanted, 1
        while name in self._taken:
            serial += 1
            name = f"{wanted}_{serial}"
        self._taken.add(name)
        return name
