"""The one error of this package."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class ChipFileError(ValueError):
    """A chip or table file is missing, unreadable or inconsistent."""

    def __init__(self, message: str, *, file: str, path: str = "", hint: str = "") -> None:
        """`file` names the file, `path` the place in it (`dma.block_count_max`, `cost[2].entries[0].k`), `hint` what to change."""
        super().__init__(message)
        self.message = message
        self.file = file
        self.path = path
        self.hint = hint

    @property
    def where(self) -> str:
        """File and place in it."""
        return f"{self.file}: {self.path}" if self.path else self.file

    def __str__(self) -> str:
        text = f"{self.where}: {self.message}"
        return f"{text}; {self.hint}" if self.hint else text


def suggestion(word: str, known: Iterable[str]) -> str:
    """`did you mean …?` for the known word closest to a misspelt one, or "" if none is close."""
    close = get_close_matches(word, sorted(known), n=1)
    return f"did you mean {close[0]}?" if close else ""
