"""The plan's JSON form: strict, stable, byte for byte."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from att.errors import ParseError
from att.solve.plan import PipeTicks, Plan, PlanPhase, PlanViolation, TemplateRow, Timing, microseconds, relative_gap, total_pipes

FIELDS = [
    "format",
    "version",
    "graph",
    "chip",
    "cost",
    "objective",
    "shape",
    "status",
    "solver",
    "template",
    "template_hash",
    "tiling_key",
    "variables",
    "block_dim",
    "ub_bytes",
    "ub_capacity_bytes",
    "workspace_bytes",
    "makespan_ticks",
    "bound_ticks",
    "gap",
    "makespan_us",
    "pipes",
    "launch_ticks",
    "bottleneck",
    "phases",
    "violations",
    "estimated_ops",
    "templates",
    "timing",
    "att_version",
]
"""The contract's fields, in its order."""

PHASE = PlanPhase(block_dim=8, ub_bytes=4096, launch_ticks=7, pipes=PipeTicks(MTE2=5, VEC=9, MTE3=4), makespan_ticks=16)


@pytest.fixture
def plan() -> Plan:
    return Plan(
        format="plan",
        version=1,
        graph="softmax",
        chip="toy",
        cost="mended",
        objective="bottleneck",
        shape={"ks1": 8, "ks0": 64},
        status="OPTIMAL",
        solver="cpsat",
        template="general.z0",
        template_hash="ab" * 32,
        tiling_key=0,
        variables={"z0t_size": 8, "z0Tb_size": 1},
        block_dim=8,
        ub_bytes=4096,
        ub_capacity_bytes=8192,
        workspace_bytes=0,
        makespan_ticks=16,
        bound_ticks=16,
        gap=0.0,
        makespan_us=microseconds(16, 1000),
        pipes=PHASE.pipes,
        launch_ticks=7,
        bottleneck="VEC",
        phases=(PHASE,),
        violations=(PlanViolation(family="ub_capacity", subject="UB", text="too much", got=9000, allowed=8192),),
        estimated_ops=("Exp",),
        templates=(
            TemplateRow(
                template="general.z0",
                tiling_key=0,
                status="OPTIMAL",
                makespan_ticks=16,
                bound_ticks=16,
                block_dim=8,
                ub_bytes=4096,
                variables={"z0t_size": 8},
            ),
            TemplateRow(
                template="rsplit.z1",
                tiling_key=1,
                status="DROPPED",
                makespan_ticks=None,
                bound_ticks=None,
                block_dim=None,
                ub_bytes=None,
                variables=None,
                reason="too long",
            ),
        ),
        timing=Timing(schedule_ms=1.0, model_ms=2.0, solve_ms=3.0),
        att_version="0",
    )


def test_fields_are_the_contracts_in_order(plan: Plan) -> None:
    assert list(json.loads(plan.to_json())) == FIELDS


def test_round_trip_is_exact(plan: Plan) -> None:
    text = plan.to_json()
    assert Plan.from_json(text).to_json() == text
    assert text.endswith("}\n")


def test_only_a_dropped_row_has_a_reason(plan: Plan) -> None:
    kept, dropped = json.loads(plan.to_json())["templates"]
    assert "reason" not in kept
    assert dropped["reason"] == "too long"


def test_names_come_out_in_one_order_however_they_went_in(plan: Plan) -> None:
    turned = msgspec.structs.replace(plan, shape={"ks0": 64, "ks1": 8}, variables={"z0Tb_size": 1, "z0t_size": 8})
    assert turned.to_json() == plan.to_json()


@pytest.mark.parametrize("field", FIELDS)
def test_a_missing_field_is_named(plan: Plan, field: str) -> None:
    document = json.loads(plan.to_json())
    del document[field]
    with pytest.raises(ParseError, match=f"missing required field `{field}`"):
        Plan.from_json(json.dumps(document), "p.json")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("format",), "graph"),
        (("version",), 2),
        (("status",), "GOOD"),
        (("shape",), {"ks0": "64"}),
        (("block_dim",), 1.5),
        (("pipes",), {"MTE2": 1, "VEC": 2}),
        (("extra",), 1),
        (("phases", 0, "extra"), 1),
        (("templates", 0, "extra"), 1),
        (("timing", "extra"), 1),
    ],
)
def test_what_is_not_a_plan_is_refused(plan: Plan, path: tuple[Any, ...], value: object) -> None:
    document = json.loads(plan.to_json())
    place = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(ParseError, match=r"^p\.json: not a plan of version 1: ") as caught:
        Plan.from_json(json.dumps(document), "p.json")
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("text", ["", "{", '{"format": "plan"', "[1]", "nul\0", "[" * 100_000, '"\ud800"'])
def test_broken_text_is_a_parse_error(text: str) -> None:
    with pytest.raises(ParseError):
        Plan.from_json(text)


@given(st.tuples(*[st.integers(0, 2**62)] * 3))
def test_the_bottleneck_is_the_slowest_pipe(ticks: tuple[int, int, int]) -> None:
    pipes = PipeTicks(MTE2=ticks[0], VEC=ticks[1], MTE3=ticks[2])
    assert pipes.largest == max(ticks)
    assert pipes.bottleneck is None if max(ticks) == 0 else getattr(pipes, str(pipes.bottleneck)) == max(ticks)


def test_pipes_of_phases_add_up() -> None:
    assert total_pipes((PHASE, PHASE)) == PipeTicks(MTE2=10, VEC=18, MTE3=8)


@pytest.mark.parametrize(("makespan", "bound", "gap"), [(100, 90, 0.1), (100, 100, 0.0), (0, 0, 0.0), (None, 5, None), (5, None, None)])
def test_gap_is_relative_to_the_makespan(makespan: int | None, bound: int | None, gap: float | None) -> None:
    assert relative_gap(makespan, bound) == gap


def test_microseconds_follow_the_clock() -> None:
    assert microseconds(1_850_000_000, 1850) == 1.0
