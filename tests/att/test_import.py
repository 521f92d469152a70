"""What importing and asking for help costs, and that the library's front door holds."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("numpy", "ortools", "rich", "pandas", "sympy", "z3", "msgspec", "schedule", "codegen")


def _loaded_after(program: str) -> set[str]:
    """Top-level modules in a fresh interpreter after `program`."""
    text = f"import sys\n{program}\nsys.stderr.write(' '.join({{name.partition('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.mark.parametrize(
    "program",
    [
        "import att",
        "from att.cli.main import main; assert main(['--help']) == 0",
        "from att.cli.main import main; assert main(['solve', '--help']) == 0",
        "from att.cli.main import main; assert main(['--version']) == 0",
    ],
)
def test_nothing_heavy_is_imported(program: str) -> None:
    loaded = _loaded_after(program)
    assert "att" in loaded
    assert loaded & set(HEAVY) == set()


def test_op_records_need_no_arrays() -> None:
    """What only executors need stays with them: showing or scheduling a graph does not wait for numpy."""
    assert "numpy" not in _loaded_after("import att.ops.registry, schedule.generate")


def test_every_public_name_exists() -> None:
    import att

    for name in att.__all__:
        assert getattr(att, name) is not None
    assert set(att.__all__) < set(dir(att))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = att.nonsense  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize("first", ["", "import att.solve.base", "from att.solve import run", "import att.solve.run as run"])
def test_solve_is_a_function_whatever_was_imported_before(first: str) -> None:
    call = "import att\ntry:\n att.solve(1, chip='no such chip')\nexcept att.AttError as error:\n assert 'no such chip' in str(error)"
    _loaded_after(f"{first}\n{call}\nelse:\n raise SystemExit(1)")


def test_the_package_of_solvers_stays_a_package() -> None:
    _loaded_after("import att\natt.solve\nimport att.solve.base\nassert att.solve.base.SolveStatus.OPTIMAL\nassert callable(att.solve)")
