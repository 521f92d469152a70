"""What a command hands over."""

from __future__ import annotations

from pathlib import Path

import pytest

from att.cli.output import make_folder, worst, write_file
from att.errors import UsageError


@pytest.mark.parametrize(("codes", "code"), [((), 0), ((0, 1), 1), ((1, 3), 3), ((3, 2, 1), 2), ((2, 4, 3), 4), ((0, 0), 0)])
def test_the_worst_exit_code(codes: tuple[int, ...], code: int) -> None:
    assert worst(codes) == code


def test_a_file_is_replaced_whole_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text("old")
    write_file(str(path), "new\n")
    assert path.read_text() == "new\n"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text("old")
    with pytest.raises(UsageError):
        write_file(str(path), "\ud800")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_places_that_cannot_be_written_are_usage_errors(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "none" / "plan.json", tmp_path, tmp_path / "file" / "plan.json"):
        with pytest.raises(UsageError, match="it cannot be written: "):
            write_file(str(path), "text")
    with pytest.raises(UsageError, match="cannot make the folder"):
        make_folder(str(tmp_path / "file" / "deep"))


def test_a_folder_is_made_with_its_parents(tmp_path: Path) -> None:
    assert make_folder(str(tmp_path / "a" / "b")).is_dir()
    assert make_folder(str(tmp_path / "a" / "b")).is_dir()
