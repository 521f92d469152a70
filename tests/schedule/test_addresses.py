"""The address plan of every benchmark template: the kernel's bytes are the model's, and live values never overlap."""

from __future__ import annotations

import random

import pytest

from att.expr.evaluate import evaluate
from att.ir.loops import loop_nest
from att.model.bind import bind
from att.model.build import build_model
from att.model.options import ModelOptions
from att.model.ub_capacity import ub_bytes
from att.model.ub_plan import clashes
from att.ops.call import CostSet
from att.ops.spec import Costs
from benchmarks.make_graphs import OPERATORS, dynamic_graph
from benchmarks.tilings import random_tilings
from schedule.addresses import ub_plan
from schedule.generate import schedule_graph
from schedule.lifetimes import lifetimes


@pytest.mark.parametrize("name", OPERATORS)
def test_peak_is_the_models_or_less_and_nothing_overlaps(chip, name):
    costs = Costs(chip=chip, cost_set=CostSet.MENDED)
    shape = {"ks0": 37, "ks1": 257}
    for template in schedule_graph(dynamic_graph(name), chip).templates:
        problem = bind(build_model(template, chip, ModelOptions(align_bytes=None)), shape)
        for tiling in random_tilings(problem, 3, random.Random(name)):
            for graph in template.phases:
                demand_plan(graph, costs, {**shape, **tiling}, chip)


def demand_plan(graph, costs, values, chip):
    plan = ub_plan(graph, costs, values)
    assert plan.in_order_bytes == evaluate(ub_bytes(graph, loop_nest(graph), costs), values)
    assert plan.peak_bytes <= plan.in_order_bytes <= chip.ub_usable_bytes
    assert not list(clashes(plan.areas))
    held = {n for area in plan.areas if area.item.block.startswith("b") for n in area.item.name.split("+")}
    assert held == {n.name for n in graph.nodes if n.output.memory and n.output.memory.buffer_id is not None}
    for area in plan.areas:
        if area.item.block.startswith("b"):
            live = [lifetimes(graph)[n] for n in area.item.name.split("+")]
            assert (area.item.start, area.item.stop) == (min(i.start for i in live), max(i.stop for i in live))
