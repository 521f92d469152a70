"""What lies above `att`, reached by name when it is used, so that no import points upward (design §3).

`schedule` and `codegen` are also names of other distributions on the package index. One that is installed or lies first on the path
would be imported instead of ours, so the package that was found is compared with the folder that holds `att`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from att.errors import UsageError

TARGETS: Final = MappingProxyType({
    "schedule": "schedule.generate:schedule_graph",
    "ub_plan": "schedule.addresses:ub_plan",
    "emit": "codegen.cli:emit",
    "write_bundle": "codegen.cli:write_bundle",
    "run": "codegen.cli:run",
    "run_options": "codegen.cli:RunOptions",
})  # fmt: skip
"""Stage to `module:function`."""

UNAVAILABLE: Final = MappingProxyType({
    "tile": "compiling and calling the emitted tiling function",
})  # fmt: skip
"""Commands of the contract that this version does not have, each with what it would do."""


def resolve(stage: str) -> Callable[..., Any]:
    """The function behind a stage. Raises UsageError if another distribution's package is found in place of ours."""
    module_name, _, function_name = TARGETS[stage].partition(":")
    package = module_name.partition(".")[0]
    _require_ours(package)
    try:
        return getattr(import_module(module_name), function_name)
    except ModuleNotFoundError as error:
        if error.name not in (package, module_name):
            raise
        raise UsageError(f"this installation has no module {module_name}", hint="install att-tiling again") from None


def _require_ours(package: str) -> None:
    home = Path(__file__).resolve().parents[1]
    spec = find_spec(package)
    places = [Path(p).resolve() for p in (spec.submodule_search_locations or [])] if spec else []
    if spec and spec.origin and not places:
        places = [Path(spec.origin).resolve()]
    if not places:
        raise UsageError(f"this installation has no package `{package}`", hint="install att-tiling again")
    if home / package not in places:
        raise UsageError(
            f"the package `{package}` at {places[0]} is another distribution's; att needs its own at {home / package}",
            hint=f"uninstall the other distribution named {package}, or take its folder off the front of the Python path",
        )


def unavailable(name: str) -> UsageError:
    """The error for a command or function that this version does not have."""
    return UsageError(f"`{name}` is not available in this version ({UNAVAILABLE[name]})", hint="see the README for what is")
