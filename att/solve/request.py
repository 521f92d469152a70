"""What a person asks of the pipeline, read from friendly values and checked once for the library and the command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeVar

from att.chips import load_chip
from att.errors import UsageError
from att.model.options import ModelOptions, Objective
from att.model.policy import PPM, Trade
from att.ops.call import CostSet
from att.solve.base import SolveOptions
from att.solve.families import switched
from att.solve.registry import solver_names
from att.solve.shapes import Range, whole
from hwmodels.model import Chip

DEFAULT_CHIP = "ascend910b1"
HEURISTIC = "axis_sort"

_UB_THRESHOLD = 0.2
_CORENUM_THRESHOLD = 0.4
"""What the reference's trade-off aims at where nobody says otherwise: shares of UB and of cores (att_facts §4.2)."""

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Everything that decides a plan besides the graph."""

    chip: Chip
    shape: Mapping[str, int]
    model: ModelOptions
    solver: str
    limits: SolveOptions
    template: str | None
    """Only this template."""
    exclude: tuple[str, ...]
    """Not these templates."""
    fixed: Mapping[str, int]
    """Variables held at a value."""
    ranges: Mapping[str, Range]
    """Declared sizes in place of the graph's."""


def make_request(  # noqa: PLR0913
    *,
    chip: str | Chip = DEFAULT_CHIP,
    shape: Mapping[str, int] | None = None,
    solver: str = "cpsat",
    cost: str = CostSet.MENDED,
    objective: str = Objective.BOTTLENECK,
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
) -> Request:
    """Reads the arguments of the library's functions. Raises UsageError or ChipError with what is allowed."""
    usual = ModelOptions(cost_set=require_cost_set(cost), align_bytes=_align_bytes(align), objective=require_objective(objective))
    fixed = MappingProxyType({name: whole(name, value, "fix") for name, value in (fix or {}).items()})
    return Request(
        chip=_chip(chip, ub_bytes, cores),
        shape=_frozen(shape),
        model=switched(usual, families or {}),
        solver=require_solver(solver),
        limits=replace(_limits(limit, watchdog, fixed), trade=_trade(ub_threshold, corenum_threshold), compat=compat),
        template=template,
        exclude=names(exclude),
        fixed=fixed,
        ranges=_frozen(ranges),
    )


def names(listed: Iterable[str]) -> tuple[str, ...]:
    """Several names; a text is one name."""
    return (listed,) if isinstance(listed, str) else tuple(listed)


def _frozen(values: Mapping[K, V] | None) -> Mapping[K, V]:
    return MappingProxyType(dict(values or {}))


def _chip(chip: str | Chip, ub_bytes: int | None, cores: int | None) -> Chip:
    if isinstance(chip, str):
        return load_chip(chip, ub_bytes=ub_bytes, cores=cores)
    if ub_bytes is not None or cores is not None:
        raise UsageError("ub_bytes and cores go with the name of a chip, not with a Chip", hint="replace the fields of the Chip")
    return chip


def require_solver(name: str) -> str:
    """The name of a solver of this version. Raises UsageError for any other."""
    return _known("solver", name, solver_names())


def require_cost_set(name: str) -> CostSet:
    """The cost set of a name. Raises UsageError for one that this version does not have."""
    return CostSet(_known("cost", name, tuple(CostSet)))


def require_objective(name: str) -> Objective:
    """The objective of a name. Raises UsageError for one that this version does not have."""
    return Objective(_known("objective", name, tuple(Objective)))


def _known(what: str, value: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        names = ", ".join(str(name) for name in allowed)
        raise UsageError(f"{what} {value!r} is unknown or not available in this version", hint=f"choose from {names}")
    return value


def _align_bytes(align: str | int | None) -> int | None:
    if align is None or align == "none":
        return None
    if not str(align).isdecimal() or int(align) < 1:
        raise UsageError(f"alignment {align!r} is not a positive number of bytes", hint="write none, 32 or another number")
    return int(align)


def require_heuristic(options: SolveOptions, solvers: Sequence[str]) -> None:
    """Raises UsageError where thresholds or `compat` are set and no solver reads them."""
    if (options.trade is not None or options.compat) and HEURISTIC not in solvers:
        given = ", ".join(solvers)
        raise UsageError(
            f"thresholds and compat are settings of {HEURISTIC}, the solver is {given}", where="solver", hint=f"use --solver {HEURISTIC}"
        )


def _trade(ub_threshold: float | None, corenum_threshold: float | None) -> Trade | None:
    """The user's trade-off; the reference's defaults for one of the two that is not given (att_facts §4.2)."""
    if ub_threshold is None and corenum_threshold is None:
        return None
    return Trade(
        ub_ppm=_ppm("ub_threshold", _UB_THRESHOLD if ub_threshold is None else ub_threshold),
        cores_ppm=_ppm("corenum_threshold", _CORENUM_THRESHOLD if corenum_threshold is None else corenum_threshold),
    )


def _ppm(name: str, share: float) -> int:
    """A share as parts per million; 0 is refused: it once made tiles of no elements (att_facts §5.3 no. 57)."""
    if not 0 < share <= 1 or round(share * PPM) < 1:
        raise UsageError(f"{name} {share} is not a share above 0 and up to 1", hint=f"write for example {_UB_THRESHOLD}")
    return round(share * PPM)


def _limits(limit: float | None, watchdog: float | None, fixed: Mapping[str, int]) -> SolveOptions:
    usual = SolveOptions()
    for name, value in (("limit", limit), ("watchdog", watchdog)):
        if value is not None and not 0 < value < float("inf"):
            raise UsageError(f"{name} {value} is not a finite number above 0", hint="leave it out for the usual one")
    return SolveOptions(
        work_limit=usual.work_limit if limit is None else limit,
        watchdog_s=usual.watchdog_s if watchdog is None else watchdog,
        fixed=fixed,
    )
