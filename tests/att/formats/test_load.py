"""Files by suffix, standard input, texts; sentences for what cannot be read or written; never a partial file."""

from __future__ import annotations

import io
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from att.errors import AttError, EmitError, ParseError, UsageError
from att.expr.choice import where
from att.expr.compare import le
from att.formats.dump import to_text
from att.formats.files import write_text
from att.formats.graph_json import dumps
from att.formats.load import load, render, save
from att.formats.script import to_script
from att.ir.graph import HintGraph, Template


@pytest.mark.parametrize("suffix", [".json", ".txt", ".py", ".JSON"])
def test_a_hint_graph_in_every_suffix(hint: HintGraph, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"graph{suffix}"
    save(hint, path)
    assert load(path) == load(str(path)) == hint


@pytest.mark.parametrize("suffix", [".json", ".txt"])
def test_a_template_in_data_formats(template: Template, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"template{suffix}"
    save(template, path)
    assert load(path) == template


def test_a_template_is_no_script(template: Template, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a builder script holds a HintGraph, not a scheduled template"):
        save(template, tmp_path / "t.py")
    assert not list(tmp_path.iterdir())


def test_render(hint: HintGraph) -> None:
    assert render(hint, "json") == dumps(hint)
    assert render(hint, "text") == to_text(hint)
    assert render(hint, "script") == to_script(hint)
    with pytest.raises(UsageError, match="unknown graph format 'yaml'; json, text or script"):
        render(hint, "yaml")


def test_standard_input(hint: HintGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load("-", stdin=io.BytesIO(dumps(hint).encode())) == hint
    assert load(None, stdin=io.BytesIO(("\n# dump\n" + to_text(hint)).encode())) == hint
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(dumps(hint).encode())))
    assert load("-") == hint


def test_standard_input_is_never_executed(hint: HintGraph) -> None:
    with pytest.raises(ParseError, match="standard input: it is neither graph JSON nor graph text"):
        load("-", stdin=io.BytesIO(to_script(hint).encode()))
    with pytest.raises(ParseError, match="standard input: it is empty"):
        load("-", stdin=io.BytesIO(b""))
    with pytest.raises(ParseError, match="standard input: it is not UTF-8 text"):
        load("-", stdin=io.BytesIO(b"\xff\xfe\x00"))


def test_a_text_in_place_of_a_path(hint: HintGraph) -> None:
    assert load(dumps(hint)) == load(to_text(hint)) == hint
    with pytest.raises(ParseError, match="the text given: it is neither graph JSON nor graph text"):
        load(to_script(hint))


def test_a_byte_order_mark(hint: HintGraph, tmp_path: Path) -> None:
    path = tmp_path / "graph.json"
    path.write_text(dumps(hint), encoding="utf-8-sig")
    assert load(path) == hint


@pytest.mark.parametrize("suffix", [".json", ".txt", ".py"])
@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "it is empty"),
        (b" \n\t\n", "it is empty"),
        (bytes(range(256)), "it is not UTF-8 text"),
        (b"\x7fELF\x00\x00", "it is a binary file"),
    ],
    ids=["empty", "blank", "not-utf8", "binary"],
)
def test_files_that_hold_no_text(tmp_path: Path, suffix: str, content: bytes, says: str) -> None:
    path = tmp_path / f"graph{suffix}"
    path.write_bytes(content)
    with pytest.raises(ParseError, match=says) as caught:
        load(path)
    assert caught.value.where == str(path)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.json: there is no such file"):
        load(tmp_path / "none.json")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(UsageError, match=r"folder\.json: it is a folder, not a file"):
        load(tmp_path / "folder.json")
    with pytest.raises(UsageError, match="it cannot be read: embedded null byte"):
        load("a\x00b.json")
    with pytest.raises(UsageError, match="it cannot be read: file name too long"):
        load("x" * 5000 + ".json")


def test_a_locked_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path) -> bytes:
        raise PermissionError(13, "denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(UsageError, match=r"locked\.json: it cannot be read: permission denied"):
        load(tmp_path / "locked.json")


def test_suffixes_that_are_not_known(hint: HintGraph, tmp_path: Path) -> None:
    path = tmp_path / "graph.onnx"
    path.write_text("x")
    with pytest.raises(UsageError, match=r"unknown suffix '\.onnx'; graphs are read from \.json, \.txt, \.py files"):
        load(path)
    (tmp_path / "graph").write_text("x")
    with pytest.raises(UsageError, match="it has no suffix"):
        load(tmp_path / "graph")
    for name in ("graph.yaml", "graph2"):
        with pytest.raises(UsageError, match=r"suffix.*graphs are written to \.json, \.txt, \.py files"):
            save(hint, tmp_path / name)
        assert not (tmp_path / name).exists()


def test_data_formats_are_never_executed(tmp_path: Path) -> None:
    """A script with another suffix is read as data."""
    victim = tmp_path / "victim"
    for suffix in (".json", ".txt"):
        path = tmp_path / f"script{suffix}"
        path.write_text(f"open({str(victim)!r}, 'w')\n")
        with pytest.raises(ParseError):
            load(path)
    assert not victim.exists()


def test_a_graph_that_cannot_be_written_leaves_the_old_file(hint: HintGraph, tmp_path: Path) -> None:
    path = tmp_path / "graph.py"
    save(hint, path)
    before = path.read_text()
    rows = hint.sizes[0].symbol
    odd = replace(hint, axes=(replace(hint.axes[0], size=where(le(rows, 4), 4, rows)), hint.axes[1]))
    with pytest.raises(EmitError):
        save(odd, path)
    assert path.read_text() == before
    assert [p.name for p in tmp_path.iterdir()] == ["graph.py"]


def test_a_write_that_fails_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, target: Path) -> Path:
        raise OSError(28, "no space")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(UsageError, match=r"out\.json: it cannot be written: no space left on device"):
        write_text(tmp_path / "out.json", "{}")
    assert not list(tmp_path.iterdir())


def test_a_folder_that_does_not_exist(hint: HintGraph, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="it cannot be written: no such file or directory"):
        save(hint, tmp_path / "none" / "graph.json")
    with pytest.raises(AttError):
        save(hint, tmp_path / "graph.json" / "graph.json")


def test_a_new_file_gets_the_usual_mode(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("x")
    write_text(tmp_path / "ours", "x")
    assert stat.S_IMODE((tmp_path / "ours").stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)


def test_line_ends_are_the_same_everywhere(hint: HintGraph, tmp_path: Path) -> None:
    for suffix in (".json", ".txt", ".py"):
        path = tmp_path / f"graph{suffix}"
        save(hint, path)
        assert b"\r" not in path.read_bytes()
        assert path.read_bytes().endswith(b"\n")
