"""What a tiling costs: exact evaluation of the model, by phase, pipe and node.

Shares no code with any solver: it reads the symbolic model with the shape as an environment and adds up the parts itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from att.errors import BackendBug, UsageError
from att.expr.core import Expr
from att.expr.evaluate import evaluate_all
from att.model.tiling import Makespan, PipeTime, Problem, Tiling, TilingModel
from att.ops.call import Pipe


@dataclass(frozen=True, slots=True, kw_only=True)
class PipeCost:
    """Time of one pipe on its slowest core."""

    pipe: Pipe
    ticks: int
    """Head and work, ticks."""
    head_ticks: int
    nodes: Mapping[str, int]
    """Ticks of each node on the slowest core (the first, if several are equally slow)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseCost:
    """One loop nest: `makespan_ticks == launch_ticks + max(pipes)`."""

    launch_ticks: int
    pipes: tuple[PipeCost, ...]
    block_dim: int
    """Cores in use."""
    ub_bytes: int
    makespan_ticks: int
    bottleneck: Pipe
    """The slowest pipe, the first if several are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CostBreakdown:
    """What a tiling costs by the model."""

    objective_ticks: int
    """Sum of the makespans of the phases."""
    phases: tuple[PhaseCost, ...]
    workspace_bytes: int

    @property
    def block_dim(self) -> int:
        """The most cores any phase uses."""
        return max(p.block_dim for p in self.phases)

    @property
    def ub_bytes(self) -> int:
        """The most UB any phase uses, bytes."""
        return max(p.ub_bytes for p in self.phases)


def evaluate(model: TilingModel, tiling: Tiling, shape: Mapping[str, int] | None = None) -> CostBreakdown:
    """Cost of a tiling, legal or not. A Problem brings its own shape; a model that is not bound needs one.

    Raises UsageError for a variable without a value or outside its declared domain, BackendBug where the parts of the model disagree.
    """
    source, env = _environment(model, tiling, shape)
    values = _values(source, env)
    phases = tuple(_phase(p, values) for p in source.phases)
    return CostBreakdown(
        objective_ticks=sum(p.makespan_ticks for p in phases), phases=phases, workspace_bytes=values[source.workspace_bytes]
    )


def _environment(model: TilingModel, tiling: Tiling, shape: Mapping[str, int] | None) -> tuple[TilingModel, dict[str, int]]:
    source, sizes = (model.source, model.shape) if isinstance(model, Problem) else (model, shape or {})
    for var in source.variables:
        lo, hi, _ = var.symbol.domain
        if var.name not in tiling:
            names = ", ".join(v.name for v in source.variables)
            raise UsageError(f"{var.name} has no value", where="tiling", hint=f"give values for {names}")
        if not lo <= tiling[var.name] <= hi:
            raise UsageError(f"{var.name} = {tiling[var.name]}, allowed are {lo}..{hi}", where="tiling", hint="use a value in its domain")
    return source, {**sizes, **tiling}


def _values(model: TilingModel, env: Mapping[str, int]) -> Mapping[Expr, int]:
    wanted = tuple(dict.fromkeys((*(e for phase in model.phases for e in _expressions(phase)), model.workspace_bytes)))
    return dict(zip(wanted, evaluate_all(wanted, env), strict=True))


def _expressions(phase: Makespan) -> Iterator[Expr]:
    yield from (phase.launch, phase.block_dim, phase.ub_bytes)
    for pipe in phase.pipes:
        yield pipe.head
        for core in pipe.cores:
            yield core.ticks
            yield from (node.ticks for node in core.nodes)


def _phase(phase: Makespan, values: Mapping[Expr, int]) -> PhaseCost:
    pipes = tuple(_pipe(p, values) for p in phase.pipes)
    slowest = max(pipes, key=lambda p: p.ticks)
    return PhaseCost(
        launch_ticks=values[phase.launch],
        pipes=pipes,
        block_dim=values[phase.block_dim],
        ub_bytes=values[phase.ub_bytes],
        makespan_ticks=values[phase.launch] + slowest.ticks,
        bottleneck=slowest.pipe,
    )


def _pipe(pipe: PipeTime, values: Mapping[Expr, int]) -> PipeCost:
    for core in pipe.cores:
        by_node = sum(values[n.ticks] for n in core.nodes)
        if by_node != values[core.ticks]:
            raise BackendBug(f"{pipe.pipe}: nodes add up to {by_node} ticks, the core's time is {values[core.ticks]} ticks")
    slowest = max(pipe.cores, key=lambda core: values[core.ticks])
    return PipeCost(
        pipe=pipe.pipe,
        ticks=values[pipe.head] + values[slowest.ticks],
        head_ticks=values[pipe.head],
        nodes=MappingProxyType(_by_node((n.node, values[n.ticks]) for n in slowest.nodes)),
    )


def _by_node(times: Iterator[tuple[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for node, ticks in times:
        total[node] = total.get(node, 0) + ticks
    return total
