"""Every recorded template is compared, no difference is unexplained, and the page says what the comparison finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.fidelity import PAGE, Verdict, compare_all, page


@pytest.fixture(scope="module")
def found(shared_data: Path):
    return tuple(compare_all(shared_data))


def test_no_difference_is_unexplained(found):
    unexplained = [f"{row.case} {row.theirs.label}" for row in found if row.verdict is Verdict.DIFFERENT]
    assert len(found) == 235
    assert unexplained == []


def test_templates_we_have_agree_on_every_pipe(found):
    ours = [row for row in found if row.template and row.verdict is not Verdict.LAYOUT]
    agreeing = [row for row in ours if row.verdict in (Verdict.SAME, Verdict.BUFFERS)]
    assert len(agreeing) >= 144
    assert {row.verdict for row in ours} - {Verdict.SAME, Verdict.BUFFERS} <= {Verdict.NO_BROADCAST}


def test_the_page_says_so(found):
    assert PAGE.read_text(encoding="utf-8") == page(found), "run python -m benchmarks.fidelity --write"
