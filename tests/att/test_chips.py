"""Chips as the command line asks for them: our own errors, and overrides of UB and cores."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from att.chips import chip_names, load_chip
from att.errors import AttError, ChipError
from hwmodels.load import load, names


def test_a_shipped_chip_as_it_is() -> None:
    assert load_chip("ascend910b1") == load("ascend910b1")
    assert chip_names() == names()


def test_overrides_change_nothing_else() -> None:
    chip = load_chip("ascend910b1", ub_bytes=65536, cores=3)
    assert chip == replace(load("ascend910b1"), ub_bytes=65536, vector_cores=3)
    assert chip.ub_usable_bytes == 65280
    assert load("ascend910b1").vector_cores == 48


def test_an_unknown_chip_is_an_error_of_ours() -> None:
    with pytest.raises(ChipError) as caught:
        load_chip("ascend910b11")
    assert isinstance(caught.value, AttError)
    assert caught.value.exit_code == 2
    assert str(caught.value).startswith("ascend910b11: no such chip, known: ascend310p3, ")
    assert str(caught.value).endswith("did you mean ascend910b1?")


def test_a_wrong_file_keeps_its_place(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\nub = 3\n', encoding="utf-8")
    with pytest.raises(ChipError) as caught:
        load_chip(str(path))
    assert caught.value.where == str(path)
    assert caught.value.message == "unknown field `ub`"


@pytest.mark.parametrize(
    ("ub_bytes", "cores", "message"),
    [
        (256, None, "UB override: got 256 B, allowed 257 to 2147483647; the chip keeps 256 B of its UB back"),
        (-1, None, "UB override: got -1 B, allowed 257 to 2147483647; the chip keeps 256 B of its UB back"),
        (2**31, None, "UB override: got 2147483648 B, allowed 257 to 2147483647; the chip keeps 256 B of its UB back"),
        (None, 0, "core override: got 0 cores, allowed 1 to 4096"),
        (None, 4097, "core override: got 4097 cores, allowed 1 to 4096"),
    ],
)
def test_overrides_out_of_range(ub_bytes: int | None, cores: int | None, message: str) -> None:
    with pytest.raises(ChipError) as caught:
        load_chip("ascend910b1", ub_bytes=ub_bytes, cores=cores)
    assert str(caught.value) == message


def test_the_smallest_overrides() -> None:
    chip = load_chip("toy", ub_bytes=257, cores=1)
    assert (chip.ub_usable_bytes, chip.vector_cores) == (1, 1)
