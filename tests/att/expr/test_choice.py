"""Extremes, choices and tables: what cannot win is dropped, what is decided is not asked, an index stays inside its table."""

from __future__ import annotations

import pytest

from att.errors import ModelError
from att.expr.choice import lookup, maximum, minimum, where
from att.expr.compare import le
from att.expr.core import symbol

A = symbol("a", 1, 100)
B = symbol("b", 1, 64)


def test_what_cannot_be_the_extreme_is_dropped():
    assert maximum(A, B, 0) is maximum(A, B)
    assert maximum(A, A + 100) is A + 100, "101 is the least that the second can be"
    assert minimum(A, 100, B) is minimum(A, B), "none is above 100"
    assert maximum(maximum(A, B), A) is maximum(A, B)


def test_decided_condition_leaves_one_branch():
    assert where(le(A, 100), A, B) is A
    assert where(le(101, A), A, B) is B
    assert where(le(A, B), A, A) is A


def test_index_that_can_leave_the_table_is_refused():
    with pytest.raises(ModelError, match=r"ranges over 1\.\.100, the table has 3 entries"):
        lookup([1, 2, 3], A)
    with pytest.raises(ModelError, match=r"ranges over -1\.\.1"):
        lookup([1, 2, 3], minimum(A, 3) - 2)
