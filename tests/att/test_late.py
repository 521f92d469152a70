"""What lies above `att` is reached by name, and only ours."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from att import late
from att.errors import UsageError

ROOT = Path(late.__file__).resolve().parents[1]
GRAPH = ROOT / "att" / "samples" / "softmax.json"


def _att(path: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    """Runs the command with `path` first on the module path."""
    program = f"import sys; sys.path[:0] = [{str(path)!r}]; from att.cli.main import main; sys.exit(main())"
    return subprocess.run([sys.executable, "-c", program, *argv], capture_output=True, text=True, check=False, cwd=ROOT)


def test_the_scheduler_is_ours() -> None:
    assert late.resolve("schedule").__module__ == "schedule.generate"


@pytest.mark.parametrize("name", ["schedule/__init__.py", "schedule.py"])
def test_another_distributions_package_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("def every(): ...\n")
    done = _att(tmp_path, "solve", str(GRAPH), "--shape", "ks0=64")
    assert done.returncode == 2
    assert done.stdout == ""
    assert f"the package `schedule` at {tmp_path}" in done.stderr
    assert "is another distribution's" in done.stderr
    assert "Traceback" not in done.stderr


def test_other_commands_do_not_need_it(tmp_path: Path) -> None:
    (tmp_path / "schedule.py").write_text("raise SystemError\n")
    assert _att(tmp_path, "show", str(GRAPH)).returncode == 0


@pytest.mark.parametrize("name", sorted(late.UNAVAILABLE))
def test_later_functions_are_refused_with_a_sentence(name: str) -> None:
    import att

    with pytest.raises(UsageError, match=f"`{name}` is not available in this version") as caught:
        getattr(att, name)(object(), anything=1)
    assert caught.value.exit_code == 2
