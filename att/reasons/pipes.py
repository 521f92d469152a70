"""What makes up the time of a plan: pipes by node, and which of them decides."""

from __future__ import annotations

from att.model.check import amount_text
from att.model.evaluate import CostBreakdown, PhaseCost, PipeCost
from att.reasons.document import NodeShare, PhaseShare, PipeShare


def phase_shares(cost: CostBreakdown) -> tuple[PhaseShare, ...]:
    """One entry for each loop nest."""
    return tuple(_phase(number, phase) for number, phase in enumerate(cost.phases, start=1))


def _phase(number: int, phase: PhaseCost) -> PhaseShare:
    pipes = tuple(sorted(map(_pipe, phase.pipes), key=lambda p: -p.ticks))
    return PhaseShare(
        phase=number,
        makespan_ticks=phase.makespan_ticks,
        launch_ticks=phase.launch_ticks,
        bottleneck=phase.bottleneck.value,
        pipes=pipes,
        text=_sentence(pipes, phase),
    )


def _pipe(pipe: PipeCost) -> PipeShare:
    nodes = sorted(pipe.nodes.items(), key=lambda item: -item[1])
    return PipeShare(
        pipe=pipe.pipe.value,
        ticks=pipe.ticks,
        head_ticks=pipe.head_ticks,
        nodes=tuple(NodeShare(node=name, ticks=ticks) for name, ticks in nodes if ticks),
    )


def _sentence(pipes: tuple[PipeShare, ...], phase: PhaseCost) -> str:
    slowest = next(p for p in pipes if p.pipe == phase.bottleneck.value)
    if not slowest.ticks:
        return "no pipe has anything to do"
    others = [p for p in pipes if p is not slowest and p.ticks]
    text = f"{slowest.pipe} decides: {_part(slowest.ticks, phase.makespan_ticks)} of the time"
    if phase.fill_ticks or phase.drain_ticks:
        ends = _part(phase.fill_ticks + phase.drain_ticks, phase.makespan_ticks)
        text += f", {ends} before and after it"
    text += _dearest(slowest)
    partner = next((p for p in others if len(phase.limiting) > 1 and p.pipe in phase.limiting), None)
    if partner is not None:
        text += (
            f"; {partner.pipe} takes turns with it for {_part(partner.ticks, phase.makespan_ticks)}, a queue between them has one buffer"
        )
    elif others:
        text += f"; the next pipe, {others[0].pipe}, needs {_part(others[0].ticks, slowest.ticks)} as long"
    if phase.launch_ticks:
        text += f"; starting {amount_text(phase.block_dim, 'cores')} takes {_part(phase.launch_ticks, phase.makespan_ticks)} of the time"
    return text


def _dearest(pipe: PipeShare) -> str:
    """What takes most of a pipe's time: a node, or the head that it pays once."""
    dearest = pipe.nodes[0] if pipe.nodes else None
    if dearest is None or pipe.head_ticks > dearest.ticks:
        return f", {_part(pipe.head_ticks, pipe.ticks)} of it the head that is paid once" if pipe.head_ticks else ""
    return f", {_part(dearest.ticks, pipe.ticks)} of it {dearest.node}"


def _part(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %"
