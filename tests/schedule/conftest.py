"""Chips and the benchmark's own graphs, small."""

from __future__ import annotations

import pytest

from att.chips import load_chip


@pytest.fixture(scope="session")
def chip():
    return load_chip("ascend910b1")
