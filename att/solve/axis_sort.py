"""The axis-sorting heuristic: the answer a compiler can afford at run time, and the rival of the exact solvers.

UB first, greedily: tiles in solving order (`Var.rank`), each as large as the hardware constraints allow while the later ones are at their
smallest; tiles of equal rank are cut together (symmetric split); then aligned downwards. Cores second: each block variable is halved toward
more cores while the limit holds and the modelled time does not get worse (S1 §5.3.2; att_facts.md §4.4, §4.6, §4.7). Nothing is revisited,
so the answer is rarely the optimum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from att.expr.core import Expr, Sym, mod
from att.expr.evaluate import compile_program
from att.expr.node import topological
from att.model.tiling import Constraint, Divides, Leq, Member, Problem, Tiling, Var, VarRole
from att.solve.base import SolveOptions, SolveResult, SolveStatus
from att.solve.outcome import outcome

NAME = "axis_sort"

Test = Callable[[Mapping[str, int]], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisSortSolver:
    """Heuristic; answers FEASIBLE, or TIMEOUT where it finds nothing legal."""

    name: str = NAME
    exact: bool = False

    def solve(self, problem: Problem, options: SolveOptions, hint: Tiling | None = None) -> SolveResult:
        """A legal tiling whenever the smallest tiles are legal. Options and hint do not matter: it is one fixed walk."""
        if problem.contradiction is not None:
            return outcome(NAME, SolveStatus.INFEASIBLE, note=problem.contradiction.origin.text)
        walk = _Walk(problem)
        found = walk.run()
        time = walk.time() if found else None
        effort = {"evaluations": walk.evaluations}
        if not found:
            return outcome(NAME, SolveStatus.TIMEOUT, effort=effort, note="no legal tiling at the smallest tiles")
        return outcome(NAME, SolveStatus.FEASIBLE, tiling=walk.values, time=time, effort=effort)


class _Walk:
    """One walk over the variables; `values` is the tiling so far."""

    def __init__(self, problem: Problem) -> None:
        ordered = sorted(problem.variables, key=lambda v: v.rank)
        self.tiles = [v for v in ordered if v.role is VarRole.TILE]
        self.blocks = [v for v in ordered if v.role is VarRole.BLOCK]
        symbols = {c: _symbols(c, problem) for c in problem.constraints}
        tiles = frozenset(v.symbol for v in self.tiles)
        self.fits = _test(c for c in problem.constraints if isinstance(c, Leq) and symbols[c] <= tiles)
        self.legal = _test(problem.constraints)
        self.shared = _test(c for c in problem.constraints if not symbols[c] <= tiles)
        self.aligned = {
            v.name: _test(c for c in problem.constraints if not isinstance(c, Leq) and v.symbol in symbols[c] <= _walked(self.tiles, v))
            for v in self.tiles
        }
        self.objective = compile_program((problem.objective,))
        self.uppers = {v.name: compile_program((v.upper,)) for v in ordered}
        self.values: dict[str, int] = {v.name: v.symbol.lo for v in ordered}
        self.evaluations = 0

    def run(self) -> bool:
        """Whether a legal tiling was found."""
        smallest = {v.name: self._smallest(v) for v in self.tiles}
        self.values |= smallest
        if self.fits(self.values):
            for _, group in groupby(self.tiles, key=lambda v: v.rank):
                self._enlarge(list(group))
            self._share()
        if not self.legal(self.values):
            self.values |= smallest
            self._share()
        return self.legal(self.values)

    def time(self) -> int:
        """Modelled time of the tiling, ticks."""
        self.evaluations += 1
        return int(self.objective.run(self.values)[0])

    def _smallest(self, var: Var) -> int:
        """Smallest value that the rules on the variable and those before it allow, or its lower bound."""
        lo, hi, step = var.symbol.domain
        for value in range(lo, hi + 1, step):
            self.values[var.name] = value
            if self.aligned[var.name](self.values):
                return value
        return lo

    def _upper(self, var: Var) -> int:
        """The variable's bound for the current values of the others, on its grid."""
        lo, hi, step = var.symbol.domain
        bound = min(hi, int(self.uppers[var.name].run(self.values)[0]))
        return max(lo, bound // step * step)

    def _enlarge(self, group: Sequence[Var]) -> None:
        """Tiles of one rank: first all alike, then each alone, then aligned."""
        uppers = {v.name: self._upper(v) for v in group}
        if len(group) > 1:
            start, end = max(self.values[v.name] for v in group), min(uppers.values())
            common = self._largest(start, end, max(v.symbol.multiple for v in group), [v.name for v in group])
            self.values |= {v.name: common for v in group}
        for var in group:
            self.values[var.name] = self._largest(self.values[var.name], uppers[var.name], var.symbol.multiple, [var.name])
        for var in group:
            self._align(var)

    def _largest(self, lo: int, hi: int, step: int, names: Sequence[str]) -> int:
        """Largest value of the variables together that the hardware allows, by bisection from the top; `lo` if nothing above fits."""
        if hi > lo and self._fits_at(names, hi):
            return hi
        first, last = lo // step, hi // step
        while last - first > 1:
            middle = (first + last) // 2
            if self._fits_at(names, middle * step):
                first = middle
            else:
                last = middle
        return max(lo, first * step)

    def _fits_at(self, names: Sequence[str], value: int) -> bool:
        self.evaluations += 1
        return self.fits({**self.values, **dict.fromkeys(names, value)})

    def _align(self, var: Var) -> None:
        """The next smaller value that the rules allow."""
        lo, _, step = var.symbol.domain
        value = self.values[var.name]
        while value > lo and not self.aligned[var.name](self.values):
            value -= step
            self.values[var.name] = value

    def _share(self) -> None:
        """Cores: every block variable from one core's worth of work downwards, later variables first."""
        for var in self.blocks:
            self.values[var.name] = self._upper(var)
        for var in reversed(self.blocks):
            self._halve(var)

    def _halve(self, var: Var) -> None:
        """Halves the share of a core toward more cores; a step that breaks a rule or costs time is taken back (att_facts.md §4.6)."""
        step = var.symbol.multiple
        boundary, value, time = var.symbol.lo, self.values[var.name], self.time()
        while boundary < value:
            middle = -(-(boundary + value) // 2 // step) * step
            if middle >= value:
                middle = boundary
            self.values[var.name] = middle
            better = self.time() if self.shared(self.values) else None
            if better is not None and better <= time:
                value, time = middle, better
            elif middle == boundary:
                break
            else:
                boundary = middle
        self.values[var.name] = value


def _walked(tiles: Sequence[Var], last: Var) -> frozenset[Sym]:
    """The tiles up to one of them, in solving order."""
    return frozenset(v.symbol for v in tiles[: tiles.index(last) + 1])


def _symbols(constraint: Constraint, problem: Problem) -> frozenset[Sym]:
    match constraint:
        case Leq(lhs=lhs, rhs=rhs):
            roots: tuple[Expr, ...] = (lhs, rhs)
        case Divides(divisor=divisor, dividend=dividend):
            roots = (divisor, dividend)
        case Member(var=name):
            roots = tuple(v.symbol for v in problem.variables if v.name == name)
    return frozenset(n for n in topological(*roots) if isinstance(n, Sym))


def _test(constraints: Iterable[Constraint]) -> Test:
    """Whether all the constraints hold, as one compiled function."""
    kept = tuple(constraints)
    excess = tuple(e for c in kept if (e := _excess(c)) is not None)
    members = tuple((c.var, frozenset(c.values)) for c in kept if isinstance(c, Member))
    program = compile_program(excess)
    return lambda values: all(v <= 0 for v in program.run(values)) and all(values[name] in allowed for name, allowed in members)


def _excess(constraint: Constraint) -> Expr | None:
    """At most 0 exactly where the constraint holds."""
    match constraint:
        case Leq(lhs=lhs, rhs=rhs):
            return lhs - rhs
        case Divides(divisor=divisor, dividend=dividend):
            return mod(dividend, divisor)
        case Member():
            return None
