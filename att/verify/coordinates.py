"""A case of a claim as coordinates: its tiles, the cores of its phases and the shares of a core, and what must hold of them.

How many cores work is a coordinate like every tile. What follows from `ceil(W/b) = d` is written into the expressions, by values that equal
those they replace: intervals do not see that they do, and are narrower for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from att.expr.choice import maximum, minimum, where
from att.expr.compare import le, lt
from att.expr.core import CeilDiv, Expr, Mod, Sym, add, ceil_div, floor_div, integer, mod, mul
from att.expr.logic import Cond
from att.expr.node import Node
from att.verify.cases import Case, Faster, Phase, narrowed
from att.verify.conditions import Replacing


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A coordinate lies between two expressions of coordinates."""

    coordinate: Sym
    least: Expr
    most: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class Coordinates:
    """What a case leaves open, and what must hold of it."""

    variables: Mapping[Sym, Expr]
    """For each variable of the claim its coordinate, or the number that it is."""
    cores: tuple[Expr | None, ...]
    """The same for the cores of each phase; None where tiles alone say how many they are."""
    shares: frozenset[Expr]
    """Coordinates that the others nearly settle."""
    rules: tuple[Rule, ...]
    """To be applied one after another."""
    legal: tuple[Cond, ...]
    """What makes a tiling legal, and the cores what they are."""
    ticks: Expr
    """What it takes."""

    @property
    def open(self) -> tuple[Sym, ...]:
        """The coordinates."""
        return tuple(c for c in (*self.variables.values(), *self.cores) if isinstance(c, Sym))


def coordinates_of(claim: Faster, case: Case) -> Coordinates:
    """The case, with everything rebuilt from its domains. Raises ModelError for an unknown node kind."""
    variables = {s: narrowed(s.name, d) for s, d in case.domains.items()}
    known: dict[Node, Node] = {**variables}
    cores: list[Expr | None] = []
    rules: list[Rule] = []
    shared: list[Cond] = []
    for i, (phase, held) in enumerate(zip(claim.phases, case.cores, strict=True), start=1):
        if phase.shared is None:
            cores.append(None)
            continue
        work, share = phase.shared
        d = narrowed(f"cores_of_phase_{i}", held)
        amount, each = Replacing(known)(work), variables.get(share, share)
        cores.append(d)
        rules += _rules(amount, each, d)
        shared += (le(amount, mul(d, each)), lt(mul(add(d, -1), each), amount))
        known |= {phase.cores: d, **_last_core(work, share, amount, each, d)}
        known |= _rows(phase, Replacing(known), each, d)
    new = Replacing(known)
    times = [[new(time) for time in phase.times] for phase in claim.phases]
    return Coordinates(
        variables=variables,
        cores=tuple(cores),
        shares=frozenset(variables[s] for s in claim.shares),
        rules=tuple(rules),
        legal=(*shared, *(new(condition) for condition in claim.legal)),
        ticks=add(*(maximum(*phase) for phase in times)),
    )


def _rules(amount: Expr, each: Expr, d: Expr) -> Iterator[Rule]:
    """`W/d <= b < W/(d - 1)`, and d from b."""
    if isinstance(each, Sym):
        yield Rule(coordinate=each, least=ceil_div(amount, d), most=_where_several(d, floor_div(add(amount, -1), _others(d)), each.hi))
    if isinstance(d, Sym):
        yield Rule(coordinate=d, least=ceil_div(amount, each), most=ceil_div(amount, each))


def _others(d: Expr) -> Expr:
    """Cores but the last, at least 1 to divide by."""
    return maximum(1, add(d, -1))


def _where_several(d: Expr, bound: Expr, otherwise: Expr | int) -> Expr:
    return where(lt(1, d), bound, otherwise)


def _last_core(work: Expr, share: Sym, amount: Expr, each: Expr, d: Expr) -> Mapping[Node, Node]:
    """`(W - 1) mod b`, which is `W - 1 - (d - 1)*b`, and at most `b - 1`."""
    rest = mod(add(work, -1), share)
    if not isinstance(rest, Mod):
        return {}
    left = add(amount, -1, mul(add(1, mul(-1, d)), each))
    return {rest: maximum(0, minimum(left, add(each, -1)))}


def _rows(phase: Phase, new: Replacing, each: Expr, d: Expr) -> Mapping[Node, Node]:
    """The quotients `b/n` of `phase.rows`, with W = m*n: `m/d <= b/n < m/(d - 1)`."""
    found: dict[Node, Node] = {}
    for node, rest in phase.rows:
        up = isinstance(node, CeilDiv)
        divide = ceil_div if up else floor_div
        n, m = new(node.denominator), new(rest)
        plain = maximum(divide(each, n), divide(m, d))
        found[node] = _where_several(d, minimum(plain, add(ceil_div(m, _others(d)), integer(0 if up else -1))), plain)
    return found
