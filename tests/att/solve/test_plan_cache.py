"""Plans kept on disk: the same bytes, looked up by everything that decides them, checked before use, never in the way."""

from __future__ import annotations

import logging
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace as replace_fields

import att
from att.chips import load_chip
from att.solve import plan_cache
from att.solve.plan import Plan, Timing
from att.solve.plan_cache import default_store
from att.solve.plan_store import FILE_NAME, PlanStore

NO_TIME = Timing(schedule_ms=0, model_ms=0, solve_ms=0)
GRAPH = att.load("sample:softmax")


def solve(folder: Path, **options: Any) -> Plan:
    return att.solve(GRAPH, **{"chip": "toy", "ub_bytes": 131328, "shape": {"ks0": 64}, "cache": folder, **options})


def text(plan: Plan) -> str:
    return replace_fields(plan, timing=NO_TIME).to_json()


@pytest.fixture
def solves(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """One entry for every plan that was not found in the cache."""
    seen: list[object] = []
    original = plan_cache.plan_graph

    def counted(graph: Any, request: Any, drafts: Any) -> Any:
        seen.append(request.shape)
        return original(graph, request, drafts)

    monkeypatch.setattr(plan_cache, "plan_graph", counted)
    return seen


def test_a_cached_plan_has_the_bytes_of_a_solved_one(tmp_path: Path, solves: list[object]) -> None:
    first, second = solve(tmp_path), solve(tmp_path)
    assert len(solves) == 1
    assert text(first) == text(second) == text(solve(tmp_path, cache=False))
    assert second.timing.schedule_ms == second.timing.model_ms == 0


@pytest.mark.parametrize(
    "other",
    [
        {"shape": {"ks0": 65}},
        {"ub_bytes": 131328 + 32},
        {"cores": 3},
        {"chip": "ascend910b1", "ub_bytes": None},
        {"cost": "published"},
        {"align": "none"},
        {"families": {"cache_line": True}},
        {"families": {"few_rows": False}},
        {"families": {"min_tile": 1}},
        {"solver": "enumerate"},
        {"solver": "axis_sort"},
        {"solver": "axis_sort", "corenum_threshold": 0.3},
        {"ranges": {"ks0": (1, 4096, 1)}},
        {"limit": 7.0},
    ],
)
def test_whatever_decides_a_plan_is_in_its_key(tmp_path: Path, solves: list[object], other: dict[str, Any]) -> None:
    solve(tmp_path)
    changed = solve(tmp_path, **other)
    assert len(solves) == 2
    assert text(changed) == text(solve(tmp_path, cache=False, **other))


def test_a_chip_is_known_by_its_numbers_not_its_name(tmp_path: Path, solves: list[object]) -> None:
    chip = load_chip("toy", ub_bytes=131328)
    solve(tmp_path, chip=chip, ub_bytes=None)
    assert solve(tmp_path, chip=replace(chip, vector_cores=2), ub_bytes=None).block_dim <= 2
    assert len(solves) == 2
    solve(tmp_path, chip=replace(chip), ub_bytes=None)
    assert len(solves) == 2


def test_a_plan_that_does_not_hold_is_solved_again(tmp_path: Path, solves: list[object]) -> None:
    good = solve(tmp_path)
    assert good.variables is not None
    assert good.makespan_ticks is not None
    worse = [
        replace_fields(good, makespan_ticks=good.makespan_ticks - 1),
        replace_fields(good, variables={name: value + 1 for name, value in good.variables.items()}),
        replace_fields(good, template="general.z9"),
    ]
    for wrong in (*(plan.to_json() for plan in worse), "{}", "no JSON"):
        with sqlite3.connect(tmp_path / FILE_NAME) as db:
            db.execute("UPDATE plans SET plan = ?", (wrong,))
        db.close()
        solves.clear()
        assert text(solve(tmp_path)) == text(good)
        assert len(solves) == 1


@pytest.mark.parametrize("content", [b"not a database, whatever its length may be" * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_is_set_aside_with_a_warning(tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    with caplog.at_level(logging.WARNING):
        plan = solve(tmp_path)
    assert plan.status == "OPTIMAL"
    assert "set aside" in caplog.text
    assert (tmp_path / FILE_NAME).with_suffix(".damaged").read_bytes() == content
    assert PlanStore(tmp_path).get("nothing") is None
    caplog.clear()
    assert text(solve(tmp_path)) == text(plan)
    assert caplog.text == ""


def test_a_folder_that_cannot_be_written_changes_nothing(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert solve(blocked / "below").status == "OPTIMAL"


def test_plans_without_a_proof_or_a_tiling_are_not_kept(tmp_path: Path, solves: list[object]) -> None:
    for _ in range(2):
        solve(tmp_path, solver="enumerate", limit=1e-9)
        solve(tmp_path, shape={"ks0": 0})
        with pytest.raises(att.InfeasibleError):
            solve(tmp_path, ub_bytes=300)
    assert len(solves) == 6


def test_the_oldest_plans_go_when_there_are_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("att.solve.plan_store._MOST_PLANS", 3)
    store = PlanStore(tmp_path)
    for i in range(6):
        store.put(f"k{i}", f"plan {i}")
    assert [store.get(f"k{i}") for i in range(6)] == [None, None, None, "plan 3", "plan 4", "plan 5"]


def test_many_threads_and_processes_share_a_file(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from att.solve.plan_store import PlanStore\n"
        "store = PlanStore(Path(sys.argv[1]), patience_s=60)\n"
        "for i in range(40): store.put(f'{sys.argv[2]} {i}', 'x' * 1000)"
    )
    processes = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path), str(n)]) for n in range(3)]
    store = PlanStore(tmp_path, patience_s=60)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda i: store.put(f"thread {i}", "y"), range(40)))
    assert [process.wait() for process in processes] == [0, 0, 0]
    kept = [store.get(f"{n} {i}") for n in range(3) for i in range(40)]
    assert kept == ["x" * 1000] * 120
    assert all(store.get(f"thread {i}") == "y" for i in range(40))


