"""HintGraph in, templates out: which cases there are, and what becomes of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from att.errors import ModelError, ScheduleError
from att.ir.graph import Candidates, Dropped, Graph, HintGraph, ImplGraph, Template, Why
from att.ops.verify import check_dtypes, verify_graph
from hwmodels.model import Chip
from schedule.axes import new_names, numbered
from schedule.cases import PACKED_KINDS, Kind, TilingCase, why_not_worth_it
from schedule.casts import cast_changes
from schedule.inline import can_inline
from schedule.joins import why_not_in_tile
from schedule.letters import group_letters
from schedule.lookups import loaded_by_row
from schedule.needless import why_needless
from schedule.packed import can_pack_stores
from schedule.reasons import why
from schedule.reuse import with_reuse
from schedule.steps import cleaned, legal, nest, over_few_axes, phases
from schedule.trace import Traced
from schedule.ub_filter import drop_too_large
from schedule.unaligned import can_pack
from schedule.variants import variants

Groups = dict[str, Mapping[str, str]]
"""Letter of the group by axis, by the name of the loop nest."""


def schedule_graph(graph: HintGraph, chip: Chip, *, few_rows: bool = True) -> Candidates:
    """Every template of a graph, in the order of their tiling keys, and those dropped with the reason.

    `few_rows`: whether reductions in two phases are left out where there are rows for all cores at every shape (`att.model.few_rows`).
    There may be none whose smallest tile fits in UB. Raises GraphError if the graph is wrong, ScheduleError if no template can hold it or
    the chip lacks a dtype.
    """
    verify_graph(graph)
    clean = cleaned(graph)
    allowed = legal(clean, chip)
    check_dtypes(allowed.graph, chip, besides=loaded_by_row(allowed.graph))
    found, never = variants(over_few_axes(allowed))
    templates: list[Template] = []
    whys: list[Why] = []
    groups: Groups = {}
    dropped = list(never)
    waiting = [(variant.start, case) for variant in found for case in variant.cases]
    for key, (start, case) in enumerate(waiting):
        try:
            template, letters = _template(graph, start, key, case, chip, few_rows=few_rows)
            needless = why_needless(start.graph, case, template, templates, chip)
        except (ScheduleError, ModelError) as error:
            dropped.append(Dropped(name=case.name, tiling_key=key, reason=str(error)))
            continue
        if needless:
            dropped.append(Dropped(name=case.name, tiling_key=key, reason=needless))
            continue
        templates.append(template)
        whys.append(why(start.graph, case))
        groups.update(letters)
        waiting.extend((start, more) for more in _variations(start.graph, case, template, chip))
    if not templates:
        raise ScheduleError("; ".join(d.reason for d in dropped) or "no template fits", where=graph.name)
    casts = cast_changes(clean.graph, allowed.graph)
    candidates = Candidates(
        graph=graph, templates=tuple(templates), dropped=tuple(dropped), whys=tuple(whys), casts=casts, groups=MappingProxyType(groups)
    )
    return drop_too_large(candidates, chip)


def _variations(graph: Graph, case: TilingCase, template: Template, chip: Chip) -> Iterator[TilingCase]:
    """The cases that vary one that is legal: each is found from one case only.

    Packed rows are not inlined too. Measured on the benchmark set, 910B1: that gains 0.5 % in one problem of twelve, nothing elsewhere.
    """
    if not case.inline and not case.packed and can_inline(template.phases, chip):
        yield replace(case, inline=True)
    if case.kind is Kind.GENERAL and not case.inline and not case.reuse and can_pack(template.phases):
        yield replace(case, kind=Kind.UNALIGNED)
    if case.kind in PACKED_KINDS and not case.packed and not case.inline and can_pack_stores(template.phases):
        yield replace(case, packed=True)
    reusing = None if case.reuse or case.inline or case.packed else with_reuse(graph, case, chip)
    if reusing:
        yield reusing


def _template(graph: HintGraph, start: Traced, key: int, case: TilingCase, chip: Chip, *, few_rows: bool) -> tuple[Template, Groups]:
    """The template of a case, and the groups of the axes of its nests. Raises ScheduleError where the case does not fit the graph."""
    reason = why_not_in_tile(start.graph, case) or why_not_worth_it(start.graph, case, chip.vector_cores if few_rows else None)
    if reason:
        raise ScheduleError(reason)
    found = phases(start, case)
    nests = tuple(nest(phase, chip, alone=len(found) == 1) for phase in found)
    name = f"{graph.name}.{case.name}"
    named = (name,) if len(nests) == 1 else tuple(f"{name}.phase{i}" for i in range(len(nests)))
    done = tuple(traced.finished(n) for traced, n in zip(nests, named, strict=True))
    template = Template(name=case.name, tiling_key=key, graph_name=graph.name, phases=done, axis_names=_axis_names(graph, done))
    return template, {made.name: group_letters(p.start.graph, p.case, made) for p, made in zip(found, done, strict=True)}


def _axis_names(graph: HintGraph, done: tuple[ImplGraph, ...]) -> Mapping[str, str]:
    """Names in the HintGraph by those of the scheduler, and by those that bear the number of a phase."""
    names = new_names(graph)
    of_phases = ((i, phase, z) for i, phase in enumerate(done) for z in names)
    return {**names, **{numbered(z, i): names[z] for i, phase, z in of_phases if numbered(z, i) in phase.axis_of}}
