"""Templates and models that several questions about one graph share, each made once."""

from __future__ import annotations

from dataclasses import dataclass

from att.ir.graph import Candidates, HintGraph, Template
from att.model.options import Objective
from att.solve.candidates import Modelled, candidates_of, chosen, model_all
from att.solve.request import Request
from hwmodels.model import Chip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scheduled:
    """What the scheduler made of a graph, and what that depends on."""

    graph: HintGraph | Template
    chip: Chip
    objective: Objective
    few_rows: bool
    candidates: Candidates


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drafted:
    """Models of candidates, and the request they are for."""

    candidates: Candidates
    request: Request
    modelled: Modelled


class Drafts:
    """What was made so far. Shapes and solvers of the requests play no part."""

    def __init__(self) -> None:
        self._scheduled: list[_Scheduled] = []
        self._drafted: list[_Drafted] = []

    def candidates(self, graph: HintGraph | Template, request: Request) -> Candidates:
        """`candidates_of` a graph with its ranges."""
        wanted = request.chip, request.model.objective, request.model.few_rows
        for made in self._scheduled:
            if (made.chip, made.objective, made.few_rows) == wanted and made.graph == graph:
                return made.candidates
        found = candidates_of(graph, request)
        chip, objective, few_rows = wanted
        self._scheduled.append(_Scheduled(graph=graph, chip=chip, objective=objective, few_rows=few_rows, candidates=found))
        return found

    def models(self, graph: HintGraph | Template, request: Request) -> Modelled:
        """Models of the templates that take part. Raises AttError where the graph or the request leaves none."""
        candidates = self.candidates(graph, request)
        for made in self._drafted:
            if made.candidates is candidates and _alike(made.request, request):
                return made.modelled
        found = model_all(chosen(candidates, request), request)
        self._drafted.append(_Drafted(candidates=candidates, request=request, modelled=found))
        return found


def _alike(a: Request, b: Request) -> bool:
    """Whether two requests for one chip take the same templates and model them alike."""
    return (a.model, a.template, a.exclude, a.fixed.keys()) == (b.model, b.template, b.exclude, b.fixed.keys())
