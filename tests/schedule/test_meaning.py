"""Every step of every template keeps what the graph computes, whatever the tile sizes and however tiles are shared among cores.

Tile sizes divide what they cut, so that views over the cut axes are whole; shorter last tiles are walked in tests/att/ops/test_tiled.py.
What runs in phases is evaluated phase after phase through workspace.
"""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from att.chips import load_chip
from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from benchmarks.library import OPERATORS
from benchmarks.make_graphs import dynamic_graph
from schedule.generate import schedule_graph
from schedule.trace import KINDS
from tests.moves import cut, joined, joined_reduces, mean_of_16, picked, rows_picked, transposed
from tests.stepwise import Stepwise

CHIP = load_chip("ascend910b1")
LENGTHS = st.sampled_from([1, 2, 6, 8, 12, 15, 16])


def maxima_of_sums():
    """Rows that may not fit in UB; the sum of two operands is kept between walks."""
    n = Size(name="N", maximum=100_000)
    g = GraphBuilder("maxima_of_sums", {"m": 2, "n": n.symbol}, (n,))
    x = g.op("Add", g.load("x", ("m", "n")), g.load("w", ("m", "n")))
    g.store("y", g.op("Sub", x, g.reduce("Max", x, "n")))
    return g.build()


def sums_of_columns():
    """Partial results of a chunk of rows lie side by side, those of the next behind them; the elements are stored in the first phase."""
    sizes = tuple(Size(name=name, maximum=4096) for name in "MN")
    g = GraphBuilder("sums_of_columns", dict(zip("mn", (s.symbol for s in sizes), strict=True)), sizes)
    e = g.op("Exp", g.load("x", ("m", "n")))
    g.store("e", e)
    g.store("y", g.op("Abs", g.reduce("Sum", e, "m")))
    return g.build()


MOVES = (
    mean_of_16(),
    sums_of_columns(),
    maxima_of_sums(),
    transposed("acb", (4, 8, 16), added=True),
    joined((8, 16), rows=(4, 16), behind=True),
    joined((1, 7), rows=(8,), tail=(16,)),
    joined(("P", "Q"), rows=("M",), behind=True),
    joined_reduces(("P", "Q"), rows=2, normed=True),
    joined_reduces((8, 24), "Sum", "Max", rows=4),
    cut((4, 1, 16), rows=(8,), tail=(16,), scaled=True),
    cut(("P", "Q"), rows=(6,)),
    picked((8, 32), (4, 16), scaled=True),
    rows_picked(32, (8,), (2, 16), outer=(4,), scaled=True),
)
DYNAMIC = {**{name: dynamic_graph(name) for name in OPERATORS}, **{graph.name: graph for graph in MOVES}}


@cache
def templates(name):
    return schedule_graph(DYNAMIC[name], CHIP).templates


def divisors(n):
    return [d for d in range(1, n + 1) if n % d == 0]


@pytest.mark.parametrize("name", DYNAMIC)
@settings(max_examples=3)
@given(data=st.data())
def test_every_step_keeps_the_meaning(name, data):
    shape = {size.name: data.draw(LENGTHS, size.name) for size in DYNAMIC[name].sizes}
    stepwise = Stepwise(DYNAMIC[name], shape, lambda n: data.draw(st.sampled_from(divisors(n))))
    for template in templates(name):
        stepwise.check(template)


@pytest.mark.parametrize("name", OPERATORS)
@settings(max_examples=2)
@given(data=st.data())
def test_every_step_keeps_the_meaning_where_sizes_are_known(name, data):
    graph = OPERATORS[name]((), data.draw(LENGTHS), data.draw(LENGTHS))
    stepwise = Stepwise(graph, {}, lambda n: data.draw(st.sampled_from(divisors(n))))
    for template in schedule_graph(graph, CHIP).templates:
        stepwise.check(template)


@pytest.mark.parametrize("kind", KINDS)
def test_no_transform_is_left_out(kind):
    """Each is a step of some template here, and ran with tiles of half an axis or so."""
    steps = ((name, template) for name in DYNAMIC for template in templates(name) if kind in kinds_of(template))
    name, template = next(steps, (None, None))
    assert name is not None, f"no template here has a step {kind}"
    shape = {size.name: 12 for size in DYNAMIC[name].sizes}
    assert kind in Stepwise(DYNAMIC[name], shape, lambda n: divisors(n)[len(divisors(n)) // 2]).check(template)


def kinds_of(template):
    return {text.partition("(")[0] for phase in template.phases for text in phase.trace}
