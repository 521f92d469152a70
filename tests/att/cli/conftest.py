"""Running the command in process, and graphs to run it on."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import att
from att.cli.main import main

SAMPLE = Path(att.__file__).with_name("samples") / "softmax.json"


@dataclass(frozen=True)
class Result:
    """What one command did."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out)


@pytest.fixture
def run_att(capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """Runs `att` with arguments; whatever happens there is no traceback."""

    def run(*argv: object) -> Result:
        code = main([str(argument) for argument in argv])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return Result(code, captured.out, captured.err)

    return run


@pytest.fixture
def sample() -> Path:
    """Softmax over [ks0, 1024] in float32."""
    return SAMPLE


@pytest.fixture
def edited(tmp_path: Path) -> Callable[[Callable[[dict[str, Any]], object]], Path]:
    """A copy of the sample, changed by a function of its JSON document."""

    def edit(change: Callable[[dict[str, Any]], object]) -> Path:
        document = json.loads(SAMPLE.read_text())
        change(document)
        path = tmp_path / "edited.json"
        path.write_text(json.dumps(document))
        return path

    return edit
