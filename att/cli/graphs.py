"""Graphs and options as the library takes them, and a loop over several graphs that survives a bad one."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from att.cli.output import complain, worst
from att.cli.progress import tracked
from att.errors import AttError, UsageError

if TYPE_CHECKING:
    from att.ir.graph import HintGraph, Template
    from att.solve.request import Request

T = TypeVar("T")


def read_graph(name: str) -> HintGraph | Template:
    """The graph behind a GRAPH argument. Raises an AttError that names it."""
    from att.api import load

    return load(name)


def for_each(names: Sequence[str], work: Callable[[HintGraph | Template], T], what: str) -> tuple[list[tuple[str, T]], int]:
    """`work` on every graph; a graph that fails is reported on stderr and the others go on. Results by name, and the exit code."""
    results: list[tuple[str, T]] = []
    codes: list[int] = []
    for name in tracked(names, what) if len(names) > 1 else names:
        try:
            results.append((name, work(read_graph(name))))
        except AttError as error:
            complain(error if name in str(error) or len(names) == 1 else f"{name}: {error}")
            codes.append(error.exit_code)
    return results, worst(codes)


def for_each_shape(shapes: Iterable[Mapping[str, int]], work: Callable[[Mapping[str, int]], T]) -> tuple[list[T], int]:
    """`work` at every shape; one that fails is reported on stderr and the others go on. Results, and the exit code.

    Raises the AttError that all shapes have in common.
    """
    results: list[T] = []
    errors: list[tuple[str, AttError]] = []
    for shape in shapes:
        try:
            results.append(work(shape))
        except AttError as error:
            errors.append((",".join(f"{name}={value}" for name, value in shape.items()), error))
    if not results and len({str(error) for _, error in errors}) == 1:
        raise errors[0][1]
    for shape, error in errors:
        complain(f"shape {shape}: {error}")
    return results, worst(error.exit_code for _, error in errors)


def request_of(args: argparse.Namespace) -> Request:
    """The request that a command's options make; options the command does not have keep their usual values."""
    from att.solve.request import make_request

    return make_request(
        chip=args.chip,
        shape=getattr(args, "shape", None),
        solver=getattr(args, "solver", "cpsat"),
        cost=getattr(args, "cost", None) or "mended",
        objective=getattr(args, "objective", None) or "bottleneck",
        align=getattr(args, "align", "32"),
        families=_families(args),
        ub_bytes=args.ub_bytes,
        cores=args.cores,
        template=getattr(args, "template", None),
        exclude=getattr(args, "exclude", ()),
        fix=getattr(args, "fix", None),
        ranges=args.range,
        limit=getattr(args, "limit", None),
        watchdog=getattr(args, "watchdog", None),
        ub_threshold=getattr(args, "ub_threshold", None),
        corenum_threshold=getattr(args, "corenum_threshold", None),
        compat=getattr(args, "compat", False),
    )


def _families(args: argparse.Namespace) -> dict[str, bool | int]:
    """What `--with`, `--without` and `--min-tile` say of each family. Raises UsageError where they contradict each other."""
    on, off = getattr(args, "with_families", ()), getattr(args, "without_families", ())
    least_elems: int | None = getattr(args, "min_tile", None)
    given: dict[str, bool | int] = dict.fromkeys(on, True)
    if least_elems is not None:
        given["min_tile"] = least_elems
    both = sorted(set(given) & set(off))
    if both:
        raise UsageError(f"{both[0]} is switched on and off", where="--without", hint="keep one of the two")
    return given | dict.fromkeys(off, False)
