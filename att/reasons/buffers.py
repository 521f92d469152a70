"""What takes the UB of a tiling: every queue and buffer, and the areas of calls."""

from __future__ import annotations

from collections.abc import Mapping

from att.expr.evaluate import evaluate, evaluate_all
from att.ir.graph import ImplGraph, Template
from att.ir.layout import blocks
from att.model.tiling import Problem, Tiling
from att.reasons.document import BufferNeed


def buffer_needs(template: Template, problem: Problem, tiling: Tiling) -> tuple[BufferNeed, ...]:
    """The phase that uses most UB, the largest part first; the parts add up to its UB."""
    env = {**problem.shape, **tiling}
    totals = evaluate_all(tuple(phase.ub_bytes for phase in problem.source.phases), env)
    total, graph = max(zip(totals, template.phases, strict=True), key=lambda pair: pair[0])
    parts = _blocks(graph, env)
    rest = total - sum(part.bytes for part in parts)
    if rest:
        parts.append(BufferNeed(name="temporary", tensors=(), buf_num=1, bytes=rest))
    return tuple(sorted(parts, key=lambda part: -part.bytes))


def _blocks(graph: ImplGraph, env: Mapping[str, int]) -> list[BufferNeed]:
    return [
        BufferNeed(name=block.name, tensors=block.tensors, buf_num=evaluate(block.buffers, env), bytes=evaluate(block.total_bytes, env))
        for block in blocks(graph)
    ]


def buffers_text(parts: tuple[BufferNeed, ...], most: int = 3) -> str:
    """The largest parts in words."""
    shown = ", ".join(_part(part) for part in parts[:most])
    left = sum(part.bytes for part in parts[most:])
    return f"{shown}, others {left:,} B" if left else shown


def _part(part: BufferNeed) -> str:
    double = " double buffered" if part.buf_num == 2 else f" in {part.buf_num} buffers" if part.buf_num > 2 else ""
    held = f" ({', '.join(part.tensors)}{double})" if part.tensors else ""
    return f"{part.name}{held} {part.bytes:,} B"
