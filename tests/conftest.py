"""Shared fixtures: where the public data lies, and one hypothesis profile for every run."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("repo", derandomize=True, deadline=None, print_blob=False)
settings.load_profile("repo")

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of public input graphs and reference tilings, beside the repository; the test skips where it is absent."""
    if not SHARED.is_dir():
        pytest.skip(f"needs the public data folder {SHARED.parent.name}/{SHARED.name} beside the repository")
    return SHARED


@pytest.fixture(autouse=True)
def _no_plan_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests solve what they ask for, and leave the user's cache alone."""
    monkeypatch.setenv("ATT_PLAN_CACHE", "off")
