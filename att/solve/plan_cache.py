"""Plans that were solved before: looked up by everything that decides a plan, checked and priced anew before use.

The key is a hash of the graph, the shape, the whole chip (UB and cores among its numbers), the options, and the version and files of
this package. Only a plan with a tiling that no limit stopped is kept: everything in it but `timing` is then the same as if it were solved
again.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Final, cast

from msgspec.structs import replace as replace_fields

from att import __version__
from att.errors import AttError
from att.folders import user_cache
from att.formats import graph_json
from att.ir.graph import HintGraph, Template
from att.solve import judge
from att.solve.assemble import Outcome, plan_graph
from att.solve.drafts import Drafts
from att.solve.plan import Plan, Timing
from att.solve.plan_store import PlanStore
from att.solve.request import Request

FOLDER_VARIABLE: Final = "ATT_PLAN_CACHE"
"""Environment variable: the folder of the plan cache, or `off`."""
_OFF: Final = "off"
_PACKAGES: Final = ("att", "hwmodels", "schedule")


def default_store() -> PlanStore | None:
    """The plans of this user: in `ATT_PLAN_CACHE`, else in the user's cache folder; None if that variable is `off`."""
    folder = os.environ.get(FOLDER_VARIABLE, "")
    if folder == _OFF:
        return None
    return PlanStore(Path(folder) if folder else user_cache())


def cached_plan(graph: HintGraph | Template, request: Request, store: PlanStore | None, drafts: Drafts | None = None) -> Outcome:
    """The best plan for the shape of the request (`assemble.plan_graph`), from the store if it has one that still holds."""
    if store is None:
        return plan_graph(graph, request, drafts)
    anywhere = replace(request, shape={}, limits=replace(request.limits, watchdog_s=0.0))
    key = _digest(_digest(graph_json.dumps(graph), anywhere, _version()), request.shape)
    known = _recalled(graph, request, store, key)
    if known is None:
        known = plan_graph(graph, request, drafts)
        if _is_final(known):
            store.put(key, known.plan.to_json())
    return known


def _is_final(outcome: Outcome) -> bool:
    """Whether another run would give the same plan: a watchdog may have stopped one without a proof, or without a tiling."""
    return outcome.plan.variables is not None and not outcome.stopped


def _recalled(graph: HintGraph | Template, request: Request, store: PlanStore, key: str) -> Outcome | None:
    """The stored plan if it passes the independent check and evaluation; what does not is dropped."""
    started_s = time.perf_counter()
    text = store.get(key)
    if text is None:
        return None
    try:
        plan = Plan.from_json(text, "plan cache")
        seen = judge.check_plan(graph, plan, request)
    except AttError:
        store.drop(key)
        return None
    if seen.plan.violations or seen.plan.status == "INFEASIBLE":
        store.drop(key)
        return None
    passed_ms = round((time.perf_counter() - started_s) * 1000, 3)
    timing = Timing(schedule_ms=0.0, model_ms=0.0, solve_ms=passed_ms)
    return Outcome(plan=replace_fields(plan, timing=timing), breakdown=seen.breakdown, why=seen.why)


def _digest(*parts: object) -> str:
    """SHA-256 of values, hexadecimal: the same for equal ones in every process."""
    return hashlib.sha256("\n".join(map(_canonical, parts)).encode(errors="surrogatepass")).hexdigest()


def _canonical(value: object) -> str:
    """A text that tells values apart and does not depend on the order of sets and mappings."""
    match value:
        case Enum():
            return repr(value.value)
        case Mapping():
            pairs = cast("Mapping[object, object]", value).items()
            return f"{{{','.join(sorted(f'{_canonical(k)}:{_canonical(v)}' for k, v in pairs))}}}"
        case frozenset():
            return f"{{{','.join(sorted(map(_canonical, cast('frozenset[object]', value))))}}}"
        case tuple() | list():
            return f"[{','.join(map(_canonical, cast('Sequence[object]', value)))}]"
        case _ if is_dataclass(value) and not isinstance(value, type):
            return f"{type(value).__name__}[{','.join(_canonical(getattr(value, field.name)) for field in fields(value))}]"
        case _:
            return repr(value)


@cache
def _version() -> str:
    """The version with the sizes and times of the package's files: a plan of other code is another plan."""
    home = Path(__file__).resolve().parents[2]
    files = sorted(path for package in _PACKAGES for path in (home / package).rglob("*") if path.suffix in {".py", ".toml"})
    stamps = [(path.relative_to(home).as_posix(), (stat := path.stat()).st_size, stat.st_mtime_ns) for path in files]
    return _digest(__version__, stamps)
