"""Several cores: SyncAll in both forms, races between cores, and results that do not depend on the order in which cores run."""

from __future__ import annotations

import numpy as np
import pytest


def outcome(run) -> str:
    return "ok" if run.ok else run.failure["fault"]


@pytest.mark.parametrize("form", ["hard", "soft"])
@pytest.mark.parametrize("cores", [1, 2, 7, 48])
@pytest.mark.parametrize("reverse", [0, 1])
def test_reduction_through_workspace(run_case, form: str, cores: int, reverse: int) -> None:
    share = 64
    x = np.random.default_rng(18).integers(-50, 50, cores * share).astype(np.float32)
    run = run_case(
        "sync", "two_phases", inputs={"x": x}, outputs={"y": "f4"}, block_dim=cores, share=share, form=form, reverse_cores=reverse
    )
    assert run.ok, run.text
    np.testing.assert_array_equal(run.outputs["y"], np.full(cores, x.sum()))
    assert run.calls("SYNC")["SyncAll"] == cores * (2 if form == "soft" else 1)


@pytest.mark.parametrize("reverse", [0, 1])
def test_missing_meeting_is_a_race_whichever_core_runs_first(run_case, reverse: int) -> None:
    x = np.ones(128, np.float32)
    run = run_case("sync", "two_phases", inputs={"x": x}, block_dim=2, share=64, form="none", reverse_cores=reverse)
    assert outcome(run) == "core_hazard"
    assert "SyncAll" in run.text
    assert "'partials'" in run.text


@pytest.mark.parametrize(("params", "expected", "part"), [
    ({"flag_bytes": 32}, "gm_bounds", "64 B, 32 for each core"),
    ({"zeroed": 0}, "sync", "zero before the kernel"),
    ({"block_dim": 49, "form": "hard"}, "sync", "at most 48 vector cores"),
])  # fmt: skip
def test_meetings_refuse(run_case, params: dict[str, object], expected: str, part: str) -> None:
    params = {"block_dim": 2, "form": "soft", **params}
    run = run_case("sync", "two_phases", inputs={"x": np.ones(64 * int(params["block_dim"]), np.float32)}, share=64, **params)
    assert outcome(run) == expected, run.text
    assert part in run.text


@pytest.mark.parametrize(("mistake", "expected"), [("", "ok"), ("one_ends_early", "sync"), ("one_meets_twice", "sync")])
def test_cores_that_miss_a_meeting(run_case, mistake: str, expected: str) -> None:
    run = run_case("sync", "meetings", block_dim=4, mistake=mistake)
    assert outcome(run) == expected
    if not run.ok:
        assert "wait for ever" in run.text


def test_different_forms_do_not_meet(run_case) -> None:
    run = run_case("sync", "mixed_meetings", block_dim=2)
    assert outcome(run) == "sync"
    assert "different forms" in run.text
    assert outcome(run_case("sync", "mixed_meetings", block_dim=2, used=1)) == "argument"


@pytest.mark.parametrize(("kind", "params", "expected"), [
    ("write_write", {}, "core_hazard"),
    ("apart", {}, "ok"),
    ("write_read", {"writer": 0}, "core_hazard"),
    ("write_read", {"writer": 1}, "core_hazard"),
    ("write_sync_read", {"writer": 0}, "ok"),
    ("write_sync_read", {"writer": 1}, "ok"),
    ("same_line", {}, "core_hazard"),
])  # fmt: skip
@pytest.mark.parametrize("reverse", [0, 1])
def test_races(run_case, kind: str, params: dict[str, object], expected: str, reverse: int) -> None:
    run = run_case("sync", "races", block_dim=2, kind=kind, reverse_cores=reverse, **params)
    assert outcome(run) == expected, run.text


def test_stale_cache_line(run_case) -> None:
    stale = run_case("sync", "stale_line")
    assert outcome(stale) == "hazard"
    assert "DataCacheCleanAndInvalid" in stale.text
    assert run_case("sync", "stale_line", invalidate=1).ok
