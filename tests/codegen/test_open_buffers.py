"""Kernels whose number of buffers stands in the tiling data: right with one and with two, and UB to the byte."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest

from att.formats.builder import GraphBuilder
from att.ir.graph import HintGraph
from att.model.bind import bind
from att.model.buffers import opened
from att.model.build import build_model
from att.model.options import ModelOptions, Objective
from benchmarks.tilings import random_tilings
from codegen.driver import build, check_run, make_case
from codegen.entry import emit_kernel
from schedule.generate import schedule_graph

PIPELINE = ModelOptions(objective=Objective.PIPELINE, align_bytes=None)


def softmax() -> HintGraph:
    g = GraphBuilder("open_softmax", {"m": 37, "n": 300})
    x = g.load("x", ("m", "n"))
    e = g.op("Exp", g.op("Sub", x, g.reduce("Max", x, "n")))
    g.store("y", g.op("TrueDiv", e, g.reduce("Sum", e, "n")))
    return g.build()


def total() -> HintGraph:
    """A reduce in two phases among its templates."""
    g = GraphBuilder("open_total", {"m": 3, "n": 5000})
    g.store("y", g.reduce("Sum", g.load("x", ("m", "n")), "n"))
    return g.build()


def both() -> HintGraph:
    """A load that is stored as it is, and computed with."""
    g = GraphBuilder("open_both", {"n": 1000})
    x = g.load("x", ("n",))
    g.store("copy", x)
    g.store("y", g.op("Exp", x))
    return g.build()


@pytest.mark.parametrize("make", [softmax, total, both])
def test_any_number_of_buffers_is_right(chip: Any, costs: Any, kernel_cache: Any, make: Any) -> None:
    graph = make()
    templates = tuple(map(opened, schedule_graph(graph, chip).templates))
    built, case = build(graph.name, templates, costs, kernel_cache), make_case(graph, {}, 1)
    seen: set[tuple[str, tuple[int, ...]]] = set()
    for template in templates:
        problem = bind(build_model(template, chip, PIPELINE), {})
        names = [v.name for graph in template.phases for v in graph.buffer_vars]
        for numbers in product((1, 2), repeat=len(names)):
            held = bind(problem.source, {}, fixed=dict(zip(names, numbers, strict=True)))
            for tiling in random_tilings(held, 1, random.Random(f"{template.name} {numbers}")):
                done = check_run(built, case, template, tiling)
                assert done.ok, f"{template.name} {dict(tiling)}: {done.complaints()}"
                seen.add((template.name, numbers))
    assert {number for _, numbers in seen for number in numbers} == {1, 2}
    assert len({template for template, _ in seen}) == len(templates)


def test_the_text_names_the_field_and_others_keep_their_number(chip: Any, costs: Any) -> None:
    templates = schedule_graph(softmax(), chip).templates
    usual = emit_kernel("usual", templates, costs)
    free = emit_kernel("free", tuple(map(opened, templates)), costs)
    assert "pipe.InitBuffer(q0, 2, tiling->q0_bytes);" in usual.text
    assert "pipe.InitBuffer(q0, static_cast<uint8_t>(tiling->mte2_vec_buf_num), tiling->q0_bytes);" in free.text
    assert free.layout.names - usual.layout.names == {"mte2_vec_buf_num", "vec_mte3_buf_num"}
