"""Every solver on every template and shape, each answer checked and priced without the solver (`att.solve.run`)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from att.ir.graph import HintGraph, Template
from att.model.evaluate import evaluate
from att.solve.base import SolveResult
from att.solve.candidates import nothing_fits
from att.solve.pipeline import Posed, cases
from att.solve.registry import solver_named
from att.solve.request import Request
from att.solve.run import run
from att.verify.loss import loss
from att.verify.rows import Answers, ComparisonRow, gap_to, optimum_of


def compare_shapes(
    graph: HintGraph | Template, request: Request, shapes: Iterable[Mapping[str, int]], solvers: Sequence[str]
) -> Iterator[Answers]:
    """For every shape and template the answers of all solvers; none for a shape with a size 0. Raises AttError for bad input."""
    for solver in solvers:
        solver_named(solver)  # imports it, which is not part of its time
    for case in cases(graph, request, shapes):
        if not case.posed and not case.is_empty:
            raise nothing_fits(case.dropped, case.graph)
        for posed in case.posed:
            rows = [_row(posed, case.graph, solver, request) for solver in solvers]
            best = optimum_of(rows)
            yield tuple(_judged(row, best, posed) for row in rows)


def _judged(row: ComparisonRow, best: ComparisonRow | None, posed: Posed) -> ComparisonRow:
    """A row with its distance to the proven optimum."""
    if best is None or best.variables is None:
        return row
    gap = gap_to(best.makespan_ticks, row.makespan_ticks)
    if row.variables is None:
        return replace(row, reason="no legal tiling was found, but there is one")
    return replace(row, gap_to_best=gap, reason=loss(posed.problem, best.variables, row.variables) if gap else None)


def _row(posed: Posed, graph: str, solver: str, request: Request) -> ComparisonRow:
    started_s = time.perf_counter()
    result = run(posed.problem, solver, request.limits)
    wall_ms = round((time.perf_counter() - started_s) * 1000, 3)
    block_dim, ub_bytes = _resources(posed, result)
    return ComparisonRow(
        graph=graph,
        template=posed.template.name,
        chip=posed.problem.chip,
        shape=_sorted(posed.problem.shape),
        solver=solver,
        status=result.status.value,
        makespan_ticks=result.objective_ticks,
        bound_ticks=result.bound_ticks,
        gap_to_best=None,
        block_dim=block_dim,
        ub_bytes=ub_bytes,
        variables=None if result.tiling is None else _sorted(result.tiling),
        wall_ms=wall_ms,
    )


def _sorted(values: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(values.items()))


def _resources(posed: Posed, result: SolveResult) -> tuple[int | None, int | None]:
    """Most cores and most UB bytes over the phases."""
    if result.tiling is None:
        return None, None
    cost = evaluate(posed.problem, result.tiling)
    return cost.block_dim, cost.ub_bytes
