"""How often every API call in a kernel's text must run: the loops around it, over every iteration of the nest (`att.ir.iterate`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from att.expr.core import Expr
from att.expr.evaluate import evaluate
from att.ir.graph import ImplGraph, Template
from att.ir.iterate import Place, concrete, passes, turns
from att.ir.loops import loop_nest
from codegen.entry import Kernel, PlacedFunction
from codegen.scope import Level
from codegen.storage import node_level


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedCall:
    """An API call in the text of a node."""

    node: str
    api: str
    line: int
    """Of the kernel text, counted from 1."""
    runs: int
    """On all cores together."""


def expected_calls(kernel: Kernel, template: Template, known: Mapping[str, int]) -> Iterator[ExpectedCall]:
    """The calls of a template's functions, for the sizes and variables in `known`."""
    for placed in kernel.placed:
        if placed.tiling_key == template.tiling_key:
            yield from _function_calls(placed, template.phases[placed.phase], known)


def _function_calls(placed: PlacedFunction, graph: ImplGraph, known: Mapping[str, int]) -> Iterator[ExpectedCall]:
    fixed = concrete(graph, known)
    nest = loop_nest(fixed)
    by_pass = list(passes(fixed, nest))
    by_turn = [at for place in by_pass for at in turns(fixed, nest, place)]
    by_core = list({at.core: at for at in by_pass}.values())
    at_level = {Level.FUNCTION: by_core, Level.PASS: by_pass, Level.TURN: by_turn}
    for line, call in placed.function.counted:
        places = at_level[node_level(nest, fixed.node_of[call.node])]
        memo: dict[tuple[int, ...], int] = {}
        runs = sum(_turns(call.turns, place, placed.function.actual_names, known, memo) for place in places)
        yield ExpectedCall(node=call.node, api=call.api, line=line + placed.first_line, runs=runs)


def _turns(expr: Expr, place: Place, names: Mapping[str, str], known: Mapping[str, int], memo: dict[tuple[int, ...], int]) -> int:
    key = tuple(place.sizes.values())
    if key not in memo:
        sizes = {names[axis]: size for axis, size in place.sizes.items()}
        memo[key] = evaluate(expr, {**known, **sizes})
    return memo[key]
