"""Rows that are packed in UB before they are stored: when such a template exists, what it moves, and what it is worth."""

from __future__ import annotations

import pytest

from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.loops import loop_nest
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
from schedule.trace import replay


def scaled(n, dtype=DType.FLOAT32, m=4096, strides=None, sizes=()):
    """Every row divided by its largest element."""
    g = GraphBuilder("scaled", {"m": m, "n": n}, sizes)
    x = g.load("x", ("m", "n"), dtype)
    g.store("y", g.op("Mul", x, g.reduce("Max", x, "n")), strides=strides)
    return g.build()


def template(graph, chip, name="full_load.z0.packed"):
    return next(t for t in schedule_graph(graph, chip).templates if t.name == name)


def is_packed(graph, chip):
    return any(t.name.endswith("packed") for t in schedule_graph(graph, chip).templates)


@pytest.mark.parametrize(("n", "dtype"), [(5, DType.FLOAT32), (49, DType.FLOAT32), (24, DType.FLOAT16), (513, DType.FLOAT32)])
def test_rows_that_end_inside_a_block_can_be_packed(chip, n, dtype):
    (phase,) = template(scaled(n, dtype), chip).phases
    assert [node.op for node in phase.nodes if node.axes][-2:] == ["RemovePad", "Store"]
    moved = transfer_of(call_of(phase, phase.node_of["store"], {}, loop_nest(phase).block_dim).output, chip)
    assert moved.contiguous
    assert not moved.blocks


@pytest.mark.parametrize(("n", "dtype"), [(8, DType.FLOAT32), (64, DType.FLOAT32), (32, DType.FLOAT16)])
def test_rows_of_whole_blocks_need_no_packing(chip, n, dtype):
    assert not is_packed(scaled(n, dtype), chip)


def test_a_length_known_later_may_need_it_unless_it_is_a_multiple(chip):
    any_length, blocks = (Size(name="N", maximum=4096, multiple_of=k) for k in (1, 8))
    assert is_packed(scaled(any_length.symbol, sizes=(any_length,)), chip)
    assert not is_packed(scaled(blocks.symbol, sizes=(blocks,)), chip)


def test_rows_apart_in_gm_are_stored_one_by_one(chip):
    assert not is_packed(scaled(5, strides=(7, 1)), chip)


def test_two_stores_of_a_value_are_packed_once(chip):
    g = GraphBuilder("twice", {"m": 64, "n": 5})
    x = g.load("x", ("m", "n"))
    y = g.op("Mul", x, g.reduce("Max", x, "n"))
    g.store("y", y)
    g.store("z", y)
    (phase,) = template(g.build(), chip).phases
    assert [node.inputs for node in phase.nodes if node.op == "Store"] == [("mul_packed",), ("mul_packed",)]


def test_what_has_bytes_is_stored_as_it_lies(chip):
    g = GraphBuilder("masked", {"m": 64, "n": 5})
    x = g.load("x", ("m", "n"))
    largest = g.reduce("Max", x, "n")
    g.store("mask", g.op("Ge", x, largest))
    g.store("y", g.op("Mul", x, largest))
    (phase,) = template(g.build(), chip).phases
    assert {node.inputs for node in phase.nodes if node.op == "Store"} == {("ge",), ("mul_packed",)}


@pytest.mark.parametrize("cost_set", list(CostSet))
@pytest.mark.parametrize(("n", "at_least"), [(3, 3), (49, 2)])
def test_it_pays_where_rows_are_short(chip, cost_set, n, at_least):
    options, tiling = ModelOptions(cost_set=cost_set, align_bytes=None), {"z0t_size": 86, "z0Tb_size": 1}
    packed, padded = (
        evaluate(bind(build_model(template(scaled(n), chip, name), chip, options), {}), tiling).phases[0]
        for name in ("full_load.z0.packed", "full_load.z0")
    )
    stores = [next(p.ticks for p in phase.pipes if p.pipe is Pipe.MTE3) for phase in (packed, padded)]
    assert stores[0] * at_least < stores[1]


@pytest.mark.parametrize("tiling", [{"z0t_size": 3, "z0Tb_size": 4}, {"z0t_size": 37, "z0Tb_size": 1}, {"z0t_size": 5, "z0Tb_size": 1}])
def test_the_price_is_the_walks(chip, tiling):
    packed = template(scaled(21, m=37), chip)
    problem = bind(build_model(packed, chip, ModelOptions(align_bytes=None)), {})
    (walked,) = walk(packed, {}, tiling, Costs(chip=chip, cost_set=CostSet.MENDED))
    (priced,) = evaluate(problem, tiling).phases
    assert {p.pipe: p.ticks for p in priced.pipes} == dict(walked.pipe_ticks)


def test_its_trace_makes_it_again(chip):
    graph = scaled(5)
    (phase,) = template(graph, chip).phases
    assert "PackStores()" in phase.trace
    assert replay(graph, phase.trace, phase.name) == phase


def test_a_case_that_packs_and_reuses_stands_once(chip):
    """Both are found from the case without either."""
    g = GraphBuilder("biased", {"h": 4, "m": 30, "n": 5})
    bias = g.load("bias", ("m", "n"))
    x = g.op("Add", g.load("x", ("h", "m", "n")), bias)
    g.store("y", g.op("Sub", x, g.reduce("Max", x, "n")))
    g.store("z", g.op("Exp", bias))
    names = [t.name for t in schedule_graph(g.build(), chip).templates]
    assert "full_load.z1.reuse.packed" in names
    assert len(set(names)) == len(names)
