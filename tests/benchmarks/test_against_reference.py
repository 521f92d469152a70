"""Our plans beside the reference's by the published prices: a sample solved again, and what the written table says of all rows."""

from __future__ import annotations

import pytest

from benchmarks.against_reference import PAGE, Reason, accepted_rows, match, page, whole_core_cycles

SAMPLE = (
    "abs2d [48, 3000]",
    "add2d [8192, 333]",
    "addbrc_mid [8, 128, 1000]",
    "addbrc_row [100000, 1]",
    "sum_ar [8192, 333]",
    "sum_ra [8192, 333]",
    "sum_ra [16384, 1000]",
    "transpose [48, 3000]",
    "swiglu [1024, 1024]",
    "softmax [64, 1024]",
)


@pytest.fixture(scope="module")
def rows(shared_data):
    return {(row.arch, row.label): row for row in accepted_rows(shared_data)}


@pytest.mark.parametrize("label", SAMPLE)
def test_no_dearer(shared_data, rows, label):
    found = match(rows["2201", label], shared_data)
    assert found.reason is Reason.NONE
    assert found.ratio is not None
    assert found.ratio <= 1 + 1e-6
    (line,) = [line for line in page([found]).splitlines() if line.startswith("| 2201")]
    assert line in PAGE.read_text(encoding="utf-8"), "run python -m benchmarks.against_reference --write"


FROM_512_TOKENS = [f"{graph} {shape}" for graph in ("hc_post", "hc_post_bf16") for shape in ("[512, 7168]", "[4096, 4096]")]


@pytest.mark.parametrize("label", FROM_512_TOKENS)
def test_hc_post_is_one_kernel_and_three_times_cheaper_from_512_tokens_on(shared_data, rows, label):
    """The reference cuts it into two kernels with the sum in between in workspace."""
    found = match(rows["2201", label], shared_data)
    assert found.ratio is not None
    assert found.ratio <= 1 / 3
    assert f"| {found.ours_cycles:.1f} | {found.ratio:.4f} |" in PAGE.read_text(encoding="utf-8")


def test_no_row_of_the_table_is_dearer():
    lines = [line.split("|") for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith(("| 2201", "| 3510"))]
    assert lines
    assert [line for line in lines if float(line[6]) > 1] == []


def test_the_table_has_every_row_and_explains_what_is_dearer(rows):
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith(("| 2201", "| 3510"))]
    assert len(lines) == len(rows)
    assert not any(Reason.UNKNOWN in line for line in lines)


def test_whole_cores_are_charged(rows):
    """[48, 3000]: 13 tiles of 11,080, of which the reference charges 144,000 / 11,080 cores."""
    row = rows["2201", "abs2d [48, 3000]"]
    assert whole_core_cycles(row) == pytest.approx(row.cycles + 300 * (13 - 144_000 / 11_080), abs=0.01)
