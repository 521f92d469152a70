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
from att.model.tiling import Chain, CoreTime, Makespan, NodeTime, PipeTime, Problem, Tiling, TilingModel
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
    """One loop nest: `makespan_ticks == launch_ticks + fill_ticks + the pipes of limiting + drain_ticks`."""

    launch_ticks: int
    pipes: tuple[PipeCost, ...]
    block_dim: int
    """Cores in use."""
    ub_bytes: int
    makespan_ticks: int
    limiting: tuple[Pipe, ...]
    """The slowest pipe, or under the pipeline objective the pipes of the longest chain; the first if several are equally long."""
    fill_ticks: int = 0
    """What is done before they start; 0 for the bottleneck objective."""
    drain_ticks: int = 0
    """What is left when they end; 0 for the bottleneck objective."""

    @property
    def bottleneck(self) -> Pipe:
        """The slowest of the limiting pipes, the first if several are."""
        return max((p for p in self.pipes if p.pipe in self.limiting), key=lambda p: p.ticks).pipe


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
            yield from (core.ticks, core.fulls, core.tails)
            for node in core.nodes:
                yield from (node.ticks, node.full, node.tail)
    for chain in phase.chains:
        yield from (chain.buffers, chain.fill, chain.drain)


def _phase(phase: Makespan, values: Mapping[Expr, int]) -> PhaseCost:
    pipes = tuple(_pipe(p, values) for p in phase.pipes)
    slowest = _longest(phase, pipes, values)
    return PhaseCost(
        launch_ticks=values[phase.launch],
        pipes=pipes,
        block_dim=values[phase.block_dim],
        ub_bytes=values[phase.ub_bytes],
        makespan_ticks=values[phase.launch] + slowest.ticks,
        limiting=slowest.pipes,
        fill_ticks=slowest.fill_ticks,
        drain_ticks=slowest.drain_ticks,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stretch:
    """Pipes one after another."""

    pipes: tuple[Pipe, ...]
    ticks: int
    fill_ticks: int = 0
    drain_ticks: int = 0


def _longest(phase: Makespan, pipes: tuple[PipeCost, ...], values: Mapping[Expr, int]) -> _Stretch:
    """What takes longest: a pipe, or a chain where the phase has chains; two pipes overlap where a queue between has two buffers."""
    ticks = {pipe.pipe: pipe.ticks for pipe in pipes}
    alone = [_Stretch(pipes=(pipe,), ticks=time) for pipe, time in ticks.items()]
    chained = [_chained(chain, ticks, values) for chain in phase.chains if values[chain.buffers] == 1]
    return max(chained if phase.chains else alone, key=lambda stretch: stretch.ticks)


def _chained(chain: Chain, ticks: Mapping[Pipe, int], values: Mapping[Expr, int]) -> _Stretch:
    fill, drain = values[chain.fill], values[chain.drain]
    time = fill + sum(ticks[pipe] for pipe in chain.pipes) + drain
    return _Stretch(pipes=chain.pipes, ticks=time, fill_ticks=fill, drain_ticks=drain)


def _pipe(pipe: PipeTime, values: Mapping[Expr, int]) -> PipeCost:
    for core in pipe.cores:
        by_node = sum(_node_ticks(core, n, values) for n in core.nodes)
        if by_node != values[core.ticks]:
            raise BackendBug(f"{pipe.pipe}: nodes add up to {by_node} ticks, the core's time is {values[core.ticks]} ticks")
    slowest = max(pipe.cores, key=lambda core: values[core.ticks])
    return PipeCost(
        pipe=pipe.pipe,
        ticks=values[pipe.head] + values[slowest.ticks],
        head_ticks=values[pipe.head],
        nodes=MappingProxyType(_by_node((n.node, _node_ticks(slowest, n, values)) for n in slowest.nodes)),
    )


def _node_ticks(core: CoreTime, node: NodeTime, values: Mapping[Expr, int]) -> int:
    return values[node.ticks] + values[core.fulls] * values[node.full] + values[core.tails] * values[node.tail]


def _by_node(times: Iterator[tuple[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for node, ticks in times:
        total[node] = total.get(node, 0) + ticks
    return total
