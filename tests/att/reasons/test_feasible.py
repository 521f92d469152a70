"""Why a plan is what it is: every number is what check, evaluate and the solvers say."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import att
from att.formats.load import load
from att.reasons.explain import explain
from att.reasons.rules import rules
from att.solve.pipeline import cases
from att.solve.request import make_request

CASES = {
    "softmax": ("softmax.dynamic.json", "ks0=1000,ks1=1024"),
    "add_row": ("add_row.dynamic.json", "ks0=16,ks1=512"),
    "amax_keep": ("amax_keep.dynamic.json", "ks0=64,ks1=1024"),
}


@pytest.fixture(scope="module")
def explained() -> dict[str, Any]:
    """One explanation of each case."""
    folder = Path(__file__).resolve().parents[3] / "benchmarks" / "graphs"
    shapes = {name: {k: int(v) for k, v in (p.split("=") for p in shape.split(","))} for name, (_, shape) in CASES.items()}
    return {name: explain(load(folder / file), make_request(shape=shapes[name])) for name, (file, _) in CASES.items()}


def _tiling(variables: Any) -> str:
    return ",".join(f"{name}={value}" for name, value in variables.items())


@pytest.mark.parametrize("name", sorted(CASES))
def test_the_parts_add_up(explained: Any, name: str) -> None:
    found = explained[name]
    assert found.status == "OPTIMAL"
    assert sum(buffer.bytes for buffer in found.buffers) == found.ub_bytes
    assert sum(phase.makespan_ticks for phase in found.phases) == found.makespan_ticks
    for phase in found.phases:
        assert phase.makespan_ticks == phase.launch_ticks + max(pipe.ticks for pipe in phase.pipes)
        for pipe in phase.pipes:
            assert pipe.ticks == pipe.head_ticks + sum(node.ticks for node in pipe.nodes)
    (ub,) = [rule for rule in found.rules if rule.family == "ub_capacity"]
    assert (ub.got, ub.slack) == (found.ub_bytes, found.ub_capacity_bytes - found.ub_bytes)
    assert all(rule.slack is None or rule.slack >= 0 for rule in found.rules)


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_step_costs_what_it_says(explained: Any, att_json: Any, graphs: Path, name: str) -> None:
    """A step that is legal is priced by a solver that holds it; one that is not breaks the rule named, by the amount named."""
    found = explained[name]
    file, shape = CASES[name]
    assert {step.variable for step in found.steps} == set(found.variables)
    for step in found.steps:
        if step.next is None:
            continue
        assert (step.next > step.value) == (step.direction == "larger")
        held = ("--shape", shape, "--template", found.template, "--fix", f"{step.variable}={step.next}")
        code, plan = att_json("solve", graphs / file, *held)
        assert step.best_ticks == (plan["makespan_ticks"] if code == 0 else None)
        assert step.best_ticks is None or step.best_ticks >= found.makespan_ticks
        if step.breaks == "ub_capacity":
            moved = _tiling({**found.variables, step.variable: step.next})
            code, judged = att_json("evaluate", graphs / file, "--shape", shape, "--template", found.template, "--tiling", moved)
            (broken,) = [v for v in judged["violations"] if v["family"] == "ub_capacity"]
            assert (code, broken["got"] - broken["allowed"]) == (1, step.excess)
            assert f"needs {step.excess:,} B more UB than there is" in step.text
            assert step.text in found.summary


@pytest.mark.parametrize("name", sorted(CASES))
def test_the_heuristic_is_set_beside_the_plan(explained: Any, att_json: Any, graphs: Path, name: str) -> None:
    found = explained[name]
    file, shape = CASES[name]
    _, plan = att_json("solve", graphs / file, "--shape", shape, "--solver", "axis_sort")
    rival = found.heuristic
    assert (rival.template, rival.variables, rival.makespan_ticks) == (plan["template"], plan["variables"], plan["makespan_ticks"])
    assert rival.gap == pytest.approx(plan["makespan_ticks"] / found.makespan_ticks - 1)
    differing = {d.what for d in rival.differences}
    if rival.template == found.template:
        assert {n for n in found.variables if found.variables[n] != rival.variables[n]} == differing & set(found.variables)
    assert (rival.gap == 0) or differing


@pytest.mark.parametrize("name", sorted(CASES))
def test_more_of_a_chip_is_never_worse(explained: Any, att_json: Any, graphs: Path, name: str) -> None:
    found = explained[name]
    file, shape = CASES[name]
    for what in ("ub_bytes", "cores"):
        rows = [row for row in found.sensitivity if row.what == what]
        assert len(rows) == 5
        assert sorted(row.value for row in rows) == [row.value for row in rows]
        times = [row.makespan_ticks for row in rows]
        assert all(a is None or a >= b for a, b in pairwise(times))
        least = rows[0]
        code, plan = att_json("solve", graphs / file, "--shape", shape, f"--{what.replace('_', '-')}", least.value)
        assert (plan["makespan_ticks"], plan["variables"]) == (least.makespan_ticks, least.variables)
        assert (code == 0) == (least.status == "OPTIMAL")


def test_an_alignment_that_costs_time_is_binding(graphs: Path) -> None:
    """64 rows of 1,013 elements, tiles in steps of 4,096 bytes: the gain without the rule is that of `--align none`."""
    graph, shape = load(graphs / "abs.dynamic.json"), {"ks0": 64, "ks1": 1013}
    request = make_request(shape=shape, align=4096)
    (case,) = cases(graph, request, (shape,))
    (posed,) = case.posed
    coarse, fine = (att.solve(graph, shape=shape, align=align) for align in (4096, "none"))
    found = rules(posed.problem, coarse.variables, coarse.makespan_ticks, (), request.limits)
    (rule,) = [rule for rule in found if rule.family == "alignment"]
    assert rule.gain_ticks == coarse.makespan_ticks - fine.makespan_ticks > 0
    assert rule.binding


def test_a_size_of_0_has_nothing_to_explain(graphs: Path) -> None:
    found = att.explain(load(graphs / "softmax.dynamic.json"), shape={"ks0": 0, "ks1": 8})
    assert found.status == "OPTIMAL"
    assert found.summary == ("a size is 0, so there is nothing to do",)


def test_everything_but_the_time_is_the_same_again(graphs: Path) -> None:
    graph = load(graphs / "softmax.dynamic.json")
    one, other = (att.explain(graph, shape={"ks0": 64, "ks1": 512}).to_json() for _ in range(2))
    assert one.split('"timing"')[0] == other.split('"timing"')[0]
