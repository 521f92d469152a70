"""Constraint-solver-centric auto-tiling for NPU vector kernels: the library's front door.

`import att` is cheap; every function and class below is imported when it is first used. The functions raise `AttError` subclasses only and
may be called from many threads.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from att.api import check_plan, compare, emit, evaluate_tiling, load, run, schedule, solve, tile
    from att.api_why import explain, prove
    from att.errors import AttError, InfeasibleError
    from att.report.comparison import Comparison
    from att.solve.plan import Plan

__version__ = "0.1.0"

__all__ = [
    "AttError",
    "Comparison",
    "InfeasibleError",
    "Plan",
    "check_plan",
    "compare",
    "emit",
    "evaluate_tiling",
    "explain",
    "load",
    "prove",
    "run",
    "schedule",
    "solve",
    "tile",
]

_HOME: Final = {
    "AttError": "att.errors",
    "Comparison": "att.report.comparison",
    "InfeasibleError": "att.errors",
    "Plan": "att.solve.plan",
    "explain": "att.api_why",
    "prove": "att.api_why",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME.get(name, "att.api")), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


class _SolvePackage(ModuleType):
    """`att.solve` is a function of this facade and the package of the solvers: once imported, the package answers the call."""

    def __call__(self, *args: Any, **kwargs: Any) -> Plan:
        return import_module("att.api").solve(*args, **kwargs)


class _Facade(ModuleType):
    """The type of `att` itself: it makes the package `att.solve` callable at the moment the import system binds it here."""

    def __setattr__(self, name: str, value: object) -> None:
        if name == "solve" and type(value) is ModuleType:
            value.__class__ = _SolvePackage
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Facade
