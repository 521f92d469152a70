"""The plan cache as the command uses it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from att.solve.plan_store import FILE_NAME

Run = Callable[..., Any]
TOY = ("--chip", "toy", "--ub-bytes", "131328", "--json")


def without_timing(document: Any) -> Any:
    plans = document if isinstance(document, list) else [document]
    return json.dumps([{**plan, "timing": None} for plan in plans])


def test_the_second_run_prints_the_same(run_att: Run, sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATT_PLAN_CACHE", str(tmp_path))
    first, second = (run_att("solve", sample, "--shapes", "ks0=1:0:64:1000", *TOY) for _ in range(2))
    assert (first.code, second.code, second.err) == (0, 0, "")
    assert without_timing(first.document) == without_timing(second.document)
    table = run_att("solve", sample, "--shape", "ks0=64", *TOY[:-1])
    anew = run_att("solve", sample, "--shape", "ks0=64", *TOY[:-1], "--no-cache")
    assert table.out.splitlines()[:12] == anew.out.splitlines()[:12]


def test_no_cache_leaves_nothing_behind(run_att: Run, sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATT_PLAN_CACHE", str(tmp_path))
    assert run_att("solve", sample, "--shape", "ks0=64", *TOY, "--no-cache").code == 0
    assert not (tmp_path / FILE_NAME).exists()
    assert run_att("solve", sample, "--shape", "ks0=64", *TOY).code == 0
    assert (tmp_path / FILE_NAME).exists()
