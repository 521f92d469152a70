"""Why one tiling is slower than another, in words: what it chose, and on which pipe and nodes the time goes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from att.model.evaluate import CostBreakdown, PhaseCost, PipeCost, evaluate
from att.model.tiling import Problem, Tiling, VarRole
from att.solve.plan import TICKS_PER_CYCLE

_MOST: Final = 0.8
"""Nodes are named until they make up so much of what a pipe takes longer."""
_NODES: Final = 3
"""At most so many nodes are named."""


def loss(problem: Problem, best: Tiling, other: Tiling) -> str:
    """A sentence on a legal tiling that is slower than the optimum of a template; every number in it is evaluated from both tilings."""
    ours, theirs = evaluate(problem, best), evaluate(problem, other)
    return f"{_choice(problem, best, other)}: {'; '.join(_costs(ours, theirs))}"


def _choice(problem: Problem, best: Tiling, other: Tiling) -> str:
    changed = [v for v in problem.variables if best[v.name] != other[v.name]]
    words = {VarRole.TILE: "", VarRole.BLOCK: " tiles a core", VarRole.BUFFER: " buffers"}
    return ", ".join(f"{v.name} {other[v.name]}{words[v.role]} where {best[v.name]} is best" for v in changed)


def _costs(best: CostBreakdown, other: CostBreakdown) -> Iterator[str]:
    """What takes longer, phase by phase; the parts of a single phase with one slowest pipe add up to the whole difference."""
    for number, (ours, theirs) in enumerate(zip(best.phases, other.phases, strict=True), start=1):
        where = f"phase {number}: " if len(best.phases) > 1 else ""
        for part in (_launch(ours, theirs), _pipe(ours, theirs), _ends(ours, theirs)):
            if part:
                yield where + part


def _launch(best: PhaseCost, other: PhaseCost) -> str:
    more = other.launch_ticks - best.launch_ticks
    if not more:
        return ""
    return f"starting {other.block_dim} cores in place of {best.block_dim} takes {_longer(more)}"


def _pipe(best: PhaseCost, other: PhaseCost) -> str:
    """The slowest pipe of each; what the slower one's takes more than it does in the optimum, by node."""
    decides = other.bottleneck
    ours, theirs = _of(best, decides), _of(other, decides)
    more = theirs.ticks - _of(best, best.bottleneck).ticks
    text = f"{decides.value} decides and takes {_longer(more)}"
    if best.bottleneck is not decides:
        text += f" than {best.bottleneck.value}, which decides in the optimum"
    named = ", ".join(f"{node} {_longer(ticks)}" for node, ticks in _nodes(ours, theirs))
    if not more:
        return ""
    return f"{text} ({named})" if named else text


def _ends(best: PhaseCost, other: PhaseCost) -> str:
    more = other.fill_ticks + other.drain_ticks - best.fill_ticks - best.drain_ticks
    return f"what comes before and after it takes {_longer(more)}" if more else ""


def _nodes(best: PipeCost, other: PipeCost) -> Iterator[tuple[str, int]]:
    """The nodes that make up most of what a pipe takes longer, the dearest first; and its head where that grows."""
    growth = {node: ticks - best.nodes.get(node, 0) for node, ticks in other.nodes.items()}
    growth["its head"] = other.head_ticks - best.head_ticks
    whole = other.ticks - best.ticks
    told = 0
    for node, ticks in sorted(growth.items(), key=lambda item: -item[1])[:_NODES]:
        if ticks <= 0 or told >= _MOST * whole:
            break
        told += ticks
        yield node, ticks


def _of(phase: PhaseCost, pipe: object) -> PipeCost:
    return next(p for p in phase.pipes if p.pipe is pipe)


def _longer(ticks: int) -> str:
    return f"{abs(ticks) / TICKS_PER_CYCLE:,.0f} cycles {'longer' if ticks > 0 else 'less'}"
