"""What the axis-sorting heuristic asks of a problem at the tiling it has in hand: bounds, rules, cores, time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import groupby

from att.expr.choice import maximum
from att.expr.compare import le
from att.expr.core import Expr, Sym, integer
from att.expr.evaluate import Program, compile_program
from att.expr.logic import conj
from att.expr.node import topological
from att.model.core_count import FAMILY as CORE_COUNT
from att.model.policy import PPM
from att.model.tiling import Constraint, Divides, Leq, Member, Problem, Var, VarRole
from att.model.ub_capacity import FAMILY as UB_CAPACITY
from att.solve.axis_fractional import Fractional
from att.solve.excess import excess

Order = tuple[tuple[Var, ...], ...]
"""Tiles in solving order, those of one rank together."""


class Board:
    """The tiling in hand, `values`, and the rules it has to keep; tiles and shares of a core are in solving order."""

    def __init__(self, problem: Problem) -> None:
        ordered = sorted(problem.variables, key=lambda v: _rank(problem, v))
        self.tiles = tuple(v for v in ordered if v.role is VarRole.TILE)
        self.blocks = tuple(v for v in ordered if v.role is VarRole.BLOCK)
        self.orders = _orders(problem)
        self.rank = {v.name: _rank(problem, v) for v in ordered}
        self.buffers = tuple(v for v in ordered if v.role is VarRole.BUFFER)
        self.values: dict[str, int] = {v.name: v.symbol.hi if v.role is VarRole.BUFFER else v.symbol.lo for v in ordered}
        self.core_limit = _core_limit(problem)
        self.evaluations = 0
        self.policy = problem.policy
        symbols = {c: _symbols(c, problem) for c in problem.constraints}
        tiles = frozenset(v.symbol for v in self.tiles)
        memory = tiles | {v.symbol for v in self.buffers}
        rules = [c for c in problem.constraints if not (isinstance(c, Leq) and symbols[c] <= memory)]
        limits = [c for c in problem.constraints if isinstance(c, Leq) and symbols[c] <= memory]
        self._limits = limits
        self._room = _Rules(limits)
        self._rules = _Rules(rules)
        self._tile_rules = {v.name: _Rules(c for c in rules if v.symbol in symbols[c] <= _walked(self.tiles, v.name)) for v in self.tiles}
        self._share_rules = _Rules(c for c in rules if not symbols[c] <= tiles and c.origin.family != CORE_COUNT)
        self._domains = tuple((v.name, v.symbol.domain) for v in ordered)
        self._uppers = {v.name: compile_program((v.upper,)) for v in ordered}
        self._cores = compile_program((maximum(1, *(p.block_dim for p in problem.phases)),))
        self._shared_out = frozenset(n.name for p in problem.phases for n in topological(p.block_dim) if isinstance(n, Sym))
        self.shared_tiles = tuple(v for v in self.tiles if self.decides_cores(v))
        """Tiles that decide the cores."""
        self._time = compile_program((problem.objective,))
        self._problem = problem

    def upper(self, var: Var) -> int:
        """The variable's bound for the current values of the others, on its grid."""
        lo, hi, step = var.symbol.domain
        bound = min(hi, self.extent(var))
        return max(lo, bound // step * step)

    def extent(self, var: Var) -> int:
        """What the variable cuts into pieces, for the current values of the others: elements of a whole axis, or tiles."""
        return int(self._uppers[var.name].run(self.values)[0])

    def drop_second_buffers(self) -> bool:
        """Gives every queue as few buffers as it may have; whether that changes anything."""
        fewest = {v.name: v.symbol.lo for v in self.buffers}
        changed = any(self.values[name] != number for name, number in fewest.items())
        self.values.update(fewest)
        return changed

    def fits(self) -> bool:
        """Whether UB and all other limits of the tiles alone hold."""
        self.evaluations += 1
        return self._room.hold(self.values)

    def broken(self) -> Callable[[], bool]:
        """Whether the limits of the tiles that do not hold now do at later values."""
        rules = [rule for limit in self._limits if not (rule := _Rules((limit,))).hold(self.values)]
        return lambda: all(rule.hold(self.values) for rule in rules)

    def regular(self, var: Var) -> bool:
        """Whether the rules on a tile and those before it hold: alignment, divisors, listed values."""
        return self._tile_rules[var.name].hold(self.values)

    def shares(self) -> bool:
        """Whether the rules on shares of a core hold, cores apart."""
        return self._share_rules.hold(self.values)

    def legal(self) -> bool:
        """Whether every rule holds and every value is in its domain: outside it the problem's expressions mean nothing."""
        return self._in_domains() and self._room.hold(self.values) and self._rules.hold(self.values)

    def _in_domains(self) -> bool:
        return all(lo <= self.values[name] <= hi and self.values[name] % step == 0 for name, (lo, hi, step) in self._domains)

    def fills(self, share_ppm: int) -> bool:
        """Whether more than a share of UB is in use, rounded up to bytes."""
        return any(int(used.run(self.values)[0]) > -(-limit * share_ppm // PPM) for used, limit in self._use)

    def reaches_cache_line(self, var: Var) -> bool:
        """Whether the transfers of a tile alone are at least a cache line long, where the policy asks for it."""
        return not self.policy.cache_line or self.values[var.name] >= int(self._cache_lines[var.name].run(self.values)[0])

    def decides_cores(self, var: Var) -> bool:
        """Whether the number of cores depends on a tile."""
        return var.name in self._shared_out

    @cached_property
    def _fractional(self) -> Fractional:
        return Fractional(self._problem)

    @cached_property
    def _use(self) -> list[tuple[Program, int]]:
        """What tells how much UB is in use, with how much there is: a walk without a trade-off never asks."""
        return [(compile_program((c.lhs,)), c.rhs.lo) for c in self._problem.constraints if isinstance(c, Leq) and _is_ub(c)]

    @cached_property
    def _cache_lines(self) -> Mapping[str, Program]:
        return {v.name: compile_program((v.cache_line_elems,)) for v in self._problem.variables}

    @property
    def work(self) -> int:
        """Tiles that cores share: as many cores can work at once."""
        return max((int(self._uppers[v.name].run(self.values)[0]) for v in self.blocks), default=1)

    @property
    def cores(self) -> int:
        """Cores in use, whole ones."""
        return int(self._cores.run(self.values)[0])

    @property
    def time(self) -> int:
        """Modelled time, ticks."""
        self.evaluations += 1
        return int(self._time.run(self.values)[0])

    @property
    def fractional_time(self) -> int:
        """Modelled time with cores that are not rounded, as the reference compares plans (att_facts §2.2), ticks."""
        self.evaluations += 1
        return self._fractional.time(self.values)

    @property
    def fractional_cores(self) -> int:
        """Cores in use by work over work per core, rounded up once at the end (att_facts §4.8)."""
        return self._fractional.cores(self.values)


class _Rules:
    """Constraints as one compiled test."""

    def __init__(self, constraints: Iterable[Constraint]) -> None:
        kept = tuple(constraints)
        self._test = compile_program((conj(*(le(e, 0) for c in kept if (e := excess(c)) is not None)),))
        self._members = tuple((c.var, frozenset(c.values)) for c in kept if isinstance(c, Member))

    def hold(self, values: Mapping[str, int]) -> bool:
        if not self._test.run(values)[0]:
            return False
        return not self._members or all(values[name] in allowed for name, allowed in self._members)


def _rank(problem: Problem, var: Var) -> int:
    short = var.rank_of_short_rows
    return short if short is not None and problem.short_rows == integer(1) else var.rank


def _orders(problem: Problem) -> tuple[Order, ...]:
    """The solving order, and the other one (rows before reduced axes or the reverse) where it differs."""
    tiles = [v for v in problem.variables if v.role is VarRole.TILE]
    usual = _order(tiles, {v.name: v.rank for v in tiles})
    short = _order(tiles, {v.name: v.rank if v.rank_of_short_rows is None else v.rank_of_short_rows for v in tiles})
    preferred = (short, usual) if problem.short_rows == integer(1) else (usual, short)
    return tuple(dict.fromkeys(preferred))


def _order(tiles: Sequence[Var], rank: Mapping[str, int]) -> Order:
    ordered = sorted(tiles, key=lambda v: rank[v.name])
    return tuple(tuple(group) for _, group in groupby(ordered, key=lambda v: rank[v.name]))


def _core_limit(problem: Problem) -> int:
    """Cores that a tiling may use; as many as there is work where nothing limits them."""
    limits = [c.rhs.lo for c in problem.constraints if isinstance(c, Leq) and c.origin.family == CORE_COUNT]
    return min(limits, default=max((p.block_dim.hi for p in problem.phases), default=1))


def _is_ub(constraint: Leq) -> bool:
    return constraint.origin.family == UB_CAPACITY


def _walked(tiles: tuple[Var, ...], last: str) -> frozenset[Sym]:
    """The tiles up to one of them, in solving order."""
    names = [v.name for v in tiles]
    return frozenset(v.symbol for v in tiles[: names.index(last) + 1])


def _symbols(constraint: Constraint, problem: Problem) -> frozenset[Sym]:
    match constraint:
        case Leq(lhs=lhs, rhs=rhs):
            roots: tuple[Expr, ...] = (lhs, rhs)
        case Divides(divisor=divisor, dividend=dividend):
            roots = (divisor, dividend)
        case Member(var=name):
            roots = tuple(v.symbol for v in problem.variables if v.name == name)
    return frozenset(n for n in topological(*roots) if isinstance(n, Sym))
