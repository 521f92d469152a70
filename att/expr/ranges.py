"""Interval and divisibility arithmetic: what is known of a result from what is known of its operands.

A range says `lo <= value <= hi` and `value % multiple == 0` (`multiple` 0: the value is 0); `lo` and `hi` are multiples of `multiple`
too. The rules are sound but not always tight: an operand that occurs twice counts as two independent ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd
from typing import NamedTuple


class Range(NamedTuple):
    """Closed interval and known divisor of an integer."""

    lo: int
    hi: int
    multiple: int


def domain(lo: int, hi: int, multiple: int) -> Range:
    """The multiples of `multiple` (at least 1) in `lo..hi`; empty (`lo > hi`) if there is none."""
    return Range(-(-lo // multiple) * multiple, hi // multiple * multiple, multiple)


def exactly(value: int) -> Range:
    """The range of a constant."""
    return Range(value, value, abs(value))


def sum_of(ranges: Iterable[Range]) -> Range:
    """Range of a sum."""
    lo = hi = multiple = 0
    for r in ranges:
        lo, hi, multiple = lo + r[0], hi + r[1], gcd(multiple, r[2])
    return Range(lo, hi, multiple)


def product_of(ranges: Iterable[Range]) -> Range:
    """Range of a product."""
    lo = hi = multiple = 1
    for rlo, rhi, rmultiple in ranges:
        if lo >= 0 and rlo >= 0:
            lo, hi = lo * rlo, hi * rhi
        else:
            corners = (lo * rlo, lo * rhi, hi * rlo, hi * rhi)
            lo, hi = min(corners), max(corners)
        multiple *= rmultiple
    return Range(lo, hi, multiple)


def floor_quotient(n: Range, d: Range) -> Range:
    """Range of `n // d` for `d >= 1`."""
    lo = n.lo // (d.hi if n.lo >= 0 else d.lo)
    hi = n.hi // (d.lo if n.hi >= 0 else d.hi)
    return Range(lo, hi, _exact_multiple(n, d))


def ceil_quotient(n: Range, d: Range) -> Range:
    """Range of the quotient rounded up, for `d >= 1`."""
    lo = -(-n.lo // (d.hi if n.lo >= 0 else d.lo))
    hi = -(-n.hi // (d.lo if n.hi >= 0 else d.hi))
    return Range(lo, hi, _exact_multiple(n, d))


def _exact_multiple(n: Range, d: Range) -> int:
    return n.multiple // d.lo if d.lo == d.hi and n.multiple % d.lo == 0 else 1


def remainder(n: Range, d: Range) -> Range:
    """Range of `n % d` for `d >= 1`."""
    step = gcd(n.multiple, d.multiple)
    if d.lo == d.hi and n.lo // d.lo == n.hi // d.lo:
        return Range(n.lo % d.lo, n.hi % d.lo, step)
    hi = (d.hi - 1) // step * step
    return Range(0, hi if n.lo < 0 else min(hi, n.hi), step)


def smallest_of(ranges: Iterable[Range]) -> Range:
    """Range of a minimum."""
    los, his, multiples = zip(*ranges, strict=True)
    return Range(min(los), min(his), gcd(*multiples))


def largest_of(ranges: Iterable[Range]) -> Range:
    """Range of a maximum."""
    los, his, multiples = zip(*ranges, strict=True)
    return Range(max(los), max(his), gcd(*multiples))


def either(a: Range, b: Range) -> Range:
    """Range of one of two values."""
    return Range(min(a.lo, b.lo), max(a.hi, b.hi), gcd(a.multiple, b.multiple))


def table_entries(table: tuple[int, ...], index: Range) -> Range:
    """Range of the entries that an index may select."""
    reachable = table[index.lo : index.hi + 1]
    return Range(min(reachable), max(reachable), gcd(*reachable))
