"""The functions that kernels call besides the public API, and which others each of them needs.

Their texts lie in `codegen/device/NAME.h`; a kernel contains those it uses, so it needs nothing but AscendC to compile.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib import resources

from att.errors import EmitError
from codegen.cxx_expr import HELPERS

_NEEDS = re.compile(r"^// Needs: (.*)\.$", re.MULTILINE)


@cache
def helper_names() -> frozenset[str]:
    """All device helpers."""
    folder = resources.files("codegen") / "device"
    return frozenset(item.name.removesuffix(".h") for item in folder.iterdir() if item.name.endswith(".h"))


@cache
def helper_text(name: str) -> str:
    """The text of one, without the line that says what it needs. Raises EmitError if there is none of that name."""
    return _NEEDS.sub("", _read(name)).lstrip("\n")


@cache
def helper_needs(name: str) -> tuple[str, ...]:
    """The helpers it calls."""
    found = _NEEDS.search(_read(name))
    return tuple(word.strip() for word in found.group(1).split(",")) if found else ()


@cache
def _read(name: str) -> str:
    try:
        return (resources.files("codegen") / "device" / f"{name}.h").read_text(encoding="utf-8")
    except FileNotFoundError:
        raise EmitError(f"no device helper {name}", hint="its text belongs in codegen/device") from None


def with_needs(names: Iterable[str]) -> tuple[str, ...]:
    """The helpers and all they need, each after its own needs."""
    ordered: dict[str, None] = {}

    def visit(name: str) -> None:
        if name in ordered or name in HELPERS:
            return
        for needed in helper_needs(name):
            visit(needed)
        ordered[name] = None

    for name in names:
        visit(name)
    return tuple(ordered)


def expression_needs(names: Iterable[str]) -> tuple[str, ...]:
    """Functions of `codegen.cxx_expr` that these helpers call, in their fixed order."""
    called = {needed for name in names for needed in helper_needs(name) if needed in HELPERS}
    return tuple(name for name in HELPERS if name in called)


def expression_helper_text(name: str) -> str:
    """One function of `codegen.cxx_expr`."""
    return f"__aicore__ inline int64_t {name}(int64_t a, int64_t b)\n{{\n    return {HELPERS[name]};\n}}\n"
