"""Prices that templates share change nothing, and problems leave out times by node unless they are asked for."""

from __future__ import annotations

import pytest

from att.chips import load_chip
from att.expr.evaluate import evaluate
from att.model.bind import bind
from att.model.build import build_model, prices_of
from att.model.options import ModelOptions, Objective
from att.ops.call import CostSet
from benchmarks.make_graphs import dynamic_graph
from schedule.generate import schedule_graph

CHIP = load_chip("ascend910b1")
OPTIONS = (ModelOptions(), ModelOptions(cost_set=CostSet.PUBLISHED), ModelOptions(objective=Objective.PIPELINE))


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("name", ["hc_post", "layer_norm"])
def test_a_model_is_the_same_whoever_paid_for_its_calls(name, options):
    templates = schedule_graph(dynamic_graph(name), CHIP).templates
    prices = prices_of(CHIP, options)
    assert [build_model(t, CHIP, options, prices) for t in templates] == [build_model(t, CHIP, options) for t in templates]


def test_a_problem_says_what_nodes_cost_only_where_asked():
    template = schedule_graph(dynamic_graph("softmax"), CHIP).templates[0]
    model = build_model(template, CHIP, ModelOptions())
    shape = {size.name: 64 for size in model.sizes}
    short, long = bind(model, shape), bind(model, shape, by_node=True)
    assert short.objective is long.objective
    assert not any(core.nodes for phase in short.phases for pipe in phase.pipes for core in pipe.cores)
    tiling = {v.name: v.symbol.lo for v in long.variables}
    for phase in long.phases:
        for pipe in phase.pipes:
            for core in pipe.cores:
                assert core.nodes
                assert sum(evaluate(core.ticks_of(node), tiling) for node in core.nodes) == evaluate(core.ticks, tiling)
