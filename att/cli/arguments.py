"""Options that commands share, and how their texts are read. Imports nothing heavy: `att --help` runs this file."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from att.errors import UsageError

DEFAULT_CHIP = "ascend910b1"
EXACT_SOLVERS = ("cpsat", "enumerate")
SOLVERS = (*EXACT_SOLVERS, "axis_sort", "descent")
COST_SETS = ("published", "mended")
LATER_COST_SETS = ("calibrated",)
OBJECTIVES = ("bottleneck", "pipeline")

_INTEGER = re.compile(r"-?[0-9]{1,40}", re.ASCII)


class _Formatter(argparse.HelpFormatter):
    """Help that names an option's value once, `-o, --output PATH`, in every version of Python."""

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(action.option_strings)} {value}"


class Parser(argparse.ArgumentParser):
    """An argument parser that raises UsageError in place of leaving the process."""

    def __init__(self, **settings: Any) -> None:
        settings.setdefault("formatter_class", _Formatter)
        settings.setdefault("allow_abbrev", False)
        super().__init__(**settings)

    def error(self, message: str) -> NoReturn:
        """Raises UsageError."""
        raise UsageError(message, where=self.prog, hint=f"see `{self.prog} --help`")


class Merge(argparse.Action):
    """Collects `name=value` pairs over repeated options; a later value for the same name wins."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: object, option_string: str | None = None
    ) -> None:
        """Adds the pairs of one option."""
        merged: dict[str, object] = dict(getattr(namespace, self.dest) or {})
        if isinstance(values, Mapping):
            merged.update(values)  # pyright: ignore[reportUnknownArgumentType]
        setattr(namespace, self.dest, merged)


def integer(text: str) -> int:
    """Reads a whole number."""
    if not _INTEGER.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def positive(text: str) -> int:
    """Reads a whole number of at least 1."""
    value = integer(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value} is below 1")
    return value


def limit(text: str) -> float:
    """Reads a limit: a number above 0."""
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a finite number above 0")
    return value


def share(text: str) -> float:
    """Reads a share: a number above 0 and up to 1."""
    value = limit(text)
    if value > 1:
        raise argparse.ArgumentTypeError(f"{text} is above 1; a share is a number up to 1, such as 0.2")
    return value


def names(text: str) -> tuple[str, ...]:
    """Reads `a,b,c`."""
    found = tuple(part.strip() for part in text.split(","))
    if not all(found):
        raise argparse.ArgumentTypeError(f"{text!r} has an empty name; write a,b,c")
    return tuple(dict.fromkeys(found))


def pairs(text: str) -> dict[str, int]:
    """Reads `ks0=64,ks1=1024`."""
    return {name: integer(value) for name, value in _split_pairs(text, "ks0=64,ks1=1024")}


def ranges(text: str) -> dict[str, tuple[int, int, int]]:
    """Reads `ks0=1:8192:16`: smallest and largest size and optionally what it is a multiple of."""
    return {name: _range(name, value) for name, value in _split_pairs(text, "ks0=1:8192:16")}


def _range(name: str, text: str) -> tuple[int, int, int]:
    numbers = tuple(integer(part) for part in text.split(":"))
    match numbers:
        case (low, high):
            return low, high, 1
        case (low, high, multiple):
            return low, high, multiple
        case _:
            raise argparse.ArgumentTypeError(f"{name}={text} is not a range; write {name}=MIN:MAX or {name}=MIN:MAX:MULTIPLE")


def _split_pairs(text: str, example: str) -> list[tuple[str, str]]:
    found: dict[str, str] = {}
    for part in text.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (name and equals and value):
            raise argparse.ArgumentTypeError(f"{part!r} is not name=value; write for example {example}")
        if name in found:
            raise argparse.ArgumentTypeError(f"{name} is given twice")
        found[name] = value
    return list(found.items())


def alignment(text: str) -> str:
    """Reads `none` or a number of bytes."""
    if text != "none":
        positive(text)
    return text


def one_of(known: Sequence[str], later: Sequence[str] = ()) -> Callable[[str], str]:
    """A reader of one of the known names; `later` ones are refused as not available yet."""

    def read(text: str) -> str:
        if text in later:
            raise argparse.ArgumentTypeError(f"{text} is not available in this version; choose from {', '.join(known)}")
        if text not in known:
            raise argparse.ArgumentTypeError(f"{text!r} is unknown; choose from {', '.join(known)}")
        return text

    return read


def solver_names(text: str) -> tuple[str, ...]:
    """Reads a list of solvers."""
    return tuple(map(one_of(SOLVERS), names(text)))


def add_common(parser: argparse.ArgumentParser) -> None:
    """Options of every command."""
    group = parser.add_argument_group("output and defaults")
    group.add_argument("--json", action="store_true", help="one JSON document on stdout, nothing else")
    group.add_argument("--config", metavar="FILE.toml", help="defaults for options; flags win")
    group.add_argument("-v", "--verbose", action="count", default=argparse.SUPPRESS, help="log to stderr; a traceback for a bug")


def add_graphs(parser: argparse.ArgumentParser, *, many: bool) -> None:
    """The graph or graphs a command works on."""
    text = "graph JSON, graph text (.txt), a builder script (.py, executed: only run scripts you trust), `-` for stdin, or sample:NAME"
    if many:
        parser.add_argument("graphs", metavar="GRAPH", nargs="+", help=text)
    else:
        parser.add_argument("graph", metavar="GRAPH", help=text)


def add_target(parser: argparse.ArgumentParser) -> None:
    """The chip and the declared ranges: what scheduling depends on."""
    group = parser.add_argument_group("chip and sizes")
    group.add_argument("--chip", metavar="NAME|FILE.toml", default=DEFAULT_CHIP, help=f"default {DEFAULT_CHIP}")
    group.add_argument(
        "--ub-bytes", metavar="N", type=positive, help="unified buffer with its reserved part, bytes, in place of the chip's"
    )
    group.add_argument("--cores", metavar="N", type=positive, help="vector cores, in place of the chip's")
    group.add_argument("--range", metavar="ks0=1:8192:16", type=ranges, action=Merge, help="declared MIN:MAX[:MULTIPLE] of dynamic sizes")


def add_shape(parser: argparse.ArgumentParser) -> None:
    """One shape."""
    parser.add_argument("--shape", metavar="ks0=64,ks1=1024", type=pairs, action=Merge, help="dynamic sizes")


def add_model(parser: argparse.ArgumentParser) -> None:
    """What the model of a template depends on."""
    group = parser.add_argument_group("model")
    costs = "|".join((*COST_SETS, *LATER_COST_SETS))
    group.add_argument("--cost", metavar=costs, type=one_of(COST_SETS, LATER_COST_SETS), default="mended", help="cost set, default mended")
    add_objective(group)
    group.add_argument("--align", metavar="none|32|N", type=alignment, default="32", help="alignment of innermost tiles, bytes")
    add_families(group)


def add_families(parser: argparse._ActionsContainer) -> None:  # pyright: ignore[reportPrivateUsage]  (a parser or a group of one)
    """Which optional constraint families the model has."""
    parser.add_argument("--min-tile", metavar="N", type=positive, help="fewest elements of a tile, unless its axis has fewer; no default")
    for name, text in (
        ("with", "optional constraint families to add: cache_line"),
        ("without", "families to leave out: alignment, few_rows"),
    ):
        parser.add_argument(f"--{name}", dest=f"{name}_families", metavar="FAMILY,...", type=names, default=(), help=text)


def add_objective(parser: argparse._ActionsContainer) -> None:  # pyright: ignore[reportPrivateUsage]  (a parser or a group of one)
    """What a tiling is chosen by."""
    parser.add_argument(
        "--objective",
        metavar="|".join(OBJECTIVES),
        type=one_of(OBJECTIVES),
        default=OBJECTIVES[0],
        help="default bottleneck; pipeline adds fill and drain, and may give queues one buffer",
    )


def add_templates(parser: argparse.ArgumentParser) -> None:
    """Which templates take part."""
    parser.add_argument("--template", metavar="T", help="only this template")
    parser.add_argument("--exclude", metavar="T,...", type=names, default=(), help="not these templates")


def add_limits(parser: argparse.ArgumentParser) -> None:
    """When a solver has to stop."""
    group = parser.add_argument_group("limits")
    group.add_argument(
        "--limit",
        metavar="UNITS",
        type=limit,
        help="deterministic work per template (cpsat: deterministic seconds, enumerate: million boxes, descent: thousand tilings)",
    )
    group.add_argument("--watchdog", metavar="S", type=limit, help="wall-clock seconds per template; only a watchdog")


def add_heuristic(parser: argparse.ArgumentParser) -> None:
    """Settings of the axis-sorting heuristic."""
    group = parser.add_argument_group("axis_sort")
    group.add_argument("--ub-threshold", metavar="SHARE", type=share, help="share of UB that tiles fill at least; 0.2 beside the other")
    group.add_argument("--corenum-threshold", metavar="SHARE", type=share, help="share of the cores that should work; 0.4 beside the other")
    group.add_argument("--compat", action="store_true", help="repeat the reference's decisions, faults included (best with --align none)")


def add_output(parser: argparse.ArgumentParser, what: str, metavar: str = "PATH") -> None:
    """Where the result is written."""
    parser.add_argument("-o", "--output", metavar=metavar, help=what)
