"""Whether a kernel does what the model says: UB to the byte, transfers and calls to the number.

UB       sum of InitBuffer, plus what instructions overwrite at the top of UB (`OpSpec.scratch_bytes`)
DMA      instructions and bytes of loads and stores, all cores, as `walk` counts them
calls    for every API call that stands in the text of a node: the loops around it times the node's calls in `walk`
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from att.expr.evaluate import evaluate
from att.ir.graph import ImplGraph, Template
from att.ir.loops import loop_nest
from att.model.ub_capacity import ub_bytes
from att.model.walk import PhaseWalk, walk
from att.ops.call import Pipe
from att.ops.registry import spec_of
from att.ops.spec import Costs
from codegen.entry import Kernel
from codegen.expected_calls import expected_calls
from codegen.run import Measured


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """One number, as predicted and as measured."""

    what: str
    predicted: int
    measured: int

    @property
    def ok(self) -> bool:
        """Whether they are equal."""
        return self.predicted == self.measured


def agreements(
    kernel: Kernel, template: Template, shape: Mapping[str, int], tiling: Mapping[str, int], costs: Costs, measured: Measured
) -> tuple[Agreement, ...]:
    """Every number that both sides give."""
    walked = walk(template, shape, tiling, costs)
    known = {**shape, **tiling}
    return (
        Agreement(what="UB bytes", predicted=_ub(template, known, costs), measured=measured.ub_bytes + _scratch(template)),
        *_transfers(walked, measured),
        *_calls(kernel, template, known, measured),
    )


def _ub(template: Template, known: Mapping[str, int], costs: Costs) -> int:
    """Buffers of the fullest phase, and the most that the ops of a phase keep beside them, which no InitBuffer shows."""
    buffers = (evaluate(ub_bytes(graph, loop_nest(graph), costs), known) - _scratch_of(graph) for graph in template.phases)
    return max(buffers) + _scratch(template)


def _scratch(template: Template) -> int:
    return max(_scratch_of(graph) for graph in template.phases)


def _scratch_of(graph: ImplGraph) -> int:
    return max((spec_of(node.op).scratch_bytes for node in graph.nodes), default=0)


def _transfers(walked: Sequence[PhaseWalk], measured: Measured) -> Iterator[Agreement]:
    for pipe, noun, counted in (
        (Pipe.MTE2, "load", (measured.load_instructions, measured.load_bytes)),
        (Pipe.MTE3, "store", (measured.store_instructions, measured.store_bytes)),
    ):
        instructions = sum(phase.dma_instructions.get(pipe, 0) for phase in walked)
        moved = sum(phase.dma_bytes.get(pipe, 0) for phase in walked)
        yield Agreement(what=f"{noun} instructions", predicted=instructions, measured=counted[0])
        yield Agreement(what=f"{noun} bytes", predicted=moved, measured=counted[1])


def _calls(kernel: Kernel, template: Template, known: Mapping[str, int], measured: Measured) -> Iterator[Agreement]:
    runs: dict[int, int] = {}
    for _, line, count in measured.places:
        runs[line] = runs.get(line, 0) + count
    for call in expected_calls(kernel, template, known):
        yield Agreement(what=f"calls of {call.node} in line {call.line}", predicted=call.runs, measured=runs.get(call.line, 0))
