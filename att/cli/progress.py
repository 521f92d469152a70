"""Progress on stderr for work over a second, where stderr is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from threading import Timer
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress

T = TypeVar("T")

PATIENCE_S = 1.0
"""Work shorter than this shows no bar."""


def tracked(items: Sequence[T], what: str) -> Iterator[T]:
    """The items one after another, with a progress bar if they take long and a person is watching."""
    if sys.stderr.isatty():
        yield from _with_bar(items, what)
    else:
        yield from items


def _with_bar(items: Sequence[T], what: str) -> Iterator[T]:
    progress = _progress()
    task = progress.add_task(what, total=len(items))
    appearance = Timer(PATIENCE_S, progress.start)
    appearance.daemon = True
    appearance.start()
    try:
        for item in items:
            yield item
            progress.advance(task)
    finally:
        appearance.cancel()
        appearance.join()
        if progress.live.is_started:
            progress.stop()


def _progress() -> Progress:
    """A bar that vanishes when it is done and leaves stdout alone."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False)
