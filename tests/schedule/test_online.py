"""Sums of exponentials that follow their maximum: which graphs have them, what becomes of them, and what that is worth."""

from __future__ import annotations

from dataclasses import replace

import pytest

import att
from att.errors import GraphError, ScheduleError
from att.expr.core import integer
from att.expr.evaluate import evaluate as value_of
from att.formats import dump, graph_json
from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.loops import loop_nest
from att.ir.walks import segments
from att.model.bind import bind
from att.model.build import build_model
from att.model.calls import merge_calls
from att.model.evaluate import evaluate
from att.model.options import ModelOptions
from att.model.walk import walk
from att.ops.call import Call, CostSet, Pipe, View
from att.ops.registry import spec_of
from att.ops.spec import Costs
from att.ops.verify import verify_graph
from benchmarks.library import OPERATORS
from benchmarks.make_graphs import dynamic_graph
from schedule.generate import schedule_graph
from schedule.online import SumOnline, patterns, why_not_online
from schedule.trace import KINDS
from schedule.transform import from_text, to_text

M, K, N = (Size(name=name) for name in "MKN")
F16, F32 = DType.FLOAT16, DType.FLOAT32


def builder(name):
    return GraphBuilder(name, {"m": M.symbol, "n": N.symbol}, (M, N))


def load(g, dtype=F32):
    return g.load("x", ("m", "n"), dtype)


def total(g, x, largest=None):
    return g.reduce("Sum", g.op("Exp", g.op("Sub", x, g.reduce("Max", x, "n") if largest is None else largest)), "n")


def log_sum(g, x):
    largest = g.reduce("Max", x, "n")
    return g.op("Add", g.op("Ln", total(g, x, largest)), largest)


def log_softmax(g, x):
    return g.op("Sub", x, log_sum(g, x))


def graph_of(made, name="graph"):
    g = builder(name)
    g.store("y", made(g))
    return g.build()


def online(graph, chip):
    return next(t for t in schedule_graph(graph, chip).templates if t.name == "online.z0.z1")


def walks(template):
    (phase,) = template.phases
    return [[n.name for n in part.nodes] for part in segments(phase, loop_nest(phase)) if part.looped]


def twice(g):
    """The operand of Max is another node than that of Sub, which makes the same."""
    x = load(g)
    one, other = (g.op("Mul", x, 0.125) for _ in range(2))
    return total(g, one, g.reduce("Max", other, "n"))


@pytest.mark.parametrize(
    ("made", "number"),
    [
        (lambda g: total(g, load(g)), 1),
        (lambda g: total(g, g.op("Mul", load(g), 0.125)), 1),
        (lambda g: total(g, g.cast(load(g, F16), F32)), 1),
        (lambda g: log_sum(g, load(g)), 1),
        (lambda g: log_softmax(g, load(g)), 2),
    ],
    ids=["sum", "of a product", "of a cast", "log", "log_softmax"],
)
def test_graphs_that_have_one_walk_their_rows_once_less(chip, made, number):
    graph = graph_of(made)
    assert len(walks(online(graph, chip))) == number
    (other,) = (t for t in schedule_graph(graph, chip).templates if t.name == "chunked.z0.z1")
    assert len(walks(other)) == number + 1


def test_operands_are_compared_as_values():
    assert len(patterns(graph_of(twice))) == 1


def exponentials(g, x, other):
    return g.op("Exp", g.op("Sub", x, other))


@pytest.mark.parametrize(
    "made",
    [
        lambda g, x: total(g, x, g.reduce("Max", g.op("Mul", x, 2.0), "n")),
        lambda g, x: total(g, x, g.reduce("Min", x, "n")),
        lambda g, x: g.reduce("Sum", exponentials(g, g.reduce("Max", x, "n"), x), "n"),
        lambda g, x: g.reduce("Max", exponentials(g, x, g.reduce("Max", x, "n")), "n"),
        lambda g, x: g.reduce("Sum", g.op("Abs", g.op("Sub", x, g.reduce("Max", x, "n"))), "n"),
    ],
    ids=["another value", "Min", "negative", "Max of", "Abs"],
)
def test_other_sums_are_left_alone(chip, made):
    graph = graph_of(lambda g: made(g, load(g)))
    assert not patterns(graph)
    assert "could follow the maximum" in {d.name: d.reason for d in schedule_graph(graph, chip).dropped}["online"]
    with pytest.raises(ScheduleError, match="no sum follows a maximum"):
        SumOnline().apply(graph)


def test_half_differences_are_left_alone(chip):
    def made(g):
        x = load(g, F16)
        return g.reduce("Sum", g.cast(exponentials(g, x, g.reduce("Max", x, "n")), F32), "n")

    assert not [t.name for t in schedule_graph(graph_of(made), chip).templates if t.name.startswith("online")]


def test_sums_over_more_than_the_maximum_are_left_alone():
    g = GraphBuilder("more", {"m": 4, "k": 5, "n": 6})
    x = g.load("x", ("m", "k", "n"))
    g.store("y", g.reduce("Sum", g.op("Exp", g.op("Sub", x, g.reduce("Max", x, "n"))), "k", "n"))
    assert not patterns(g.build())


def test_where_another_reduce_needs_the_walk_none_is_saved():
    def made(g):
        x = load(g)
        largest = g.reduce("Max", x, "n")
        spread = g.reduce("Sum", g.op("Abs", g.op("Sub", x, largest)), "n")
        return g.op("Add", total(g, x, largest), spread)

    assert patterns(graph_of(made))
    assert why_not_online(graph_of(made)) == "other reduces need as many walks as before where sums follow their maximum"


