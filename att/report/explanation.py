"""An explanation at a glance: sentences first, then the tables they are drawn from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Group, RenderableType

from att.reasons.document import BufferNeed, Conflict, Explanation, Lever, PhaseShare, Rival
from att.report.console import NONE, assignments_text, heading, microseconds_text, pairs, percent_text, table
from att.report.plan import TIMES_ARE_MODELLED

_SHOWN_NODES = 4
"""Nodes of a pipe that the table shows; JSON has all."""


def explanation_tables(found: Explanation, clock_mhz: int) -> RenderableType:
    """The whole report."""
    shape = assignments_text(found.shape.items()) if found.shape else "static"
    parts: list[RenderableType] = [heading(f"{found.graph} on {found.chip}, shape {shape}, cost {found.cost}"), ""]
    parts += [_summary(found, clock_mhz), "", *(f"- {sentence}" for sentence in found.summary)]
    if found.conflicts:
        parts += ["", _conflicts(found), *_buffers(found.conflicts[0].buffers, f"UB that {found.conflicts[0].template} needs at the least")]
        parts += ["", _levers(found.levers, clock_mhz)]
    if found.phases:
        parts += ["", _rules(found, clock_mhz), "", _steps(found, clock_mhz), *_buffers(found.buffers, "UB of the plan")]
        parts += ["", _pipes(found.phases, clock_mhz), *_rival(found.heuristic), "", _sensitivity(found, clock_mhz)]
    return Group(*parts, "", TIMES_ARE_MODELLED)


def _summary(found: Explanation, clock_mhz: int) -> RenderableType:
    variables = assignments_text((found.variables or {}).items())
    makespan = NONE if found.makespan_ticks is None else f"{microseconds_text(found.makespan_ticks, clock_mhz)} µs modelled"
    return pairs([("status", found.status), ("template", found.template or NONE), ("variables", variables), ("makespan", makespan)])


def _rules(found: Explanation, clock_mhz: int) -> RenderableType:
    rows = (
        (
            "*" if rule.binding else " ",
            rule.family,
            rule.subject,
            f"{rule.got:,}",
            f"{rule.allowed:,}" if isinstance(rule.allowed, int) else rule.allowed,
            None if rule.slack is None else f"{rule.slack:,} {rule.unit}".rstrip(),
            None if rule.gain_ticks is None else microseconds_text(rule.gain_ticks, clock_mhz),
        )
        for rule in found.rules
    )
    columns = ("", "rule", "of", "got", "allowed", "left", "µs without it")
    return table("Rules (* binding)", columns, rows, numbers=("got", "allowed", "left", "µs without it"))


def _steps(found: Explanation, clock_mhz: int) -> RenderableType:
    rows = (
        (
            step.variable,
            step.value,
            step.next,
            microseconds_text(step.kept_ticks, clock_mhz),
            microseconds_text(step.best_ticks, clock_mhz),
            "" if step.breaks is None else f"{step.breaks}" + (f" by {step.excess:,} {step.unit}" if step.excess is not None else ""),
        )
        for step in found.steps
        if step.next is not None
    )
    columns = ("variable", "plan", "next", "µs, tiles kept", "µs at best", "breaks")
    return table("Next values (modelled)", columns, rows, numbers=columns[1:5])


def _buffers(parts: tuple[BufferNeed, ...], title: str) -> Iterator[RenderableType]:
    if parts:
        rows = ((p.name, p.buf_num, f"{p.bytes:,}", ", ".join(p.tensors)) for p in parts)
        yield ""
        yield table(title, ("buffer", "buffers", "bytes", "tensors"), rows, numbers=("buffers", "bytes"))


def _pipes(phases: Iterable[PhaseShare], clock_mhz: int) -> RenderableType:
    rows: list[tuple[object, ...]] = []
    for phase in phases:
        for pipe in phase.pipes:
            parts = [("(head)", pipe.head_ticks), *((n.node, n.ticks) for n in pipe.nodes[:_SHOWN_NODES])]
            left = pipe.ticks - sum(ticks for _, ticks in parts)
            parts += [("(others)", left)] if left else []
            mark = f"{pipe.pipe} *" if pipe.pipe == phase.bottleneck else pipe.pipe
            shares = (percent_text(ticks / pipe.ticks if pipe.ticks else None) for _, ticks in parts)
            rows += [
                (phase.phase, mark, name, microseconds_text(ticks, clock_mhz), share)
                for (name, ticks), share in zip(parts, shares, strict=True)
            ]
    columns = ("phase", "pipe", "node", "µs", "share of the pipe")
    return table("Pipes by node, dearest first (modelled; * decides)", columns, rows, numbers=("phase", "µs", "share of the pipe"))


def _rival(rival: Rival | None) -> Iterator[RenderableType]:
    if rival is not None and rival.differences:
        rows = ((d.what, d.optimum, d.heuristic) for d in rival.differences)
        yield ""
        yield table(
            f"The plan and {rival.solver}, {percent_text(rival.gap)} slower", ("", "plan", "heuristic"), rows, numbers=("plan", "heuristic")
        )


def _sensitivity(found: Explanation, clock_mhz: int) -> RenderableType:
    rows = (
        (
            "UB bytes" if row.what == "ub_bytes" else "cores",
            f"{row.value:,}",
            microseconds_text(row.makespan_ticks, clock_mhz) if row.makespan_ticks is not None else row.status,
            percent_text(row.change),
            row.block_dim,
            row.template,
            assignments_text((row.variables or {}).items()),
        )
        for row in found.sensitivity
    )
    columns = ("chip with", "", "µs", "change", "cores used", "template", "variables")
    return table("The best plan as the chip varies (modelled)", columns, rows, numbers=("", "µs", "change", "cores used"))


def _conflicts(found: Explanation) -> RenderableType:
    return table(
        "Why no tiling is legal", ("template", "UB needed", "UB there is", "rules that contradict"), map(_conflict, found.conflicts)
    )


def _conflict(conflict: Conflict) -> tuple[object, ...]:
    needed = None if conflict.needed_bytes is None else f"{conflict.needed_bytes:,} B"
    reasons = "; ".join(f"{r.family} of {r.subject}" for r in conflict.reasons)
    return conflict.template, needed, f"{conflict.available_bytes:,} B", reasons if conflict.irreducible else f"{reasons} (or fewer)"


def _levers(levers: tuple[Lever, ...], clock_mhz: int) -> RenderableType:
    rows = ((lever.kind, lever.text, microseconds_text(lever.makespan_ticks, clock_mhz)) for lever in levers)
    title = "What helps; each was tried" if levers else "Nothing that was tried helps"
    return table(title, ("change", "how", "µs then"), rows, numbers=("µs then",))
