"""A plan at a glance, in every status."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from att.ir.graph import Why
from att.model.evaluate import CostBreakdown, PhaseCost, PipeCost
from att.ops.call import Pipe
from att.report.choice import next_best_text
from att.report.console import bar, to_text
from att.report.plan import plan_tables
from att.solve.plan import PipeTicks, Plan, PlanPhase, PlanViolation, TemplateRow, Timing

CLOCK_MHZ = 1000
MICROSECOND = 10**9
"""Ticks at that clock."""

PIPES = PipeTicks(MTE2=5 * MICROSECOND, VEC=9 * MICROSECOND, MTE3=4 * MICROSECOND)
PHASE = PlanPhase(block_dim=8, ub_bytes=4096, launch_ticks=MICROSECOND, pipes=PIPES, makespan_ticks=10 * MICROSECOND)
DONE = TemplateRow(
    template="general.z0",
    tiling_key=0,
    status="OPTIMAL",
    makespan_ticks=10 * MICROSECOND,
    bound_ticks=10 * MICROSECOND,
    block_dim=8,
    ub_bytes=4096,
    variables={"z0t_size": 8, "z0Tb_size": 1},
)
GONE = TemplateRow(
    template="general",
    tiling_key=-1,
    status="DROPPED",
    makespan_ticks=None,
    bound_ticks=None,
    block_dim=None,
    ub_bytes=None,
    variables=None,
    reason="two reduces need the same rows",
)
PLAN = Plan(
    format="plan",
    version=1,
    graph="softmax",
    chip="toy",
    cost="mended",
    objective="bottleneck",
    shape={"ks0": 64},
    status="OPTIMAL",
    solver="cpsat",
    template="general.z0",
    template_hash="0",
    tiling_key=0,
    variables={"z0t_size": 8, "z0Tb_size": 1},
    block_dim=8,
    ub_bytes=4096,
    ub_capacity_bytes=8192,
    workspace_bytes=0,
    makespan_ticks=10 * MICROSECOND,
    bound_ticks=10 * MICROSECOND,
    gap=0.0,
    makespan_us=10.0,
    pipes=PIPES,
    launch_ticks=MICROSECOND,
    bottleneck="VEC",
    phases=(PHASE,),
    violations=(),
    estimated_ops=("Exp",),
    templates=(GONE, DONE),
    timing=Timing(schedule_ms=0, model_ms=0, solve_ms=0),
    att_version="0",
)
BREAKDOWN = CostBreakdown(
    objective_ticks=10 * MICROSECOND,
    phases=(
        PhaseCost(
            launch_ticks=MICROSECOND,
            pipes=(PipeCost(pipe=Pipe.VEC, ticks=9 * MICROSECOND, head_ticks=0, nodes={"exp": 6 * MICROSECOND, "sub": 3 * MICROSECOND}),),
            block_dim=8,
            ub_bytes=4096,
            makespan_ticks=10 * MICROSECOND,
            limiting=(Pipe.VEC,),
        ),
    ),
    workspace_bytes=0,
)
EMPTY = replace(
    PLAN,
    template=None,
    tiling_key=None,
    variables=None,
    block_dim=None,
    ub_bytes=None,
    makespan_ticks=None,
    makespan_us=None,
    bound_ticks=None,
    gap=None,
    pipes=None,
    bottleneck=None,
    phases=(),
)


def _shown(plan: Plan, breakdown: CostBreakdown | None = None, why: Why | None = None) -> str:
    return to_text(plan_tables(plan, CLOCK_MHZ, breakdown, why), terminal=False, width=120)


def test_a_proven_plan() -> None:
    text = _shown(PLAN, BREAKDOWN)
    for part in (
        "softmax on toy, shape ks0=64, cost mended, solver cpsat",
        "OPTIMAL: proven",
        "z0t_size=8 z0Tb_size=1",
        "[###############---------------] 4,096 of 8,192 B (50.00 %)",
        "10.000 µs modelled",
        "two reduces need the same rows",
        "Estimated or borrowed cost: Exp",
        "Times are modelled, not measured.",
    ):
        assert part in text
    assert "66.67 %" in text
    chosen = next(line for line in text.splitlines() if line.startswith("*"))
    assert chosen.split()[:4] == ["*", "0", "general.z0", "OPTIMAL"]


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        (replace(PLAN, status="FEASIBLE", gap=0.25), "FEASIBLE: not proven optimal, another tiling saves at most 25.00 % of the makespan"),
        (replace(PLAN, status="FEASIBLE", gap=0.980401), "another tiling saves at most 98.05 % of the makespan"),
        (replace(PLAN, status="FEASIBLE", gap=0.0), "FEASIBLE: no tiling is faster, proven"),
        (replace(PLAN, status="FEASIBLE", gap=None), "FEASIBLE: legal, nothing is proven"),
        (replace(EMPTY, status="INFEASIBLE"), "INFEASIBLE: no tiling of any template is legal"),
        (replace(EMPTY, status="TIMEOUT"), "TIMEOUT: nothing found within the limit"),
        (replace(EMPTY, status="UNSUPPORTED"), "UNSUPPORTED: cpsat cannot read the models"),
    ],
)
def test_other_verdicts(plan: Plan, says: str) -> None:
    assert says in _shown(plan)


def test_violations_are_listed() -> None:
    broken = PlanViolation(family="ub_capacity", subject="UB", text="tensors need too much", got=9000, allowed=8192)
    text = _shown(replace(PLAN, status="INFEASIBLE", violations=(broken,)))
    assert "INFEASIBLE: 1 constraint violated" in text
    assert "tensors need too much" in text
    assert "9000" in text


def test_the_reason_of_the_template_is_shown() -> None:
    text = _shown(PLAN, why=Why(template="general.z0", purpose="tiles are shared among cores", trigger="nothing is reduced"))
    assert "purpose     tiles are shared among cores" in text
    assert "trigger     nothing is reduced" in text
    assert "next best   no other template has a tiling" in text


def _other(name: str, makespan_us: int | None, bound_us: int | None, **changes: object) -> TemplateRow:
    makespan, bound = (None if us is None else us * MICROSECOND for us in (makespan_us, bound_us))
    status = "OPTIMAL" if makespan == bound else "PRUNED"
    return replace(DONE, template=name, status=status, makespan_ticks=makespan, bound_ticks=bound, **changes)


@pytest.mark.parametrize(
    ("others", "says"),
    [
        ([_other("b", 12, 12), _other("c", 15, 15)], "b: 20.00 % slower"),
        ([_other("b", 12, 11)], "b: at most 20.00 % slower, at least 10.00 %"),
        ([_other("b", 12, 10)], "b: at most 20.00 % slower"),
        ([_other("b", 12, 12), _other("c", 15, 11)], "b: at most 20.00 % slower, at least 10.00 %"),
        ([_other("b", None, 11), _other("c", None, 12)], "b: at least 10.00 % slower"),
        ([_other("b", 10, 10, ub_bytes=5000)], "b: as fast, with 5,000 B of UB"),
        ([_other("b", 10, 10, block_dim=9)], "b: as fast, on 9 cores"),
        ([_other("b", 10, 10)], "b: as fast, with as much UB and as many cores"),
        ([replace(_other("b", 11, None), status="FEASIBLE")], "b: 10.00 % slower"),
        ([], "no other template has a tiling"),
    ],
)
def test_the_next_best_template_and_what_it_would_lose(others: list[TemplateRow], says: str) -> None:
    assert next_best_text(replace(PLAN, templates=(GONE, DONE, *others))) == says


@pytest.mark.parametrize(
    ("part", "whole", "picture"), [(0, 10, "----"), (5, 10, "##--"), (10, 10, "####"), (99, 10, "####"), (1, 0, "----")]
)
def test_a_bar_stays_in_its_frame(part: int, whole: int, picture: str) -> None:
    assert bar(part, whole, 4) == f"[{picture}]"
