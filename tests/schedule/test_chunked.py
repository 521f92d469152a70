"""Chunked templates: which graphs get one, what is computed again in which walk, and which queues the walks share."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from att.errors import ModelError
from att.formats.builder import GraphBuilder
from att.ir.axis import Size
from att.ir.dtype import DType
from att.ir.layout import blocks, queues_at
from att.ir.loops import loop_nest
from att.ir.tensor import Position
from att.ir.walks import segments
from att.model.bind import bind
from att.model.build import build_model
from att.model.options import ModelOptions
from att.solve.base import SolveOptions, SolveStatus
from att.solve.run import run
from benchmarks.library import OPERATORS
from benchmarks.make_graphs import dynamic_graph
from schedule import generate
from schedule.generate import schedule_graph
from schedule.stages import stages

M, N = Size(name="ks0"), Size(name="ks1")


def builder(name):
    return GraphBuilder(name, {"m": M.symbol, "n": N.symbol}, (M, N))


def chunked(graph, chip):
    return next(t for t in schedule_graph(graph, chip).templates if t.name.startswith("chunked")).phases[0]


def reasons(graph, chip):
    return {d.name: d.reason for d in schedule_graph(graph, chip).dropped}


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "layer_norm", "rms_norm"])
def test_graphs_that_read_their_rows_again_get_one_beside_full_load(chip, name):
    names = [
        t.name
        for t in schedule_graph(dynamic_graph(name), chip).templates
        if not t.name.startswith(("online", "r_split")) and "inline" not in t.name and "packed" not in t.name
    ]
    assert names == ["full_load.z0", "chunked.z0.z1"]


@pytest.mark.parametrize("name", ["add_row", "amax_keep", "reduce_all", "hc_post"])
def test_graphs_that_one_walk_is_enough_for_get_none(chip, name):
    candidates = schedule_graph(dynamic_graph(name), chip)
    assert not [x for x in (*candidates.templates, *candidates.dropped) if x.name.startswith("chunked")]


def test_stages_count_the_reduces_that_must_be_complete():
    found = stages(dynamic_graph("softmax"))
    assert [found[name] for name in ("load", "max", "sub", "exp", "sum", "truediv", "store")] == [0, 0, 1, 1, 1, 2, 2]


def test_only_what_varies_over_the_rows_is_made_again(chip):
    phase = chunked(dynamic_graph("layer_norm"), chip)
    again = {n.name for n in phase.nodes if "_walk" in n.name}
    assert again == {"load_walk2", "load_walk3", "broadcast_walk3", "sub_walk3"}


def test_two_reduces_of_one_stage_share_a_walk(chip):
    g = builder("two")
    x = g.load("x", ("m", "n"))
    g.store("a", g.reduce("Max", x, "n"))
    g.store("b", g.reduce("Sum", x, "n"))
    phase = chunked(g.build(), chip)
    (walk, rest) = segments(phase, loop_nest(phase))
    assert [n.name for n in walk.nodes] == ["load", "max", "sum"]
    assert not rest.looped


def test_copies_do_not_take_the_name_of_another_node(chip):
    g = builder("names")
    x = g.load("x", ("m", "n"))
    g.store("y", g.op("Sub", x, g.reduce("Max", x, "n")))
    graph = g.build()
    swap = {"broadcast": "load_walk2"}
    nodes = (replace(n, name=swap.get(n.name, n.name), inputs=tuple(swap.get(i, i) for i in n.inputs)) for n in graph.nodes)
    phase = chunked(replace(graph, nodes=tuple(nodes)), chip)
    assert {"load", "load_walk2", "load_walk2_"} <= {n.name for n in phase.nodes}
    assert phase.node_of["load_walk2"].op == "Broadcast"


def test_places_beyond_what_int32_counts_are_refused_in_words(chip):
    n = Size(name="n", maximum=2**20)
    g = GraphBuilder("place", {"m": 4, "n": n.symbol, "k": 4096}, (n,))
    x = g.load("x", ("m", "n", "k"))
    place = g.cast(g.cast(g.reduce("ArgMax", x, "n", "k"), DType.INT32), DType.FLOAT32)
    g.store("y", g.op("Sub", x, place))
    assert (
        reasons(g.build(), chip)["chunked"]
        == "ArgMax argmax may reduce 4294967296 elements, and places from tile to tile are counted up to 2147483647"
    )


def test_reduces_over_different_axes_are_refused_in_words(chip):
    g = builder("different")
    x = g.load("x", ("m", "n"))
    row = g.reduce("Max", x, "n")
    g.store("y", g.reduce("Sum", g.op("Sub", x, row), "m", "n"))
    assert "max and sum reduce different axes" in reasons(g.build(), chip)["chunked"]


def test_where_every_row_fits_it_is_dropped_with_the_bytes(chip):
    reason = reasons(OPERATORS["softmax"]((), 64, 1024), chip)["chunked.z0.z1"]
    found = re.fullmatch(
        r"every row of the declared range fits in UB \(full_load.z0 needs at most (\d+) B of 196352 B .* gains nothing", reason
    )
    assert found
    assert 2 * 2 * 4096 < int(found.group(1)) <= 196352


def normalised(weight):
    """Groups of rows, normalised and weighted by what varies over some of the axes."""
    g = GraphBuilder("normalised", {"a": 6, "b": 50, "n": 1000})
    x = g.load("x", ("a", "b", "n"))
    g.store("y", g.op("Mul", g.op("TrueDiv", x, g.reduce("Sum", x, "n")), g.load("w", weight)))
    return g.build()


def test_where_some_rows_share_a_weight_the_price_decides(chip):
    """Chunks of several rows of a group load its weight less often than one whole row at a time."""
    assert {t.name.split(".")[0] for t in schedule_graph(normalised(("a", "n")), chip).templates} == {"full_load", "chunked"}


@pytest.mark.parametrize("weight", [("n",), ("a", "b", "n"), ("a", "b")])
def test_where_all_rows_or_none_share_a_weight_full_load_can_only_win(chip, weight):
    """What all rows share is loaded once per core."""
    assert {t.name.split(".")[0] for t in schedule_graph(normalised(weight), chip).templates} == {"full_load"}


@pytest.mark.parametrize(("name", "rows", "columns"), [("layer_norm", 4096, 1024), ("rms_norm", 777, 777), ("rms_norm", 8, 4096)])
def test_what_is_dropped_was_slower(chip, monkeypatch, name, rows, columns):
    monkeypatch.setattr(generate, "why_needless", lambda *_: "")
    templates = schedule_graph(OPERATORS[name]((), rows, columns), chip).templates
    solved = {t.name: run(bind(build_model(t, chip, ModelOptions()), {}), "enumerate", SolveOptions()) for t in templates}
    assert solved["full_load.z0"].objective_ticks < solved["chunked.z0.z1"].objective_ticks


def test_values_of_different_walks_take_turns_in_one_queue(chip):
    phase = chunked(dynamic_graph("softmax"), chip)
    (queue,) = [b for b in blocks(phase) if b.position is Position.VECIN]
    assert queue.tensors == ("load", "load_walk2", "load_walk3")
    one_tile = [b for b in blocks(chunked_max(chip)) if b.position is Position.VECIN]
    assert queue.slot_bytes == one_tile[0].slot_bytes


def chunked_max(chip):
    return schedule_graph(dynamic_graph("amax_keep"), chip).templates[0].phases[0]


def test_a_value_that_is_only_stored_takes_no_turns(chip):
    g = builder("copy")
    x = g.load("x", ("m", "n"))
    g.store("y", g.op("Sub", x, g.reduce("Max", x, "n")))
    g.store("z", g.load("w", ("m", "n")))
    by_value = {name: b.name for b in blocks(chunked(g.build(), chip)) for name in b.tensors}
    assert by_value["load"] == by_value["load_walk2"] != by_value["load1"]


def test_the_queue_limit_holds_in_every_walk(chip):
    phase = chunked(many_operands(), chip)
    assert queues_at(phase)[Position.VECIN] == chip.vecin_queues
    walks = [{n.name for n in part.nodes} for part in segments(phase, loop_nest(phase)) if part.looped]
    for node in phase.nodes:
        memory = node.output.memory
        if memory and memory.queue:
            together = {n.name for n in phase.nodes if n.output.memory and n.output.memory.queue == memory.queue}
            assert any(together <= walk for walk in walks) or not any(together & walk for walk in walks)


def many_operands():
    g = builder("many")
    total = g.load("x", ("m", "n"))
    for i in range(5):
        total = g.op("Add", total, g.load(f"w{i}", ("m", "n")))
    result = g.op("Sub", total, g.reduce("Max", total, "n"))
    for i in range(5):
        result = g.op("Mul", result, g.load(f"v{i}", ("n",)))
    g.store("y", g.op("Mul", result, g.load("column", ("m",))))
    return g.build()


@pytest.mark.parametrize(
    ("name", "rows", "columns"),
    [
        ("softmax", 64, 50257), ("softmax", 8, 151936), ("softmax", 16, 12288),
        ("rms_norm", 64, 9216), ("layer_norm", 64, 7168), ("layer_norm", 4096, 12288),
    ],
)  # fmt: skip
def test_long_rows_have_a_template_that_fits(chip, name, rows, columns):
    templates = schedule_graph(OPERATORS[name]((), rows, columns), chip).templates
    (template,) = (t for t in templates if t.name == "chunked.z0.z1")
    result = run(bind(build_model(template, chip, ModelOptions()), {}), "enumerate", SolveOptions())
    assert result.status is SolveStatus.OPTIMAL


def test_what_is_stored_beside_a_reduce_belongs_to_its_walk(chip):
    """`v` is made in the first walk, though it stands behind the maximum that ends that walk."""
    g = builder("beside")
    x = g.load("x", ("m", "n"))
    g.store("y", g.op("Add", x, g.reduce("Max", x, "n")))
    g.store("v", g.op("Abs", x))
    phase = chunked(g.build(), chip)
    names = [n.name for n in phase.nodes if n.axes]
    assert names.index("store1") < names.index("max")


def test_a_reduce_that_no_later_walk_reads_belongs_to_the_walk_of_one_that_is_read(chip):
    """`sum` stands behind the maximum, which ends the first walk."""
    g = builder("unread")
    x = g.load("x", ("m", "n"))
    g.store("y", g.op("Sub", x, g.reduce("Max", x, "n")))
    g.store("z", g.reduce("Sum", x, "n"))
    phase = chunked(g.build(), chip)
    first, *_ = segments(phase, loop_nest(phase))
    assert [n.name for n in first.nodes] == ["load", "sum", "max"]


def exp_and_abs():
    """Sum(Exp(x - Max(x))) + Sum(Abs(x)): the second sum belongs to the walk of the maximum, behind which it stands."""
    g = builder("exp_and_abs")
    x = g.load("x", ("m", "n"))
    exp = g.op("Exp", g.op("Sub", x, g.reduce("Max", x, "n")))
    g.store("y", g.op("Add", g.reduce("Sum", exp, "n"), g.reduce("Sum", g.op("Abs", x), "n")))
    return g.build()


def test_a_walk_ends_with_the_reduces_that_a_later_one_reads(chip):
    phase = chunked(exp_and_abs(), chip)
    walks = [[n.name for n in part.nodes] for part in segments(phase, loop_nest(phase)) if part.looped]
    assert walks == [["load", "abs", "sum1", "max"], ["load_walk2", "broadcast", "sub", "exp", "sum"]]


def test_a_case_that_no_model_holds_is_dropped_with_its_reason_and_the_others_stay(chip, monkeypatch):
    def refuse(*_, **__):
        raise ModelError("no such nest")

    made = generate.nest
    monkeypatch.setattr(generate, "nest", lambda phase, *a, **k: (refuse if phase.case.r else made)(phase, *a, **k))
    candidates = schedule_graph(exp_and_abs(), chip)
    assert [t.name for t in candidates.templates] == ["full_load.z0"]
    assert reasons(exp_and_abs(), chip)["chunked.z0.z1"] == "no such nest"
