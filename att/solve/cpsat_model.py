"""A bound problem stated for CP-SAT: the model, its objective, and what identifies a tiling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ortools.sat.python.cp_model import CpModel

from att.errors import ModelError
from att.expr.core import CeilDiv, Expr, Int, Mul, Sym
from att.expr.node import topological
from att.model.intervals import Knowledge, range_of
from att.model.tiling import Constraint, Divides, Leq, Problem, Tiling, Var, VarRole
from att.ops.call import Pipe
from att.solve.bounds import bounds_under, constraint_caps, largest_least
from att.solve.factored import factored
from att.solve.literals import Linear
from att.solve.lowering import MAX_MAGNITUDE, Lowering
from att.solve.relaxation import relaxed_time

_MAX_DIGITS = 2**60
"""Largest number that combined tie-break digits may reach."""


_FEW_VALUES = 16
"""A tile that no core count depends on is decided first if it has so many times fewer values.

Measured: 24 % less work of CP-SAT than by names, 25 % less than with the fewest values first, on the 45 slowest problems.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Technique:
    """What the backend does beyond stating the model; each part can be switched off to measure it."""

    cap: bool = True
    """Bound every node by the best known time."""
    hint: bool = True
    """Start from the best known tiling. Measured: 11 % less processor time over the 141 benchmark problems, 23 % less at p95.

    With a hint, presolve of 9.15 has called a feasible model infeasible: where presolve runs, there is none.
    """
    work_cuts: bool = True
    """State `n <= c*d` beside `ceil(n/d) <= c`."""
    work_bound: bool = True
    """State that the makespan is not below `att.solve.relaxation.relaxed_time`."""
    factored: bool = True
    """State the makespan with common factors drawn out (`att.solve.factored`)."""
    tiles_first: bool = True
    """Branch on the tiles before the shares of a core (`branching_order`), upper halves first; everything else follows."""
    linearization_level: int = 0
    probing_level: int = 0
    presolve_iterations: int = 1
    presolve_from: int | None = None
    """Number of CP-SAT variables from which presolve runs; None: never. It is slow on domains of a few hundred values."""


