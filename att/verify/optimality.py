"""Whether no tiling of a template is faster than a time: intervals drop what cannot be, and z3 decides on the little that they leave.

The claim is read from the model that is not bound, so neither binding nor any solver can have spoiled it. Trusted are z3 itself, the
simplifications and intervals of `att.expr`, and the cutting into cases here and in the files `cases`, `coordinates`, `sieve` and `posing`:
every cut covers its case, and what a case is simplified by follows from what it holds. Ends and steps of the bound problem are taken over
only where z3 confirms them. Not trusted is a tiling that z3 finds: check and evaluation have the last word on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise, product
from math import lcm
from time import monotonic

from att.errors import BackendBug
from att.expr.compare import eq, le, lt
from att.expr.core import Sym, mod
from att.expr.logic import Cond, negate
from att.expr.ranges import Range
from att.model.check import check
from att.model.evaluate import evaluate
from att.model.tiling import Problem, Tiling
from att.verify.cases import Case, Faster, faster_than
from att.verify.posing import pose
from att.verify.prove import Answer, Judge, Limits
from att.verify.sieve import sieve

_UNITS = 5_000
"""z3 resource units after which a case is cut instead, about 5 ms. Less cuts too often, more waits too long (benchmark set)."""

_UNITS_AT_FIRST = 10 * _UNITS
"""The same for the ends and steps of variables, of which there are few."""

_UNITS_AT_LAST = 400 * _UNITS
"""The same where all variables are settled and cutting would not help."""

_UNITS_A_BOX = 20
"""What a box that intervals look at counts, about 20 us."""

_WIDTH = 8
"""A case of at most so many binary digits is asked of z3. Less leaves it little to confirm, more takes longer (benchmark set)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What became of the claim that a faster tiling exists."""

    faster: Tiling | None
    """A legal tiling that is faster, checked and evaluated without z3."""
    open: tuple[Case, ...]
    """Cases that the limit left undecided."""
    effort: Mapping[str, int]
    """How many cases intervals and z3 settled, and the work in units of z3's resources."""


def search_faster(problem: Problem, ticks: int | None, limits: Limits) -> Search:
    """Looks for a legal tiling below `ticks` (None: of any time) until there is one, or none can be, or a limit is reached.

    Raises BackendBug if z3 finds a tiling that check or evaluation refute, ModelError for a model that has no z3 form.
    """
    return _Search(problem, faster_than(problem.source, problem.shape, ticks), limits).run()


