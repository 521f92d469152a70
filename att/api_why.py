"""The library's functions that say why: explanations of plans, and proofs. Arguments are those of `att.api`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from att.ir.graph import HintGraph, Template
from att.solve.plan import Plan
from att.solve.request import DEFAULT_CHIP, make_request, names
from att.solve.shapes import Range
from hwmodels.model import Chip

if TYPE_CHECKING:
    from att.reasons.document import Explanation
    from att.verify.proof import Proof

Graph = HintGraph | Template


def prove(  # noqa: PLR0913
    graph: Graph,
    plan: Plan,
    *,
    claims: Iterable[str] | None = None,
    all_templates: bool = False,
    chip: str | Chip = DEFAULT_CHIP,
    align: str | int | None = "32",
    families: Mapping[str, bool | int] | None = None,
    fix: Mapping[str, int] | None = None,
    ub_bytes: int | None = None,
    cores: int | None = None,
    ranges: Mapping[str, Range] | None = None,
    limit: float | None = None,
    watchdog: float | None = None,
) -> Proof:
    """What z3 proves of a plan: no tiling of its template (or of any) is faster (`optimal`), the template fits every shape (`fits`).

    Shape, cost set and tiling are the plan's. A limit may leave a claim UNKNOWN. Raises UsageError for a plan of another graph, template
    or chip.
    """
    from att.verify.proof import prove_plan

    request = make_request(
        chip=chip, align=align, families=families, fix=fix, ub_bytes=ub_bytes, cores=cores, ranges=ranges, limit=limit, watchdog=watchdog
    )
    return prove_plan(graph, plan, request, None if claims is None else names(claims), all_templates=all_templates)


def explain(  # noqa: PLR0913
    graph: Graph,
    *,
    chip: str | Chip = DEFAULT_CHIP,
    shape: Mapping[str, int] | None = None,
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
) -> Explanation:
    """Why the best plan is what it is, or, with status INFEASIBLE, the contradiction, the UB it needs and changes that help."""
    from att.reasons.explain import explain as explain_graph

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
        exclude=exclude,
        fix=fix,
        ranges=ranges,
        limit=limit,
        watchdog=watchdog,
    )
    return explain_graph(graph, request)
