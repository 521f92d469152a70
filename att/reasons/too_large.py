"""Templates that the scheduler dropped because no tile is small enough, posed all the same, so that their bytes can be told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from att.ir.graph import HintGraph, Template
from att.model.bind import bind
from att.solve.candidates import model_all, variable_names
from att.solve.drafts import Drafts
from att.solve.pipeline import Posed
from att.solve.request import Request
from att.solve.shapes import complete_shape, with_ranges


def too_large(graph: HintGraph | Template, request: Request, shape: Mapping[str, int], drafts: Drafts) -> tuple[Posed, ...]:
    """Each of them at a shape, as far as the request lets it take part."""
    sized = with_ranges(graph, request.ranges)
    candidates = drafts.candidates(sized, request)
    wanted = tuple(t for t in candidates.too_large if _takes_part(t, request))
    modelled = model_all(replace(candidates, templates=wanted), request)
    full = complete_shape(sized, shape)
    return tuple(Posed(template=t, problem=bind(m, full, fixed=request.fixed)) for t, m in modelled.models)


def _takes_part(template: Template, request: Request) -> bool:
    wanted = request.template in (None, template.name) and template.name not in request.exclude
    return wanted and set(request.fixed) <= variable_names(template)
