"""What the next best template would lose, in a sentence: how much the choice of the template matters."""

from __future__ import annotations

from att.report.console import counted, percent_text
from att.solve.plan import Plan, TemplateRow

_SOLVED = ("OPTIMAL", "FEASIBLE", "PRUNED")


def next_best_text(plan: Plan) -> str:
    """The fastest tiling of another template that is known, and how much slower than the plan it is by the model.

    general.z1: 12.00 % slower
    general.z1: at most 12.00 % slower, at least 3.10 %    (templates were given up: bounds, and tilings of the heuristic)
    """
    others = [row for row in plan.templates if row.template != plan.template and row.status in _SOLVED]
    found = [row for row in others if row.makespan_ticks is not None]
    if plan.makespan_ticks and found:
        nearest = min(found, key=_rank)
        return f"{nearest.template}: {_loss_text(plan, nearest, min(map(_least_ticks, others)))}"
    if plan.makespan_ticks and others:
        nearest = min(others, key=_least_ticks)
        return f"{nearest.template}: at least {percent_text(_least_ticks(nearest) / plan.makespan_ticks - 1)} slower"
    return "no other template has a tiling"


def _rank(row: TemplateRow) -> tuple[int, int, int, str]:
    """The order in which templates are chosen (`att.solve.select`)."""
    return row.makespan_ticks or 0, row.ub_bytes or 0, row.block_dim or 0, row.template


def _least_ticks(row: TemplateRow) -> int:
    """The time that none of its tilings beats; the time of its tiling where nothing is proven."""
    return row.bound_ticks or row.makespan_ticks or 0


def _loss_text(plan: Plan, row: TemplateRow, least_ticks: int) -> str:
    best_ticks, ticks = plan.makespan_ticks or 0, row.makespan_ticks or 0
    if ticks == best_ticks:
        return f"as fast, {_tie_text(plan, row)}"
    most, least = percent_text(ticks / best_ticks - 1), percent_text(least_ticks / best_ticks - 1)
    if most == least:
        return f"{most} slower"
    return f"at most {most} slower" + (f", at least {least}" if least != percent_text(0) else "")


def _tie_text(plan: Plan, row: TemplateRow) -> str:
    if row.ub_bytes != plan.ub_bytes:
        return f"with {row.ub_bytes:,} B of UB"
    return f"on {counted(row.block_dim or 0, 'core')}" if row.block_dim != plan.block_dim else "with as much UB and as many cores"
