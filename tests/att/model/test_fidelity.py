"""The published cost set prices what the running reference recorded, to 0.01 cycle, and counts its UB to the byte."""

from __future__ import annotations

import json

import pytest

from att.chips import load_chip
from att.formats.load import load
from att.model.bind import bind
from att.model.build import build_model
from att.model.evaluate import evaluate
from att.model.options import ModelOptions
from att.ops.call import CostSet
from schedule.generate import schedule_graph

TICKS_PER_CYCLE = 10**6
GRAPHS = ("abs1d", "abs2d", "add2d")


def recorded(shared_data):
    rows = json.loads((shared_data / "reference_tilings.json").read_text())["rows"]
    return [row for row in rows if row["graph"] in GRAPHS and row["arch"] == "2201" and row["accepted"]]


@pytest.fixture(scope="module")
def models(shared_data):
    chip = load_chip("ascend910b1")
    options = ModelOptions(cost_set=CostSet.PUBLISHED, align_bytes=None)
    found = {}
    for name in GRAPHS:
        graph = load(shared_data / "reference_graphs" / f"{name}.py")
        (template,) = schedule_graph(graph, chip).templates
        found[name] = build_model(template, chip, options)
    return found


def test_every_recorded_tiling_of_elementwise_graphs(shared_data, models):
    rows = recorded(shared_data)
    assert len(rows) >= 18
    for row in rows:
        (template,) = row["templates_evaluated"]
        shape = {f"s{i}": size for i, size in enumerate(row["shape"])}
        problem = bind(models[row["graph"]], shape)
        # the reference pads tiles beyond the axis: its variable may exceed the size by less than a block
        cost = evaluate(problem, template["variables"])
        (phase,) = cost.phases
        got = {pipe.pipe.value: pipe.ticks / TICKS_PER_CYCLE for pipe in phase.pipes}
        label = f"{row['graph']} {row['shape']}"
        assert got == pytest.approx(template["pipes_cycles"], abs=0.01), label
        assert phase.ub_bytes == template["ub_used_bytes"], label
        assert phase.block_dim == template["block_dim"], label
        assert phase.launch_ticks == 300 * TICKS_PER_CYCLE * template["block_dim"], label


def chosen_template(models, values):
    """Our model of the template that the reference chose: its variables have values, and it is the one with that tiling key among them."""
    legal = [m for m in models if {v.name for v in m.variables} <= set(values)]
    most = max((len(m.variables) for m in legal), default=0)
    alike = [m for m in legal if len(m.variables) == most]
    return alike[min(values["tiling_key"], len(alike) - 1)] if alike else None


def test_chosen_tilings_of_arch_3510(shared_data):
    chip = load_chip("ascend950pr")
    options = ModelOptions(cost_set=CostSet.PUBLISHED, align_bytes=None)
    rows = json.loads((shared_data / "reference_tilings.json").read_text())["rows"]
    compared = 0
    for row in rows:
        if row["arch"] != "3510" or not row["accepted"] or len(row["groups"]) > 1:
            continue
        graph = load(shared_data / "reference_graphs" / f"{row['graph']}.py")
        models = [build_model(t, chip, options) for t in schedule_graph(graph, chip).templates]
        (values,) = row["groups"]
        model = chosen_template(models, values)
        tiling = {v.name: values[v.name] for v in model.variables}
        cost = evaluate(bind(model, {f"s{i}": size for i, size in enumerate(row["shape"])}), tiling)
        label = f"{row['graph']} {row['shape']}"
        assert cost.objective_ticks / TICKS_PER_CYCLE == pytest.approx(row["modelled_cycles"], abs=0.01), label
        assert cost.block_dim == row["block_dim"], label
        compared += 1
    assert compared >= 22
