"""Which tilings of a case intervals leave: boxes of them, thousands at a time, are dropped or cut in two until they are small.

A box is dropped only where bounds show that no tiling in it is legal and fast enough; how it is cut affects speed alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from att.errors import ModelError
from att.expr.compare import lt
from att.expr.core import Expr, Sym
from att.expr.ranges import Range
from att.expr.spans import EXACT, Array, Bounding, Span
from att.verify.cases import Case, Faster
from att.verify.coordinates import coordinates_of

_AT_ONCE: Final = 4096
"""Boxes judged at once: enough to hide numpy's time a call, few enough to stay in cache."""

_MOST: Final = 16_384
"""With more boxes than that the sieve stops: measured, no optimum of the benchmark set leaves a tenth of it at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sieved:
    """What is left of a case."""

    small: tuple[Case, ...]
    """Parts of at most the wanted width, with the cores of every phase held."""
    large: tuple[Case, ...]
    """Parts that were too many to go on with."""
    judged: int
    """How many boxes were looked at."""
    dropped: int
    """How many of them have no tiling that is legal and fast enough."""


def sieve(claim: Faster, case: Case, width: int) -> Sieved:
    """The parts of a case that intervals do not refute, cut to at most `width` binary digits each.

    Raises ModelError for a node kind it does not know, or a variable that can be 2^53 or more.
    """
    judge = _Judge(claim, case)
    boxes = judge.whole()
    small: list[Case] = []
    judged = dropped = 0
    while 0 < len(boxes.lo) <= _MOST:
        kept = _joined([judge.kept(part) for part in boxes.parts()])
        judged += len(boxes.lo)
        dropped += len(boxes.lo) - len(kept.lo)
        done = judge.are_small(kept, width)
        small += judge.cases(kept.at(done))
        boxes = judge.cut(kept.at(~done))
    return Sieved(small=tuple(small), large=tuple(judge.cases(boxes)), judged=judged, dropped=dropped)


@dataclass(frozen=True, slots=True)
class _Boxes:
    """Boxes, one a row, with a column for each coordinate."""

    lo: Array
    hi: Array

    def at(self, rows: Array) -> _Boxes:
        return _Boxes(self.lo[rows], self.hi[rows])

    def parts(self) -> Iterator[_Boxes]:
        return (self.at(np.arange(i, min(i + _AT_ONCE, len(self.lo)))) for i in range(0, len(self.lo), _AT_ONCE))


def _joined(parts: Sequence[_Boxes]) -> _Boxes:
    return _Boxes(np.concatenate([p.lo for p in parts]), np.concatenate([p.hi for p in parts]))


class _Judge:
    """Judges and cuts the boxes of one case."""

    def __init__(self, claim: Faster, case: Case) -> None:
        self.case = case
        self.coordinates = coordinates_of(claim, case)
        self.open = self.coordinates.open
        self.column = {c: i for i, c in enumerate(self.open)}
        self.steps = np.array([max(1, c.multiple) for c in self.open], dtype=float)
        self.is_share = np.array([c in self.coordinates.shares for c in self.open], dtype=bool)
        self.is_cores = np.array([c in self.coordinates.cores for c in self.open], dtype=bool)
        amounts = {self.coordinates.variables[s]: amount for s, amount in claim.counted.items()}
        self.amounts = np.array([amounts.get(c, 0) for c in self.open], dtype=float)
        self.rules = [(self.column[r.coordinate], r, Bounding((r.least, r.most))) for r in self.coordinates.rules]
        fast = lt(self.coordinates.ticks, claim.ticks)
        self.stages = [(conds, Bounding(conds)) for conds in (self.coordinates.legal, (fast,))]

    def whole(self) -> _Boxes:
        """One box that is the case. Raises ModelError for a coordinate that no double holds exactly."""
        for c in self.open:
            if max(abs(c.lo), abs(c.hi)) >= EXACT:
                raise ModelError(f"variable {c.name} can be {c.lo}..{c.hi}, proofs need less than 2^53", hint="give sizes a smaller range")
        return _Boxes(np.array([[c.lo for c in self.open]], dtype=float), np.array([[c.hi for c in self.open]], dtype=float))

    def kept(self, boxes: _Boxes) -> _Boxes:
        """The boxes that may hold a tiling as claimed, made narrower by the rules."""
        for column, rule, bounding in self.rules:
            spans = bounding(self._spans(boxes)).exprs
            lo, hi, step = boxes.lo.copy(), boxes.hi.copy(), self.steps[column]
            lo[:, column] = np.maximum(lo[:, column], np.ceil(spans[rule.least].lo / step) * step)
            hi[:, column] = np.minimum(hi[:, column], np.floor(spans[rule.most].hi / step) * step)
            boxes = _Boxes(lo, hi).at(lo[:, column] <= hi[:, column])
        for conds, bounding in self.stages:
            truths = bounding(self._spans(boxes)).conds
            possible = np.ones(len(boxes.lo), dtype=bool)
            for cond in conds:
                possible &= truths[cond].may_hold
            boxes = boxes.at(possible)
        return boxes

    def _spans(self, boxes: _Boxes) -> dict[Sym, Span]:
        return {c: Span(boxes.lo[:, i], boxes.hi[:, i]) for c, i in self.column.items()}

    def are_small(self, boxes: _Boxes, width: int) -> Array:
        """Whether each box has at most so many binary digits between its tiles and shares, and its cores held."""
        digits = np.frexp((boxes.hi - boxes.lo) / self.steps)[1]
        return (digits[:, ~self.is_cores].sum(axis=1) <= width) & (digits[:, self.is_cores] == 0).all(axis=1)

    def cases(self, boxes: _Boxes) -> Iterator[Case]:
        """The boxes as cases."""
        for lo, hi in zip(boxes.lo, boxes.hi, strict=True):
            ranges: dict[Expr | None, Range] = {c: Range(int(lo[i]), int(hi[i]), max(1, c.multiple)) for c, i in self.column.items()}
            domains = {s: ranges.get(c, self.case.domains[s]) for s, c in self.coordinates.variables.items()}
            cores = tuple(ranges.get(c, held) for c, held in zip(self.coordinates.cores, self.case.cores, strict=True))
            yield Case(domains=domains, cores=cores)

    def cut(self, boxes: _Boxes) -> _Boxes:
        """Every box as two, along the coordinate whose ends differ by the largest factor; a share only where nothing else is open."""
        if not len(boxes.lo):
            return boxes
        factors = np.where(boxes.lo < boxes.hi, np.maximum(boxes.hi, 1) / np.maximum(boxes.lo, 1), 0)
        others = (factors * ~self.is_share).any(axis=1)
        factors[others] *= ~self.is_share
        rows, columns = np.arange(len(factors)), factors.argmax(axis=1)
        start = self._starts(boxes.lo[rows, columns], boxes.hi[rows, columns], columns)
        lo, hi = boxes.lo.copy(), boxes.hi.copy()
        lo[rows, columns], hi[rows, columns] = start, start - self.steps[columns]
        return _Boxes(np.concatenate([boxes.lo, lo]), np.concatenate([hi, boxes.hi]))

    def _starts(self, lo: Array, hi: Array, columns: Array) -> Array:
        """Where upper halves start: near the geometric mean, where `ceil(amount/t)` changes if it does so inside."""
        step, amount = self.steps[columns], self.amounts[columns]
        mean = np.floor(np.sqrt(np.maximum(lo, 1) * np.maximum(hi, 1))) + 1
        count = np.maximum(1, np.ceil(amount / mean))
        here, after = np.ceil(amount / count), np.ceil(amount / np.maximum(1, count - 1))
        inside = [(lo < point) & (point <= hi) for point in (here, after)]
        start = np.ceil(np.select(inside, [here, after], mean) / step) * step
        return np.minimum(np.maximum(start, lo + step), hi)