def test_a_name_that_is_taken_is_not_taken_again(chip):
    text = graph_json.dumps(dynamic_graph("softmax")).replace('"exp"', '"max_running"')
    nodes = online(graph_json.loads(text), chip).phases[0].node_of
    assert (nodes["max_running"].op, nodes["max_running_"].op) == ("Exp", "Maximum")


def test_the_template_says_what_it_does(chip):
    (why,) = [w for w in schedule_graph(dynamic_graph("softmax"), chip).whys if w.template == "online.z0.z1"]
    assert why.purpose.endswith("sums follow the maximum while it is being found, and need no walk of their own")
    assert "Sum sum of Exp(x - max)" in why.trigger


def test_the_step_is_written_and_read():
    assert to_text(SumOnline()) == "SumOnline()"
    assert from_text("SumOnline()", KINDS) == SumOnline()


def test_the_template_survives_every_format(chip):
    template = online(dynamic_graph("softmax"), chip)
    assert "SumOnline()" in template.phases[0].trace
    assert graph_json.loads(graph_json.dumps(template)) == template
    assert dump.from_text(dump.to_text(template)) == template


def test_only_the_scheduler_makes_the_op():
    with pytest.raises(GraphError, match="ScaledSum is made by the scheduler"):
        verify_graph(SumOnline().apply(dynamic_graph("softmax")))


@pytest.mark.parametrize("tiling", [(1, 1, 1), (2, 7, 2), (5, 20, 1), (3, 16, 1)])
def test_the_price_is_what_the_walk_adds_up(chip, tiling):
    template, shape, costs = online(dynamic_graph("softmax"), chip), {"ks0": 5, "ks1": 20}, Costs(chip=chip, cost_set=CostSet.MENDED)
    values = dict(zip(("z0t_size", "z1t_size", "z0Tb_size"), tiling, strict=True))
    (phase,) = evaluate(bind(build_model(template, chip, ModelOptions(align_bytes=None)), shape), values).phases
    (walked,) = walk(template, shape, values, costs)
    assert {pipe.pipe: pipe.ticks for pipe in phase.pipes} == walked.pipe_ticks
    assert walked.calls["sum_running"] == walked.calls["max_running"] == walked.calls["load"]


def test_each_further_turn_pays_for_the_change_of_scale(chip, monkeypatch):
    """Sub, Exp and Mul of one row; a sum at a fixed scale pays for its Add only."""
    costs, shape, tiling = Costs(chip=chip, cost_set=CostSet.MENDED), {"ks0": 1, "ks1": 64}, {"z0t_size": 1, "z1t_size": 16, "z0Tb_size": 1}
    template = online(dynamic_graph("softmax"), chip)
    (scaled,) = walk(template, shape, tiling, costs)
    monkeypatch.setattr("att.model.calls.merge_calls", lambda call, reduction: merge_calls(call, replace(reduction, rescale=())))
    (fixed,) = walk(template, shape, tiling, costs)
    row = View(dtype=F32, dims=(integer(1),), ub_strides=(integer(1),))
    steps = {"Sub": (row, row), "Exp": (row,), "Mul": (row, row)}
    calls = (Call(op=op, inputs=inputs, output=row, attrs={}, block_dim=integer(1)) for op, inputs in steps.items())
    ticks = sum(value_of(spec_of(call.op).cost(call, costs)[Pipe.VEC], {}) for call in calls)
    assert scaled.pipe_ticks[Pipe.VEC] - fixed.pipe_ticks[Pipe.VEC] == 3 * ticks


@pytest.mark.parametrize(("name", "rows", "columns"), [("softmax", 48, 50_257), ("softmax", 64, 151_936), ("log_softmax", 16, 12_288)])
def test_rows_that_do_not_fit_are_loaded_once_less(name, rows, columns):
    graph = OPERATORS[name]((), rows, columns)
    plan = att.solve(graph, cache=False)
    again = att.solve(graph, exclude=["online.z0.z1"], cache=False)
    assert (plan.template, again.template) == ("online.z0.z1", "chunked.z0.z1")
    assert plan.makespan_ticks is not None
    assert again.makespan_ticks is not None
    assert again.makespan_ticks > 1.25 * plan.makespan_ticks


def test_a_value_that_is_dear_to_make_is_kept_for_the_second_walk(chip):
    def made(g):
        x = g.op("Add", load(g), g.load("w", ("m", "n")))
        return log_softmax(g, x)

    (kept,) = (t for t in schedule_graph(graph_of(made), chip).templates if t.name == "online.z0.z1.kept")
    first, second = walks(kept)
    assert "add_store" in first
    assert "add_walk2" in second


def test_parts_that_are_summed_online_have_a_name_of_their_own(chip):
    g = GraphBuilder("parts", {"m": M.symbol, "n": N.symbol, "k": 40, "z": N.symbol + 40}, (M, N))
    parts = [(g.load(name, ("m", axis)), axis) for name, axis in (("x", "n"), ("w", "k"))]
    summed = []
    for x, axis in parts:
        e = g.op("Exp", g.op("Sub", x, g.reduce("Max", x, axis)))
        summed.append((g.op("TrueDiv", e, g.reduce("Sum", e, axis)), axis))
    g.store("y", g.concat("z", *summed))
    candidates = schedule_graph(g.build(), chip)
    names = [x.name for x in (*candidates.templates, *candidates.dropped)]
    assert any(name.endswith(".online") for name in names)
    assert len(set(names)) == len(names)
