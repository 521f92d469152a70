"""Where everything lies in UB under one tiling, as text: addresses, and when each is alive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType

from att.ir.graph import Template
from att.model.ub_plan import Area, UbPlan
from att.report.console import heading, table


def memory_tables(template: Template, plans: Sequence[UbPlan], tiling: Mapping[str, int], capacity_bytes: int) -> RenderableType:
    """A table of addresses for each phase of a template."""
    chosen = ", ".join(f"{name}={value}" for name, value in tiling.items()) or "no unknowns"
    parts: list[RenderableType] = [heading(f"UB addresses of {template.name}: {chosen}")]
    for number, plan in enumerate(plans, start=1):
        title = "" if len(plans) == 1 else f"Phase {number}. "
        parts += ["", _addresses(plan, title), _summary(plan, capacity_bytes)]
    return Group(*parts)


def _addresses(plan: UbPlan, title: str) -> RenderableType:
    last = max((area.item.stop for area in plan.areas), default=0)
    ordered = sorted(plan.areas, key=lambda area: (area.offset_bytes, area.item.start))
    rows = (
        (area.offset_bytes, area.end_bytes, area.item.size_bytes, area.item.name, area.item.block, _live(area, last)) for area in ordered
    )
    columns = ("from B", "to B", "bytes", "holds", "kernel keeps it in", "live")
    return table(f"{title}Addresses by {plan.placement} (numbers are positions in the graph)", columns, rows, numbers=columns[:3])


def _live(area: Area, last: int) -> str:
    start, stop = area.item.start, area.item.stop
    return "." * start + "#" * (stop - start + 1) + "." * (last - stop)


def _summary(plan: UbPlan, capacity_bytes: int) -> str:
    scratch = f", {plan.scratch_bytes} B of them scratch at the top of UB" if plan.scratch_bytes else ""
    return (
        f"peak {plan.peak_bytes} B of {capacity_bytes} B{scratch}; "
        f"the kernel places its blocks one after another and takes {plan.in_order_bytes} B"
    )
