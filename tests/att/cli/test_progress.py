"""A bar for a person who waits, nothing otherwise."""

from __future__ import annotations

import io
import sys
import time

import pytest

from att.cli import progress


class Terminal(io.StringIO):
    """A stderr that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def _watch(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Puts a terminal in place of stderr, inside the test: capture takes the streams back between setup and call."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    return stream


def _slowly(items: list[int], pause_s: float) -> list[int]:
    seen: list[int] = []
    for item in progress.tracked(items, "solving"):
        seen.append(item)
        time.sleep(pause_s)
    return seen


def test_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    assert _slowly([1, 2, 3], 0) == [1, 2, 3]
    assert capsys.readouterr() == ("", "")


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _watch(monkeypatch)
    assert _slowly([1, 2], 0) == [1, 2]
    assert terminal.getvalue() == ""


def test_long_work_shows_a_bar_on_stderr_only(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    terminal = _watch(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE_S", 0.01)
    assert _slowly([1, 2], 0.2) == [1, 2]
    assert "solving" in terminal.getvalue()
    assert capsys.readouterr().out == ""


def test_an_error_in_the_work_ends_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _watch(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE_S", 0.01)
    items = progress.tracked([1, 2], "solving")
    next(items)
    time.sleep(0.3)
    assert "solving" in terminal.getvalue()
    items.close()
    stopped = terminal.getvalue()
    time.sleep(0.2)
    assert terminal.getvalue() == stopped
