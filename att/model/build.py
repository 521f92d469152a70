"""Template in, TilingModel out: which families make it up, in which order."""

from __future__ import annotations

from att.expr.choice import maximum
from att.expr.core import Expr, add, integer, mul
from att.expr.node import nodes_held
from att.ir.axis import AxisKind
from att.ir.graph import BufferVar, ImplGraph, Template, TileVar
from att.ir.loops import LoopNest, is_chunk, loop_nest
from att.model.alignment import alignment
from att.model.axis_bounds import axis_bounds
from att.model.buffers import opened
from att.model.cache_line import cache_line
from att.model.chunk_count import chunk_count
from att.model.core_count import core_count
from att.model.divisibility import divisibility
from att.model.dma_limits import dma_limits
from att.model.few_rows import few_rows
from att.model.min_tile import min_tile
from att.model.options import ModelOptions, Objective
from att.model.overlap import chains
from att.model.pipes import pipe_times
from att.model.policy import policy_of
from att.model.prices import Prices
from att.model.priority import Preference, preferences, rows_are_short
from att.model.queue_count import queue_count
from att.model.tiling import Constraint, Makespan, TilingModel, Var, VarRole
from att.model.transfers import row_tiles
from att.model.ub_capacity import ub_bytes, ub_capacity
from att.model.workspace import workspace_bytes
from att.ops.heads import launch_ticks
from att.ops.spec import Costs
from hwmodels.model import Chip


@nodes_held()
def build_model(template: Template, chip: Chip, options: ModelOptions, prices: Prices | None = None) -> TilingModel:
    """The integer model of a template. Raises ModelError for a nest that cannot be priced.

    `prices`: what other templates of the graph have paid for, by the same chip and cost set (`prices_of`).
    """
    prices = prices or prices_of(chip, options)
    if options.objective is Objective.PIPELINE:
        template = opened(template)
    nests = [(graph, loop_nest(graph)) for graph in template.phases]
    phases = tuple(_makespan(graph, nest, prices, options.objective) for graph, nest in nests)
    constraints: list[Constraint] = [*few_rows(template, chip)] if options.few_rows else []
    for (graph, nest), phase in zip(nests, phases, strict=True):
        constraints.extend(_constraints(graph, nest, phase, prices, options))
    estimated = dict.fromkeys(op for graph, nest in nests for op in prices.estimated_ops(graph, nest))
    return TilingModel(
        template=template.name,
        tiling_key=template.tiling_key,
        chip=chip.name,
        cost=options.cost_set,
        ub_capacity_bytes=chip.ub_usable_bytes,
        sizes=tuple({size.name: size for graph, _ in nests for size in graph.sizes}.values()),
        variables=_variables(template.phases, chip),
        constraints=tuple(constraints),
        phases=phases,
        tie_break=_tie_break([graph for graph, _ in nests], phases),
        workspace_bytes=workspace_bytes(template),
        estimated_ops=tuple(estimated),
        short_rows=maximum(*(rows_are_short(graph, chip) for graph, _ in nests)),
        policy=policy_of(template.phases, chip),
    )


def prices_of(chip: Chip, options: ModelOptions) -> Prices:
    """Prices that the models of several templates can share."""
    return Prices(Costs(chip=chip, cost_set=options.cost_set))


def _constraints(graph: ImplGraph, nest: LoopNest, phase: Makespan, prices: Prices, options: ModelOptions) -> list[Constraint]:
    chip = prices.costs.chip
    return [
        *queue_count(graph, chip),
        ub_capacity(graph, phase.ub_bytes, chip),
        *axis_bounds(graph),
        *divisibility(graph),
        *alignment(graph, options.align_bytes),
        *(cache_line(graph, chip) if options.cache_line else ()),
        *min_tile(graph, options.min_tile_elems),
        *core_count(nest, chip),
        *chunk_count(nest),
        *dma_limits(graph, prices.calls(graph, nest), chip),
    ]


def _makespan(graph: ImplGraph, nest: LoopNest, prices: Prices, objective: Objective) -> Makespan:
    pipes = pipe_times(graph, nest, prices)
    return Makespan(
        launch=launch_ticks(nest.block_dim, prices.costs),
        pipes=pipes,
        block_dim=nest.block_dim,
        ub_bytes=ub_bytes(graph, nest, prices.costs),
        chains=chains(graph, nest, pipes, prices) if objective is Objective.PIPELINE else (),
    )


def _variables(graphs: tuple[ImplGraph, ...], chip: Chip) -> tuple[Var, ...]:
    """Every unknown of every phase; the heuristic solves earlier phases first."""
    found: list[Var] = []
    for graph in graphs:
        preferred, before = preferences(graph, chip), len(found)
        found.extend(_variable(graph, variable, preferred[variable.name], before) for variable in graph.variables)
        found.extend(_buffers(variable, len(found)) for variable in graph.buffer_vars)
    return tuple(found)


def _buffers(variable: BufferVar, rank: int) -> Var:
    queues = ",".join(f"q{number}" for number in variable.queues)
    return Var(symbol=variable.symbol, role=VarRole.BUFFER, axis=queues, upper=integer(variable.maximum), rank=rank)


def _variable(graph: ImplGraph, variable: TileVar, preferred: Preference, before: int) -> Var:
    """`before`: unknowns of earlier phases."""
    axis = graph.axis_of[variable.axis]
    return Var(
        symbol=variable.symbol,
        role=VarRole.TILE if axis.kind is AxisKind.TILE_IN and not is_chunk(graph, axis.name) else VarRole.BLOCK,
        axis=variable.axis,
        upper=graph.axis_of[axis.parents[0]].size,
        rank=before + preferred.rank,
        rank_of_short_rows=before + preferred.rank_of_short_rows,
        soft_align=preferred.soft_align,
        cache_line_elems=preferred.cache_line_elems,
    )


def _tie_break(graphs: list[ImplGraph], phases: tuple[Makespan, ...]) -> tuple[Expr, ...]:
    """Larger innermost tiles, fewer cores, less UB, then every variable by name (design §4)."""
    innermost = [mul(-1, graph.axis_of[axis].size) for graph in graphs for axis in row_tiles(graph)]
    variables = sorted((v for graph in graphs for v in (*graph.variables, *graph.buffer_vars)), key=lambda v: v.name)
    return (
        *innermost,
        add(*(p.block_dim for p in phases)),
        maximum(*(p.ub_bytes for p in phases)),
        *(v.symbol for v in variables),
    )
