"""Every range rule against all values of small ranges."""

from __future__ import annotations

from itertools import product

import pytest

from att.expr import ranges
from att.expr.ranges import Range


def _values(r: Range) -> list[int]:
    return list(range(r.lo, r.hi + 1, r.multiple or 1))


SMALL = [
    ranges.domain(lo, hi, step) for lo in range(-5, 5) for hi in range(lo, 7) for step in (1, 2, 3) if ranges.domain(lo, hi, step).lo <= hi
]
SMALL = [r for r in dict.fromkeys(SMALL) if r.lo <= r.hi]
POSITIVE = [r for r in SMALL if r.lo >= 1]

RULES = {
    "sum": (lambda a, b: ranges.sum_of([a, b]), lambda x, y: x + y, SMALL),
    "product": (lambda a, b: ranges.product_of([a, b]), lambda x, y: x * y, SMALL),
    "smallest": (lambda a, b: ranges.smallest_of([a, b]), min, SMALL),
    "largest": (lambda a, b: ranges.largest_of([a, b]), max, SMALL),
    "floor": (ranges.floor_quotient, lambda x, y: x // y, POSITIVE),
    "ceil": (ranges.ceil_quotient, lambda x, y: -(-x // y), POSITIVE),
    "remainder": (ranges.remainder, lambda x, y: x % y, POSITIVE),
}
LOOSE = {"remainder"}
"""Rules whose bounds are not always reached."""


@pytest.mark.parametrize("name", RULES)
def test_rule_is_sound_and_tight(name):
    rule, operation, rights = RULES[name]
    for a, b in product(SMALL, rights):
        found = rule(a, b)
        values = {operation(x, y) for x, y in product(_values(a), _values(b))}
        assert found.lo <= min(values) <= max(values) <= found.hi, (a, b, found)
        assert all(v % found.multiple == 0 if found.multiple else v == 0 for v in values), (a, b, found)
        assert all(bound % found.multiple == 0 if found.multiple else bound == 0 for bound in found[:2]), (a, b, found)
        if name not in LOOSE:
            assert (found.lo, found.hi) == (min(values), max(values)), (a, b, found)


def test_remainder_is_tight_for_a_constant_divisor_and_consecutive_values():
    for n, d in product([r for r in SMALL if r.multiple == 1], range(1, 8)):
        values = [x % d for x in _values(n)]
        found = ranges.remainder(n, ranges.exactly(d))
        if n.lo // d == n.hi // d:
            assert (found.lo, found.hi) == (min(values), max(values))


def test_either_and_table_entries():
    assert ranges.either(Range(2, 8, 2), Range(-3, 9, 3)) == Range(-3, 9, 1)
    assert ranges.table_entries((7, 4, 8, 16, 3), Range(1, 3, 1)) == Range(4, 16, 4)
    assert ranges.exactly(-6) == Range(-6, -6, 6)
    assert ranges.domain(1, 100, 16) == Range(16, 96, 16)
