"""Rows side by side in UB: when the template exists, what it moves at a stretch, what it packs and how often."""

from __future__ import annotations

import pytest

from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.loops import loop_nest
from att.ir.walks import once_per_core
from att.model.bind import bind
from att.model.build import build_model
from att.model.calls import call_of
from att.model.evaluate import evaluate
from att.model.options import ModelOptions
from att.model.walk import walk
from att.ops.call import CostSet, Pipe
from att.ops.dma import transfer_of
from att.ops.spec import Costs
from schedule.generate import schedule_graph
from schedule.lifetimes import lifetimes


def added(spread, m="M", n="N", dtype=DType.FLOAT32, **strides):
    """`x[m, n] + b[spread]`."""
    sizes = tuple(Size(name=name, maximum=100_000) for name in (m, n) if isinstance(name, str))
    known = {size.name: size.symbol for size in sizes}
    g = GraphBuilder("added", {"m": known.get(m, m), "n": known.get(n, n)}, sizes)
    g.store(
        "y", g.op("Add", g.load("x", ("m", "n"), dtype, strides=strides.get("x")), g.load("b", spread, dtype)), strides=strides.get("y")
    )
    return g.build()


def names(graph, chip):
    return [t.name for t in schedule_graph(graph, chip).templates]


def unaligned(graph, chip):
    return next(t for t in schedule_graph(graph, chip).templates if t.name == "unaligned.z0")


def why_dropped(graph, chip):
    return {d.name: d.reason for d in schedule_graph(graph, chip).dropped}["unaligned.z0"]


@pytest.mark.parametrize("chip_name", ["ascend910b1", "ascend950pr"])
def test_rows_that_may_be_no_whole_blocks(chip_name):
    from att.chips import load_chip

    chip = load_chip(chip_name)
    assert "unaligned.z0" in names(added(("n",)), chip)
    assert "unaligned.z0" in names(added(("m",), n=333), chip)
    assert "unaligned.z0" in names(added(("m",), n=24, dtype=DType.FLOAT16), chip)


def test_rows_of_whole_blocks_are_left_to_general(chip):
    graph = added(("n",), n=24)
    assert "unaligned.z0" not in names(graph, chip)
    assert why_dropped(graph, chip) == "rows of 24 elements are whole blocks of 32 bytes, so they lie without padding anyway"


@pytest.mark.parametrize("apart", ["x", "y"])
def test_rows_apart_in_gm_are_left_to_general(chip, apart):
    graph = added(("n",), n=20, **{apart: (24, 1)})
    assert "moves rows that do not lie side by side in GM" in why_dropped(graph, chip)


def test_bytes_cannot_be_packed(chip):
    g = GraphBuilder("bytes", {"m": 48, "n": 20})
    g.store("y", g.broadcast(g.load("b", ("n",), DType.UINT8), ("m", "n")))
    assert "RemovePad takes" in why_dropped(g.build(), chip)


def test_a_value_cannot_lie_both_ways(chip):
    g = GraphBuilder("both", {"k": 5, "m": 48, "n": 20})
    plane = g.op("Mul", g.load("p", ("m", "n")), g.load("row", ("n",)))
    g.store("plane", plane)
    g.store("y", g.op("Add", g.load("x", ("k", "m", "n")), plane))
    reasons = {d.name: d.reason for d in schedule_graph(g.build(), chip).dropped}
    assert "its rows must lie with and without padding" in reasons["unaligned.z0"]


@pytest.mark.parametrize("graph", ["nothing spread", "reduced", "one element"])
def test_no_other_graph_has_it(chip, graph):
    g = GraphBuilder("other", {"m": 48, "n": 20})
    x = g.load("x", ("m", "n"))
    match graph:
        case "reduced":
            g.store("y", g.op("Mul", x, g.reduce("Max", x, "n")))
        case "one element":
            g.store("y", g.op("Mul", x, g.load("b", ())))
        case _:
            g.store("y", g.op("Mul", x, x))
    candidates = schedule_graph(g.build(), chip)
    assert not any("unaligned" in name for name in (*(t.name for t in candidates.templates), *(d.name for d in candidates.dropped)))


@pytest.mark.parametrize(("spread", "once"), [(("n",), ["load1", "broadcast", "broadcast_packed"]), (("m",), [])])
def test_what_is_packed_once_per_core(chip, spread, once):
    (phase,) = unaligned(added(spread), chip).phases
    assert [n.name for n in once_per_core(phase, loop_nest(phase))] == once
    assert [n.op for n in phase.nodes if n.name == "broadcast_packed"] == ["RemovePad"]


def test_only_what_the_passes_read_is_kept_through_them(chip):
    (phase,) = unaligned(added(("n",)), chip).phases
    order, live = [n.name for n in phase.nodes], lifetimes(phase)
    assert live["broadcast"].stop == order.index("broadcast_packed")
    assert live["broadcast_packed"].stop == len(order) - 1


def test_a_tile_is_one_block_on_its_way_in_and_out(chip):
    (phase,) = unaligned(added(("m",)), chip).phases
    for name in ("load", "store"):
        moved = transfer_of(call_of(phase, phase.node_of[name], {}, loop_nest(phase).block_dim).output, chip)
        assert moved.contiguous
        assert not moved.blocks
        assert not moved.loops


@pytest.mark.parametrize("spread", [("n",), ("m",)])
@pytest.mark.parametrize("cost_set", list(CostSet))
def test_it_pays_where_rows_are_short(chip, spread, cost_set):
    options = ModelOptions(cost_set=cost_set, align_bytes=None)
    shape, tiling = {"M": 10_000, "N": 3}, {"z0t_size": 105, "z0Tb_size": 2}
    ticks = {
        t.name: evaluate(bind(build_model(t, chip, options), shape), tiling).objective_ticks
        for t in schedule_graph(added(spread), chip).templates
        if t.name in {"general.z0", "unaligned.z0"}
    }
    assert ticks["unaligned.z0"] < ticks["general.z0"]


@pytest.mark.parametrize("spread", [("n",), ("m",)])
@pytest.mark.parametrize("tiling", [{"z0t_size": 3, "z0Tb_size": 4}, {"z0t_size": 37, "z0Tb_size": 1}, {"z0t_size": 1, "z0Tb_size": 5}])
def test_the_price_is_the_walks(chip, spread, tiling):
    shape, template = {"M": 37, "N": 21}, unaligned(added(spread), chip)
    problem = bind(build_model(template, chip, ModelOptions(align_bytes=None)), shape)
    (walked,) = walk(template, shape, tiling, Costs(chip=chip, cost_set=CostSet.MENDED))
    (priced,) = evaluate(problem, tiling).phases
    assert {p.pipe: p.ticks for p in priced.pipes} == dict(walked.pipe_ticks)
    tiles = -(-37 // tiling["z0t_size"])
    packed = walked.block_dim if spread == ("n",) else tiles
    assert walked.calls["broadcast"] == walked.calls["broadcast_packed"] == packed
    assert walked.dma_instructions[Pipe.MTE3] == tiles


def test_a_graph_need_not_ask_for_it(chip):
    g = GraphBuilder("asked", {"m": 48, "n": 20})
    g.store("y", g.op("RemovePad", g.op("Abs", g.load("x", ("m", "n"), strides=(24, 1)))))
    for template in schedule_graph(g.build(), chip).templates:
        assert [n.op for n in template.phases[0].nodes if n.axes] == ["Load", "Abs", "Store"]
