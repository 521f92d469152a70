"""From groups of a file to single rows: every pair of API and dtype a row of its own, decimals exact, numbers checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product
from types import MappingProxyType
from typing import TypeVar

from hwmodels.decode import exact
from hwmodels.errors import ChipFileError
from hwmodels.model import SHAPES, CostRow, Instruction, Recipe, RecipeStep
from hwmodels.wire import ConstantGroup, CostEntry, CostGroup, InstructionGroup, Names, Number, RecipeEntry, RecipeGroup, StepEntry

Key = tuple[str, str]
K = TypeVar("K", str, tuple[str, str])
V = TypeVar("V")

REPEATS_OVER = ("first_dim", "all_dims", "last_two", "cast", "tree")

SIGNED = frozenset({"ak", "ab", "bk", "bb"})
"""Parameters of fitted planes, whose published values are negative in part."""

POSITIVE = frozenset({"a"})
"""Parameters that divide."""


def cost_rows(groups: Iterable[CostGroup], file: str) -> dict[Key, CostRow]:
    """Cost rows by API and dtype. Raises ChipFileError for a doubled row or a bad number."""
    return _unique(_each_cost_row(groups, file), file)


def constants(groups: Iterable[ConstantGroup], file: str) -> dict[str, Fraction]:
    """Constants by name. Raises ChipFileError for a doubled, negative or otherwise bad one."""
    each = (
        (name, _checked(value, name, file, place), place)
        for i, group in enumerate(groups)
        for name, value in group.values.items()
        for place in (f"constant[{i}].values.{name}",)
    )
    return _unique(each, file)


def instructions(groups: Iterable[InstructionGroup], file: str) -> dict[Key, Instruction]:
    """Instructions by name and dtype. Raises ChipFileError for a doubled one or a bad number."""
    return _unique(_each_instruction(groups, file), file)


def recipes(groups: Iterable[RecipeGroup], file: str) -> dict[Key, Recipe]:
    """Recipes by op and variant. Raises ChipFileError for a doubled one, a bad number or an unknown `repeats_over`."""
    return _unique(_each_recipe(groups, file), file)


def _each_cost_row(groups: Iterable[CostGroup], file: str) -> Iterator[tuple[Key, CostRow, str]]:
    for i, group in enumerate(groups):
        for j, entry in enumerate(group.entries):
            place = f"cost[{i}].entries[{j}]"
            params = _params(entry, group.shape, file, place)
            for api, dtype in product(_all(entry.api), _all(entry.dtype)):
                row = CostRow(
                    api=api,
                    dtype=dtype,
                    shape=group.shape,
                    params=params,
                    source=_source(entry.source, group.source, api, estimated=group.estimated),
                    estimated=group.estimated,
                    published=not group.estimated,
                )
                yield (api, dtype), row, place


def _params(entry: CostEntry, shape: str, file: str, place: str) -> MappingProxyType[str, Fraction]:
    return MappingProxyType({name: _checked(getattr(entry, name), name, file, f"{place}.{name}") for name in SHAPES[shape]})


def _each_instruction(groups: Iterable[InstructionGroup], file: str) -> Iterator[tuple[Key, Instruction, str]]:
    for i, group in enumerate(groups):
        for j, entry in enumerate(group.entries):
            place = f"instruction[{i}].entries[{j}]"
            latency = _checked(entry.latency, "latency", file, f"{place}.latency")
            throughput = _checked(entry.throughput, "throughput", file, f"{place}.throughput")
            for dtype in _all(entry.dtype):
                instruction = Instruction(
                    name=entry.name,
                    dtype=dtype,
                    latency_cycles=latency,
                    throughput_cycles=throughput,
                    source=_source(entry.source, group.source, entry.name, estimated=group.estimated),
                    estimated=group.estimated,
                    published=not group.estimated,
                )
                yield (entry.name, dtype), instruction, place


def _each_recipe(groups: Iterable[RecipeGroup], file: str) -> Iterator[tuple[Key, Recipe, str]]:
    for i, group in enumerate(groups):
        for j, entry in enumerate(group.entries):
            place = f"recipe[{i}].entries[{j}]"
            _check_repeats(entry, file, place)
            steps = tuple(_step(step, file, f"{place}.steps[{n}]") for n, step in enumerate(entry.steps))
            for op, variant in product(_all(entry.op), _all(entry.variant)):
                recipe = Recipe(
                    op=op,
                    variant=variant,
                    repeats_over=entry.repeats_over,
                    lanes=entry.lanes,
                    lanes_factor=entry.lanes_factor,
                    steps=steps,
                    source=_source(entry.source, group.source, op, estimated=group.estimated),
                    estimated=group.estimated,
                    published=not group.estimated,
                )
                yield (op, variant), recipe, place


def _check_repeats(entry: RecipeEntry, file: str, place: str) -> None:
    if entry.repeats_over not in REPEATS_OVER:
        message = f"got {entry.repeats_over!r}, allowed: {', '.join(REPEATS_OVER)}"
        raise ChipFileError(message, file=file, path=f"{place}.repeats_over")
    if entry.lanes < 0:
        raise ChipFileError(f"got {entry.lanes} elements, allowed 0 or more", file=file, path=f"{place}.lanes")
    if entry.lanes_factor < 1:
        raise ChipFileError(f"got {entry.lanes_factor} vectors, allowed 1 or more", file=file, path=f"{place}.lanes_factor")


def _step(step: StepEntry, file: str, place: str) -> RecipeStep:
    return RecipeStep(
        instruction=step.instr,
        dtype=step.dtype,
        per_repeat=_checked(step.per_repeat, "per_repeat", file, f"{place}.per_repeat"),
        fixed=_checked(step.fixed, "fixed", file, f"{place}.fixed"),
        per_input=_checked(step.per_input, "per_input", file, f"{place}.per_input"),
        only=step.only,
    )


def _checked(value: Number, name: str, file: str, place: str) -> Fraction:
    number = exact(value, file, place)
    if name in POSITIVE and number <= 0:
        raise ChipFileError(f"got {value}, allowed more than 0: it is a bandwidth", file=file, path=place)
    if name not in SIGNED and number < 0:
        raise ChipFileError(f"got {value}, allowed 0 or more: costs are never negative", file=file, path=place)
    return number


def _all(names: Names) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else names


def _source(own: str | None, group: str, subject: str, *, estimated: bool) -> str:
    if estimated:
        return f"estimate: {own or group}"
    return f"{own or group}: {subject}"


def _unique(items: Iterable[tuple[K, V, str]], file: str) -> dict[K, V]:
    found: dict[K, V] = {}
    places: dict[K, str] = {}
    for key, value, place in items:
        if key in found:
            label = key if isinstance(key, str) else " ".join(filter(None, key))
            message = f"{label} is given twice, first at {places[key]}"
            raise ChipFileError(message, file=file, path=place, hint="keep one of the two")
        found[key], places[key] = value, place
    return found
