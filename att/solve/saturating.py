"""Interval steps on numpy rows for values that may leave int64.

`LIMIT` in the upper row means that no upper bound is known, `-LIMIT` in the lower row that no lower one is. The opposite ends stay ordinary
bounds: `LIMIT` in the lower row says "at least LIMIT". Every step here keeps both readings true.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

LIMIT: Final = 2**61
"""Two values up to it add up within int64."""

Rows = NDArray[np.int64]
Truth = NDArray[np.bool_]


def add(a: Rows, b: Rows) -> Rows:
    """Rows of a sum."""
    total = np.clip(a + b, -LIMIT, LIMIT)
    return _with_unknown(total, low=(a[0] <= -LIMIT) | (b[0] <= -LIMIT), high=(a[1] >= LIMIT) | (b[1] >= LIMIT))


def scale(factor: int, a: Rows) -> Rows:
    """Rows of a constant multiple."""
    return _product(np.full((1, 1), factor, dtype=np.int64), a if factor > 0 else a[::-1])


def multiply(a: Rows, b: Rows) -> Rows:
    """Rows of a product: the extremes of its four corners.

    A corner that lies at a saturated end is itself saturated, or exactly 0.
    """
    corners = [_product(x, y) for x in (a[:1], a[1:]) for y in (b[:1], b[1:])]
    low = np.minimum(np.minimum(corners[0], corners[1]), np.minimum(corners[2], corners[3]))
    high = np.maximum(np.maximum(corners[0], corners[1]), np.maximum(corners[2], corners[3]))
    return np.concatenate((low, high))


def quotient(exact: Rows, numerator: Rows) -> Rows:
    """Rows of a quotient whose numerator may be saturated; `exact` are the rows computed as if it were not."""
    return _with_unknown(exact, low=numerator[0] <= -LIMIT, high=numerator[1] >= LIMIT)


def is_known(a: Rows) -> Truth:
    """Where both ends of the interval are known."""
    return (a[0] > -LIMIT) & (a[1] < LIMIT)


def _product(a: Rows, b: Rows) -> Rows:
    near = np.multiply(a, b, dtype=np.float64)
    with np.errstate(over="ignore"):
        exact = a * b
    return np.where(np.abs(near) < LIMIT, exact, np.where(near > 0, LIMIT, -LIMIT))


def _with_unknown(rows: Rows, *, low: Truth, high: Truth) -> Rows:
    return np.stack((np.where(low, -LIMIT, rows[0]), np.where(high, LIMIT, rows[1])))
