"""Coverage of the declared ranges against solving every shape in them."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from att.formats.load import load
from att.model.bind import bind
from att.solve.base import SolveOptions, SolveStatus
from att.solve.candidates import candidates_of, chosen, model_all
from att.solve.request import make_request
from att.solve.run import run
from att.solve.shapes import with_ranges
from att.verify.coverage import Fit, cover
from att.verify.prove import Limits

GRAPHS = Path(__file__).resolve().parents[3] / "benchmarks" / "graphs"
LIMITS = Limits(units=20_000_000, seconds=60.0)


def _models(graph, **asked):
    request = make_request(**asked)
    sized = with_ranges(load(GRAPHS / f"{graph}.dynamic.json"), request.ranges)
    return [model for _, model in model_all(chosen(candidates_of(sized, request), request), request).models]


def _unfit_shapes(model):
    """Shapes without a legal tiling, in lexicographic order, by solving each."""
    values = [range(s.symbol.lo, s.symbol.hi + 1, s.multiple_of) for s in model.sizes]
    for sizes in product(*values):
        shape = {s.name: value for s, value in zip(model.sizes, sizes, strict=True)}
        if run(bind(model, shape), "enumerate", SolveOptions()).status is SolveStatus.INFEASIBLE:
            yield shape


@pytest.mark.parametrize(
    ("graph", "ranges"),
    [
        ("softmax", {"ks0": (1, 2, 1), "ks1": (7002, 7016, 1)}),
        ("softmax", {"ks0": (1, 2, 1), "ks1": (7000, 7008, 1)}),
        ("rms_norm", {"ks0": (3, 5, 2), "ks1": (6112, 6144, 8)}),
        ("add_row", {"ks0": (1, 9, 4), "ks1": (1, 40, 13)}),
        ("amax_keep", {"ks0": (23, 49, 13), "ks1": (1, 40, 13)}),
    ],
)
def test_the_verdict_is_that_of_solving_every_shape(graph, ranges):
    for model in _models(graph, ranges=ranges):
        unfit = next(_unfit_shapes(model), None)
        found = cover(model, LIMITS)
        assert (found.fit, found.shape) == ((Fit.ALWAYS, None) if unfit is None else (Fit.NOT_ALWAYS, unfit))


def test_the_whole_declared_range_is_settled():
    (full,) = _models("softmax", template="full_load.z0")
    found = cover(full, LIMITS)
    assert (found.fit, found.shape) == (Fit.NOT_ALWAYS, {"ks0": 1, "ks1": 7009})
    assert "fit in UB" in found.text
    assert "196352 B" in found.text
    (cut,) = _models("abs")
    assert cover(cut, LIMITS).fit is Fit.ALWAYS


def test_a_limit_leaves_it_open():
    (full,) = _models("softmax", template="full_load.z0")
    found = cover(full, Limits(units=1, seconds=60.0))
    assert (found.fit, found.shape) == (Fit.UNKNOWN, None)