class _Search:
    """One search."""

    def __init__(self, problem: Problem, claim: Faster, limits: Limits) -> None:
        self.problem = problem
        self.claim = claim
        self.limits = limits
        self.judge = Judge()
        self.deadline = monotonic() + limits.seconds
        self.by_intervals = 0
        self.by_z3 = 0
        self.boxes = 0

    def run(self) -> Search:
        """Sieves and asks until nothing is left; what z3 cannot tell is cut to half its digits and asked again."""
        pending = [(case, _WIDTH) for case in self._start()]
        stuck: list[Case] = []
        while pending and not self._stopped:
            case, width = pending.pop()
            if case.width > width or not self.claim.holds_cores(case):
                pending += ((part, width) for part in self._sieved(case, width))
                continue
            answer, tiling = self._decide(case)
            if tiling is not None:
                return self._result(tiling, ())
            if answer is Answer.UNKNOWN and case.width:
                pending.append((case, case.width // 2))
            elif answer is Answer.UNKNOWN:
                stuck.append(case)
        return self._result(None, (*stuck, *(case for case, _ in reversed(pending))))

    def _sieved(self, case: Case, width: int) -> tuple[Case, ...]:
        """What intervals leave of a case; what is small enough for z3 is taken up first."""
        left = sieve(self.claim, case, width)
        self.boxes += left.judged
        self.by_intervals += left.dropped
        return (*left.large, *left.small)

    @property
    def _units(self) -> int:
        return self.judge.units + _UNITS_A_BOX * self.boxes

    @property
    def _stopped(self) -> bool:
        return self._units >= self.limits.units or monotonic() >= self.deadline

    def _decide(self, case: Case) -> tuple[Answer, Tiling | None]:
        """What is known of a case, and a faster tiling if it has one."""
        posed = pose(self.claim, case)
        if posed is None:
            self.by_intervals += 1
            return Answer.NEVER, None
        reply = self.judge.ask(posed.stages, posed.symbols, self._limits(_UNITS if case.width else _UNITS_AT_LAST))
        self.by_z3 += reply.answer is not Answer.UNKNOWN
        found = reply.answer is Answer.HOLDS
        return reply.answer, self._confirmed({**posed.numbers, **reply.values}) if found else None

    def _limits(self, units: int) -> Limits:
        return Limits(units=units, seconds=self.deadline - monotonic())

    def _confirmed(self, tiling: Tiling) -> Tiling:
        """The tiling, if it is what z3 says it is."""
        ordered = {v.name: tiling[v.name] for v in self.problem.variables}
        broken = check(self.problem, ordered)
        if broken:
            raise BackendBug(f"z3 takes {ordered} for legal: {broken[0].text}", where=self.problem.template)
        found = evaluate(self.problem, ordered).objective_ticks
        if found >= self.claim.ticks:
            raise BackendBug(f"z3 takes {ordered} for faster than {self.claim.ticks} ticks, it needs {found}", where=self.problem.template)
        return ordered

    def _start(self) -> Iterator[Case]:
        """All tilings: fixed values, else the parts of the declared domains that z3 does not show to be illegal."""
        parts = {v: list(self._parts(v)) for v in self.claim.variables}
        cores = tuple(Range(1, phase.most_cores, 1) for phase in self.claim.phases)
        for chosen in product(*parts.values()):
            yield Case(domains=dict(zip(parts, chosen, strict=True)), cores=cores)

    def _parts(self, variable: Sym) -> Iterator[Range]:
        """The domain of a variable as single values that the constraints name, such as a whole axis, and the grids between them."""
        value = self.problem.fixed.get(variable.name)
        if value is not None:
            yield Range(value, value, 1)
            return
        lo, hi = self._legal_ends(variable)
        if variable in self.claim.shares:
            yield Range(lo, hi, variable.multiple)
        else:
            named = sorted(c for c in self.claim.named_values(variable) if lo <= c <= hi)
            yield from (Range(c, c, 1) for c in named)
            grids = (self._grid(variable, a + 1, b - 1) for a, b in pairwise((lo - 1, *named, hi + 1)) if a + 1 < b)
            yield from (grid for grid in grids if grid.lo <= grid.hi)

    def _legal_ends(self, variable: Sym) -> tuple[int, int]:
        """The declared ends, or those of the bound problem where z3 confirms that nothing beyond is legal."""
        lo, hi, _ = variable.domain
        tight = next(v.symbol.domain for v in self.problem.variables if v.name == variable.name)
        if tight.lo > lo and self._never(lt(variable, tight.lo)):
            lo = tight.lo
        if tight.hi < hi and self._never(lt(tight.hi, variable)):
            hi = tight.hi
        return lo, hi

    def _grid(self, variable: Sym, lo: int, hi: int) -> Range:
        """Values between two ends, in the steps that constraints name if z3 confirms that there are no others."""
        inside = (le(lo, variable), le(variable, hi))
        named = sorted(self.claim.named_steps(variable))
        steps = [s for s in named if self._never(*inside, negate(eq(mod(variable, s), 0)))]
        step = lcm(max(1, variable.domain.multiple), *steps)
        return Range(-(-lo // step) * step, hi // step * step, step)

    def _never(self, *conditions: Cond) -> bool:
        """Whether no legal tiling satisfies all conditions."""
        stages = ((*self.claim.legal, *conditions),)
        return self.judge.ask(stages, self.claim.variables, self._limits(_UNITS_AT_FIRST)).answer is Answer.NEVER

    def _result(self, faster: Tiling | None, left: tuple[Case, ...]) -> Search:
        effort = {
            "cases_by_intervals": self.by_intervals,
            "cases_by_z3": self.by_z3,
            "questions": self.judge.questions,
            "units": self._units,
        }
        return Search(faster=faster, open=left, effort=effort)
