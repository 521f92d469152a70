"""Graphs to explain, and the command in process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from att.cli.main import main
from att.formats import graph_json
from att.formats.builder import GraphBuilder

GRAPHS = Path(__file__).resolve().parents[3] / "benchmarks" / "graphs"


@pytest.fixture
def att_json(capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs `att … --json`: exit code and document."""

    def run(*argv: object) -> tuple[int, Any]:
        code = main([*map(str, argv), "--json"])
        return code, json.loads(capsys.readouterr().out)

    return run


@pytest.fixture
def graphs() -> Path:
    """Folder of the benchmark graphs."""
    return GRAPHS


@pytest.fixture
def cross_entropy(tmp_path: Path) -> Path:
    """Log of the sum of exponentials over blocks of 256 x 32 float32, 128 of them: the core of a fused cross entropy."""
    g = GraphBuilder("cross_entropy", {"b": 128, "v": 256, "d": 32}, ())
    x = g.load("logits", ("b", "v", "d"))
    peak = g.reduce("Max", x, "v", "d")
    g.store("loss", g.op("Add", g.op("Ln", g.reduce("Sum", g.op("Exp", g.op("Sub", x, peak)), "v", "d")), peak))
    path = tmp_path / "cross_entropy.json"
    path.write_text(graph_json.dumps(g.build()))
    return path


@pytest.fixture
def one_axis(tmp_path: Path) -> Path:
    """abs over 96,000 float32 elements."""
    g = GraphBuilder("abs", {"n": 96000}, ())
    g.store("y", g.op("Abs", g.load("x", ("n",))))
    path = tmp_path / "abs.json"
    path.write_text(graph_json.dumps(g.build()))
    return path
