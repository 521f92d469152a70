"""Errors become sentences and exit codes; help is stable; a closed pipe and an interrupt are quiet."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from att.cli import chips
from att.cli.main import COMMANDS, INTERRUPTED, main
from att.errors import BackendBug

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "cli_help.txt"
WIDTH = "120"
Run = Callable[..., Any]


def _failing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def run(_: argparse.Namespace) -> int:
        raise error

    monkeypatch.setattr(chips, "run", run)


def _help_texts(stream: io.StringIO) -> str:
    """The help of `att` and of every command, as it comes out on `stream`, which stands for stdout."""
    for argv in (["--help"], *([name, "--help"] for name in COMMANDS)):
        stream.write(f"$ att {' '.join(argv)}\n")
        assert main(argv) == 0
        stream.write("\n")
    return stream.getvalue()


def test_help_is_the_golden_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a change that is meant, `python tests/att/cli/test_main.py` writes the golden text anew."""
    monkeypatch.setenv("COLUMNS", WIDTH)
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        assert _help_texts(stream) == GOLDEN.read_text(encoding="utf-8")


def test_an_unexpected_error_is_our_bug(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    _failing(monkeypatch, ZeroDivisionError("by zero"))
    assert main(["chips"]) == 4
    err = capsys.readouterr().err
    assert err.startswith("att: a bug of att: ZeroDivisionError: by zero; ")
    assert "Traceback" not in err
    assert main(["chips", "-v"]) == 4
    assert "Traceback" in capsys.readouterr().err


def test_a_backend_bug_is_exit_4_with_a_traceback_on_demand(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    _failing(monkeypatch, BackendBug("wrong"))
    assert main(["chips"]) == 4
    assert capsys.readouterr().err == "att: wrong\n"
    assert main(["-v", "chips"]) == 4
    assert "Traceback" in capsys.readouterr().err


def test_an_interrupt_is_quiet(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    _failing(monkeypatch, KeyboardInterrupt())
    assert main(["chips"]) == INTERRUPTED
    assert capsys.readouterr().err == "att: interrupted\n"


def test_a_closed_pipe_is_quiet() -> None:
    command = f"{sys.executable} -m att.cli.main chips | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout == "0\n"
    assert done.stderr == ""


def test_output_survives_a_narrow_encoding() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "att.cli.main", "show", "sample:softmax"],
        capture_output=True,
        check=False,
        env={"PYTHONIOENCODING": "ascii", "PATH": ""},
    )
    assert done.returncode == 0
    assert b"softmax" in done.stdout


def test_chips_as_json(run_att: Run) -> None:
    result = run_att("chips", "toy", "--json")
    assert (result.code, result.err) == (0, "")
    (chip,) = result.document["chips"]
    assert chip["name"] == "toy"
    assert chip["ub_usable_bytes"] == chip["ub_bytes"] - chip["ub_reserved_bytes"]


def test_chips_as_a_table_names_every_chip_and_its_source(run_att: Run) -> None:
    from att.chips import chip_names

    result = run_att("chips")
    assert result.code == 0
    assert all(name in result.out for name in chip_names())
    assert "\x1b" not in result.out


if __name__ == "__main__":
    os.environ["COLUMNS"] = WIDTH
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        _help_texts(text)
    GOLDEN.write_text(text.getvalue(), encoding="utf-8")