FULL: Final = Technique()
LEAN: Final = Technique(work_bound=False)
"""Without the work bound: fewer nodes, quicker on easy problems, up to a hundred times slower on hard ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """A CpModel with the names it needs."""

    model: CpModel
    objective: Linear
    lower_bound: int
    """No tiling is faster by intervals alone, ticks."""
    tiling: Mapping[str, Linear]
    """Value of each variable of the problem."""
    size: int
    """Number of integer variables in the model."""
    ties: tuple[tuple[Linear, int, int], ...]
    """Tie-break expressions that are still open, with their bounds."""


def state(problem: Problem, ceiling: int | None, hint: Tiling | None, technique: Technique) -> Stated | None:
    """The problem for CP-SAT; None if intervals show that no tiling takes `ceiling` ticks or less.

    Raises ModelError for what CP-SAT cannot hold.
    """
    for bound in _work_bounds(problem) if technique.work_bound else ():
        try:
            return _stated(problem, ceiling, hint, technique, bound)
        except ModelError:
            pass  # the bound's numbers may be larger than the problem's own
    return _stated(problem, ceiling, hint, technique, None)


def _work_bounds(problem: Problem) -> Iterator[Expr]:
    """The work bound; where its numbers are too large, what one pipe says alone, the slowest by intervals first."""
    whole = relaxed_time(problem)
    if whole is not None:
        yield whole
        parts = [part for pipe in Pipe if (part := relaxed_time(problem, pipe)) is not None]
        yield from sorted(parts, key=lambda part: -largest_least(problem, (part,)))


def _stated(problem: Problem, ceiling: int | None, hint: Tiling | None, technique: Technique, bound: Expr | None) -> Stated | None:
    time = factored(problem.objective) if technique.factored else problem.objective
    roots = tuple(dict.fromkeys((time, *problem.tie_break, *(v.symbol for v in problem.variables))))
    times = (time,) if bound is None else (time, bound)
    caps = dict.fromkeys(times, ceiling) if technique.cap and ceiling is not None else {}
    known = bounds_under(roots, constraint_caps(problem) | caps)
    if known is None:
        return None
    lowering = Lowering(_Model(), {v.name: v.symbol for v in problem.variables}, known)
    tiling = {v.name: lowering.linear(v.symbol) for v in sorted(problem.variables, key=lambda v: v.name)}
    for constraint in problem.constraints:
        lowering.require(constraint)
        if technique.work_cuts:
            _add_work_cut(lowering, constraint)
    objective = lowering.linear(time)
    if ceiling is not None and ceiling <= MAX_MAGNITUDE:
        lowering.model.add(objective <= ceiling)
    if bound is not None:
        lowering.model.add(lowering.linear(bound) <= objective)
    if hint is not None and technique.hint:
        lowering.add_hint(hint)
    if technique.tiles_first:
        lowering.branch_on(branching_order(problem, known))
    refusal = lowering.model.validate()
    if refusal:
        raise ModelError(f"CP-SAT refuses the model: {refusal.splitlines()[0]}", hint="use the solver enumerate")
    return Stated(
        model=lowering.model,
        objective=objective,
        lower_bound=max(range_of(e, known).lo for e in times),
        size=lowering.size,
        tiling=tiling,
        ties=tuple((lowering.linear(e), *range_of(e, known)[:2]) for e in _open_ties(problem.tie_break, known)),
    )


class _Model(CpModel):
    """Without methods by their names of old, which the library makes anew for every model: 0.3 ms each time, measured with 9.15."""

    def _add_pre_pep8_methods(self) -> None:
        pass


def branching_order(problem: Problem, known: Knowledge) -> list[Var]:
    """Tiles of axes that are shared among cores, then other tiles, then shares of a core; a tile with few values comes earlier."""
    shared = set(topological(*(phase.block_dim for phase in problem.phases)))
    steps = {c.dividend: max(1, c.divisor.hi) for c in problem.constraints if isinstance(c, Divides)}

    def key(var: Var) -> tuple[bool, int, str]:
        lo, hi, step = range_of(var.symbol, known)
        values = (hi - lo) // max(1, step, steps.get(var.symbol, 1)) + 1
        return var.role is not VarRole.TILE, values if var.symbol in shared else values * _FEW_VALUES, var.name

    return sorted(problem.variables, key=key)


def _add_work_cut(lowering: Lowering, constraint: Constraint) -> None:
    """`ceil(n/d) <= c` says `n <= c*d`: the work fits into c shares. Linear where n is, and known to help (cpsat_practice, design §4)."""
    match constraint:
        case Leq(lhs=CeilDiv(n, d), rhs=Int(c)):
            lowering.model.add(lowering.linear(n) <= c * lowering.linear(d))
        case _:
            pass


def _open_ties(ties: Sequence[Expr], known: Knowledge) -> Iterator[Expr]:
    """Tie-break expressions that are not decided by the bounds or by those before them."""
    decided: set[Expr] = set()
    for expr in ties:
        lo, hi, _ = range_of(expr, known)
        key = _without_sign(expr)
        if lo < hi and key not in decided:
            decided.add(key)
            yield expr


def _without_sign(expr: Expr) -> Expr:
    match expr:
        case Mul((Int(-1), Sym() as symbol)):
            return symbol
        case _:
            return expr


def lexicographic_groups(stated: Stated) -> Iterator[Linear]:
    """The tie-break expressions as few numbers: each a run of expressions as its digits, the first one leading."""
    total: Linear = 0
    width = 1
    for value, lo, hi in stated.ties:
        digits = hi - lo + 1
        if width > 1 and width * digits > _MAX_DIGITS:
            yield total
            total, width = 0, 1
        total, width = total * digits + (value - lo), width * digits
    if width > 1:
        yield total
