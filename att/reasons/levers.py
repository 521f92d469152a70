"""What a person could change so that a graph without a plan gets one. Each change is tried before it is offered.

Changes of the request come first (a variable set free or made smaller, another template, no alignment, an optional rule left out), then
those of the graph (a double buffer dropped, a smaller dtype, a smaller size), then the chip.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from att.chips import chip_names, load_chip
from att.errors import AttError
from att.ir.graph import HintGraph, Template
from att.model.bind import bind
from att.model.tiling import VarRole
from att.reasons.conflict import least_ub
from att.reasons.document import Lever, LeverKind
from att.reasons.single_buffer import single_buffered
from att.reasons.smaller_dtype import narrowed
from att.reasons.solving import is_feasible, solved, with_goal
from att.solve.assemble import plan_graph
from att.solve.base import SolveStatus
from att.solve.drafts import Drafts
from att.solve.pipeline import Posed, cases
from att.solve.plan import Plan
from att.solve.request import Request
from att.solve.shapes import sizes_of

Subject = HintGraph | Template


def levers(graph: Subject, request: Request, posed: Sequence[Posed], drafts: Drafts) -> tuple[Lever, ...]:
    """Everything that works, from the smallest change to the largest; `posed`: all templates, those that the scheduler dropped too."""
    tried = _Tried(graph, request, drafts)
    makers: tuple[Callable[[], Iterable[Lever | None]], ...] = (
        lambda: _variables(tried, posed),
        lambda: _released(tried),
        lambda: _templates(tried),
        lambda: _alignment(tried),
        lambda: _families(tried),
        lambda: _double_buffers(tried, posed),
        lambda: _dtypes(tried),
        lambda: _sizes(tried),
        lambda: _unified_buffer(tried, posed),
        lambda: _chips(tried),
    )
    return tuple(lever for make in makers for lever in make() if lever is not None)


class _Tried:
    """Tries changed graphs and requests."""

    def __init__(self, graph: Subject, request: Request, drafts: Drafts) -> None:
        self.graph = graph
        self.request = request
        self.drafts = drafts

    def lever(
        self,
        kind: LeverKind,
        text: str,
        options: Mapping[str, str],
        *,
        graph: Subject | None = None,
        request: Request | None = None,
    ) -> Lever | None:
        """The change as a lever if there is a plan with it."""
        plan = self._plan(graph or self.graph, request or self.request)
        if plan is None or plan.template is None or plan.makespan_ticks is None:
            return None
        return Lever(
            kind=kind,
            text=f"{text}: {plan.template} fits then",
            options=options,
            template=plan.template,
            makespan_ticks=plan.makespan_ticks,
        )

    def _plan(self, graph: Subject, request: Request) -> Plan | None:
        try:
            return plan_graph(graph, request, self.drafts).plan
        except AttError:
            return None


def _variables(tried: _Tried, posed: Sequence[Posed]) -> Iterator[Lever | None]:
    """The largest legal value of each tile that is held, the others held as they are."""
    for name, value in tried.request.fixed.items():
        largest = max((found for p in posed if (found := _largest(tried, p, name)) is not None), default=None)
        if largest is None or largest >= value:
            continue
        fixed = {**tried.request.fixed, name: largest}
        text = f"hold {name} at {largest:,} in place of {value:,}, its largest legal value"
        yield tried.lever("variable", text, {"--fix": _pairs(fixed)}, request=_with_fixed(tried.request, fixed))


def _largest(tried: _Tried, posed: Posed, name: str) -> int | None:
    """The largest legal value of a tile; None if none is legal or a share is meant."""
    source = posed.problem.source
    variable = next(v for v in source.variables if v.name == name)
    if variable.role is not VarRole.TILE:
        return None
    held = {n: v for n, v in posed.problem.fixed.items() if n != name}
    goal = variable.symbol.hi - variable.symbol
    problem = bind(with_goal(source, goal), posed.problem.shape, fixed=held)
    if problem.contradiction is not None:
        return None
    found = solved(problem, replace(tried.request.limits, fixed=held))
    return found.tiling[name] if found.status is SolveStatus.OPTIMAL and found.tiling is not None else None


def _with_fixed(request: Request, fixed: Mapping[str, int]) -> Request:
    return replace(request, fixed=fixed, limits=replace(request.limits, fixed=fixed))


def _released(tried: _Tried) -> Iterator[Lever | None]:
    """Each held variable set free."""
    for name in tried.request.fixed:
        fixed = {n: v for n, v in tried.request.fixed.items() if n != name}
        yield tried.lever("release", f"do not hold {name}", {"--fix": _pairs(fixed)}, request=_with_fixed(tried.request, fixed))


def _templates(tried: _Tried) -> Iterator[Lever | None]:
    """Another axis is cut: the templates that the request leaves out."""
    request = tried.request
    if request.template is None and not request.exclude:
        return
    every = replace(request, template=None, exclude=())
    text = "let the other templates take part, which cut other axes"
    yield tried.lever("template", text, {"--template": "", "--exclude": ""}, request=every)


def _alignment(tried: _Tried) -> Iterator[Lever | None]:
    model = tried.request.model
    if model.align_bytes is not None:
        free = replace(tried.request, model=replace(model, align_bytes=None))
        yield tried.lever("align", f"do not align tiles to {model.align_bytes} B", {"--align": "none"}, request=free)


def _families(tried: _Tried) -> Iterator[Lever | None]:
    """Each optional constraint family that is on, left out."""
    model = tried.request.model
    if model.cache_line:
        free = replace(tried.request, model=replace(model, cache_line=False))
        yield tried.lever("family", "let runs of a transfer be shorter than a cache line", {"--with": ""}, request=free)
    if model.min_tile_elems is not None:
        free = replace(tried.request, model=replace(model, min_tile_elems=None))
        yield tried.lever("family", f"let tiles have fewer than {model.min_tile_elems:,} elements", {"--min-tile": ""}, request=free)
    if model.few_rows:
        free = replace(tried.request, model=replace(model, few_rows=False))
        yield tried.lever("family", "let cores share rows where there are many rows, too", {"--without": "few_rows"}, request=free)


def _double_buffers(tried: _Tried, posed: Sequence[Posed]) -> Iterator[Lever | None]:
    """For the first template that it helps: the fewest queues, the largest first, that have to do with one buffer."""
    for single in posed:
        for dropped, template in single_buffered(single, tried.request.limits):
            text = f"{single.template.name}: one buffer in place of two for {', '.join(dropped)}"
            alone = replace(tried.request, template=None, exclude=())
            found = tried.lever("double_buffer", text, {}, graph=template, request=alone)
            if found is not None:
                yield found
                return


def _dtypes(tried: _Tried) -> Iterator[Lever | None]:
    for wide, narrow, graph in narrowed(tried.graph):
        yield tried.lever("dtype", f"{narrow} in place of {wide}", {}, graph=graph)


def _sizes(tried: _Tried) -> Iterator[Lever | None]:
    """For each dynamic size the largest below the given one for which there is a plan, by bisection, if feasibility is monotone."""
    shape = dict(tried.request.shape)
    for size in sizes_of(tried.graph):
        low, step = size.symbol.lo, size.multiple_of
        first, last = low // step, shape[size.name] // step
        if first >= last or not _fits(tried, {**shape, size.name: low}):
            continue
        while last - first > 1:
            middle = (first + last) // 2
            fits = _fits(tried, {**shape, size.name: middle * step})
            first, last = (middle, last) if fits else (first, middle)
        smaller = {**shape, size.name: first * step}
        text = f"a smaller size: {size.name} = {first * step:,} in place of {shape[size.name]:,}"
        yield tried.lever("size", text, {"--shape": _pairs(smaller)}, request=replace(tried.request, shape=smaller))


def _fits(tried: _Tried, shape: Mapping[str, int]) -> bool:
    try:
        (case,) = cases(tried.graph, tried.request, (shape,), tried.drafts)
    except AttError:
        return False
    limits = tried.request.limits
    possible = (p.problem for p in case.posed if p.problem.contradiction is None)
    return any(is_feasible(problem.source, problem.shape, problem.fixed, limits) is True for problem in possible)


def _unified_buffer(tried: _Tried, posed: Sequence[Posed]) -> Iterator[Lever | None]:
    """The smallest UB with which one of the templates fits."""
    chip = tried.request.chip
    needs = {found[1] for p in posed if (found := least_ub(p.problem, tried.request.limits)) is not None}
    for enough in sorted(need + chip.ub_reserved_bytes for need in needs):
        if enough <= chip.ub_bytes:
            continue
        larger = replace(tried.request, chip=replace(chip, ub_bytes=enough))
        text = f"a chip with {enough:,} B of UB in place of {chip.ub_bytes:,} B"
        found = tried.lever("ub_bytes", text, {"--ub-bytes": str(enough)}, request=larger)
        if found is not None:
            yield found
            return


def _chips(tried: _Tried) -> Iterator[Lever | None]:
    """The known chip with the least UB that is enough; for a chip that exists another one that exists."""
    own = tried.request.chip
    known = [chip for chip in map(load_chip, chip_names()) if own.is_made_up or not chip.is_made_up]
    larger = [chip for chip in known if chip.ub_usable_bytes > own.ub_usable_bytes]
    for chip in sorted(larger, key=lambda c: (c.ub_usable_bytes, c.name)):
        options = {"--chip": chip.name, "--ub-bytes": "", "--cores": ""}
        text = f"on {chip.name}, which has {chip.ub_bytes:,} B of UB"
        found = tried.lever("chip", text, options, request=replace(tried.request, chip=chip))
        if found is not None:
            yield found
            return


def _pairs(values: Mapping[str, int]) -> str:
    return ",".join(f"{name}={value}" for name, value in values.items())
