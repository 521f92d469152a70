"""The whole way from a graph to answers, in one place.

    graph -> templates -> a model each -> bound to a shape: a problem each -> the selection among them

A graph is scheduled and modelled once for all its shapes. Where a size is 0 there is nothing to do, and nothing is scheduled.
`att.solve.assemble` makes the plan of the selection.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from att.ir.graph import Dropped, HintGraph, Template, Why
from att.model.bind import bind
from att.model.tiling import Problem, TilingModel
from att.solve.candidates import candidates_of, chosen, model_all, require_some
from att.solve.drafts import Drafts
from att.solve.request import Request
from att.solve.select import Selection, select
from att.solve.shapes import complete_shape, graph_name, is_empty, with_ranges


@dataclass(frozen=True, slots=True, kw_only=True)
class Posed:
    """A template and its problem at one shape."""

    template: Template
    problem: Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A graph at one shape, ready to be solved."""

    graph: str
    shape: Mapping[str, int]
    posed: tuple[Posed, ...] = ()
    """Empty where no template fits the chip, or where there is nothing to do."""
    is_empty: bool = False
    """Whether a size is 0: there is nothing to do."""
    dropped: tuple[Dropped, ...] = ()
    whys: tuple[Why, ...] = ()
    """Why there are the templates that the scheduler made."""
    schedule_ms: float = 0.0
    model_ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Solved:
    """A case with the selection among its templates; none where there is nothing to do."""

    case: Case
    selection: Selection | None
    solve_ms: float


def cases(
    graph: HintGraph | Template, request: Request, shapes: Iterable[Mapping[str, int]], drafts: Drafts | None = None
) -> Iterator[Case]:
    """The graph at every shape; what was made before is taken from `drafts`.

    Raises AttError where graph, request or a shape does not allow it.
    """
    sized = with_ranges(graph, request.ranges)
    drafts = drafts or Drafts()
    for given in shapes:
        shape = complete_shape(sized, given)
        if is_empty(sized, shape):
            yield Case(graph=graph_name(graph), shape=shape, is_empty=True)
            continue
        watch = _Watch()
        whys = drafts.candidates(sized, request).whys
        schedule_ms = watch.lap_ms()
        modelled = drafts.models(sized, request)
        posed = tuple(Posed(template=t, problem=bind(m, shape, fixed=request.fixed)) for t, m in modelled.models)
        yield Case(
            graph=graph_name(graph),
            shape=shape,
            posed=posed,
            dropped=modelled.dropped,
            whys=whys,
            schedule_ms=schedule_ms,
            model_ms=watch.lap_ms(),
        )


def models_of(graph: HintGraph | Template, request: Request, *, bound: bool) -> list[TilingModel]:
    """The model of every template that takes part: for every shape, or `bound` to the shape of the request."""
    sized = with_ranges(graph, request.ranges)
    shape = complete_shape(sized, request.shape) if bound else None
    candidates = require_some(chosen(candidates_of(sized, request), request))
    models = [model for _, model in model_all(candidates, request).models]
    return models if shape is None else [bind(model, shape, fixed=request.fixed, by_node=True) for model in models]


def solve_cases(
    graph: HintGraph | Template, request: Request, shapes: Iterable[Mapping[str, int]], drafts: Drafts | None = None
) -> Iterator[Solved]:
    """Every case with its answers, in the order of the shapes."""
    for case in cases(graph, request, shapes, drafts):
        watch = _Watch()
        selection = None if case.is_empty else select([p.problem for p in case.posed], request.solver, request.limits)
        yield Solved(case=case, selection=selection, solve_ms=watch.lap_ms())


class _Watch:
    """Milliseconds since the last lap."""

    def __init__(self) -> None:
        self._start_s = time.perf_counter()

    def lap_ms(self) -> float:
        now_s = time.perf_counter()
        passed_ms = round((now_s - self._start_s) * 1000, 3)
        self._start_s = now_s
        return passed_ms
