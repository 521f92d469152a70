"""`--config FILE.toml`: defaults that flags override."""

from __future__ import annotations

from pathlib import Path

import pytest

from att.cli import config
from att.cli.main import main, parse
from att.errors import AttError, UsageError

TEXT = """
chip = "toy"
ub-bytes = 4096
shape = { ks0 = 64, ks1 = 8 }
range = { ks0 = [1, 8192, 16] }
exclude = ["general.z0", "general.z1"]
solvers = ["cpsat", "enumerate"]
limit = 2.5
json = true
csv = false
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "att.toml"
    path.write_text(TEXT)
    return path


def test_a_file_gives_defaults(file: Path) -> None:
    parsed = parse(["solve", "g.json", "--config", str(file)])
    assert parsed.chip == "toy"
    assert parsed.ub_bytes == 4096
    assert parsed.shape == {"ks0": 64, "ks1": 8}
    assert parsed.range == {"ks0": (1, 8192, 16)}
    assert parsed.exclude == ("general.z0", "general.z1")
    assert parsed.limit == 2.5
    assert parsed.json is True
    assert parsed.cost == "mended"


def test_flags_win(file: Path) -> None:
    parsed = parse(["-v", "solve", "--chip", "other", "g.json", f"--config={file}", "--shape", "ks1=16", "--exclude", "full_load.z0"])
    assert parsed.chip == "other"
    assert parsed.shape == {"ks0": 64, "ks1": 16}
    assert parsed.exclude == ("full_load.z0",)


def test_one_file_serves_several_commands(file: Path) -> None:
    assert parse(["compare", "g.json", "--config", str(file)]).solvers == ("cpsat", "enumerate")
    assert parse(["chips", "--config", str(file)]).json is True


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("chips = 3", "unknown key chips"),
        ("Chip = 'x'", "unknown key Chip"),
        ("config = 'other.toml'", "unknown key config"),
        ("chip = ", "it is not TOML"),
        ("chip = 2020-01-01", "the value of chip is a date"),
        ("shape = { ks0 = [[1]] }", "the value of shape.ks0 is a list"),
        ("cost = 'cheap'", "'cheap' is unknown"),
        ("ub-bytes = -1", "-1 is below 1"),
        ("ub-bytes = true", "ub-bytes"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "att.toml"
    path.write_text(text)
    with pytest.raises(AttError) as caught:
        parse(["solve", "g.json", "--config", str(path)])
    assert says in str(caught.value)
    assert caught.value.exit_code == 2


def test_a_missing_file_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chips", "--config", str(tmp_path / "none.toml")]) == 2
    assert "there is no such file" in capsys.readouterr().err


def test_config_without_a_file_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="expected one argument"):
        parse(["chips", "--config"])


def test_a_table_becomes_arguments() -> None:
    table: dict[str, object] = {"shape": {"ks0": 1}, "json": True, "csv": False, "chip": "a b"}
    assert config.to_arguments(table, "f", sorted(table), set(table)) == ["--chip=a b", "--json", "--shape=ks0=1"]
