"""The plan: what was chosen for a graph, what it costs by the model, and how sure that is.

The JSON form (`"format": "plan", "version": 1`) has the fields of `Plan` in their order. Everything outside `timing` depends on the
graph, the chip and the options alone. Under the bottleneck objective every phase has `makespan_ticks == launch_ticks + max(pipes)`, under
the pipeline objective `makespan_ticks == launch_ticks + fill_ticks + the pipes named by bottleneck + drain_ticks`; fields that only the
latter has are left out elsewhere. The plan's own numbers are sums over phases (times) and maxima (cores, UB). 10^6 ticks are one cycle.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec
from msgspec import Struct

from att.errors import ParseError
from att.ops.call import Pipe

PlanStatus = Literal["OPTIMAL", "FEASIBLE", "INFEASIBLE", "TIMEOUT", "UNSUPPORTED"]
RowStatus = Literal["OPTIMAL", "FEASIBLE", "INFEASIBLE", "TIMEOUT", "UNSUPPORTED", "PRUNED", "DROPPED"]

TICKS_PER_CYCLE = 1_000_000
"""The model's integer time unit (design §2)."""


class PipeTicks(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Time of each pipe, ticks."""

    MTE2: int
    VEC: int
    MTE3: int

    @property
    def largest(self) -> int:
        """Time of the slowest pipe, ticks."""
        return max(self.MTE2, self.VEC, self.MTE3)

    @property
    def bottleneck(self) -> str | None:
        """Name of the slowest pipe, the first in the order MTE2, VEC, MTE3 if several are; None if nothing runs."""
        return None if not self.largest else next(pipe.value for pipe in Pipe if self.of(pipe) == self.largest)

    def of(self, pipe: Pipe) -> int:
        """Time of one pipe, ticks."""
        return {Pipe.MTE2: self.MTE2, Pipe.VEC: self.VEC, Pipe.MTE3: self.MTE3}[pipe]


class PlanPhase(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """One of the loop nests that run one after another."""

    block_dim: int
    """Cores in use."""
    ub_bytes: int
    launch_ticks: int
    pipes: PipeTicks
    makespan_ticks: int
    fill_ticks: int | None = None
    """What is done before the pipes of `bottleneck` start; pipeline only."""
    drain_ticks: int | None = None
    """What is left when they end; pipeline only."""
    bottleneck: str | None = None
    """The pipe that decides, or the pipes that take turns, `MTE2+VEC`; pipeline only."""

    @property
    def limit(self) -> str | None:
        """What decides, under either objective."""
        return self.bottleneck or self.pipes.bottleneck


class PlanViolation(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A constraint that the tiling breaks."""

    family: str
    subject: str
    text: str
    got: int | str
    allowed: int | str


class TemplateRow(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """What became of one template of the graph. `reason` is there for every template that was not solved to the end."""

    template: str
    tiling_key: int
    status: RowStatus
    makespan_ticks: int | None
    bound_ticks: int | None
    block_dim: int | None
    ub_bytes: int | None
    variables: Mapping[str, int] | None
    reason: str = ""


class Timing(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Wall-clock time of the stages, milliseconds; the only part of a plan that differs from run to run."""

    schedule_ms: float
    model_ms: float
    solve_ms: float


class Plan(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """Template, tiling, predicted cost and proof status for one graph, chip and shape."""

    format: Literal["plan"]
    version: Literal[1]
    graph: str
    chip: str
    cost: str
    objective: str
    shape: Mapping[str, int]
    status: PlanStatus
    """FEASIBLE: without a proof. TIMEOUT: none found within the limit."""
    solver: str
    template: str | None
    template_hash: str | None
    """SHA-256 of the template's graph JSON."""
    tiling_key: int | None
    variables: Mapping[str, int] | None
    block_dim: int | None
    """Cores in use."""
    ub_bytes: int | None
    ub_capacity_bytes: int
    workspace_bytes: int
    makespan_ticks: int | None
    bound_ticks: int | None
    """No tiling of any template is faster than this; None if unknown."""
    gap: float | None
    """`(makespan - bound) / makespan`."""
    makespan_us: float | None
    """The makespan at the chip's clock, modelled, microseconds."""
    pipes: PipeTicks | None
    launch_ticks: int | None
    fill_ticks: int | None = None
    """Pipeline only, as in the phases."""
    drain_ticks: int | None = None
    """Pipeline only, as in the phases."""
    bottleneck: str | None
    phases: tuple[PlanPhase, ...]
    violations: tuple[PlanViolation, ...]
    estimated_ops: tuple[str, ...]
    """Ops whose cost is an estimate or borrowed from another chip."""
    templates: tuple[TemplateRow, ...]
    timing: Timing
    att_version: str

    def to_json(self) -> str:
        """The plan as indented JSON with a final newline; fields in the order of this class."""
        return msgspec.json.format(msgspec.json.encode(self, order="deterministic"), indent=2).decode() + "\n"

    @staticmethod
    def from_json(text: str, where: str = "plan") -> Plan:
        """Reads a plan; `where` names the source in messages. Raises ParseError for anything but a plan of version 1."""
        hint = "pass the output of `att solve --json`"
        try:
            plan = msgspec.json.decode(text.encode(errors="surrogatepass"), type=Plan)
        except msgspec.ValidationError as error:
            raise ParseError(f"not a plan of version 1: {error}", where=where, hint=hint) from None
        except msgspec.DecodeError as error:
            raise ParseError(f"not JSON: {error}", where=where, hint=hint) from None
        except RecursionError:
            raise ParseError("not a plan of version 1: nested too deeply", where=where, hint=hint) from None
        return plan


def microseconds(ticks: int, clock_mhz: int) -> float:
    """Modelled time at a clock, microseconds: `ticks / 10^6` cycles at `clock_mhz` cycles a microsecond, to 10^-6."""
    return round(ticks / (TICKS_PER_CYCLE * clock_mhz), 6)


def total_pipes(phases: tuple[PlanPhase, ...]) -> PipeTicks:
    """Time of each pipe over all phases, ticks."""
    return PipeTicks(MTE2=sum(p.pipes.MTE2 for p in phases), VEC=sum(p.pipes.VEC for p in phases), MTE3=sum(p.pipes.MTE3 for p in phases))


def relative_gap(makespan_ticks: int | None, bound_ticks: int | None) -> float | None:
    """`(makespan - bound) / makespan`; None if either is unknown."""
    if makespan_ticks is None or bound_ticks is None:
        return None
    return (makespan_ticks - bound_ticks) / makespan_ticks if makespan_ticks else 0.0
