"""How tables look: one place for width, colour and cell formats."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from att.solve.plan import TICKS_PER_CYCLE

NONE = "–"
"""What a cell shows where there is no value."""


def to_text(*renderables: RenderableType, terminal: bool, width: int) -> str:
    """The tables as text: colour and the terminal's own width only for a terminal, else plain text of a fixed width."""
    stream = io.StringIO()
    console = Console(
        file=stream,
        width=None if terminal else width,
        force_terminal=terminal,
        color_system="auto" if terminal else None,
        emoji=False,
        markup=False,
        highlight=False,
        legacy_windows=False,
    )
    for renderable in renderables:
        console.print(renderable)
    lines = stream.getvalue().split("\n")
    return "\n".join(lines) if terminal else "\n".join(line.rstrip() for line in lines)


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], *, numbers: Iterable[str] = ()) -> RenderableType:
    """A table under its title; `numbers` names the columns that are set to the right."""
    right = frozenset(numbers)
    made = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for column in columns:
        made.add_column(Text(column), justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        made.add_row(*(Text(text(cell)) for cell in row))
    return Group(heading(title), made)


def pairs(rows: Iterable[tuple[str, str]]) -> Table:
    """Names and values side by side, without a header."""
    made = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for name, value in rows:
        made.add_row(Text(name), Text(value, overflow="fold"))
    return made


def heading(line: str) -> Text:
    """A line that stands above a table."""
    return Text(line, style="bold")


def text(value: object) -> str:
    """A cell: None and the empty text as a dash."""
    return NONE if value is None or value == "" else str(value)


def counted(number: int, what: str) -> str:
    """`1 queue`, `2 queues`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def bytes_text(value: int | None) -> str:
    """Bytes with separated thousands."""
    return NONE if value is None else f"{value:,} B"


def microseconds_text(ticks: int | None, clock_mhz: int) -> str:
    """Modelled microseconds of a time in ticks."""
    return NONE if ticks is None else f"{ticks / (TICKS_PER_CYCLE * clock_mhz):.3f}"


def percent_text(fraction: float | None) -> str:
    """A fraction as percent."""
    return NONE if fraction is None else f"{100 * fraction:.2f} %"


def assignments_text(values: Iterable[tuple[str, int]]) -> str:
    """`z0t_size=64 z0Tb_size=2`."""
    return " ".join(f"{name}={value}" for name, value in values) or NONE


def bar(part: int, whole: int, width: int = 30) -> str:
    """`[########----]`, for the share of `part` in `whole`."""
    filled = min(width, width * max(0, part) // whole) if whole > 0 else 0
    return f"[{'#' * filled}{'-' * (width - filled)}]"
