"""The solvers by name. A backend's module is imported when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Final, cast

from att.errors import UsageError
from att.solve.base import Solver

_SOLVERS: Final = {
    "cpsat": "att.solve.cpsat:CpSatSolver",
    "enumerate": "att.solve.enumerate:EnumerateSolver",
    "axis_sort": "att.solve.axis_sort:AxisSortSolver",
    "descent": "att.solve.descent:DescentSolver",
}


def solver_names() -> tuple[str, ...]:
    """Names of the solvers, exact ones first."""
    return tuple(_SOLVERS)


def solver_named(name: str) -> Solver:
    """The solver of that name. Raises UsageError for an unknown one."""
    if name not in _SOLVERS:
        raise UsageError(f"unknown solver {name}", where="solver", hint=f"use one of {', '.join(_SOLVERS)}")
    module, attribute = _SOLVERS[name].split(":")
    return cast("Solver", getattr(import_module(module), attribute)())
