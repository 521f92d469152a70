"""What the scheduler made of a graph: templates with axes, groups, loop order and buffers, and those dropped with the reason."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from rich.console import Group, RenderableType

from att.expr.text import to_text
from att.ir.axis import AxisKind
from att.ir.graph import Candidates, CastChange, Dropped, Graph, ImplGraph, Template, Why
from att.ir.layout import Block, blocks
from att.ir.node import Node
from att.ir.roles import reduced_axes
from att.ir.tensor import Alloc
from att.report.console import table

_SPLIT = frozenset({AxisKind.TILE_OUT, AxisKind.TILE_IN, AxisKind.BLOCK_OUT, AxisKind.BLOCK_IN})


def templates_tables(candidates: Candidates) -> RenderableType:
    """A row per template, then the axes and buffers of each, then what was dropped."""
    parts: list[RenderableType] = [_overview(candidates)]
    if candidates.whys:
        parts += ["", _whys(candidates.whys)]
    for template in candidates.templates:
        for phase in template.phases:
            parts += ["", _axes(template, phase), "", _buffers(phase)]
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
    return f"{len(queues)} queues, {len(buffers)} buffers, {outside} in GM"


def _axes(template: Template, phase: ImplGraph) -> RenderableType:
    reduced = _reduced(phase)
    title = template.name if len(template.phases) == 1 else f"{template.name}, {phase.name}"
    rows = (
        (a.name, template.axis_names.get(a.name, ""), _group(phase, a.name, reduced), a.kind.value, to_text(a.size), ", ".join(a.parents))
        for a in phase.axes
    )
    return table(title, ("axis", "in the graph", "group", "kind", "size", "from"), rows)


def _reduced(phase: Graph) -> frozenset[str]:
    return frozenset(axis for node in phase.nodes for axis in _reduced_by(phase, node))


def _reduced_by(phase: Graph, node: Node) -> Iterator[str]:
    """Axes a node reduces, with the axes they were split from."""
    if node.op in ("Data", "Output", "Scalar", "Workspace"):
        return
    for axis in reduced_axes(phase, node):
        yield axis
        if phase.axis_of[axis].kind in _SPLIT:
            yield from phase.axis_of[axis].parents


def _group(phase: Graph, axis: str, reduced: frozenset[str]) -> str:
    """R if a node reduces it or a part of it, else Y (S1 §3.1.2)."""
    parts = {axis, *phase.axis_of[axis].parents} | {a.name for a in phase.axes if axis in a.parents}
    return "R" if parts & reduced else "Y"


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
        "templates": [_template_entry(t, whys.get(t.name)) for t in candidates.templates],
        "dropped": [{"template": d.name, "tiling_key": d.tiling_key, "reason": d.reason} for d in candidates.dropped],
        "casts": [_cast_entry(c) for c in candidates.casts],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _cast_entry(cast: CastChange) -> dict[str, object]:
    return {"node": cast.node, "of": cast.value, "from": cast.source.value, "to": cast.target.value, "added": cast.added}


def _template_entry(template: Template, why: Why | None) -> dict[str, object]:
    return {
        "template": template.name,
        "tiling_key": template.tiling_key,
        "purpose": why.purpose if why else "",
        "trigger": why.trigger if why else "",
        "axis_names": dict(sorted(template.axis_names.items())),
        "phases": [_phase_entry(phase) for phase in template.phases],
    }


def _phase_entry(phase: ImplGraph) -> dict[str, object]:
    reduced = _reduced(phase)
    return {
        "name": phase.name,
        "loop_order": list(max((n.loops for n in phase.nodes), key=len, default=())),
        "vectorized_axes": list(_vector_axes(phase)),
        "axes": [
            {
                "axis": a.name,
                "group": _group(phase, a.name, reduced),
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
