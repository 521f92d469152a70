"""What a plan costs when cores are counted as fractions: what the reference compares (att_facts.md §2.2, §3.1)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, floor

from att.expr.core import CeilDiv, Expr, Int, Lookup, Mul, Sym, integer, mul, symbol
from att.expr.evaluate import compile_program
from att.expr.node import topological
from att.expr.substitute import name_parts
from att.model.tiling import Problem


class Fractional:
    """A problem whose cores are not rounded: `work / (tile * share)`, as the reference's solver sees them (att_facts §2.2, §3.1)."""

    def __init__(self, problem: Problem) -> None:
        source = problem.source
        nodes = tuple(topological(source.objective))
        counts = [p.block_dim for p in source.phases if not isinstance(p.block_dim, (Int, Sym))]
        tables = [n for n in nodes if isinstance(n, Lookup)]
        named = {n: _named(f"count_{i}", n) for i, n in enumerate(counts)}
        rates = {n: _named(f"rate_{i}", n) for i, n in enumerate(tables)}
        self._shape = problem.shape
        self._tables = [n.table for n in tables]
        self._phases = len(source.phases)
        self._ratios = compile_program(tuple(e for n in (*(p.block_dim for p in source.phases), *counts) for e in _ratio(n)))
        self._indices = compile_program(name_parts(tuple(n.index for n in tables), named))
        self._time = compile_program(name_parts((source.objective,), {**named, **rates}))

    def cores(self, values: Mapping[str, int]) -> int:
        """Cores in use, rounded up once at the end."""
        return max(ceil(ratio) for ratio in self._counts(values)[: self._phases])

    def time(self, values: Mapping[str, int]) -> int:
        """Modelled time, ticks."""
        known: dict[str, int | Fraction] = {**self._shape, **values}
        known |= {f"count_{i}": ratio for i, ratio in enumerate(self._counts(values)[self._phases :])}
        places = self._indices.run(known)
        known |= {f"rate_{i}": _rate(t, Fraction(place) + 1) for i, (t, place) in enumerate(zip(self._tables, places, strict=True))}
        return floor(self._time.run(known)[0])

    def _counts(self, values: Mapping[str, int]) -> list[Fraction]:
        flat = [int(v) for v in self._ratios.run({**self._shape, **values})]
        return [Fraction(n, d) for n, d in zip(flat[::2], flat[1::2], strict=True)]


def _named(name: str, expr: Expr) -> Sym:
    return symbol(name, *expr.range)


def _rate(table: tuple[int, ...], cores: Fraction) -> Fraction:
    """A tabulated rate at a fraction of cores: it is `1 / (a + b / cores)` (att_facts §3.3), so its inverse is linear in `1 / cores`."""
    if len(table) == 1 or (cores.denominator == 1 and 1 <= cores <= len(table)):
        return Fraction(table[max(0, min(len(table), int(cores)) - 1)])
    first, last = Fraction(1, table[0]), Fraction(1, table[-1])
    slope = (first - last) / (1 - Fraction(1, len(table)))
    return 1 / (last + slope * (1 / cores - Fraction(1, len(table))))


def _ratio(expr: Expr) -> tuple[Expr, Expr]:
    """Numerator and denominator of an expression when no division is rounded."""
    match expr:
        case CeilDiv(n, d):
            (top, below), (upper, lower) = _ratio(n), _ratio(d)
            return mul(top, lower), mul(below, upper)
        case Mul(factors):
            ratios = [_ratio(f) for f in factors]
            return mul(*(n for n, _ in ratios)), mul(*(d for _, d in ratios))
        case _:
            return expr, integer(1)
