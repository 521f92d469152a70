"""Loads that every pass of the block loop would repeat are made once per core: in the nest, in UB, in the price and in the kernel's walk."""

from __future__ import annotations

import pytest

from att.formats.builder import GraphBuilder
from att.ir.layout import blocks
from att.ir.loops import loop_nest
from att.ir.walks import once_per_core
from att.model.bind import bind
from att.model.build import build_model
from att.model.evaluate import evaluate
from att.model.options import ModelOptions
from att.model.walk import walk
from att.ops.call import CostSet
from att.ops.spec import Costs
from benchmarks.make_graphs import dynamic_graph
from schedule.generate import schedule_graph
from schedule.lifetimes import lifetimes

SHAPE = {"ks0": 37, "ks1": 257}


def template_of(chip, name, template):
    return next(t for t in schedule_graph(dynamic_graph(name), chip).templates if t.name == template)


def hoisted(phase):
    return [n.name for n in once_per_core(phase, loop_nest(phase))]


@pytest.mark.parametrize(
    ("name", "template", "once"),
    [
        ("add_row", "general.z0", ["load1"]),  # the row is the same for every tile of rows
        ("add_row", "general.z1", []),  # each tile of columns has its own part of the row
        ("add_col", "general.z0", []),
        ("layer_norm", "full_load.z0", ["load1", "load2"]),
        ("layer_norm", "chunked.z0.z1", []),  # gamma and beta are walked with the row
        ("softmax", "full_load.z0", []),
    ],
)
def test_what_no_pass_changes_is_loaded_before_the_passes(chip, name, template, once):
    assert hoisted(template_of(chip, name, template).phases[0]) == once


def test_its_queue_has_one_buffer_and_lives_through_the_whole_nest(chip):
    phase = template_of(chip, "layer_norm", "full_load.z0").phases[0]
    held = [b for b in blocks(phase) if {"load1", "load2"} & set(b.tensors)]
    assert [b.buf_num for b in held] == [1] * len(held)
    assert all(set(b.tensors) <= {"load1", "load2"} for b in held)
    assert lifetimes(phase)["load1"].stop == len(phase.nodes) - 1


def test_what_is_stored_as_well_is_loaded_in_every_pass(chip):
    g = GraphBuilder("both", {"m": 48, "n": 3000})
    row = g.load("row", ("n",))
    g.store("y", g.op("Add", g.load("x", ("m", "n")), row))
    g.store("z", row)
    assert all(hoisted(t.phases[0]) == [] for t in schedule_graph(g.build(), chip).templates)


@pytest.mark.parametrize("tiling", [{"z0t_size": 3, "z0Tb_size": 4}, {"z0t_size": 37, "z0Tb_size": 1}, {"z0t_size": 1, "z0Tb_size": 5}])
def test_the_price_is_the_walks_and_counts_one_call_a_core(chip, tiling):
    template, costs = template_of(chip, "add_row", "general.z0"), Costs(chip=chip, cost_set=CostSet.MENDED)
    problem = bind(build_model(template, chip, ModelOptions(align_bytes=None)), SHAPE)
    (walked,) = walk(template, SHAPE, tiling, costs)
    (priced,) = evaluate(problem, tiling).phases
    assert walked.calls["load1"] == walked.block_dim
    assert walked.calls["load"] == -(-37 // tiling["z0t_size"])
    assert {p.pipe: p.ticks for p in priced.pipes} == dict(walked.pipe_ticks)
