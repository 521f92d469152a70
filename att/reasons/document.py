"""The explanation document: why a plan is what it is, or why there is none and what would help.

The JSON form (`"format": "explanation", "version": 1`) has the fields of `Explanation` in their order; everything outside `timing` depends
on graph, chip, shape and options alone. Times are ticks, 10^6 of them are one cycle.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec
from msgspec import Struct

from att.solve.plan import PlanStatus

LeverKind = Literal["release", "variable", "template", "align", "family", "double_buffer", "dtype", "size", "ub_bytes", "chip"]


class Rule(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A constraint at the plan's tiling."""

    family: str
    subject: str
    text: str
    got: int
    allowed: int | str
    slack: int | None
    """How much is left; None where a rule is met or not."""
    unit: str
    binding: bool
    """Nothing is left, or the next step of a variable breaks it, or the optimum would be faster without it."""
    gain_ticks: int | None
    """How much faster the template is without the rule; None where that is open, and for limits (steps and sensitivity show theirs)."""


class Step(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The next value of one variable, and what it would cost."""

    variable: str
    value: int
    """The plan's value."""
    next: int | None
    """The next larger or smaller value that rules about this variable allow; None if there is none."""
    direction: Literal["larger", "smaller"]
    kept_ticks: int | None
    """Time with the other tiles kept and the cores' shares chosen anew; None if that is not legal."""
    best_ticks: int | None
    """Time with everything else chosen anew; None if nothing is legal or a limit was reached."""
    breaks: str | None
    """Family of the rule that the step breaks, the other tiles kept."""
    excess: int | None
    """By how much."""
    unit: str
    text: str


class NodeShare(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a node costs on a pipe on the slowest core."""

    node: str
    ticks: int


class PipeShare(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What makes up the time of one pipe, the dearest node first."""

    pipe: str
    ticks: int
    head_ticks: int
    nodes: tuple[NodeShare, ...]


class PhaseShare(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What makes up the time of one loop nest, the slowest pipe first."""

    phase: int
    makespan_ticks: int
    launch_ticks: int
    bottleneck: str
    pipes: tuple[PipeShare, ...]
    text: str


class Difference(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A decision or a number in which two plans differ."""

    what: str
    optimum: int | str | None
    heuristic: int | str | None


class Rival(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the heuristic did differently, and what it cost."""

    solver: str
    template: str | None
    variables: Mapping[str, int] | None
    makespan_ticks: int | None
    gap: float | None
    """`heuristic / optimum - 1`."""
    differences: tuple[Difference, ...]
    text: str


class SensitivityRow(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The best plan on a chip that differs in one number."""

    what: Literal["ub_bytes", "cores"]
    value: int
    """The chip's number (UB with its reserved part)."""
    status: PlanStatus
    template: str | None
    variables: Mapping[str, int] | None
    block_dim: int | None
    ub_bytes: int | None
    makespan_ticks: int | None
    change: float | None
    """`makespan / the plan's - 1`."""


class BufferNeed(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """UB that one queue or buffer takes."""

    name: str
    """`q0`, `b1` …; `temporary` for areas of calls."""
    tensors: tuple[str, ...]
    buf_num: int
    bytes: int
    """All its buffers together."""


class Reason(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A rule that takes part in a contradiction."""

    family: str
    subject: str
    text: str


class Conflict(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Why one template has no legal tiling."""

    template: str
    reasons: tuple[Reason, ...]
    """Together they leave no tiling."""
    irreducible: bool
    """Without any one of them there would be one; False where a limit left that open."""
    needed_bytes: int | None
    """UB of the smallest tiling that every other rule allows; None if UB is not among the reasons."""
    available_bytes: int
    variables: Mapping[str, int] | None
    """That smallest tiling."""
    buffers: tuple[BufferNeed, ...]
    """What takes its UB, the largest first."""
    text: str


class Lever(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A change with which the graph has a plan: it was tried."""

    kind: LeverKind
    text: str
    options: Mapping[str, str]
    """Options of `att solve` in place of the given ones (an empty text: without that option); empty if the graph itself has to change."""
    template: str
    makespan_ticks: int
    """The plan's time with that change."""


class ExplainTiming(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Wall-clock time, milliseconds; the only part that differs from run to run."""

    explain_ms: float


class Explanation(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Why a plan is what it is (rules, steps, phases, heuristic, sensitivity), or why there is none (conflicts, levers)."""

    format: Literal["explanation"]
    version: Literal[1]
    graph: str
    chip: str
    cost: str
    objective: str
    shape: Mapping[str, int]
    status: PlanStatus
    template: str | None
    variables: Mapping[str, int] | None
    makespan_ticks: int | None
    bound_ticks: int | None
    block_dim: int | None
    ub_bytes: int | None
    ub_capacity_bytes: int
    summary: tuple[str, ...]
    """The explanation in sentences."""
    rules: tuple[Rule, ...]
    steps: tuple[Step, ...]
    buffers: tuple[BufferNeed, ...]
    """What takes the plan's UB, the largest first, of the phase that uses most."""
    phases: tuple[PhaseShare, ...]
    heuristic: Rival | None
    sensitivity: tuple[SensitivityRow, ...]
    conflicts: tuple[Conflict, ...]
    """One for each template, the one that needs least UB first."""
    levers: tuple[Lever, ...]
    timing: ExplainTiming
    att_version: str

    def to_json(self) -> str:
        """The explanation as indented JSON with a final newline; fields in the order of this class."""
        return msgspec.json.format(msgspec.json.encode(self, order="deterministic"), indent=2).decode() + "\n"
