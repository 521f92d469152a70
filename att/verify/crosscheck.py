"""Every solver on every template and shape, each answer checked and priced without the solver (`att.solve.run`)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from att.errors import AttError, BackendBug
from att.ir.graph import HintGraph, Template
from att.model.evaluate import evaluate
from att.solve.base import SolveResult, SolveStatus
from att.solve.candidates import nothing_fits
from att.solve.drafts import Drafts
from att.solve.pipeline import Posed, cases
from att.solve.registry import solver_named
from att.solve.request import Request
from att.solve.run import run
from att.verify.loss import loss
from att.verify.rows import BUG, Answers, ComparisonRow, gap_to, optimum_of


def compare_shapes(
    graph: HintGraph | Template,
    request: Request,
    shapes: Iterable[Mapping[str, int]],
    solvers: Sequence[str],
    drafts: Drafts | None = None,
) -> Iterator[Answers]:
    """For every shape and template the answers of all solvers; none for a shape with a size 0.

    What was made before is taken from `drafts`. A solver that fails for a reason of its own has a row that says so; the others go on.
    Raises AttError for bad input.
    """
    for solver in solvers:
        solver_named(solver)  # imports it, which is not part of its time
    for case in cases(graph, request, shapes, drafts):
        if not case.posed and not case.is_empty:
            raise nothing_fits(case.dropped, case.graph)
        for posed in case.posed:
            rows = [_row(posed, case.graph, solver, request) for solver in solvers]
            best = optimum_of(rows)
            yield tuple(_judged(row, best, posed) for row in rows)


def _judged(row: ComparisonRow, best: ComparisonRow | None, posed: Posed) -> ComparisonRow:
    """A row with its distance to the proven optimum."""
    if best is None or best.variables is None or row.status in (BUG, SolveStatus.UNSUPPORTED.value):
        return row
    gap = gap_to(best.makespan_ticks, row.makespan_ticks)
    if row.variables is None:
        return replace(row, reason="no legal tiling was found, but there is one")
    return replace(row, gap_to_best=gap, reason=loss(posed.problem, best.variables, row.variables) if gap else None)


def _row(posed: Posed, graph: str, solver: str, request: Request) -> ComparisonRow:
    started_s = time.perf_counter()
    found = _answer(posed, solver, request)
    wall_ms = round((time.perf_counter() - started_s) * 1000, 3)
    row = ComparisonRow(
        graph=graph,
        template=posed.template.name,
        chip=posed.problem.chip,
        shape=_sorted(posed.problem.shape),
        solver=solver,
        status=BUG,
        makespan_ticks=None,
        bound_ticks=None,
        gap_to_best=None,
        block_dim=None,
        ub_bytes=None,
        variables=None,
        wall_ms=wall_ms,
    )
    return replace(row, reason=found) if isinstance(found, str) else _answered(row, posed, found)


def _answer(posed: Posed, solver: str, request: Request) -> SolveResult | str:
    """What the solver says, or what went wrong inside it. Raises AttError for bad input."""
    try:
        return run(posed.problem, solver, request.limits)
    except Exception as error:  # whatever one row does, the others are wanted
        if isinstance(error, AttError):
            if error.exit_code != BackendBug.exit_code:
                raise
            return str(error)
        return f"{type(error).__name__}: {error}"


def _answered(row: ComparisonRow, posed: Posed, result: SolveResult) -> ComparisonRow:
    block_dim, ub_bytes = _resources(posed, result)
    return replace(
        row,
        status=result.status.value,
        makespan_ticks=result.objective_ticks,
        bound_ticks=result.bound_ticks,
        block_dim=block_dim,
        ub_bytes=ub_bytes,
        variables=None if result.tiling is None else _sorted(result.tiling),
        reason=result.note if result.status is SolveStatus.UNSUPPORTED else None,
    )


def _sorted(values: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(values.items()))


def _resources(posed: Posed, result: SolveResult) -> tuple[int | None, int | None]:
    """Most cores and most UB bytes over the phases."""
    if result.tiling is None:
        return None, None
    cost = evaluate(posed.problem, result.tiling)
    return cost.block_dim, cost.ub_bytes
