"""The proof document: which claims about a plan and its template hold.

The JSON form (`"format": "proof", "version": 1`) has the fields of `Proof` in their order; everything outside `timing` depends on graph,
plan and options alone, unless the watchdog strikes. Times are ticks, 10^6 of them are one cycle.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal

import msgspec
from msgspec import Struct

from att import __version__
from att.errors import UsageError
from att.ir.graph import HintGraph, Template
from att.model.evaluate import evaluate
from att.model.tiling import Problem
from att.solve import judge
from att.solve.pipeline import cases
from att.solve.plan import Plan, PlanViolation
from att.solve.request import Request
from att.solve.shapes import graph_name
from att.verify.coverage import Coverage, Fit, cover
from att.verify.optimality import Search, search_faster
from att.verify.prove import Limits

ClaimStatus = Literal["PROVED", "REFUTED", "UNKNOWN"]
ClaimKind = Literal["plan_holds", "no_faster_tiling", "no_legal_tiling", "fits_every_shape"]

OPTIMAL: Final = "optimal"
FITS: Final = "fits"
CLAIMS: Final = (OPTIMAL, FITS)
"""What a person may ask for: that no tiling of the template is faster, and that the template fits for every shape."""

TRUSTED: Final = (
    "z3",
    "the simplifications and intervals of att.expr, in integers and in doubles rounded outward",
    "the cutting of a claim into cases (att.verify: cases, coordinates, sieve, posing)",
    "CP-SAT, where it says that no tiling fits a shape that intervals do not refute",
)
"""What a certificate rests on. The plan itself, and a tiling that refutes it, are checked and priced without any of these."""

_UNITS: Final = 1_000_000
"""z3 resource units in one unit of the work limit."""


class Claim(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One claim and what became of it."""

    claim: ClaimKind
    template: str | None
    status: ClaimStatus
    text: str
    """The claim, or what refutes it, in a sentence."""
    shape: Mapping[str, int] | None
    """The smallest shape for which the template does not fit, if that refutes the claim."""
    variables: Mapping[str, int] | None
    """A legal tiling that is faster than the plan, if that refutes the claim."""
    makespan_ticks: int | None
    """What that tiling takes."""
    violations: tuple[PlanViolation, ...]
    """What is wrong with the plan, if that refutes the claim."""
    open_cases: tuple[Mapping[str, tuple[int, int]], ...]
    """What a limit left undecided: smallest and largest value of each variable."""
    effort: Mapping[str, int]
    """Cases settled by intervals and by z3, questions to z3, and the work in units of z3's resources."""


