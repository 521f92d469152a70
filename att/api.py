"""The library: what `import att` offers. Each function reads friendly arguments, runs the pipeline and hands over plain data.

Arguments that several functions share:

- `chip`: name of a known chip or path of a chip file; `ub_bytes` (bytes, reserved part included) and `cores` replace two of its numbers
- `shape`: a value for every dynamic size; `ranges`: `{name: (min, max, multiple_of)}` in place of the declared ranges
- `cost`: `published` or `mended`; `objective`: `bottleneck` or `pipeline`; `align`: bytes to which innermost tiles are aligned, or `"none"`
- `families`: optional constraint families, `{"cache_line": True, "few_rows": False, "alignment": False, "min_tile": 64}` (elements)
- `template`, `exclude`: names of templates; `fix`: variables held at a value
- `ub_threshold`, `corenum_threshold`: shares of UB and cores that `axis_sort` aims at in place of the fastest core count; `compat`: it and
  the choice among templates repeat the reference's decisions, faults included
- `limit`: deterministic work per template, units of the solver; `watchdog`: wall-clock seconds per template

The functions raise `AttError` subclasses only, share no state and may be called from many threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from att import late
from att.errors import UsageError
from att.formats.load import load as load_file
from att.ir.graph import Candidates, HintGraph, Template
from att.report.comparison import Comparison
from att.solve import judge, plan_cache
from att.solve.candidates import candidates_of
from att.solve.no_tiling import NO_TILING, no_tiling
from att.solve.plan import Plan
from att.solve.plan_store import PlanStore
from att.solve.request import DEFAULT_CHIP, Request, make_request, names, require_heuristic, require_solver
from att.solve.shapes import Range, with_ranges
from att.verify.crosscheck import compare_shapes
from hwmodels.model import Chip

Graph = HintGraph | Template
Shape = Mapping[str, int]

SAMPLE = "sample:"
"""Prefix of a graph that comes with the package, as in `sample:softmax`."""


def load(path: str | Path) -> Graph:
    """The graph in a file (graph JSON, graph text, builder script), from stdin (`-`), or of the package (`sample:softmax`).

    Raises ParseError or GraphError for a file that holds no graph, UsageError for one that cannot be read.
    """
    name = str(path)
    return load_file(_sample(name.removeprefix(SAMPLE)) if name.startswith(SAMPLE) else path)


def _sample(name: str) -> Path:
    folder = Path(__file__).with_name("samples")
    known = sorted(file.stem for file in folder.glob("*.json"))
    stem = name.removesuffix(".json")
    if stem not in known:
        raise UsageError(f"no sample {name!r}", where=SAMPLE + name, hint=f"samples: {', '.join(known)}")
    return folder / f"{stem}.json"


def schedule(
    graph: Graph,
    *,
    chip: str | Chip = DEFAULT_CHIP,
    objective: str = "bottleneck",
    families: Mapping[str, bool | int] | None = None,
    ub_bytes: int | None = None,
    cores: int | None = None,
    ranges: Mapping[str, Range] | None = None,
) -> Candidates:
    """Every template of a graph, and those dropped with the reason. Raises ScheduleError if no template can hold it."""
    request = make_request(chip=chip, objective=objective, families=families, ub_bytes=ub_bytes, cores=cores, ranges=ranges)
    return candidates_of(with_ranges(graph, request.ranges), request)


def solve(  # noqa: PLR0913
    graph: Graph,
    *,
    chip: str | Chip = DEFAULT_CHIP,
    shape: Shape | None = None,
    solver: str = "cpsat",
    cost: str = "mended",
    objective: str = "bottleneck",
    align: str | int | None = "32",
    families: Mapping[str, bool | int] | None = None,
    ub_bytes: int | None = None,
    cores: int | None = None,
    template: str | None = None,
    exclude: Iterable[str] = (),
    fix: Mapping[str, int] | None = None,
    ranges: Mapping[str, Range] | None = None,
    limit: float | None = None,
    watchdog: float | None = None,
    ub_threshold: float | None = None,
    corenum_threshold: float | None = None,
    compat: bool = False,
    cache: bool | str | Path = True,
) -> Plan:
    """The best plan over all templates; where a size is 0, the empty plan.

    A limit may leave a plan without proof (FEASIBLE). Raises InfeasibleError, with one reason per template, if no template has a legal
    tiling; SolverTimeout if the limit, or the end of a heuristic's search, came before any was found; ModelError if the solver cannot read
    the models. `cache`: whether plans solved before are used and kept, or the folder that keeps them.
    """
    request = make_request(
        chip=chip,
        shape=shape,
        solver=solver,
        cost=cost,
        objective=objective,
        align=align,
        families=families,
        ub_bytes=ub_bytes,
        cores=cores,
        template=template,
        exclude=exclude,
        fix=fix,
        ranges=ranges,
        limit=limit,
        watchdog=watchdog,
        ub_threshold=ub_threshold,
        corenum_threshold=corenum_threshold,
        compat=compat,
    )
    require_heuristic(request.limits, (request.solver,))
    plan = plan_cache.cached_plan(graph, request, _store(cache)).plan
    if plan.status in NO_TILING:
        raise no_tiling(plan)
    return plan


def _store(cache: bool | str | Path) -> PlanStore | None:
    if isinstance(cache, bool):
        return plan_cache.default_store() if cache else None
    return PlanStore(Path(cache))


def compare(  # noqa: PLR0913
    graphs: Iterable[Graph],
    *,
    shapes: Sequence[Shape] = ({},),
    solvers: Sequence[str] = ("cpsat", "axis_sort"),
    chip: str | Chip = DEFAULT_CHIP,
    cost: str = "mended",
    objective: str = "bottleneck",
    align: str | int | None = "32",
    families: Mapping[str, bool | int] | None = None,
    ub_bytes: int | None = None,
    cores: int | None = None,
    template: str | None = None,
    exclude: Iterable[str] = (),
    ranges: Mapping[str, Range] | None = None,
    limit: float | None = None,
    watchdog: float | None = None,
    ub_threshold: float | None = None,
    corenum_threshold: float | None = None,
    compat: bool = False,
) -> Comparison:
    """Every solver on every template of every graph at every shape."""
    request = make_request(
        chip=chip,
        cost=cost,
        objective=objective,
        align=align,
        families=families,
        ub_bytes=ub_bytes,
        cores=cores,
        template=template,
        exclude=exclude,
        ranges=ranges,
        limit=limit,
        watchdog=watchdog,
        ub_threshold=ub_threshold,
        corenum_threshold=corenum_threshold,
        compat=compat,
    )
    known = tuple(map(require_solver, names(solvers)))
    require_heuristic(request.limits, known)
    return Comparison(problems=tuple(problem for graph in graphs for problem in compare_shapes(graph, request, shapes, known)))


def evaluate_tiling(  # noqa: PLR0913
    graph: Graph,
    tiling: Mapping[str, int],
    *,
    template: str | None = None,
    chip: str | Chip = DEFAULT_CHIP,
    shape: Shape | None = None,
    cost: str = "mended",
    objective: str = "bottleneck",
    align: str | int | None = "32",
    families: Mapping[str, bool | int] | None = None,
    ub_bytes: int | None = None,
    cores: int | None = None,
    ranges: Mapping[str, Range] | None = None,
) -> Plan:
    """What a tiling costs and whether it is legal: FEASIBLE, or INFEASIBLE with its violations.

    `template` is needed where the variables fit several. Raises UsageError for a missing or unknown variable.
    """
    request = make_request(
        chip=chip,
        shape=shape,
        cost=cost,
        objective=objective,
        align=align,
        families=families,
        ub_bytes=ub_bytes,
        cores=cores,
        template=template,
        ranges=ranges,
    )
    return judge.evaluate_tiling(graph, tiling, request).plan


def check_plan(  # noqa: PLR0913
    graph: Graph,
    plan: Plan,
    *,
    chip: str | Chip = DEFAULT_CHIP,
    align: str | int | None = "32",
    families: Mapping[str, bool | int] | None = None,
    ub_bytes: int | None = None,
    cores: int | None = None,
    ranges: Mapping[str, Range] | None = None,
) -> Plan:
    """The plan as an independent check sees it: FEASIBLE, or INFEASIBLE with its violations. Shape, cost set and tiling are the plan's.

    Raises UsageError for a plan of another graph, template or chip.
    """
    request = check_request(plan, make_request(chip=chip, align=align, families=families, ub_bytes=ub_bytes, cores=cores, ranges=ranges))
    return judge.check_plan(graph, plan, request).plan


def check_request(plan: Plan, request: Request) -> Request:
    """The request with the cost set and objective of the plan that is checked."""
    return judge.with_cost_of(plan, request)


def emit(  # noqa: PLR0913
    graph: Graph,
    *,
    chip: str | Chip = DEFAULT_CHIP,
    template: str | None = None,
    objective: str = "bottleneck",
    families: Mapping[str, bool | int] | None = None,
    exclude: Iterable[str] = (),
    ub_bytes: int | None = None,
    cores: int | None = None,
    ranges: Mapping[str, Range] | None = None,
) -> Any:
    """The kernel of a graph with every template: a bundle whose `files` are texts by name.

    Raises EmitError naming the node where an op has no emission.
    """
    request = make_request(
        chip=chip,
        objective=objective,
        families=families,
        template=template,
        exclude=exclude,
        ub_bytes=ub_bytes,
        cores=cores,
        ranges=ranges,
    )
    return late.resolve("emit")(graph, request)


def tile(*_: object, **__: object) -> NoReturn:
    """What the emitted tiling function answers; not available in this version. Raises UsageError."""
    raise late.unavailable("tile")


def run(  # noqa: PLR0913
    graph: Graph,
    *,
    shape: Shape | None = None,
    seed: int = 0,
    all_templates: bool = False,
    tiling: Mapping[str, int] | None = None,
    chip: str | Chip = DEFAULT_CHIP,
    solver: str = "cpsat",
    objective: str = "bottleneck",
    align: str | int | None = "32",
    families: Mapping[str, bool | int] | None = None,
    template: str | None = None,
    exclude: Iterable[str] = (),
    ub_bytes: int | None = None,
    cores: int | None = None,
    ranges: Mapping[str, Range] | None = None,
    cache: str | Path | None = None,
) -> Mapping[str, Any]:
    """Runs the compiled kernel on the CPU model of AscendC with the best plan (or `tiling`) and compares: the `att run --json` document.

    Raises InfeasibleError where no tiling, or not the given one, is legal.
    """
    request = make_request(
        chip=chip,
        shape=shape,
        solver=solver,
        objective=objective,
        align=align,
        families=families,
        template=template,
        exclude=exclude,
        ub_bytes=ub_bytes,
        cores=cores,
        ranges=ranges,
    )
    options = late.resolve("run_options")(
        seed=seed, all_templates=all_templates, tiling=dict(tiling or {}), cache=Path(cache) if cache is not None else None
    )
    return late.resolve("run")(graph, request, options)
