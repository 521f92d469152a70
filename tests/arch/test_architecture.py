"""The shape of the tree: who may import whom, how long a file may be, and that the packages under test are ours."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("hwmodels", "att", "schedule", "codegen")
LINES_MAX = 350
"""A file that outgrows this has two subjects: split it. The number may only go down."""


def _python_files() -> list[Path]:
    folders = (*PACKAGES, "benchmarks", "tests")
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def test_import_contracts_hold(tmp_path: Path) -> None:
    lint = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(cache_dir=sys.argv[1]))"
    run = subprocess.run([sys.executable, "-c", lint, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "0 broken" in run.stdout


def test_contracts_cover_every_package() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    assert config["root_packages"] == list(PACKAGES)
    core = next(contract for contract in config["contracts"] if contract["id"] == "core")
    assert core["exhaustive"]


@pytest.mark.parametrize("path", _python_files(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_file_is_too_long(path: Path) -> None:
    with path.open(encoding="utf-8") as file:
        lines = sum(1 for _ in file)
    assert lines <= LINES_MAX, f"{path.relative_to(ROOT)} has {lines} lines, allowed {LINES_MAX}: split it by subject"


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_are_ours(package: str) -> None:
    """`schedule` and `codegen` are also names of other distributions (style.md §5)."""
    where = "import importlib, sys; print(importlib.import_module(sys.argv[1]).__file__)"
    run = subprocess.run([sys.executable, "-c", where, package], cwd=ROOT, capture_output=True, text=True, check=True)
    assert Path(run.stdout.strip()).resolve() == ROOT / package / "__init__.py"


def test_importing_the_core_pulls_in_nothing_heavy() -> None:
    code = "import att, sys; print([m for m in ('ortools', 'z3', 'sympy', 'pandas', 'numpy', 'rich') if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_data_files_are_packaged() -> None:
    """Each data file of a package matches a pattern of `package-data`, so that a wheel has it."""
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    for package in PACKAGES:
        patterns = tool["package-data"].get(package, [])
        packaged = {path for pattern in patterns for path in (ROOT / package).glob(pattern)}
        data = {p for p in (ROOT / package).rglob("*") if p.is_file() and p.suffix not in {".py", ".pyc"} and p.name != "py.typed"}
        assert data <= packaged, f"not in package-data: {sorted(str(p.relative_to(ROOT)) for p in data - packaged)}"


def test_the_ci_script_can_be_run() -> None:
    script = ROOT / ".ci" / "run"
    assert script.stat().st_mode & 0o111
    assert subprocess.run(["bash", "-n", str(script)], check=False).returncode == 0
