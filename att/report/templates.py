"""What the scheduler made of a graph: templates with axes, groups, loop order and buffers, and those dropped with the reason."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from rich.console import Group, RenderableType

from att.expr.text import to_text
from att.ir.graph import Candidates, CastChange, Dropped, Graph, ImplGraph, Template, Why
from att.ir.layout import Block, blocks
from att.ir.tensor import Alloc
from att.report.console import counted, table


def templates_tables(candidates: Candidates) -> RenderableType:
    """A row per template, then the axes and buffers of each, then what was dropped."""
    parts: list[RenderableType] = [_overview(candidates)]
    if candidates.whys:
        parts += ["", _whys(candidates.whys)]
    for template in candidates.templates:
        for phase in template.phases:
            parts += ["", _axes(template, phase, candidates.groups.get(phase.name, {})), "", _buffers(phase)]
    if candidates.dropped:
        parts += ["", _dropped(candidates.dropped)]
    if candidates.casts:
        parts += ["", _casts(candidates.casts)]
    return Group(*parts)


def _overview(candidates: Candidates) -> RenderableType:
    rows = (
        (
            t.tiling_key,
            t.name,
            number,
            _loop_order(phase),
            ", ".join(_vector_axes(phase)),
            ", ".join(v.name for v in phase.variables),
            _storage(phase),
        )
        for t in candidates.templates
        for number, phase in enumerate(t.phases, start=1)
    )
    columns = ("key", "template", "phase", "loop order", "vector axes", "unknowns", "storage")
    return table(f"Templates of {candidates.graph.name}", columns, rows, numbers=("key", "phase"))


def _loop_order(phase: Graph) -> str:
    loops = max((n.loops for n in phase.nodes), key=len, default=())
    return " > ".join(loops)


def _vector_axes(phase: Graph) -> tuple[str, ...]:
    return max((n.output.vectorized_axes for n in phase.nodes), key=len, default=())


def _storage(phase: Graph) -> str:
    memories = [n.output.memory for n in phase.nodes if n.output.memory is not None]
    queues = {m.queue.id for m in memories if m.queue is not None}
    buffers = {m.buffer_id for m in memories if m.buffer_id is not None}
    outside = sum(m.alloc is Alloc.GLOBAL for m in memories)
    return f"{counted(len(queues), 'queue')}, {counted(len(buffers), 'buffer')}, {outside} in GM"


def _axes(template: Template, phase: ImplGraph, group_of: Mapping[str, str]) -> RenderableType:
    title = template.name if len(template.phases) == 1 else f"{template.name}, {phase.name}"
    rows = (
        (a.name, template.axis_names.get(a.name, ""), group_of.get(a.name, ""), a.kind.value, to_text(a.size), ", ".join(a.parents))
        for a in phase.axes
    )
    return table(title, ("axis", "in the graph", "group", "kind", "size", "from"), rows)


def _whys(whys: Iterable[Why]) -> RenderableType:
    return table("Why each exists", ("template", "purpose", "trigger"), ((w.template, w.purpose, w.trigger) for w in whys))


def _buffers(phase: ImplGraph) -> RenderableType:
    rows = ((b.name, b.position.value, _number(phase, b), to_text(b.slot_bytes), ", ".join(b.tensors)) for b in blocks(phase))
    return table(f"Queues (q) and buffers (b) of {phase.name}", ("block", "position", "buffers", "bytes of one", "holds"), rows)


def _number(phase: ImplGraph, block: Block) -> str:
    return f"{block.buf_num} (or 1)" if _single_legal(phase, block) else str(block.buf_num)


def _single_legal(phase: ImplGraph, block: Block) -> bool:
    """Whether every value of a queue could do with one buffer."""
    queues = [m.queue for name in block.tensors if (m := phase.node_of[name].output.memory) is not None]
    return all(queue is not None and queue.single_legal for queue in queues)


def _dropped(dropped: Iterable[Dropped]) -> RenderableType:
    rows = ((d.tiling_key if d.tiling_key >= 0 else "", d.name, d.reason) for d in dropped)
    return table("Dropped", ("key", "template", "reason"), rows, numbers=("key",))


def _casts(casts: Iterable[CastChange]) -> RenderableType:
    rows = ((c.node, c.value, c.source.value, c.target.value, "added" if c.added else "removed") for c in casts)
    return table("Casts that the templates have and the graph has not, and the other way round", ("cast", "of", "from", "to", ""), rows)


def traces_text(candidates: Candidates) -> str:
    """A paragraph per loop nest: its name, and the steps that made it, one a line."""
    phases = [phase for template in candidates.templates for phase in template.phases]
    return "\n".join("".join(f"{line}\n" for line in (phase.name, *(f"  {step}" for step in phase.trace))) for phase in phases)


def templates_json(candidates: Candidates) -> str:
    """The same as one JSON document."""
    whys = {w.template: w for w in candidates.whys}
    document = {
        "format": "templates",
        "version": 1,
        "graph": candidates.graph.name,
        "templates": [_template_entry(t, whys.get(t.name), candidates.groups) for t in candidates.templates],
        "dropped": [{"template": d.name, "tiling_key": d.tiling_key, "reason": d.reason} for d in candidates.dropped],
        "casts": [_cast_entry(c) for c in candidates.casts],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _cast_entry(cast: CastChange) -> dict[str, object]:
    return {"node": cast.node, "of": cast.value, "from": cast.source.value, "to": cast.target.value, "added": cast.added}


def _template_entry(template: Template, why: Why | None, groups: Mapping[str, Mapping[str, str]]) -> dict[str, object]:
    return {
        "template": template.name,
        "tiling_key": template.tiling_key,
        "purpose": why.purpose if why else "",
        "trigger": why.trigger if why else "",
        "axis_names": dict(sorted(template.axis_names.items())),
        "phases": [_phase_entry(phase, groups.get(phase.name, {})) for phase in template.phases],
    }


def _phase_entry(phase: ImplGraph, group_of: Mapping[str, str]) -> dict[str, object]:
    return {
        "name": phase.name,
        "loop_order": list(max((n.loops for n in phase.nodes), key=len, default=())),
        "vectorized_axes": list(_vector_axes(phase)),
        "axes": [
            {
                "axis": a.name,
                "group": group_of.get(a.name, ""),
                "kind": a.kind.value,
                "size": to_text(a.size),
                "from": list(a.parents),
            }
            for a in phase.axes
        ],
        "buffers": [
            {
                "block": b.name,
                "position": b.position.value,
                "buf_num": b.buf_num,
                "single_legal": _single_legal(phase, b),
                "slot_bytes": to_text(b.slot_bytes),
                "tensors": list(b.tensors),
            }
            for b in blocks(phase)
        ],
        "variables": [{"variable": v.name, "axis": v.axis, "maximum": v.maximum} for v in phase.variables],
        "trace": list(phase.trace),
    }
