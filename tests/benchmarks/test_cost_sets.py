"""The page about the cost sets says what the code computes, and every fault on it is one."""

from __future__ import annotations

import pytest

from att.ops.call import CostSet
from benchmarks.cost_examples import FAULTS
from benchmarks.cost_sets import PAGE, page


def test_the_page_is_what_the_code_says():
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m benchmarks.cost_sets --write"


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.example)
def test_every_fault_changes_the_price(fault):
    assert fault.cycles(CostSet.MENDED) > 10
    assert fault.cycles(CostSet.MENDED) != fault.cycles(CostSet.PUBLISHED)
