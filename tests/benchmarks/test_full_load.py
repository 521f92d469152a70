"""Full load beats templates that cut the reduced axis where rows fit and are needed more than once."""

from __future__ import annotations

import pytest

from att.chips import load_chip
from benchmarks.full_load import PAGE, SUMMED_TYPES, compared, row_text, shared_sum, sum_text

CHIP = load_chip("ascend910b1")


@pytest.mark.parametrize("shape", [(1024, 512), (64, 4096)])
def test_softmax_rows_that_fit_are_faster_whole(shape):
    found = compared("softmax", shape, CHIP)
    assert found.cut == "online.z0.z1"
    assert found.gain is not None
    assert found.gain > 1.3
    assert row_text(found) in PAGE.read_text()


@pytest.mark.parametrize(("graph", "shape"), [("rms_norm", (4096, 1024)), ("softmax", (8, 50257)), ("amax_keep", (1024, 512))])
def test_the_page_says_what_the_model_says(graph, shape):
    assert row_text(compared(graph, shape, CHIP)) in PAGE.read_text()


@pytest.mark.parametrize("dtype", SUMMED_TYPES)
def test_sharing_a_long_sum_pays_as_far_as_cores_and_bandwidth_allow(dtype):
    found = shared_sum(dtype, CHIP)
    assert found.one_core.block_dim == 1
    assert 1 < found.shared.block_dim <= CHIP.vector_cores
    assert CHIP.vector_cores / 4 < found.gain < CHIP.vector_cores
    assert sum_text(found) in PAGE.read_text(encoding="utf-8")
