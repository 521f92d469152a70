"""The model against the literal walk: never less than the slowest core, equal where no tail hides in a fused axis, else within one tile."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from att.chips import load_chip
from att.expr.evaluate import evaluate as value_of
from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.loops import loop_nest
from att.model.bind import bind
from att.model.build import build_model
from att.model.check import check
from att.model.evaluate import evaluate
from att.model.options import ModelOptions
from att.model.pipes import node_costs
from att.model.prices import Prices
from att.model.walk import walk
from att.ops.call import CostSet
from att.ops.spec import Costs
from schedule.generate import schedule_graph
from tests.strategies import plausible_tilings

CHIP = load_chip("ascend910b1")
COSTS = Costs(chip=CHIP, cost_set=CostSet.MENDED)


def builder(name, m, k, n):
    """Axes of known sizes, or of shape symbols."""
    sizes = tuple(Size(name=s.name) for s in (m, k, n) if not isinstance(s, int))
    return GraphBuilder(name, {"m": m, "k": k, "n": n}, sizes)


def elementwise(m, k, n):
    g = builder("elementwise", m, k, n)
    g.store("y", g.op("Exp", g.op("Abs", g.load("x", ("m", "k", "n")))))
    return g.build()


def broadcast(m, k, n):
    g = builder("broadcast", m, k, n)
    g.store("y", g.op("Add", g.load("x", ("m", "k", "n")), g.load("w", ("m", "n"))))
    return g.build()


def strided_half(m, k, n):
    g = builder("strided", m, k, n)
    x = g.cast(g.load("x", ("m", "k", "n"), DType.FLOAT16, strides=(k * (n + 3), n + 3, 1)), DType.FLOAT32)
    g.store("y", g.op("Mul", x, g.load("w", ("n",))))
    return g.build()


def reduce_inner(m, k, n):
    g = builder("reduce_inner", m, k, n)
    g.store("y", g.op("Abs", g.reduce("Sum", g.load("x", ("m", "k", "n")), "n")))
    return g.build()


def reduce_middle(m, k, n):
    g = builder("reduce_middle", m, k, n)
    g.store("y", g.reduce("Max", g.op("Mul", g.load("x", ("m", "k", "n")), g.load("w", ("m", "k"))), "k"))
    return g.build()


def reduce_outer(m, k, n):
    g = builder("reduce_outer", m, k, n)
    g.store("y", g.reduce("Sum", g.load("x", ("m", "k", "n")), "m", "k"))
    return g.build()


def place_along_rows(m, k, n):
    g = builder("place_along_rows", m, k, n)
    g.store("y", g.reduce("ArgMax", g.load("x", ("m", "k", "n")), "n"))
    return g.build()


def place_across_rows(m, k, n):
    g = builder("place_across_rows", m, k, n)
    g.store("y", g.reduce("ArgMax", g.load("x", ("m", "k", "n")), "k"))
    return g.build()


def place_in_several_runs(m, k, n):
    g = builder("place_in_several_runs", m, k, n)
    g.store("y", g.reduce("ArgMax", g.load("x", ("m", "k", "n"), DType.INT32), "m", "n"))
    return g.build()


def softmax(m, k, n):
    g = builder("softmax", m, k, n)
    x = g.load("x", ("m", "k", "n"))
    e = g.op("Exp", g.op("Sub", x, g.reduce("Max", x, "n")))
    g.store("y", g.op("TrueDiv", e, g.reduce("Sum", e, "n")))
    return g.build()


def transposed(m, k, n):
    g = builder("transposed", m, k, n)
    g.store("y", g.op("Add", g.op("Transpose", g.load("x", ("n", "m", "k"), in_place=True)), g.load("w", ("n",))))
    return g.build()


def two_norms(m, k, n):
    """Two stages of reduces over two axes, weights that only the last walk reads, two outputs."""
    g = builder("two_norms", m, k, n)
    x = g.load("x", ("m", "k", "n"), strides=(k * (n + 1), n + 1, 1))
    centred = g.op("Sub", x, g.reduce("Sum", x, "k", "n"))
    largest = g.reduce("Max", g.op("Abs", centred), "k", "n")
    g.store("largest", largest)
    g.store("y", g.op("Mul", g.op("TrueDiv", centred, largest), g.load("w", ("n",))))
    return g.build()


def kept_sum(m, k, n):
    """A sum of two operands that later walks load from workspace."""
    g = builder("kept_sum", m, k, n)
    x = g.op("Add", g.load("x", ("m", "k", "n")), g.load("w", ("m", "k", "n"), strides=(k * (n + 1), n + 1, 1)))
    e = g.op("Exp", g.op("Sub", x, g.reduce("Max", x, "n")))
    g.store("y", g.op("TrueDiv", e, g.reduce("Sum", e, "n")))
    return g.build()


def mixed(m, k, n):
    """Streams of one token that share what they add up: the largest Load does not vary over them."""
    sizes = tuple(Size(name=s.name) for s in (m, k, n) if not isinstance(s, int))
    g = GraphBuilder("mixed", {"m": m, "k": k, "c": 3, "n": n}, sizes)
    weighted = g.op("Mul", g.load("comb", ("m", "k", "c")), g.load("residual", ("m", "k", "n")))
    added = g.op("Mul", g.load("post", ("m", "c")), g.load("x", ("m", "n")))
    g.store("y", g.op("Add", g.reduce("Sum", weighted, "k"), added))
    return g.build()


def joined(m, k, n):
    sizes = tuple(Size(name=s.name) for s in (m, k, n) if not isinstance(s, int))
    g = GraphBuilder("joined", {"m": m, "both": k + n, "k": k, "n": n}, sizes)
    g.store("y", g.concat("both", (g.load("x", ("m", "k")), "k"), (g.op("Abs", g.load("w", ("m", "n"))), "n")))
    return g.build()


def gathered(m, k, n):
    sizes = tuple(Size(name=s.name) for s in (m, k, n) if not isinstance(s, int))
    g = GraphBuilder("gathered", {"m": m, "k": k, "n": n + 1}, sizes)
    g.store("y", g.gather(g.load("x", ("m", "k")), "k", g.load("i", ("n",), DType.INT64)))
    return g.build()


def gathered_rows(m, k, n):
    sizes = tuple(Size(name=s.name) for s in (m, k, n) if not isinstance(s, int))
    g = GraphBuilder("gathered_rows", {"m": m, "k": k, "n": n + 1}, sizes)
    g.store("y", g.op("Abs", g.gather(g.load("x", ("k", "n")), "k", g.load("i", ("m",), DType.INT32))))
    return g.build()


GRAPHS = (
    elementwise,
    broadcast,
    mixed,
    strided_half,
    reduce_inner,
    reduce_middle,
    reduce_outer,
    place_along_rows,
    place_across_rows,
    place_in_several_runs,
    softmax,
    transposed,
    two_norms,
    kept_sum,
    joined,
    gathered,
    gathered_rows,
)
SIZES = st.one_of(st.integers(1, 9), st.sampled_from([16, 31, 33, 40, 64, 100]))


@pytest.mark.parametrize("make", GRAPHS, ids=lambda f: f.__name__)
@settings(max_examples=40, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(data=st.data())
def test_mended_against_the_walk(make, data):
    numbers = {name: data.draw(SIZES) for name in ("M", "K", "N")}
    dynamic = data.draw(st.booleans())
    graph = make(*(Size(name=name).symbol if dynamic else size for name, size in numbers.items()))
    shape = numbers if dynamic else {}
    template = data.draw(st.sampled_from(schedule_graph(graph, CHIP).templates))
    problem = bind(build_model(template, CHIP, ModelOptions(align_bytes=None)), shape)
    tiling = data.draw(plausible_tilings(problem))
    if check(problem, tiling):
        return
    priced, walked = evaluate(problem, tiling).phases, walk(template, shape, tiling, COSTS)
    for phase, done, impl in zip(priced, walked, template.phases, strict=True):
        assert phase.block_dim == done.block_dim
        assert phase.launch_ticks == done.launch_ticks
        excess = {pipe.pipe: pipe.ticks - done.pipe_ticks[pipe.pipe] for pipe in phase.pipes}
        assert all(ticks >= 0 for ticks in excess.values()), excess
        allowed = tile_ticks(impl, {**shape, **tiling})
        assert all(ticks <= allowed[pipe] for pipe, ticks in excess.items()), (excess, allowed)


@settings(max_examples=40, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(data=st.data())
def test_stores_made_once_are_never_undercut(data):
    """A second, smaller output is written in the first turn of the loops it does not vary over, and priced as if in every turn."""
    m, n = data.draw(SIZES), data.draw(SIZES)
    g = builder("two_outputs", m, 2, n)
    w = g.op("Abs", g.load("w", data.draw(st.sampled_from([("n",), ("m",), ("m", "n")]))))
    g.store("y", g.op("Add", g.load("x", ("m", "k", "n")), w))
    g.store("v", w)
    template = data.draw(st.sampled_from(schedule_graph(g.build(), CHIP).templates))
    problem = bind(build_model(template, CHIP, ModelOptions(align_bytes=None)), {})
    tiling = data.draw(plausible_tilings(problem))
    if check(problem, tiling):
        return
    (phase,) = evaluate(problem, tiling).phases
    (walked,) = walk(template, {}, tiling, COSTS)
    assert walked.calls["store1"] <= walked.calls["store"]
    for pipe in phase.pipes:
        assert pipe.ticks >= walked.pipe_ticks[pipe.pipe]


def tile_ticks(graph, values):
    """By pipe, what one more tile may cost: 0 where the block loop walks the tiles of one axis only."""
    nest = loop_nest(graph)
    costs = node_costs(graph, nest, Prices(COSTS))
    fused = nest.block is not None and nest.block.tile is not None and nest.block.fused != nest.block.tile.outer
    if not fused:
        return dict.fromkeys(costs, 0)
    return {pipe: max(0, sum(value_of(n.tail, values) - value_of(n.full, values) for n in nodes)) for pipe, nodes in costs.items()}