class ProofTiming(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Wall-clock time, milliseconds; the only part of a proof that differs from run to run."""

    prove_ms: float


class Proof(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The claims about one plan."""

    format: Literal["proof"]
    version: Literal[1]
    graph: str
    chip: str
    cost: str
    objective: str
    shape: Mapping[str, int]
    template: str | None
    """The plan's template."""
    makespan_ticks: int | None
    """The plan's time."""
    status: ClaimStatus
    """UNKNOWN if any claim is, else REFUTED if any is; whether the template fits every shape counts only where it was asked for by name."""
    claims: tuple[Claim, ...]
    trusted: tuple[str, ...]
    """What the certificate rests on."""
    timing: ProofTiming
    att_version: str

    def to_json(self) -> str:
        """The proof as indented JSON with a final newline; fields in the order of this class."""
        return msgspec.json.format(msgspec.json.encode(self, order="deterministic"), indent=2).decode() + "\n"


def require_claims(names: Collection[str]) -> tuple[str, ...]:
    """The names, if each is a claim. Raises UsageError for any other."""
    for name in names:
        if name not in CLAIMS:
            raise UsageError(f"no claim {name!r}", where="claims", hint=f"claims: {', '.join(CLAIMS)}")
    return tuple(name for name in CLAIMS if name in names)


def prove_plan(
    graph: HintGraph | Template, plan: Plan, request: Request, claims: Collection[str] | None = None, *, all_templates: bool = False
) -> Proof:
    """Proves or refutes the claims about a plan, whose shape, cost set and tiling count; the limits of the request hold for each claim.

    `claims` None: all of them, but that a template does not fit every shape is then no fault of the plan. `all_templates`: no tiling of any
    template that takes part is faster than the plan. Raises UsageError for a plan of another graph, template or chip.
    """
    started_s = time.perf_counter()
    wanted = require_claims(CLAIMS if claims is None else claims)
    made = tuple(_claims(graph, plan, judge.with_cost_of(plan, request), wanted, all_templates=all_templates))
    return Proof(
        format="proof",
        version=1,
        graph=plan.graph,
        chip=plan.chip,
        cost=plan.cost,
        objective=plan.objective,
        shape=plan.shape,
        template=plan.template,
        makespan_ticks=plan.makespan_ticks,
        status=_worst([c for c in made if c.claim != "fits_every_shape" or claims is not None]),
        claims=made,
        trusted=TRUSTED,
        timing=ProofTiming(prove_ms=round((time.perf_counter() - started_s) * 1000, 3)),
        att_version=__version__,
    )


def _worst(claims: Sequence[Claim]) -> ClaimStatus:
    found = {claim.status for claim in claims}
    return "UNKNOWN" if "UNKNOWN" in found else "REFUTED" if "REFUTED" in found else "PROVED"


def _claims(graph: HintGraph | Template, plan: Plan, request: Request, wanted: tuple[str, ...], *, all_templates: bool) -> Iterator[Claim]:
    """That the plan is what it says it is, and only then the claims that were asked for; of a plan without a tiling that there is none."""
    limits = Limits(units=int(request.limits.work_limit * _UNITS), seconds=request.limits.watchdog_s)
    if plan.status == "INFEASIBLE" and plan.template is None:
        yield from _none_legal(graph, plan, request, limits)
        return
    holds = _plan_holds(judge.check_plan(graph, plan, request).plan)
    yield holds
    if holds.status != "PROVED" or plan.template is None:
        return
    scope = request if all_templates else replace(request, template=plan.template, exclude=())
    (case,) = cases(graph, scope, (plan.shape,))
    if OPTIMAL in wanted:
        ticks = next(evaluate(p.problem, plan.variables or {}).objective_ticks for p in case.posed if p.template.name == plan.template)
        yield from (_no_faster(posed.problem, ticks, limits) for posed in case.posed)
    if FITS in wanted:
        yield from (_fits(posed.problem, limits) for posed in case.posed if posed.template.name == plan.template)


def _plan_holds(seen: Plan) -> Claim:
    """The plan as the independent check sees it."""
    status = "REFUTED" if seen.violations else "PROVED"
    text = "; ".join(v.text for v in seen.violations) or "the plan is legal and costs what it says"
    return _claim("plan_holds", seen.template, status, text, {}, violations=seen.violations)


def _none_legal(graph: HintGraph | Template, plan: Plan, request: Request, limits: Limits) -> Iterator[Claim]:
    """For every template that takes part, that no tiling is legal."""
    for what, plans, actual in (("graph", plan.graph, graph_name(graph)), ("chip", plan.chip, request.chip.name)):
        if plans != actual:
            raise UsageError(f"the plan is for the {what} {plans}, this is {actual}", where="plan", hint="prove it where it was made")
    (case,) = cases(graph, request, (plan.shape,))
    for posed in case.posed:
        found = search_faster(posed.problem, None, limits)
        claim = f"no tiling of {posed.template.name} is legal"
        if found.faster is None:
            text = f"it is open whether {claim}: a limit left {len(found.open)} cases" if found.open else claim
            yield _claim("no_legal_tiling", posed.template.name, "UNKNOWN" if found.open else "PROVED", text, found.effort, left=found)
        else:
            ticks = evaluate(posed.problem, found.faster).objective_ticks
            text = f"{posed.template.name} has a legal tiling"
            yield _claim("no_legal_tiling", posed.template.name, "REFUTED", text, found.effort, left=found, makespan_ticks=ticks)


def _no_faster(problem: Problem, ticks: int, limits: Limits) -> Claim:
    found = search_faster(problem, ticks, limits)
    if found.faster is None:
        status = "UNKNOWN" if found.open else "PROVED"
        return _claim("no_faster_tiling", problem.template, status, _no_faster_text(problem, ticks, found), found.effort, left=found)
    faster = evaluate(problem, found.faster).objective_ticks
    values = " ".join(f"{name}={value}" for name, value in found.faster.items())
    text = f"{problem.template} with {values} takes {faster:,} ticks (modelled), {100 * (ticks - faster) / ticks:.3f} % less than the plan"
    return _claim("no_faster_tiling", problem.template, "REFUTED", text, found.effort, left=found, makespan_ticks=faster)


def _no_faster_text(problem: Problem, ticks: int, found: Search) -> str:
    claim = f"no tiling of {problem.template} takes less than {ticks:,} ticks (modelled)"
    return f"it is open whether {claim}: a limit left {len(found.open)} cases" if found.open else claim


def _fits(problem: Problem, limits: Limits) -> Claim:
    model = problem.source
    found = cover(model, limits)
    ranges = ", ".join(f"{s.name} in {s.minimum}..{s.maximum}" + (f":{s.multiple_of}" if s.multiple_of > 1 else "") for s in model.sizes)
    every = f"for every shape with {ranges}" if ranges else "for its one shape"
    match found.fit:
        case Fit.ALWAYS:
            return _claim("fits_every_shape", problem.template, "PROVED", f"{problem.template} has a legal tiling {every}", found.effort)
        case Fit.NOT_ALWAYS:
            text = f"{problem.template} has no legal tiling at {_shape_text(found)}: {found.text}"
            return _claim("fits_every_shape", problem.template, "REFUTED", text, found.effort, shape=found.shape)
        case Fit.UNKNOWN:
            where = f", undecided at {_shape_text(found)}" if found.shape is not None else ""
            text = f"it is open whether {problem.template} has a legal tiling {every}{where}: {found.text}"
            return _claim("fits_every_shape", problem.template, "UNKNOWN", text, found.effort, shape=found.shape)


def _shape_text(found: Coverage) -> str:
    return ", ".join(f"{name}={value}" for name, value in (found.shape or {}).items()) or "its one shape"


def _claim(  # noqa: PLR0913
    kind: ClaimKind,
    template: str | None,
    status: ClaimStatus,
    text: str,
    effort: Mapping[str, int],
    *,
    left: Search | None = None,
    makespan_ticks: int | None = None,
    shape: Mapping[str, int] | None = None,
    violations: tuple[PlanViolation, ...] = (),
) -> Claim:
    return Claim(
        claim=kind,
        template=template,
        status=status,
        text=text,
        shape=None if shape is None else dict(shape),
        variables=None if left is None or left.faster is None else dict(left.faster),
        makespan_ticks=makespan_ticks,
        violations=violations,
        open_cases=() if left is None else tuple(case.bounds for case in left.open),
        effort=dict(effort),
    )
