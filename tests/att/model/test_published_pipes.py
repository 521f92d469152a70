"""How the `published` set adds up calls: kept values, tails of a fused cut, and what it takes a tail to be (att_facts §3.1)."""

from __future__ import annotations

import pytest

from att.chips import load_chip
from att.formats.builder import GraphBuilder
from att.ir.dtype import DType
from att.model.bind import bind
from att.model.build import build_model
from att.model.evaluate import evaluate
from att.model.options import ModelOptions
from att.ops.call import CostSet, Pipe
from schedule.generate import schedule_graph

CHIP = load_chip("ascend910b1")
OPTIONS = ModelOptions(cost_set=CostSet.PUBLISHED, align_bytes=None)
TICKS = 10**6


def nodes_of(graph, template, tiling):
    """Cycles by node."""
    (found,) = (t for t in schedule_graph(graph, CHIP).templates if t.name == template)
    (phase,) = evaluate(bind(build_model(found, CHIP, OPTIONS), {}), tiling).phases
    return {node: ticks / TICKS for pipe in phase.pipes for node, ticks in pipe.nodes.items()}


def add_of(m, n, *axes):
    g = GraphBuilder("add", {"m": m, "n": n})
    g.store("y", g.op("Add", g.load("x", ("m", "n")), g.load("w", axes)))
    return g.build()


def rate(cores):
    return 7.9052 + 7.31 / cores


def test_a_row_is_loaded_and_spread_once_a_core():
    found = nodes_of(add_of(48, 3000, "n"), "general.z0", {"z0t_size": 2, "z0Tb_size": 2})
    assert found["load"] == pytest.approx(2 * (24000 / rate(12) + 27.01), abs=1e-3)
    assert found["load1"] == pytest.approx(12000 / rate(12) + 27.01, abs=1e-3)
    assert found["broadcast"] == pytest.approx(2 * (0.0157 * 16320 + 12.9966) / 255, abs=1e-3)


def test_a_column_is_kept_while_the_tiles_of_a_row_turn():
    """Two tiles a row, four of a core: two passes, of which one is a tail and moves as many elements as the tail has."""
    found = nodes_of(add_of(96, 333, "m"), "general.z1", {"z1t_size": 168, "z0z1Tb_size": 4})
    one, tail = 4 / rate(48) + 27.01, 165 * 4 / rate(48) + 27.01
    assert found["load1"] == pytest.approx(one + tail, abs=1e-3)


def test_a_plain_loop_charges_its_last_tile_as_a_whole_one():
    g = GraphBuilder("abs", {"m": 100})
    g.store("y", g.op("Abs", g.load("x", ("m",))))
    found = nodes_of(g.build(), "general.z0", {"z0t_size": 56, "z0Tb_size": 2})
    assert found["abs"] == pytest.approx(2 * (0.0147 * 56 + 20.0592), abs=1e-3)


def test_a_store_behind_a_reduce_writes_the_reduced_axis_in_a_tail():
    g = GraphBuilder("max", {"a": 32, "r": 16, "c": 16})
    g.store("y", g.reduce("Max", g.load("x", ("a", "r", "c")), "r"))
    found = nodes_of(g.build(), "full_load.z2", {"z2t_size": 16, "z0z2Tb_size": 1})
    assert found["store"] == pytest.approx(16 * 16 * 4 / (9.96 + 3.79 / 32) + 12.09 + 0.02 * 16, abs=1e-3)


def test_a_cut_reduce_keeps_what_its_loop_does_not_change_only_if_it_turns_once():
    g = GraphBuilder("sum", {"m": 64, "n": 1024})
    g.store("y", g.reduce("Sum", g.op("Mul", g.load("x", ("m", "n")), g.load("w", ("n",))), "n"))
    graph = g.build()
    whole = nodes_of(graph, "general.z0.z1", {"z0t_size": 1, "z1t_size": 1024, "z0Tb_size": 2})
    cut = nodes_of(graph, "general.z0.z1", {"z0t_size": 1, "z1t_size": 512, "z0Tb_size": 2})
    assert whole["load1"] == pytest.approx(4096 / rate(32) + 27.01, abs=1e-3)
    assert cut["load1"] == pytest.approx(2 * 2 * (2048 / rate(32) + 27.01), abs=1e-3)


def test_a_gather_reads_gm_itself():
    """Its table is charged twice in every pass, the Loads that only serve it never; `mended` charges both Loads once."""
    g = GraphBuilder("gathered", {"m": 48, "k": 128, "n": 128})
    g.store("y", g.gather(g.load("x", ("m", "k"), DType.FLOAT16), "k", g.load("i", ("n",), DType.INT64)))
    (template,) = (t for t in schedule_graph(g.build(), CHIP).templates if t.name == "gather.z0")
    tiling = {"z0t_size": 1, "z0Tb_size": 1}
    published, mended = (
        evaluate(bind(build_model(template, CHIP, options), {}), tiling).phases[0].pipes
        for options in (OPTIONS, ModelOptions(align_bytes=None))
    )
    read = {p.pipe: dict(p.nodes) for p in published}[Pipe.MTE2]
    assert list(read) == ["gather"]
    assert read["gather"] / TICKS == pytest.approx(2 * (256 / rate(48) + 27.01), abs=1e-3)
    assert set({p.pipe: dict(p.nodes) for p in mended}[Pipe.MTE2]) == {"load", "load1"}
