"""The `mended` price of a template does not depend on whether sizes are numbers or symbols.

Where a transfer has three dims and the numbers show that two of them join, the static kernel makes other instructions than the dynamic one
(design §4: structure decides); those templates are left out, and there are few.
"""

from __future__ import annotations

import random

import pytest

from att.chips import load_chip
from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.loops import loop_nest
from att.model.bind import bind
from att.model.build import build_model
from att.model.calls import call_of
from att.model.evaluate import evaluate
from att.model.options import ModelOptions
from att.ops.dma import transfer_of
from att.ops.registry import spec_of
from att.ops.spec import ComputeType
from benchmarks.tilings import random_tilings
from schedule.generate import schedule_graph

OPTIONS = ModelOptions(align_bytes=None)
SHAPES = ((3, 5, 7), (4, 8, 16), (33, 40, 64), (9, 16, 100), (2, 100, 8), (64, 64, 64))


def dense(g):
    return g.op("Exp", g.load("x", ("m", "k", "n")))


def row_added(g):
    return g.op("Add", g.load("x", ("m", "k", "n")), g.load("w", ("m", "n")))


def mixed_types(g):
    return g.op("Mul", g.cast(g.load("x", ("m", "k", "n"), DType.FLOAT16), DType.FLOAT32), g.load("w", ("n",)))


def row_sums(g):
    return g.reduce("Sum", g.load("x", ("m", "k", "n")), "n")


def middle_maxima(g):
    return g.reduce("Max", g.load("x", ("m", "k", "n")), "k")


def softmax(g):
    x = g.load("x", ("m", "k", "n"))
    e = g.op("Exp", g.op("Sub", x, g.reduce("Max", x, "n")))
    return g.op("TrueDiv", e, g.reduce("Sum", e, "n"))


OPERATORS = (dense, row_added, mixed_types, row_sums, middle_maxima, softmax)


def templates(operator, sizes, chip):
    names = ("m", "k", "n")
    axes = dict(zip(names, sizes or (Size(name=name).symbol for name in names), strict=True))
    g = GraphBuilder(operator.__name__, axes, () if sizes else tuple(Size(name=name) for name in names))
    g.store("y", operator(g))
    return {t.name: t for t in schedule_graph(g.build(), chip).templates}


def structure(template, chip):
    """Loops around and inside the instruction of every transfer; blocks without a gap count like a single one."""
    moving = [(g, n) for g in template.phases for n in g.nodes if spec_of(n.op).compute in (ComputeType.LOAD, ComputeType.STORE)]
    transfers = [transfer_of(call_of(graph, n, {}, loop_nest(graph).block_dim).output, chip) for graph, n in moving]
    return [(len(t.loops), max(1, len(t.blocks))) for t in transfers]


def times(cost):
    """Cores, and each pipe's time by node."""
    return [(p.block_dim, p.launch_ticks, [(q.pipe, q.ticks, dict(q.nodes)) for q in p.pipes]) for p in cost.phases]


@pytest.mark.parametrize("name", ["ascend910b1", "ascend950pr"])
@pytest.mark.parametrize("operator", OPERATORS, ids=lambda f: f.__name__)
def test_numbers_and_symbols_agree(name, operator):
    chip, rng = load_chip(name), random.Random(7)
    dynamic = templates(operator, None, chip)
    models = {key: build_model(t, chip, OPTIONS) for key, t in dynamic.items()}
    compared = left_out = 0
    for sizes in SHAPES:
        for key, template in templates(operator, sizes, chip).items():
            if key.endswith("unrolled"):
                continue  # only an axis whose length is a number is written out
            if structure(template, chip) != structure(dynamic[key], chip):
                left_out += 1
                continue
            static = bind(build_model(template, chip, OPTIONS), {})
            shape = dict(zip(("m", "k", "n"), sizes, strict=True))
            for tiling in random_tilings(static, 3, rng):
                assert times(evaluate(static, tiling)) == times(evaluate(bind(models[key], shape), tiling)), (sizes, key, tiling)
                compared += 1
    assert compared > 4 * left_out
    assert compared >= 15
