"""Random expressions of every kind with points in the domains of their symbols, and an evaluation that shares no code with the package.

A recipe is a nested tuple `(operation, operands…)`; `built` makes it with the smart constructors, `meant` computes it with plain integers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import strategies as st

from att.expr.choice import lookup, maximum, minimum, where
from att.expr.compare import eq, le, lt
from att.expr.core import Expr, Sym, add, ceil_div, floor_div, integer, mod, mul, symbol
from att.expr.logic import Cond, conj, disj, negate

Recipe = tuple[Any, ...]
Env = Mapping[str, int]

CONSTRUCTORS = {
    "add": add, "mul": mul, "min": minimum, "max": maximum, "floor": floor_div, "ceil": ceil_div, "mod": mod, "where": where,
    "le": le, "lt": lt, "eq": eq, "and": conj, "or": disj, "not": negate,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """Recipes over shared symbols, and points in the domains."""

    recipes: tuple[Recipe, ...]
    symbols: Mapping[str, Sym]
    points: tuple[Env, ...]

    @property
    def nodes(self) -> tuple[Expr | Cond, ...]:
        """The recipes made with the smart constructors."""
        return tuple(built(r, self.symbols) for r in self.recipes)

    def meaning(self, point: Env) -> tuple[int | bool, ...]:
        """What the recipes mean at a point."""
        return tuple(meant(r, point) for r in self.recipes)


def built(recipe: Recipe, symbols: Mapping[str, Sym]) -> Any:
    operation, *operands = recipe
    match operation:
        case "int":
            return integer(operands[0])
        case "sym":
            return symbols[operands[0]]
        case "lookup":
            return lookup(operands[0], built(operands[1], symbols))
        case _:
            return CONSTRUCTORS[operation](*(built(o, symbols) for o in operands))


def meant(recipe: Recipe, point: Env) -> int:
    operation, *operands = recipe
    if operation == "int":
        return operands[0]
    if operation == "sym":
        return point[operands[0]]
    if operation == "lookup":
        return operands[0][meant(operands[1], point)]
    values = [meant(o, point) for o in operands]
    return _apply(operation, values)


def _apply(operation: str, values: list[int]) -> int:
    product = 1
    for value in values:
        product *= value
    match operation:
        case "add":
            return sum(values)
        case "mul":
            return product
        case "min":
            return sorted(values)[0]
        case "max":
            return sorted(values)[-1]
        case "floor":
            return (values[0] - values[0] % values[1]) // values[1]
        case "ceil":
            return divmod(values[0] + values[1] - 1, values[1])[0]
        case "mod":
            return divmod(values[0], values[1])[1]
        case "where":
            return values[1] if values[0] else values[2]
        case _:
            return _decide(operation, values)


def _decide(operation: str, values: list[int]) -> bool:
    match operation:
        case "le":
            return not values[0] > values[1]
        case "lt":
            return not values[0] >= values[1]
        case "eq":
            return values[0] == values[1]
        case "and":
            return 0 not in values
        case "or":
            return 1 in values
        case "not":
            return values[0] == 0
        case _:
            raise AssertionError(operation)


NAMES = ("a", "b", "c", "z0t_size")
CONSTANTS = st.one_of(st.integers(-4, 20), st.sampled_from([64, 2**31 - 1, 2**32, -(2**62) - 1, 2**62, 2**63 - 1, 2**63, 10**20 + 3]))


@st.composite
def _symbols(draw: st.DrawFn) -> tuple[dict[str, Sym], tuple[Env, ...]]:
    made: dict[str, Sym] = {}
    points: list[dict[str, int]] = [{}, {}, {}]
    for name in NAMES:
        step = draw(st.sampled_from([1, 1, 2, 16]))
        lo = draw(st.sampled_from([1, 1, 0, -5, 2**40])) * step
        count = draw(st.sampled_from([0, 1, 7, 1000, 2**31, 2**62]))
        made[name] = symbol(name, lo, lo + count * step, step)
        for point in points:
            point[name] = lo + step * draw(st.one_of(st.integers(0, min(count, 5)), st.integers(0, count)))
    return made, tuple(points)


def _positive(recipes: st.SearchStrategy[Recipe]) -> st.SearchStrategy[Recipe]:
    constants = st.sampled_from([1, 2, 3, 16, 64, 2**31, 2**62]).map(lambda n: ("int", n))
    return st.one_of(constants, recipes.map(lambda r: ("max", r, ("int", 1))), recipes.map(lambda r: ("max", ("int", 3), r)))


def _conditions(recipes: st.SearchStrategy[Recipe]) -> st.SearchStrategy[Recipe]:
    comparisons = st.tuples(st.sampled_from(["le", "lt", "eq"]), recipes, recipes)
    negations = comparisons.map(lambda c: ("not", c))
    simple = st.one_of(comparisons, negations)
    joined = st.tuples(st.sampled_from(["and", "or"]), simple, simple)
    return st.one_of(simple, joined, st.tuples(st.sampled_from(["and", "or"]), joined, simple), joined.map(lambda c: ("not", c)))


def _lookups(recipes: st.SearchStrategy[Recipe]) -> st.SearchStrategy[Recipe]:
    tables = st.lists(CONSTANTS, min_size=1, max_size=5).map(tuple)
    return st.tuples(tables, recipes).map(lambda t: ("lookup", t[0], ("mod", t[1], ("int", len(t[0])))))


def _extended(recipes: st.SearchStrategy[Recipe]) -> st.SearchStrategy[Recipe]:
    several = st.sampled_from(["add", "add", "mul", "mul", "min", "max"])
    return st.one_of(
        st.tuples(several, recipes, recipes),
        st.tuples(several, recipes, recipes, recipes),
        st.tuples(st.sampled_from(["floor", "ceil", "mod"]), recipes, _positive(recipes)),
        st.tuples(st.just("where"), _conditions(recipes), recipes, recipes),
        _lookups(recipes),
    )


LEAVES = st.one_of(CONSTANTS.map(lambda n: ("int", n)), st.sampled_from(NAMES).map(lambda n: ("sym", n)))
RECIPES = st.recursive(LEAVES, _extended, max_leaves=10)


@pytest.fixture(scope="session")
def cases() -> st.SearchStrategy[Case]:
    """Two expressions and a condition over the same four symbols, with three points."""
    recipes = st.tuples(RECIPES, RECIPES, _conditions(RECIPES))
    return st.tuples(recipes, _symbols()).map(lambda drawn: Case(drawn[0], *drawn[1]))
