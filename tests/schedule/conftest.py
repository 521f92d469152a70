"""Chips and the benchmark's own graphs, small."""

from __future__ import annotations

import pytest

from att.chips import load_chip
from att.formats.builder import GraphBuilder


@pytest.fixture(scope="session")
def chip():
    return load_chip("ascend910b1")


@pytest.fixture(scope="session")
def padded():
    """Rows of 20 elements, 24 apart."""
    g = GraphBuilder("padded", {"m": 8, "n": 20})
    g.store("y", g.op("Abs", g.load("x", ("m", "n"), strides=(24, 1))))
    return g.build()
