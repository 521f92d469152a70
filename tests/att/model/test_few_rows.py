"""A two-phase reduction is solved only where there are fewer rows than cores; kept axes inside the reduced one are no rows."""

from __future__ import annotations

import pytest

from att.chips import load_chip
from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.model.bind import bind
from att.model.build import build_model
from att.model.options import ModelOptions
from att.solve.base import SolveOptions, SolveStatus
from att.solve.run import run
from benchmarks.make_graphs import dynamic_graph
from schedule.generate import schedule_graph

CHIP = load_chip("ascend910b1")


def split_of(*reduced):
    sizes = (Size(name="m"), Size(name="n"))
    g = GraphBuilder("sum", {"a": sizes[0].symbol, "b": sizes[1].symbol}, sizes)
    g.store("y", g.reduce("Sum", g.load("x", ("a", "b")), *reduced))
    template = next(t for t in schedule_graph(g.build(), CHIP).templates if t.name.startswith("r_split"))
    return build_model(template, CHIP, ModelOptions())


@pytest.mark.parametrize(
    ("reduced", "shape", "is_solved"),
    [
        (("b",), {"m": 47, "n": 100_000}, True),
        (("b",), {"m": 48, "n": 100_000}, False),
        (("a",), {"m": 8192, "n": 333}, True),
        (("a", "b"), {"m": 8192, "n": 333}, True),
    ],
)
def test_rows_are_what_lies_outside_the_reduced_axis(reduced, shape, is_solved):
    problem = bind(split_of(*reduced), shape)
    assert (problem.contradiction is None) == is_solved
    if problem.contradiction is not None:
        assert "fewer rows than cores" in problem.contradiction.origin.text
        assert run(problem, "cpsat", SolveOptions()).status is SolveStatus.INFEASIBLE


def test_a_shared_row_that_is_walked_once_more_is_long():
    (template,) = (t for t in schedule_graph(dynamic_graph("softmax"), CHIP).templates if t.name.startswith("r_split"))
    model = build_model(template, CHIP, ModelOptions())
    refused, allowed = (bind(model, {"ks0": 3, "ks1": columns}).contradiction for columns in (8191, 8192))
    assert "walks a shared row once more" in refused.origin.text
    assert allowed is None
    assert bind(build_model(template, CHIP, ModelOptions(few_rows=False)), {"ks0": 3, "ks1": 99}).contradiction is None
