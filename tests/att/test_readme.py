"""What the README promises works as written."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from att.cli.main import COMMANDS, main
from att.late import UNAVAILABLE

TEXT = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")


def test_the_compare_command_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = re.findall(r"^python3 -m venv .*bin/att (.*)$", TEXT, re.MULTILINE)
    assert main(shlex.split(line)) == 0
    assert "Summary" in capsys.readouterr().out


def test_one_line_runs_the_tests() -> None:
    (line,) = [line for line in TEXT.splitlines() if "pytest" in line]
    assert line.startswith("python3 -m venv .venv && ")


def test_the_library_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    scope: dict[str, object] = {}
    exec(code, scope)
    assert capsys.readouterr().out.startswith("OPTIMAL ")
    assert len(scope["table"]) == 4  # pyright: ignore[reportArgumentType]


def test_every_command_is_named() -> None:
    named = set(re.findall(r"^\| `att (\w+)", TEXT, re.MULTILINE))
    assert named == set(COMMANDS)
    assert all(f"`{name}`" in TEXT or f"`att {name}`" in TEXT for name in UNAVAILABLE)