def test_a_file_that_another_process_holds_is_waited_for_once_and_briefly(
    tmp_path: Path, solves: list[object], caplog: pytest.LogCaptureFixture
) -> None:
    good = solve(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert text(solve(tmp_path)) == text(good)
        assert len(solves) == 2
        assert [record.levelname for record in caplog.records] == ["WARNING"]
        assert "another process holds the plan cache" in caplog.text
        store = PlanStore(tmp_path)
        started_s = time.monotonic()
        for i in range(10):
            store.get("k")
            store.put(f"k{i}", "x")
            store.drop("k")
        assert 0.3 < time.monotonic() - started_s < 2
    assert text(solve(tmp_path)) == text(good)
    assert len(solves) == 2


def test_where_plans_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert default_store() is None
    monkeypatch.setenv("ATT_PLAN_CACHE", str(tmp_path / "own"))
    assert default_store() == PlanStore(tmp_path / "own")
    monkeypatch.delenv("ATT_PLAN_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_store() == PlanStore(tmp_path / "att-tiling")


def test_the_key_is_the_same_in_every_process(tmp_path: Path) -> None:
    code = (
        "import att, sys; att.solve(att.load('sample:softmax'), chip='toy', ub_bytes=131328, shape={'ks0': 64},"
        " solver='axis_sort', cache=sys.argv[1])"
    )
    for seed in ("1", "2"):
        subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, env={"PYTHONHASHSEED": seed, "PYTHONPATH": _root()})
    with sqlite3.connect(tmp_path / FILE_NAME) as db:
        assert db.execute("SELECT COUNT(*) FROM plans").fetchone() == (1,)
    db.close()


def _root() -> str:
    return str(Path(att.__file__).parents[1])
