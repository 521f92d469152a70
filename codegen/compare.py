"""Whether the outputs of a kernel are the reference's, within the bounds that the ops allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from att.ir.dtype import DType
from codegen.bounds import ulp_of

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputError:
    """How one output differs."""

    name: str
    elems: int
    wrong: int
    """Elements beyond their bound, those that should have been written but were not included."""
    max_error: float
    max_ulps: float
    """The largest error in ulps of the output's type; 0 for integers."""
    first_wrong: str
    """`[17] is 0.5, expected 0.25, allowed are 1e-07`, or empty."""

    @property
    def ok(self) -> bool:
        """Whether every element is within its bound."""
        return self.wrong == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What one output should be."""

    name: str
    dtype: DType
    values: Array
    bounds: Array
    """Largest allowed difference of each element."""
    written: Array
    """Elements that the kernel must write."""


def compare_output(expected: Expected, actual: Array) -> OutputError:
    """The differences of one output, over the elements that are written."""
    place = np.flatnonzero(expected.written)
    want = expected.values[place].astype(np.float64)
    with np.errstate(invalid="ignore"):  # what a wrong kernel left may be no number
        got = actual[place].astype(np.float64)
    bounds = expected.bounds[place]
    with np.errstate(invalid="ignore", over="ignore"):
        same = (want == got) | (np.isnan(want) & np.isnan(got))
        error = np.where(same, 0.0, np.abs(want - got))
    error = np.where(np.isnan(error), np.inf, error)
    wrong = np.flatnonzero(error > bounds)
    return OutputError(
        name=expected.name,
        elems=int(place.size),
        wrong=int(wrong.size),
        max_error=float(error.max(initial=0.0)),
        max_ulps=_ulps(error, want, expected.dtype),
        first_wrong=_first(wrong, place, want, got, bounds),
    )


def _ulps(error: Array, want: Array, dtype: DType) -> float:
    if not dtype.is_float or not error.size:
        return 0.0
    spacing = ulp_of(want, dtype)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(error > 0, error / spacing, 0.0)
    return float(ratio.max())


def _first(wrong: Array, place: Array, want: Array, got: Array, bounds: Array) -> str:
    if not wrong.size:
        return ""
    i = int(wrong[0])
    return f"[{int(place[i])}] is {got[i]:.9g}, expected {want[i]:.9g}, allowed is a difference of {bounds[i]:.3g}"


def compare_outputs(expected: Sequence[Expected], actual: Sequence[Array]) -> tuple[OutputError, ...]:
    """The differences of all outputs, in order."""
    return tuple(compare_output(e, a) for e, a in zip(expected, actual, strict=True))
