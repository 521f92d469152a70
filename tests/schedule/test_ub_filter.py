"""Templates that no tile is small enough for are dropped with their bytes; every other one stays."""

from __future__ import annotations

import re

import pytest

import att
from att.chips import load_chip
from att.errors import InfeasibleError
from att.expr.evaluate import evaluate
from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.loops import loop_nest
from att.model.ub_capacity import ub_bytes
from att.ops.call import CostSet
from att.ops.spec import Costs
from benchmarks.make_graphs import OPERATORS
from schedule.generate import schedule_graph


def normalised(columns, sizes=()):
    g = GraphBuilder("norm", {"m": 64, "n": columns}, sizes)
    x = g.load("x", ("m", "n"))
    g.store("y", g.op("TrueDiv", x, g.reduce("Sum", x, "n")))
    return g.build()


def summed(columns):
    g = GraphBuilder("sum", {"m": 64, "n": columns})
    g.store("y", g.reduce("Sum", g.load("x", ("m", "n")), "n"))
    return g.build()


def test_a_whole_row_that_exceeds_ub_is_dropped_with_its_bytes(chip):
    candidates = schedule_graph(summed(100_000), chip)
    assert [t.name for t in candidates.templates] == ["general.z0.z1"]
    (dropped,) = (d for d in candidates.dropped if d.name == "full_load.z0")
    assert dropped.tiling_key == 1
    found = re.search(r"needs at least (\d+) B .* has (\d+) B; largest: load 800000 B", dropped.reason)
    assert found is not None
    assert int(found[1]) > int(found[2]) == chip.ub_usable_bytes


def test_the_border_is_the_models_own_expression(chip):
    """The longest row that fits stays, one block more is dropped."""

    def need(columns):
        big = load_chip("ascend910b1", ub_bytes=2**30)
        graph = next(t for t in schedule_graph(summed(columns), big).templates if t.name == "full_load.z0").phases[0]
        return ub_bytes(graph, loop_nest(graph), Costs(chip=big, cost_set=CostSet.MENDED)).lo

    fits = max(n for n in range(16_000, 32_000, 8) if need(n) <= chip.ub_usable_bytes)
    assert "full_load.z0" in {t.name for t in schedule_graph(summed(fits), chip).templates}
    assert "full_load.z0" in {d.name for d in schedule_graph(summed(fits + 8), chip).dropped}


def test_a_row_that_may_be_short_stays(chip):
    ks0 = Size(name="ks0", maximum=10**6)
    assert [t.name for t in schedule_graph(normalised(ks0.symbol, (ks0,)), chip).templates] == [
        "full_load.z0",
        "chunked.z0.z1",
        "full_load.z0.packed",
    ]
    long = Size(name="ks0", minimum=10**5, maximum=10**6)
    assert [t.name for t in schedule_graph(normalised(long.symbol, (long,)), chip).templates] == ["chunked.z0.z1"]


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("kib", [2, 9, 20, 48])
def test_what_is_dropped_exceeds_ub_at_its_smallest_tile(name, kib):
    small, big = load_chip("ascend910b1", ub_bytes=kib * 1024), load_chip("ascend910b1", ub_bytes=2**30)
    graph = OPERATORS[name]((), 64, 1000)
    everything = {t.name: t for t in schedule_graph(graph, big).templates}
    candidates = schedule_graph(graph, small)
    gone = [d.name for d in candidates.dropped if d.reason.startswith("UB: ")]
    found = {*gone, *(t.name for t in candidates.templates)}
    walked = ("chunked", "online")
    assert {n for n in found if not n.startswith(walked)} == {n for n in everything if not n.startswith(walked)}
    for name in set(gone) & set(everything):
        smallest = {v.name: 1 for phase in everything[name].phases for v in phase.variables}
        needs = (ub_bytes(p, loop_nest(p), Costs(chip=small, cost_set=CostSet.MENDED)) for p in everything[name].phases)
        assert max(evaluate(need, smallest) for need in needs) > small.ub_usable_bytes


def test_where_nothing_is_left_every_way_to_ask_says_why():
    g = GraphBuilder("picks", {"m": 64, "n": 100_000, "k": 16})
    g.store("y", g.gather(g.op("Abs", g.load("x", ("m", "n"))), "n", g.load("i", ("m", "k"), DType.INT32)))
    graph = g.build()
    assert att.schedule(graph).templates == ()
    for ask in (att.solve, att.emit, att.run, lambda g: att.compare([g]), lambda g: att.evaluate_tiling(g, {"z0t_size": 1})):
        with pytest.raises(InfeasibleError, match="needs at least"):
            ask(graph)
