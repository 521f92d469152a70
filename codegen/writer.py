"""Text with indentation: statements and braced blocks, four spaces a level."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Final

INDENT: Final = "    "


class Writer:
    """Collects lines. `with writer.block("for (...)")` opens braces and closes them."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._level = 0

    def line(self, text: str = "") -> None:
        """One line at the current level; an empty one has no trailing blanks."""
        self._lines.append(f"{INDENT * self._level}{text}" if text else "")

    def lines(self, texts: Iterable[str]) -> None:
        """Several lines at the current level."""
        indent = INDENT * self._level
        self._lines.extend([f"{indent}{text}" if text else "" for text in texts])

    def comment(self, text: str) -> None:
        """A `//` comment."""
        self.line(f"// {text}")

    def blank(self) -> None:
        """An empty line, unless the last one is empty or opens a block."""
        if self._lines and self._lines[-1] and not self._lines[-1].endswith("{"):
            self._lines.append("")

    @contextmanager
    def block(self, head: str = "", tail: str = "}") -> Generator[None]:
        """`head {` … `}` with the lines in between one level deeper. An empty `tail` leaves the brace to the next head (`} else …`)."""
        self.line(f"{head} {{" if head else "{")
        self._level += 1
        yield
        self._level -= 1
        while self._lines and not self._lines[-1]:
            self._lines.pop()
        if tail:
            self.line(tail)

    @property
    def count(self) -> int:
        """Lines so far."""
        return len(self._lines)

    @property
    def written(self) -> Sequence[str]:
        """The lines so far."""
        return self._lines

    def text(self) -> str:
        """Everything so far, ending with a line break."""
        return "\n".join(self._lines) + "\n" if self._lines else ""
