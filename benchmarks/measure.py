"""Times one template at one shape: model building, CP-SAT, enumerate and the heuristic, each in this process, one after another."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from att.ir.graph import Template
from att.model.bind import bind
from att.model.build import build_model
from att.model.options import ModelOptions
from att.model.tiling import Problem
from att.solve.base import SolveOptions, SolveResult, SolveStatus
from att.solve.run import run
from att.verify.loss import loss
from hwmodels.model import Chip

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """What was measured of one template at one shape."""

    chip: str
    case: str
    template: str
    model_ms: float
    """Building the model and binding the shape."""
    cpsat_ms: float
    """CP-SAT without model building, the heuristic's start included."""
    enumerate_ms: float
    heuristic_ms: float
    status: str
    enumerate_status: str
    evaluations: int
    """Tilings that the heuristic looked at."""
    optimum_ticks: int | None
    heuristic_ticks: int | None
    variables: Mapping[str, int] | None
    same_tiling: bool | None
    """Whether both exact solvers returned one tiling; None where enumerate did not finish."""
    reason: str | None
    """Why the heuristic's tiling is slower than the optimum, in words; None if it is not."""

    @property
    def graph(self) -> str:
        """Name of the graph."""
        return self.case.split("[")[0]

    @property
    def cpsat_total_ms(self) -> float:
        """CP-SAT with model building, what design §9 limits."""
        return self.model_ms + self.cpsat_ms

    @property
    def gap(self) -> float | None:
        """How much slower than the optimum the heuristic's tiling is, as a fraction of the optimum."""
        if self.optimum_ticks is None or self.heuristic_ticks is None:
            return None
        return self.heuristic_ticks / self.optimum_ticks - 1


def measure(
    case: str, template: Template, shape: Mapping[str, int], chip: Chip, options: ModelOptions, limits: SolveOptions
) -> Measurement:
    """Measures one template."""
    problem, model_ms = timed(lambda: bind(build_model(template, chip, options), shape))
    exact, cpsat_ms = timed(lambda: run(problem, "cpsat", limits))
    counted, enumerate_ms = timed(lambda: run(problem, "enumerate", limits))
    rough, heuristic_ms = timed(lambda: run(problem, "axis_sort", limits))
    finished = counted.status in (SolveStatus.OPTIMAL, SolveStatus.INFEASIBLE)
    return Measurement(
        chip=chip.name,
        case=case,
        template=template.name,
        model_ms=model_ms,
        cpsat_ms=cpsat_ms,
        enumerate_ms=enumerate_ms,
        heuristic_ms=heuristic_ms,
        status=exact.status.value,
        evaluations=rough.effort.get("evaluations", 0),
        enumerate_status=counted.status.value,
        optimum_ticks=exact.objective_ticks,
        heuristic_ticks=rough.objective_ticks,
        variables=dict(exact.tiling) if exact.tiling is not None else None,
        same_tiling=_same(exact, counted) if finished else None,
        reason=_reason(problem, exact, rough),
    )


def _reason(problem: Problem, exact: SolveResult, rough: SolveResult) -> str | None:
    if exact.status is not SolveStatus.OPTIMAL or exact.tiling is None or exact.objective_ticks == rough.objective_ticks:
        return None
    return "it finds no tiling" if rough.tiling is None else loss(problem, exact.tiling, rough.tiling)


def _same(a: SolveResult, b: SolveResult) -> bool:
    return (a.status, a.tiling, a.objective_ticks) == (b.status, b.tiling, b.objective_ticks)


def timed(action: Callable[[], T]) -> tuple[T, float]:
    """The result and its time of the processor, milliseconds: the machine may be busy."""
    start_s = time.process_time()
    result = action()
    return result, (time.process_time() - start_s) * 1000
