"""Graphs without a plan: the reasons are true, the bytes add up, and every change that is offered works."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

CASES = {
    "rows too long to stay whole": ("softmax.dynamic.json", {"--shape": "ks0=64,ks1=40960", "--template": "full_load.z0"}),
    "a cut that leaves too much whole": ("hc_pre_tail.dynamic.json", {"--shape": "ks0=64,ks1=16384", "--template": "full_load.z0"}),
    "a tile held too large": ("abs.dynamic.json", {"--shape": "ks0=512,ks1=4096", "--fix": "z0z1t_size=48000"}),
    "no template is small enough": ("abs.static.json", {"--ub-bytes": "300"}),
    "all dropped, several arrays": ("hc_post.dynamic.json", {"--shape": "ks0=64,ks1=4096", "--ub-bytes": "900"}),
    "a little too long": ("rms_norm.dynamic.json", {"--shape": "ks0=64,ks1=9216", "--template": "full_load.z0"}),
}


def _options(options: dict[str, str]) -> list[str]:
    return [word for name, value in options.items() if value for word in (name, value)]


@pytest.mark.parametrize("name", sorted(CASES))
def test_reasons_are_true_and_levers_work(att_json: Any, graphs: Path, name: str) -> None:
    file, options = CASES[name]
    code, found = att_json("explain", graphs / file, *_options(options))
    assert (code, found["status"], found["template"]) == (1, "INFEASIBLE", None)
    assert found["conflicts"]
    for conflict in found["conflicts"]:
        assert conflict["irreducible"]
        assert conflict["reasons"]
        assert conflict["needed_bytes"] > conflict["available_bytes"] == found["ub_capacity_bytes"]
        assert sum(buffer["bytes"] for buffer in conflict["buffers"]) == conflict["needed_bytes"]
    assert found["levers"]
    for lever in found["levers"]:
        if lever["options"]:
            code, plan = att_json("solve", graphs / file, *_options({**options, **lever["options"]}))
            assert code == 0, lever
            assert (plan["template"], plan["makespan_ticks"]) == (lever["template"], lever["makespan_ticks"])


@pytest.mark.parametrize("name", sorted(CASES))
def test_needed_bytes_are_needed(att_json: Any, graphs: Path, name: str) -> None:
    """With one byte less UB the graph stays without a plan, with the bytes named it has one."""
    file, options = CASES[name]
    _, found = att_json("explain", graphs / file, *_options(options))
    (lever,) = [lever for lever in found["levers"] if lever["kind"] == "ub_bytes"]
    enough = int(lever["options"]["--ub-bytes"])
    less, _ = att_json("solve", graphs / file, *_options({**options, "--ub-bytes": str(enough - 1)}))
    assert less == 1


def test_templates_that_the_scheduler_dropped_have_levers_too(att_json: Any, graphs: Path) -> None:
    """Nothing is left to pose, yet the least UB is known, and a chip that exists is offered, never the made-up one."""
    _, found = att_json("explain", graphs / "abs.static.json", "--ub-bytes", "300")
    kinds = {lever["kind"]: lever for lever in found["levers"]}
    assert kinds["ub_bytes"]["options"] == {"--ub-bytes": "384"}
    assert {"ub_bytes", "chip"} <= set(kinds)
    assert kinds["chip"]["options"]["--chip"].startswith("ascend")


def test_a_block_of_48000_with_double_buffering_is_refused_with_the_largest_legal_size(att_json: Any, one_axis: Path) -> None:
    """A queue of two buffers of 48,000 float32 is 3,072,000 bits, where 1,572,864 exist."""
    code, found = att_json("explain", one_axis, "--fix", "z0t_size=48000")
    assert code == 1
    (conflict,) = found["conflicts"]
    load = next(buffer for buffer in conflict["buffers"] if buffer["tensors"] == ["load"])
    assert (load["buf_num"], 8 * load["bytes"]) == (2, 3_072_000)
    assert {reason["family"] for reason in conflict["reasons"]} == {"ub_capacity", "fixed"}
    lever = next(lever for lever in found["levers"] if lever["kind"] == "variable")
    assert lever["options"] == {"--fix": "z0t_size=12272"}
    assert "12,272" in lever["text"]
    assert att_json("solve", one_axis, "--fix", "z0t_size=12272")[0] == 0
    assert att_json("solve", one_axis, "--fix", "z0t_size=12280")[0] == 1


def test_a_fused_cross_entropy_says_which_buffer_dominates(att_json: Any, cross_entropy: Path) -> None:
    code, found = att_json("explain", cross_entropy, "--fix", "z0t_size=128")
    assert code == 1
    (conflict,) = found["conflicts"]
    largest, second, *_ = conflict["buffers"]
    assert (largest["tensors"], largest["buf_num"]) == (["load"], 2)
    assert largest["bytes"] == 2 * 4 * 128 * 256 * 32 > second["bytes"]
    assert f"(load double buffered) {largest['bytes']:,} B" in conflict["text"]


def test_a_double_buffer_can_be_dropped(att_json: Any, graphs: Path, tmp_path: Path) -> None:
    """The template that the lever describes has a plan, and the one with both buffers has none."""
    options = ("--shape", "ks0=64,ks1=7168", "--template", "full_load.z0")
    _, found = att_json("explain", graphs / "softmax.dynamic.json", *options)
    lever = next(lever for lever in found["levers"] if lever["kind"] == "double_buffer")
    assert "one buffer in place of two for q0" in lever["text"]
    att_json("schedule", graphs / "softmax.dynamic.json", "-o", tmp_path)
    (file,) = tmp_path.glob("full_load.z0.json")
    template = json.loads(file.read_text())
    queues = (n["output"].get("memory", {}).get("queue") for n in template["phases"][0]["nodes"])
    first = next(queue for queue in queues if queue)
    first["buf_num"] = 1
    del first["single_legal"]
    file.write_text(json.dumps(template))
    code, plan = att_json("solve", file, *options[:2])
    assert (code, plan["makespan_ticks"]) == (0, lever["makespan_ticks"])


def test_a_smaller_dtype_is_offered_where_it_helps(att_json: Any, one_axis: Path, tmp_path: Path) -> None:
    held = ("--fix", "z0t_size=16000")
    _, found = att_json("explain", one_axis, *held)
    lever = next(lever for lever in found["levers"] if lever["kind"] == "dtype")
    assert lever["text"].startswith("float16 in place of float32")
    half = tmp_path / "half.json"
    half.write_text(one_axis.read_text().replace("float32", "float16"))
    code, plan = att_json("solve", half, *held)
    assert (code, plan["makespan_ticks"]) == (0, lever["makespan_ticks"])
