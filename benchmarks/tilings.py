"""Random legal tilings and shapes for runs of kernels."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from math import prod

from att.expr.evaluate import evaluate
from att.ir.graph import HintGraph
from att.model.check import check
from att.model.tiling import Problem


def random_tilings(problem: Problem, wanted: int, rng: random.Random, tries: int = 200) -> list[dict[str, int]]:
    """Different legal tilings: whole axes, single elements, multiples of 8 and anything between."""
    found: dict[tuple[int, ...], dict[str, int]] = {}
    variables = sorted(problem.source.variables, key=lambda v: v.role.value, reverse=True)
    for _ in range(tries):
        known = dict(problem.shape)
        for variable in variables:
            upper = max(1, min(evaluate(variable.upper, known), variable.symbol.hi))
            known[variable.name] = _some_size(upper, rng)
        tiling = {v.name: known[v.name] for v in variables}
        if not check(problem, tiling):
            found.setdefault(tuple(tiling.values()), tiling)
        if len(found) == wanted:
            break
    return list(found.values())


def _some_size(upper: int, rng: random.Random) -> int:
    kinds: Sequence[Callable[[], int]] = (
        lambda: upper,
        lambda: rng.randint(1, upper),
        lambda: round(upper ** rng.random()),
        lambda: 8 * rng.randint(1, max(1, upper // 8)),
    )
    return max(1, min(upper, rng.choice(kinds)()))


NASTY: Sequence[Sequence[int]] = ((5, 20), (17, 33), (2, 130), (64, 256), (3, 8), (1, 7), (6, 2), (1, 3), (2, 1), (1, 1))
"""Sizes for the dynamic axes of a graph in turn: below, at and beyond blocks of 32 bytes and repeats of 256."""
ELEMENTS_MAX = 500_000
"""Largest iteration space of a shape: the reference holds several values of that size."""


def nasty_shapes(graph: HintGraph) -> list[Mapping[str, int]]:
    """Up to four different shapes within the declared ranges and `ELEMENTS_MAX`; one empty shape for a static graph."""
    if not graph.sizes:
        return [{}]
    shapes: list[Mapping[str, int]] = []
    for pair in NASTY:
        shape: dict[str, int] = {}
        for i, size in enumerate(graph.sizes):
            value = max(size.minimum, min(size.maximum, pair[i % len(pair)] + i // len(pair)))
            shape[size.name] = max(size.multiple_of, value // size.multiple_of * size.multiple_of)
        if elements(graph, shape) <= ELEMENTS_MAX and shape not in shapes:
            shapes.append(shape)
    return shapes[:4]


def elements(graph: HintGraph, shape: Mapping[str, int]) -> int:
    """Points of the iteration space."""
    return prod(evaluate(axis.size, shape) for axis in graph.axes)
