"""The model's time of an optimum against the literal walk, on a sample of the benchmark."""

from __future__ import annotations

import pytest

from att.chips import load_chip
from benchmarks.cases import graph_cases
from benchmarks.walked import summary, walked_case

SAMPLE = ("softmax.static", "add_row.static", "reduce_all.static", "hc_pre_tail.static")


@pytest.mark.parametrize("name", SAMPLE)
def test_optima_keep_their_bound(name):
    chip = load_chip("ascend910b1")
    found = [row for case in graph_cases(name) for row in walked_case(case, chip)]
    assert found
    assert all(row.sound for row in found), summary(found)
    assert "0 below it" in summary(found)
